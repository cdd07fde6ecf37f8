"""Recording: the boundary, what a turn keeps, and why one is not recorded (I1-I4, D1, D6, D8, S6, S8)."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from memory_core.clock import FixedClock
from memory_core.document import MemoryDocument
from memory_core.intents import IntentType
from memory_core.manager import MemoryManager
from memory_core.policy import Limits, Policy
from memory_core.summary.summarizer import ModelReply, SummaryPayload
from tests.core.flows.helpers import manager, on_disk, record, say, write
from tests.core.samples import NOW, document, note, preference, topic, turn
from tests.core.storage.helpers import SteppedOps, put, store, tree

FULL = document(turns=(turn(1),), topics=(topic(1),), items=(note(1), preference(2)))
NOT_REMEMBERED = ["code_audit", "patch_explain", "patch_revise", "Code_Explain", "", "general chat", None, 7]


@pytest.mark.parametrize("intent", NOT_REMEMBERED)
@pytest.mark.parametrize("there_is_a_file", [True, False])
def test_other_intents_leave_everything_as_it_is(tmp_path: Path, intent: Any, there_is_a_file: bool) -> None:
    """I1, I2, I2b: byte-identical, untouched, no folder, no lock."""
    if there_is_a_file:
        write(tmp_path, FULL)
    before = {path: (os.lstat(path).st_mtime_ns, os.lstat(path).st_ino) for path in tmp_path.rglob("*")}
    contents = tree(tmp_path)
    found = manager(tmp_path)
    result = found.record_turn(intent, user_text="以后都用中文。", assistant_text="好。")
    context = found.context(intent, "review 模块")
    assert (result.recorded, result.turn_id, result.reason) == (False, None, "intent_not_remembered")
    assert (context.allowed, context.text, context.items) == (False, "", ())
    assert not found.busy
    assert tree(tmp_path) == contents
    assert {path: (os.lstat(path).st_mtime_ns, os.lstat(path).st_ino) for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("intent", [IntentType.CODE_EXPLAIN, "code_explain", IntentType.GENERAL_CHAT, "general_chat"])
def test_the_two_remembered_intents(tmp_path: Path, intent: str) -> None:
    result = say(manager(tmp_path), intent=intent, scope_paths=["src"])
    (stored,) = manager(tmp_path).load().document.turns
    assert (result.recorded, result.reason, result.turn_id) == (True, "", stored.id)
    assert (stored.intent, stored.summary_status, stored.summary) == (str(intent), "pending", "")
    assert manager(tmp_path).context(intent).allowed


def test_a_turn_is_clipped_normalised_and_bounded(tmp_path: Path) -> None:
    record(
        manager(tmp_path),
        " 问\t题\n" + "长" * 2000,
        "答" * 2001,
        scope_paths=["a b", "", "x" * 301, *(f"第{number}个" for number in range(20))],
    )
    (stored,) = manager(tmp_path).load().document.turns
    assert stored.user_text.startswith("问 题 长")
    assert (len(stored.user_text), stored.user_text[-1]) == (1000, "…")
    assert (len(stored.assistant_text), stored.assistant_text[-1]) == (2000, "…")
    assert stored.scope_paths == ("a b", *(f"第{number}个" for number in range(9)))


def test_a_text_at_its_limit_stays_whole(tmp_path: Path) -> None:
    record(manager(tmp_path), "问" * 1000, "答" * 2000)
    (stored,) = manager(tmp_path).load().document.turns
    assert (stored.user_text, stored.assistant_text) == ("问" * 1000, "答" * 2000)


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_secrets_are_masked_before_they_are_written(tmp_path: Path) -> None:
    """D8: in every text, also one that clipping would cut in half."""
    record(manager(tmp_path), f"用 {TOKEN} 登录", "x" * 1980 + " " + TOKEN, scope_paths=[f"src/{TOKEN}"])
    assert TOKEN[:12].encode() not in b"".join(tree(tmp_path).values())
    (stored,) = manager(tmp_path).load().document.turns
    assert "登录" in stored.user_text


def test_masking_is_the_persons_to_switch_off(tmp_path: Path) -> None:
    record(manager(tmp_path, policy=Policy(mask_secrets=False)), TOKEN)
    assert TOKEN.encode() in on_disk(tmp_path)


def test_lone_surrogates_and_controls_do_not_stop_a_turn(tmp_path: Path) -> None:
    record(manager(tmp_path), "坏 \ud800 字", "\x00\x1b[31m红\u202e")
    loaded = manager(tmp_path).load()
    assert (loaded.status, len(loaded.document.turns)) == ("ok", 1)


def test_the_thirteenth_turn_drops_the_oldest_ready_one_and_says_so(tmp_path: Path) -> None:
    turns = [turn(number) for number in range(1, 13)]
    turns[4] = turn(5, summary="用户问了。", summary_status="ready")
    write(tmp_path, document(turns=tuple(turns)))
    result = say(manager(tmp_path))
    assert [(step.what, step.id, step.reason) for step in result.trimmed] == [("turn", turns[4].id, "count")]
    assert len(manager(tmp_path).load().document.turns) == 12


def test_no_room(tmp_path: Path) -> None:
    """D6: long-term memory is never trimmed; the turn is refused and the file stands."""
    data = write(tmp_path, document(items=tuple(note(number, summary="关" * 300) for number in range(1, 51))))
    found = manager(tmp_path, policy=Policy(limits=Limits(soft_bytes=1024, hard_bytes=len(data))))
    result = say(found)
    assert (result.recorded, result.turn_id, result.reason) == (False, None, "no_room")
    assert on_disk(tmp_path) == data


def test_a_lock_held_elsewhere(tmp_path: Path) -> None:
    found = manager(tmp_path)
    record(found)
    before = on_disk(tmp_path)
    with store(tmp_path).transaction(wait=1):
        assert say(found).reason == "locked"
    assert on_disk(tmp_path) == before
    assert say(found).recorded


@pytest.mark.parametrize("where", ["memory.json", "memory", "."])
def test_a_link_in_place_of_ours(tmp_path: Path, where: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root = tmp_path / "root"
    root.mkdir()
    place = root / ".autopatch-j" / where
    if where != ".":
        place.parent.mkdir()
    place.symlink_to(elsewhere if where != "memory.json" else elsewhere / "nothing")
    found = manager(root)
    assert say(found).reason == "link_refused"
    assert found.context("general_chat").text == ""
    assert list(elsewhere.iterdir()) == []


def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / ".autopatch-j" / "memory.json").mkdir(parents=True)
    assert say(manager(tmp_path)).reason == "unreadable"
    assert (tmp_path / ".autopatch-j" / "memory.json").is_dir()


def test_a_read_only_repository(tmp_path: Path) -> None:
    found = manager(tmp_path)
    found.store.ops = SteppedOps(fail_at=1, code=errno.EROFS)
    result = say(found)
    assert (result.recorded, result.reason) == (False, "write_failed")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_at_any_step_of_a_turn(tmp_path: Path) -> None:
    """S7b: what is not written is not acknowledged, and the old file stands."""
    record(manager(tmp_path))
    before = on_disk(tmp_path)
    found = manager(tmp_path)
    found.store.ops = counted = SteppedOps()
    say(found)
    (tmp_path / ".autopatch-j" / "memory.json").write_bytes(before)
    for step in range(1, len(counted.steps) + 1):
        found.store.ops = SteppedOps(fail_at=step)
        result = say(found)
        assert result.reason in {"", "write_failed", "outcome_unknown"}
        assert result.recorded == (not result.reason)
        if result.reason != "outcome_unknown":
            assert (on_disk(tmp_path) == before) == (not result.recorded)
        (tmp_path / ".autopatch-j" / "memory.json").write_bytes(before)


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / ".autopatch-j").write_text("x")
    assert not say(manager(tmp_path)).recorded
    assert (tmp_path / ".autopatch-j").read_text() == "x"


def test_a_corrupt_file_is_set_aside_by_the_turn_that_is_written(tmp_path: Path) -> None:
    """S2: never lost, never over an earlier backup."""
    for damage in (b"{", b"[]"):
        put(tmp_path, damage)
        assert say(manager(tmp_path)).recorded
    folder = tmp_path / ".autopatch-j"
    assert (folder / "memory.corrupt.json").read_bytes() == b"{"
    assert sorted(path.read_bytes() for path in folder.glob("memory.corrupt*.json")) == [b"[]", b"{"]
    assert len(manager(tmp_path).load().document.turns) == 1


@pytest.mark.parametrize("text", [None, 7, b"bytes", ["list"]])
def test_what_is_no_text_is_a_fault_of_the_caller_and_stops_nobody(tmp_path: Path, text: Any) -> None:
    result = manager(tmp_path).record_turn("general_chat", user_text=text, assistant_text="好。")
    assert (result.recorded, result.reason) == (False, "internal_fault")
    assert manager(tmp_path).context("general_chat", text).text == ""


class Thrower:
    """A model that fails in a way of its own."""

    name = "thrower"

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def summarize(self, payload: SummaryPayload) -> ModelReply:
        raise self.error

    def cancel(self) -> None:
        raise RuntimeError("cannot be cancelled")


ERRORS = [
    ValueError("坏"),
    MemoryError(),
    RecursionError(),
    OSError(28, "full"),
    KeyError("choices"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    KeyboardInterrupt(),
    SystemExit(3),
    GeneratorExit(),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_summariser_that_throws_anything_stops_nobody(tmp_path: Path, error: BaseException) -> None:
    """I4, U6: the turn is written and pending, the failure on record, the next turn fine."""
    found = MemoryManager(tmp_path, policy=Policy(), summarizer=Thrower(error), clock=FixedClock(NOW))  # type: ignore[arg-type]
    result = found.record_turn("general_chat", user_text="以后都用中文。", assistant_text="好。")
    assert result.recorded
    assert result.trigger == "long_term_signal"
    assert found.wait(10)
    assert found.last_summary is not None
    assert found.last_summary.status == "failed"
    assert [event.kind for event in found.store.log.tail()][-1] in {"fault", "summary_failed"}
    assert found.load().document.turns[0].is_pending
    assert found.record_turn("general_chat", user_text="再问一句。", assistant_text="好。").recorded
    assert found.wait(10)
    found.close()


def test_a_broken_policy_file_means_defaults_and_review(tmp_path: Path) -> None:
    (tmp_path / ".autopatch-j").mkdir()
    (tmp_path / ".autopatch-j" / "memory.yaml").write_text("limits: [")
    found = MemoryManager(tmp_path, clock=FixedClock(NOW))
    assert found.configuration.problems
    assert found.policy.limits == Limits()
    assert found.policy.mode == "review"
    assert say(found).recorded


def test_nothing_is_made_before_the_first_turn(tmp_path: Path) -> None:
    with manager(tmp_path) as found:
        assert found.context("general_chat", "什么").text == ""
        assert found.load().document == MemoryDocument()
        assert found.pending() == ()
        assert found.history() == ()
        assert found.preview_reset().undo is False
    assert list(tmp_path.iterdir()) == []
