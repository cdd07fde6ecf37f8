"""docs/rules.md: every code has an example that is really judged so, and the page says what the rules say now."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memory_core.codes import CODES, REPLY
from memory_core.review import rules
from memory_core.review.rules import RULES, STAGES, Rule

DOCS = Path(__file__).parents[3] / "docs"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_rules", DOCS / "make_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make: Any = _load()
EXAMPLES: dict[str, dict[str, Any]] = make.examples()


def outcome(code: str) -> str | None:
    """How the check of that code ends in its example."""
    return next((check.outcome for check in make.verdict_of(EXAMPLES[code]).checks if check.code == code), None)


def test_every_code_of_a_verdict_has_an_example() -> None:
    assert set(EXAMPLES) | make.PLAIN == set(make.RULE_CODES)
    assert {example["code"] for example in make.replies()} == set(REPLY)


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_gets_its_code_and_no_other(code: str) -> None:
    """The rule that a code belongs to is taken out: then this fails."""
    checks = make.verdict_of(EXAMPLES[code]).checks
    spoken = {check.code for check in checks if check.outcome != "passed"}
    assert spoken <= {code}
    assert outcome(code) == "passed" if code == "evidence" else spoken == {code}


@pytest.mark.parametrize("example", make.replies(), ids=lambda example: str(example["code"]))
def test_the_reply_gets_its_code(example: dict[str, Any]) -> None:
    (said,) = make.said_of(example)
    words = re.split(r"\{\w+\}", CODES[example["code"]].sentence)
    assert re.fullmatch(".*".join(map(re.escape, words)), said)


def spoken() -> dict[str, list[str]]:
    """What judging objects to or remarks in each example; a judge that breaks says so."""
    found = {}
    for code, example in EXAMPLES.items():
        try:
            found[code] = [f"{check.code} {check.outcome}" for check in make.verdict_of(example).checks]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            found[code] = [type(error).__name__]
    return found


@pytest.mark.parametrize(
    "rule",
    [*(rule for stage in STAGES for rule in stage), *RULES],
    ids=lambda rule: f"{rule.__module__}.{rule.__name__}",
)
def test_no_rule_can_be_taken_out(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    objections = {code for code, said in spoken().items() if f"{code} passed" not in said}
    monkeypatch.setattr(rules, "STAGES", tuple(tuple(r for r in stage if r is not rule) for stage in STAGES))
    monkeypatch.setattr(rules, "RULES", tuple(r for r in RULES if r is not rule))
    unnoticed = {code for code, said in spoken().items() if any(line.startswith(f"{code} ") for line in said)}
    assert objections - unnoticed


def test_the_page_is_fresh() -> None:
    assert (DOCS / "rules.md").read_text(encoding="utf-8") == make.page(), "run `make docs`"


def test_the_page_shows_nothing_hidden_and_no_secret() -> None:
    page = (DOCS / "rules.md").read_text(encoding="utf-8")
    assert all(c == "\n" or c.isprintable() for c in page)
    assert "kT9w2xQf7LmZ" not in page
