"""A secret that a file held before anybody looked is masked by every command, and named by `check` (A9, D8)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.core.flows.helpers import delta, manager, new_note, write
from tests.core.samples import document, note, preference, topic, turn

VALUE = "kT9w2xQf7LmZ"
SAID = f"测试库用 password={VALUE} 登录。"


def remember(repo: Path) -> None:
    """What V1 would have written, and a delta that waits beside it."""
    waiting = turn(1, user_text=SAID, assistant_text=SAID)
    ready = turn(2, user_text=SAID, summary=SAID, summary_status="ready", scope_paths=(SAID,))
    entries = document(
        turns=(ready, waiting),
        topics=(topic(1, label=SAID[:50], summary=SAID),),
        items=(preference(1, summary=SAID), note(2, summary=SAID)),
    )
    write(repo, entries)
    manager(repo).propose(delta(items=[new_note()]))


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("check",),
        ("pending",),
        ("pending", "show", "delta_20260501_124500_001"),
        ("context", "--intent", "general_chat", "--explain"),
        ("history",),
        ("diff", "empty", "current"),
        ("plan", "-"),
        ("summarize", "--dry-run"),
        ("item", "deactivate", "mem_20260501_002"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("as_json", [False, True])
def test_no_command_shows_it(cli: Cli, repo: Path, words: tuple[str, ...], as_json: bool) -> None:
    remember(repo)
    reply = json.dumps({"topic_operations": [{"operation": "create_new", "label": "db", "summary": SAID}]})
    done = cli(*words, *(["--json"] if as_json else []), stdin=reply.encode())
    assert done.status in {0, 1}
    assert done.out
    assert VALUE.encode() not in done.out + done.err


def test_it_is_shown_as_masked_and_named(cli: Cli, repo: Path) -> None:
    remember(repo)
    assert cli("show", "--json").json["document"]["long_term_memory"]["project_notes"][0]["summary"] == (
        "测试库用 password=[secret: credential] 登录。"
    )
    found = [(problem["at"], problem["code"]) for problem in cli("check", "--json").json["problems"]]
    assert ("long_term_memory.project_notes[0].summary", "secret") in found
    assert VALUE in (repo / ".autopatch-j" / "memory.json").read_text(encoding="utf-8")
