"""The queue and its drafts, what was turned down, the generation (R4c, S10, T7, U5)."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.clock import make_id
from memory_core.errors import QueueFullError, UnknownIdError
from memory_core.policy import Policy
from memory_core.reply import MAX_LENGTH, ReplyReason
from memory_core.review.verdict import TurnedDown
from memory_core.storage.history import QueueChange
from memory_core.storage.pending import Draft, PendingDelta
from memory_core.storage.store import MemoryStore
from tests.core.samples import AT, NOW, document, turn
from tests.core.storage.helpers import SteppedOps, entry, store

ONE = document(turns=(turn(1),))
REFUSED = ReplyReason("reply_empty", "The reply is empty.")


def enqueue(found: MemoryStore, *entries: PendingDelta) -> None:
    with found.transaction(wait=1) as transaction:
        for waiting in entries:
            transaction.enqueue(waiting)


@pytest.fixture
def found(tmp_path: Path) -> MemoryStore:
    return store(tmp_path, ops=SteppedOps())


def test_the_queue_gives_back_what_was_put_in_oldest_first(found: MemoryStore) -> None:
    late = entry("delta_a", reserved={"mem_20260501": 7}, claims=("turn_1",), closed=("x",), remarks=("r",))
    early = entry("delta_b", created_at="2026-05-01T12:00:00+08:00", reply="换行\n和 😀", refused=REFUSED)
    enqueue(found, late, early)
    assert found.pending.list() == (early, late)
    assert store(found.layout.root).pending.list() == (early, late)
    assert found.pending.get("delta_a") == late
    assert found.pending.ids() == ("delta_a", "delta_b")


def test_the_five_hundred_and_first_is_refused_and_nothing_goes(tmp_path: Path) -> None:
    found = store(tmp_path, policy=Policy(queue_keep=2), ops=SteppedOps())
    enqueue(found, entry("delta_a"), entry("delta_b", refused=REFUSED))
    with pytest.raises(QueueFullError, match="2 deltas wait"):
        enqueue(found, entry("delta_c"))
    enqueue(found, entry("delta_d", refused=REFUSED))
    assert [(waiting.id, waiting.count) for waiting in found.pending.list()] == [("delta_a", 1), ("delta_b", 2)]
    assert [event.kind for event in found.log.tail()] == ["queue_full"]


def test_identical_refused_replies_fold_into_one_with_a_count(found: MemoryStore) -> None:
    for number in range(3):
        enqueue(found, entry(f"delta_{number}", refused=REFUSED, reply="嗯", created_at=f"2026-05-01T12:0{number}:00Z"))
    enqueue(found, entry("delta_9", refused=REFUSED, reply="别的"), entry("delta_8", reply="嗯"))
    assert {(waiting.id, waiting.count) for waiting in found.pending.list()} == {
        ("delta_0", 3),
        ("delta_9", 1),
        ("delta_8", 1),
    }
    assert found.pending.get("delta_0").last_at == "2026-05-01T12:02:00Z"


def test_a_refused_reply_of_any_length_fills_no_disk_and_keeps_its_reason(found: MemoryStore) -> None:
    enqueue(found, entry(refused=REFUSED, reply="长" * (MAX_LENGTH * 4)))
    waiting = found.pending.get(entry().id)
    assert waiting.refused == REFUSED
    assert len(waiting.reply) == MAX_LENGTH
    assert waiting.reply.endswith("…")


@pytest.mark.parametrize("character", ["长", "😀", "\x01", '"'])
def test_the_longest_reply_that_can_be_parsed_is_kept_whole(found: MemoryStore, character: str) -> None:
    waiting = entry(reply=character * MAX_LENGTH)
    enqueue(found, waiting)
    assert store(found.layout.root).pending.get(waiting.id) == waiting


@pytest.mark.parametrize(
    "data",
    [b"", b"[1", b"null", b"[]", b'{"id": "delta_x"}', b"\xff", b"[" * 100_000, b"9" * 5000, b"{}" + b" " * 17_000_000],
)
def test_a_damaged_entry_is_one_that_can_be_dismissed(found: MemoryStore, data: bytes) -> None:
    enqueue(found, entry())
    found.pending.path("delta_x").write_bytes(data)
    damaged = found.pending.get("delta_x")
    assert damaged.id == "delta_x"
    assert damaged.refused is not None
    assert damaged.refused.code == "damaged_entry"
    assert {waiting.id for waiting in found.pending.list()} == {entry().id, "delta_x"}
    with found.transaction(wait=1) as transaction:
        transaction.remove("delta_x")
    assert found.pending.ids() == (entry().id,)


def test_an_entry_under_another_name_is_damaged(found: MemoryStore) -> None:
    enqueue(found, entry())
    shutil.copy(found.pending.path(entry().id), found.pending.path("delta_y"))
    assert found.pending.get("delta_y").refused is not None


def test_a_list_reads_again_what_changed_and_only_that(found: MemoryStore) -> None:
    enqueue(found, entry("delta_a"), entry("delta_b"), entry("delta_c"))
    other = store(found.layout.root).pending
    before = other.list()
    file = other.path("delta_c")
    status, data = file.stat(), file.read_bytes()
    file.write_bytes(b"x" * len(data))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    with found.transaction(wait=1) as transaction:
        transaction.replace(entry("delta_a", model="anders"))
        transaction.remove("delta_b")
    assert other.list() == (entry("delta_a", model="anders"), before[2])
    assert other.get("delta_c").refused is not None


def test_a_draft_stays_until_its_delta_goes(found: MemoryStore) -> None:
    enqueue(found, entry())
    draft = Draft({"long_term_operations[0]": "accept"}, {"long_term_operations[0]": "好"})
    found.save_draft(entry().id, draft)
    assert store(found.layout.root).draft(entry().id) == draft
    found.save_draft("delta_gone", draft)
    assert store(found.layout.root).draft("delta_gone") == Draft()
    with found.transaction(wait=1) as transaction:
        transaction.remove(entry().id)
    assert found.draft(entry().id) == Draft()
    assert list(found.layout.drafts.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"[", b'{"decisions": {"a": "maybe"}}', b'{"decisions": 3}'])
def test_a_damaged_draft_is_none(found: MemoryStore, data: bytes) -> None:
    enqueue(found, entry())
    (found.layout.drafts / f"{entry().id}.json").write_bytes(data)
    assert found.draft(entry().id) == Draft()


def test_what_was_turned_down_is_remembered_once_and_boundedly(found: MemoryStore) -> None:
    one = TurnedDown("long_term", "project_note", "标签", "摘要", AT)
    with found.transaction(wait=1) as transaction:
        for _ in range(2):
            transaction.close_delta(QueueChange(), turned_down=(one,))
    assert found.turned_down() == (one,)
    with found.transaction(wait=1) as transaction:
        transaction.close_delta(QueueChange(), turned_down=tuple(replace(one, summary=str(n)) for n in range(600)))
    assert [down.summary for down in found.turned_down()] == [str(number) for number in range(100, 600)]


# Attempts and generation.


def test_attempts_are_kept_for_turns_that_are_there(found: MemoryStore) -> None:
    with found.transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
        transaction.set_attempts({turn(1).id: 2, "turn_gone": 1})
    assert found.attempts() == {turn(1).id: 2}
    with found.transaction(wait=1) as transaction:
        transaction.set_attempts({turn(1).id: None})
    assert found.attempts() == {}


def test_a_deleted_folder_brings_no_generation_back(tmp_path: Path) -> None:
    """Nor one that nobody had reset: what was in flight then belongs to a memory that is gone."""
    found = store(tmp_path)
    with found.transaction(wait=1) as transaction:
        first = transaction.generation
        assert transaction.is_current(first)
        assert transaction.is_current("0-")
    with found.transaction(wait=1) as transaction:
        assert transaction.generation == first
        assert not transaction.is_current("0-")
    shutil.rmtree(tmp_path / ".autopatch-j")
    with found.transaction(wait=1) as transaction:
        assert transaction.generation != first
        assert not transaction.is_current(first)


@pytest.mark.parametrize("state", [b"", b"[]", b'{"generation": "x", "mark": 3}', b'{"generation": 4}', b"\xff"])
def test_a_damaged_state_gets_a_mark_that_nothing_earlier_has(found: MemoryStore, state: bytes) -> None:
    with found.transaction(wait=1) as transaction:
        first = transaction.generation
    found.layout.state.write_bytes(state)
    with found.transaction(wait=1) as transaction:
        assert transaction.generation not in {first, "0-", "4-"}
        assert not transaction.is_current(first)


def test_a_reset_raises_it_and_a_restore_does_not_lower_it(found: MemoryStore) -> None:
    with found.transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
        transaction.set_attempts({turn(1).id: 3})
        before = transaction.generation
    with found.transaction(wait=1) as transaction:
        undo = transaction.reset(document(), discard=())
        after = transaction.generation
    assert undo is not None
    assert found.attempts() == {}
    assert (before.split("-")[0], after.split("-")[0]) == ("0", "1")
    data = found.history.document_bytes(undo.seq)
    with found.transaction(wait=1) as transaction:
        transaction.commit(cause="restore", summary="", document=data)
        assert transaction.generation == after
    assert found.load().document == ONE


def test_a_reset_clears_a_file_whose_entries_are_all_bad(found: MemoryStore) -> None:
    with found.transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
    file = found.layout.document
    file.write_bytes(file.read_bytes().replace(b"general_chat", b"code_audit"))
    with found.transaction(wait=1) as transaction:
        assert transaction.reset(document(), discard=()) is not None
    assert b"code_audit" not in file.read_bytes()


# The log.


def test_the_log_is_bounded_and_keeps_the_newest(found: MemoryStore) -> None:
    with found.transaction(wait=1):
        pass
    for number in range(700):
        found.log.append("test", "字" * 400, number=number)
    assert found.layout.log.stat().st_size < 600 * 1024
    numbers = [event.data["number"] for event in found.log.tail(1000)]
    assert numbers == list(range(numbers[0], 700))
    assert len(numbers) > 100
    assert [event.data["number"] for event in found.log.tail(2)] == [698, 699]


def test_damaged_lines_of_the_log_are_passed_over(found: MemoryStore) -> None:
    with found.transaction(wait=1):
        pass
    found.log.append("one", "first")
    with found.layout.log.open("ab") as file:
        file.write(b"\xff\n[1]\n{\n" + b"[" * 10_000 + b"\n" + json.dumps({"kind": 3}).encode() + b"\nhalf")
    assert [event.kind for event in found.log.tail()] == ["one", "3"]


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    with store(tmp_path).transaction(wait=1):
        pass
    for at in (1, 2):
        ops = SteppedOps(fail_at=at)
        store(tmp_path, ops=ops).log.append("test", "")
        assert len(ops.steps) == at


def test_the_number_of_a_dismissed_delta_is_not_used_again(found: MemoryStore) -> None:
    enqueue(found, entry("delta_20260501_124500_007"))
    with found.transaction(wait=1) as transaction:
        transaction.remove("delta_20260501_124500_007")
    assert make_id("delta", NOW, store(found.layout.root).marks()) == "delta_20260501_124500_008"


def test_an_unknown_delta_is_told(found: MemoryStore) -> None:
    with pytest.raises(UnknownIdError, match="delta_none"):
        found.pending.get("delta_none")
