"""Makes docs/rules.md from the rules: their modules, their codes, and what judging says of one example each.

`python docs/make_rules.py` writes the page; a test says when it is stale.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))

from memory_core.codes import CODES, EVIDENCE, FILE, SAFETY, VERDICT, Code
from memory_core.delta import MemoryDelta, MemoryDeltaParser
from memory_core.document import (
    SOURCE_OF,
    ActiveTopic,
    LongTermItem,
    LongTermMemory,
    MemoryDocument,
    RecentTurn,
    WorkingMemory,
)
from memory_core.policy import Limits, Policy
from memory_core.review.applier import MemoryDeltaApplier, pending_batch
from memory_core.review.verdict import JudgeContext, TurnedDown, Verdict
from memory_core.safety.secrets import mask_secrets
from memory_core.summary.prompt import PLACEHOLDERS

HERE = Path(__file__).parent
PAGE = HERE / "rules.md"
AT = "2026-05-01T12:45:00+08:00"
SECTIONS = (
    ("Shape, ids and room", ("A2", "A4", "A9c", "U2", "D6"), ("structure",)),
    ("Sources", ("A5",), ("sources",)),
    ("Forbidden content", ("A6",), ("content",)),
    ("Evidence", ("A7", "A9d"), ("evidence",)),
    ("Duplicates and conflicts", ("A8", "A9e"), ("duplicates",)),
    ("Unsafe text", ("A9", "A9b"), ("safety",)),
    ("What a person said before", ("R4c",), ("turned_down",)),
)
RULE_CODES: dict[str, Code] = {**VERDICT, **EVIDENCE, **SAFETY}
PLAIN = frozenset({"accepted"})
"""Codes that need no example: it is what stands where nothing else does."""


@cache
def _file() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((HERE / "examples.yaml").read_text(encoding="utf-8"))
    return loaded


def examples() -> dict[str, dict[str, Any]]:
    """The examples of the verdict's codes, laid over what they have in common."""
    file = _file()
    return {example["code"]: {**file["common"], **example} for example in file["examples"]}


def replies() -> list[dict[str, Any]]:
    """The examples of what the parser says."""
    found: list[dict[str, Any]] = _file()["replies"]
    return found


def _document(example: dict[str, Any]) -> MemoryDocument:
    def turn(number: int, **values: Any) -> RecentTurn:
        made = {
            "id": f"turn_20260501_12000{number}_{number:03d}",
            "intent": "general_chat",
            "scope_paths": (),
            "created_at": f"2026-05-01T12:00:0{number}+08:00",
        }
        return RecentTurn.model_validate(made | values)

    waiting = turn(
        1, user_text=example["user"], assistant_text=example["assistant"], summary="", summary_status="pending"
    )
    ready = turn(
        2,
        user_text="How do records differ from classes?",
        assistant_text=example.get("ready_assistant", ""),
        summary=example["ready"],
        summary_status="ready",
    )
    topic = {"id": "topic_20260501_001", "related_turn_ids": (), "last_touched_at": AT, **example["topic"]}
    items = tuple(
        LongTermItem.model_validate(
            {
                "id": f"mem_20260501_{number:03d}",
                "status": "active",
                "source": SOURCE_OF[item["type"]],
                "created_at": AT,
                "updated_at": AT,
                **item,
            }
        )
        for number, item in enumerate(example["items"], 1)
    )
    return MemoryDocument(
        updated_at=AT,
        working_memory=WorkingMemory(recent_turns=(waiting, ready), active_topics=(ActiveTopic.model_validate(topic),)),
        long_term_memory=LongTermMemory(),
    ).with_items(items)


def verdict_of(example: dict[str, Any]) -> Verdict:
    """What judging says of the example's last operation."""
    document = _document(example)
    batch = pending_batch(document)
    if example.get("left"):
        document = document.with_turns(document.turns[1:])
    before = example.get("turned_down")
    context = JudgeContext(
        proposed_at=AT,
        batch=batch,
        placeholders=PLACEHOLDERS,
        turned_down=(TurnedDown("long_term", **{**before, "at": str(before["at"])}),) if before else (),
    )
    policy = Policy(limits=Limits(**example.get("limits", {})))
    return MemoryDeltaApplier.judge(document, MemoryDelta.from_object(example["delta"]), policy, context).operations[-1]


