"""The command line: data on stdout, narration on stderr, exit statuses, one JSON document."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from inspector.cli import run
from inspector.commands.common import find_root
from memory_core.intents import IntentType
from memory_core.manager import MemoryManager
from tests.cases.reader import Case, load
from tests.core.samples import V1_SAMPLES
from tests.core.storage.helpers import put, tree

Captured = pytest.CaptureFixture[str]


def call(root: Path, capsys: Captured, *words: str) -> tuple[int, Any]:
    """The exit status and the one JSON document of a command."""
    status = run([*words, "--repo", str(root), "--json"])
    return status, json.loads(capsys.readouterr().out)


def talk(root: Path) -> MemoryManager:
    manager = MemoryManager(root)
    manager.record_turn(IntentType.GENERAL_CHAT, user_text="以后回答先给结论。", assistant_text="好。", summarise=False)
    return manager


def write(path: Path, value: object) -> str:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(path)


def test_looking_at_nothing_creates_nothing(tmp_path: Path, capsys: Captured) -> None:
    for words in (("show",), ("check",), ("pending",), ("history",), ("diff",), ("profile",), ("policy",), ("codes",)):
        status, _ = call(tmp_path, capsys, *words)
        assert status == 0, words
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sample", V1_SAMPLES, ids=lambda path: path.name)
def test_show_gives_the_document_as_it_is(tmp_path: Path, capsys: Captured, sample: Path) -> None:
    put(tmp_path, sample.read_bytes())
    status, shown = call(tmp_path, capsys, "show")
    assert status == 0
    assert shown["document"] == json.loads(sample.read_bytes())
    assert shown["bytes"] == {"size": len(sample.read_bytes()), "soft": 24576, "hard": 32768}
    assert set(shown) == {"document", "load", "bytes", "counts", "pending", "generation"}


def test_repair_intents_record_nothing_and_unknown_ones_are_unusable(tmp_path: Path, capsys: Captured) -> None:
    for intent in ("code_audit", "patch_explain", "patch_revise"):
        status, result = call(
            tmp_path, capsys, "record", "--intent", intent, "--user", "以后都这样", "--assistant", "好"
        )
        assert (status, result["recorded"]) == (0, False)
    status, result = call(tmp_path, capsys, "record", "--intent", "Code_Audit", "--user", "a", "--assistant", "b")
    assert (status, set(result)) == (2, {"error"})
    assert list(tmp_path.iterdir()) == []


def test_a_turn_is_recorded_summarised_and_seen_by_the_next_prompt(tmp_path: Path, capsys: Captured) -> None:
    talk(tmp_path)
    status, result = call(
        tmp_path, capsys, "record", "--intent", "general_chat", "--user", "Optional 怎么用？", "--assistant", "好"
    )
    assert (status, result["trigger"], result["summary"]["status"]) == (0, "pending_turns", "applied")
    status, context = call(tmp_path, capsys, "context", "--intent", "general_chat", "--question", "Optional")
    assert "Optional 怎么用？" in context["text"]
    assert call(tmp_path, capsys, "context", "--intent", "patch_revise")[1]["text"] == ""


def test_propose_pending_approve_and_dismiss(tmp_path: Path, capsys: Captured) -> None:
    turn = talk(tmp_path).load().document.turns[0].id
    good = {"turn_summaries": [{"turn_id": turn, "summary": "用户要求以后先给结论。"}]}
    status, proposed = call(tmp_path, capsys, "propose", write(tmp_path / "good.json", good))
    assert status == 0
    delta_id = proposed["delta_id"]
    assert [entry["id"] for entry in call(tmp_path, capsys, "pending")[1]] == [delta_id]
    assert call(tmp_path, capsys, "approve", delta_id, "--base", "0" * 64)[0] == 3
    assert call(tmp_path, capsys, "approve", delta_id, "--accept", "turn_summaries[7]")[0] == 2
    status, approved = call(tmp_path, capsys, "approve", delta_id)
    assert (status, approved["applied"]) == (0, ["turn_summaries[0]"])
    status, refused = call(tmp_path, capsys, "propose", write(tmp_path / "bad.json", "没有"))
    assert (status, refused["review"]["reply"]) == (1, "refused")
    assert call(tmp_path, capsys, "dismiss", refused["delta_id"]) == (0, {"dismissed": refused["delta_id"]})
    assert call(tmp_path, capsys, "dismiss", "delta_none")[0] == 2


def test_revisions_are_compared_restored_and_reset(tmp_path: Path, capsys: Captured) -> None:
    manager = talk(tmp_path)
    manager.summarize(asked_by="agent")
    assert call(tmp_path, capsys, "diff", "empty", "current")[1]["changes"]
    assert run(["reset", "--repo", str(tmp_path)]) == 2
    capsys.readouterr()
    status, result = call(tmp_path, capsys, "reset", "--yes")
    assert status == 0
    assert call(tmp_path, capsys, "show")[1]["counts"]["recent_turns"] == 0
    assert call(tmp_path, capsys, "restore", str(result["revision"]))[0] == 0
    assert call(tmp_path, capsys, "show")[1]["counts"]["recent_turns"] == 1
    assert call(tmp_path, capsys, "restore", "999")[0] == 2


def case_name(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", [*load("parse"), *load("semantic")], ids=case_name)
def test_a_case_through_plan(case: Case, tmp_path: Path, capsys: Captured) -> None:
    memory = write(tmp_path / "memory.json", case.memory)
    reply = tmp_path / "reply.txt"
    reply.write_text(case.reply, encoding="utf-8", newline="")
    before = tree(tmp_path)
    words = ("plan", str(reply), "--memory", memory)
    status, review = call(tmp_path, capsys, *words)
    assert call(tmp_path, capsys, *words) == (status, review)
    assert tree(tmp_path) == before
    if "ops" in case.expect:
        expected = [op["verdict"].split(" or ") for op in case.expect["ops"]]
        assert len(review["operations"]) == len(expected)
        assert all(op["verdict"] in allowed for op, allowed in zip(review["operations"], expected, strict=True))
    elif case.expect.get("reply") == "refused":
        assert (status, review["reply"], bool(review["reason"]["message"])) == (1, "refused", True)


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense",),
        ("plan",),
        ("approve",),
        ("restore", "x"),
        ("plan", "/nowhere"),
        ("context", "--intent", "x"),
        ("open",),
    ],
)
def test_unusable_words_are_one_json_document_and_status_two(
    tmp_path: Path, capsys: Captured, words: tuple[str, ...]
) -> None:
    status, result = (
        call(tmp_path, capsys, *words)
        if words != ("nonsense",)
        else (run(["nonsense", "--json"]), json.loads(capsys.readouterr().out))
    )
    assert status == 2
    assert result["error"]["message"]


def test_what_is_printed_for_a_person_holds_no_control_byte(tmp_path: Path, capsys: Captured) -> None:
    manager = MemoryManager(tmp_path)
    hostile = "[/x] \x1b[31mred\x1b]52;c;aa\x07 \u202egnp.exe \x9b2J 正文"
    manager.record_turn(
        IntentType.GENERAL_CHAT, user_text=hostile, assistant_text=hostile, scope_paths=[hostile], summarise=False
    )
    manager.propose(hostile)
    for words in (
        ("show",),
        ("check",),
        ("pending",),
        ("context", "--intent", "general_chat", "--explain"),
        ("diff", "empty"),
    ):
        run([*words, "--repo", str(tmp_path)])
        out = capsys.readouterr()
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out.out + out.err), words


def test_the_nearest_memory_is_found_but_never_above_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "repo" / "src"
    inner.mkdir(parents=True)
    (tmp_path / "outer" / ".autopatch-j").mkdir()
    (tmp_path / "outer" / "repo" / ".git").mkdir()
    assert find_root(inner, Path("/home/nobody")) == tmp_path / "outer" / "repo"
    (inner / ".autopatch-j").mkdir()
    assert find_root(inner, Path("/home/nobody")) == inner


def test_the_demonstration_proves_itself_without_a_terminal(capsys: Captured) -> None:
    assert run(["demo"]) == 0
    assert "memory never reaches it" in capsys.readouterr().out