def said_of(example: dict[str, Any]) -> list[str]:
    """What the parser says of a reply: the sentence of its refusal, else its remarks."""
    reply: str | bytes
    if "bytes" in example:
        reply = bytes.fromhex(example["bytes"])
    else:
        reply = example.get("before", "") + example["reply"] * example.get("times", 1) + example.get("after", "")
    parsed = MemoryDeltaParser.parse(reply, finish_reason=example.get("finish_reason"))
    return list(parsed.remarks) if parsed.reason is None else [parsed.reason.message]


def _module(name: str) -> tuple[str, list[tuple[str, str, str]]]:
    """What a rule's module says of itself, and its measures: name, value, what it is."""
    path = HERE.parent / "memory_core" / "review" / "rules" / f"{name}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    measures = []
    for here, after in zip(tree.body, tree.body[1:], strict=False):
        if not (isinstance(here, ast.Assign) and isinstance(here.targets[0], ast.Name)):
            continue
        about = after.value if isinstance(after, ast.Expr) else None
        if isinstance(about, ast.Constant) and isinstance(here.value, ast.Constant) and isinstance(about.value, str):
            measures.append((here.targets[0].id, str(here.value.value), " ".join(about.value.split())))
    return (ast.get_docstring(tree) or "").split("\n\n")[0].replace("\n", " "), measures


def _shown(text: str) -> str:
    """A text of an example as the page shows it: nothing invisible, no secret."""
    masked = mask_secrets(text)
    return "".join(c if c.isprintable() and c != "\u200b" else f"\\u{ord(c):04x}" for c in masked)


def _entry(code: Code, example: dict[str, Any]) -> Iterator[str]:
    verdict = verdict_of(example)
    check = next(check for check in verdict.checks if check.code == code.code)
    outcome = {"passed": "accepted", "remark": "remark", "held": "held", "failed": "rejected"}[check.outcome]
    section, operations = list(example["delta"].items())[-1]
    yield f"### `{code.code}` · {code.rule} · {outcome}"
    yield ""
    said = _file()["common"]["user"] != example["user"] or code in EVIDENCE.values()
    if said:
        yield f"> user: {_shown(example['user'])}"
        if "assistant" in example and code.code == "bare_agreement":
            yield f"> assistant: {_shown(example['assistant'])}"
        yield ""
    yield "```json"
    yield _shown(f"{section}: {json.dumps(operations[-1], ensure_ascii=False)}")
    yield "```"
    yield ""
    yield f"{_shown(check.message)}"
    for quote in check.evidence:
        yield f"Quoted: {quote.speaker}, “{_shown(quote.quote)}”."
    yield ""


def page() -> str:
    """The whole page."""
    lines = [
        "# The rules, code by code",
        "",
        "Made by `docs/make_rules.py` from the rules, the codes and `docs/examples.yaml`; change those, not this page.",
        "Every example is really judged: what stands under it is what the program said.",
        "",
        "An operation is **rejected** where one check fails, else **held** where one holds: a person decides. A remark",
        "changes nothing. The codes also stand in `memory-inspector codes`.",
        "",
    ]
    given = examples()
    for title, numbers, modules in SECTIONS:
        lines += [f"## {title}", ""]
        for name in modules:
            about, measures = _module(name)
            lines += [f"`review/rules/{name}.py`: {about}", ""]
            lines += [f"- `{constant}` = {value}: {what}" for constant, value, what in measures]
            lines += [""] if measures else []
        for code in RULE_CODES.values():
            if code.rule in numbers and code.code not in PLAIN:
                lines += _entry(code, given[code.code])
    lines += ["## Replies that are refused, and what is repaired in one", ""]
    for example in replies():
        code = CODES[example["code"]]
        lines += [f"### `{code.code}` · {code.rule}", "", "```text", _reply(example), "```", ""]
        lines += [*map(_shown, said_of(example)), ""]
    lines += ["## What `check` finds in a file beside the codes above", "", "| code | rule | sentence |", "|-|-|-|"]
    lines += [f"| `{code.code}` | {code.rule} | {code.sentence} |" for code in FILE.values()]
    return "\n".join(lines) + "\n"


def _reply(example: dict[str, Any]) -> str:
    """The reply as the page shows it."""
    if "bytes" in example:
        return f"bytes {example['bytes']}"
    text = _shown(example["reply"])
    if "times" in example:
        before, after = (_shown(example.get(name, "")) for name in ("before", "after"))
        text = f"{before}{text} … {text}{after}   ({example['times']:,} times)"
    return f"{text}   (finish_reason {example['finish_reason']})" if "finish_reason" in example else text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
