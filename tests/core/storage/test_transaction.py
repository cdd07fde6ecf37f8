"""Commits across files: crash or failure at every step, recovery, queue, history, reset (S5, S7b, S9, S10, R6)."""

from __future__ import annotations

import errno
import multiprocessing
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from memory_core.capacity import encode
from memory_core.clock import FixedClock
from memory_core.codec import decode
from memory_core.document import MemoryDocument
from memory_core.errors import OutcomeUnknownError, QueueFullError, StateError, UnknownIdError, WriteError
from memory_core.policy import Policy
from memory_core.reply import ReplyReason
from memory_core.review.verdict import JudgeContext, TurnedDown
from memory_core.storage.history import QueueChange
from memory_core.storage.layout import Layout
from memory_core.storage.pending import PendingDelta
from memory_core.storage.store import MemoryStore
from tests.core.samples import AT, NOW, document, note, turn
from tests.core.storage.helpers import Crash, SteppedOps, Tokens, put, store, tree

ONE = document(turns=(turn(1),))
TWO = document(turns=(turn(1),), items=(note(1),))


def entry(delta_id: str = "delta_20260501_124500_001", **changes: object) -> PendingDelta:
    """A waiting delta."""
    waiting = PendingDelta(
        id=delta_id,
        created_at=AT,
        generation="0-",
        trigger=None,
        model="",
        origin="propose",
        reply="{}",
        finish_reason=None,
        delta_sha="x",
        context=JudgeContext(proposed_at=AT, batch=(turn(1),), closed=frozenset({"a"})),
    )
    return replace(waiting, **changes)  # type: ignore[arg-type]


def prepared(root: Path) -> None:
    """One turn recorded, one delta waiting."""
    root.mkdir(exist_ok=True)
    with store(root).transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
        transaction.enqueue(entry())


def record(found: MemoryStore) -> None:
    with found.transaction(wait=1) as transaction:
        transaction.write_turn(document(turns=(turn(1), turn(2))))


def apply(found: MemoryStore) -> None:
    with found.transaction(wait=1) as transaction:
        transaction.commit(
            cause="apply", summary="one", document=TWO, delta_id=entry().id, queue=QueueChange(remove=(entry().id,))
        )


def reset(found: MemoryStore) -> None:
    with found.transaction(wait=1) as transaction:
        transaction.reset(MemoryDocument(updated_at=AT), discard=(entry().id,))


ACTIONS: dict[str, Callable[[MemoryStore], None]] = {"record": record, "apply": apply, "reset": reset}


def steps_of(action: str, root: Path) -> list[str]:
    prepared(root)
    ops = SteppedOps()
    ACTIONS[action](store(root, ops=ops))
    return ops.steps


def state(root: Path) -> tuple[MemoryDocument, tuple[str, ...], int, str]:
    """What counts after recovery: document, queue, applied revisions, generation."""
    found = store(root)
    with found.transaction(wait=1):
        pass
    causes = [revision.cause for revision in found.history.list() if revision.cause in {"apply", "reset"}]
    return found.load().document, found.pending.ids(), len(causes), found.generation().split("-")[0]


@pytest.mark.parametrize("action", list(ACTIONS))
def test_a_crash_at_every_step_leaves_the_old_or_the_new_state(tmp_path: Path, action: str) -> None:
    steps = steps_of(action, tmp_path / "plain")
    old_root = tmp_path / "old"
    prepared(old_root)
    old, new = state(old_root), state(tmp_path / "plain")
    seen = set()
    for at in range(1, len(steps) + 1):
        root = tmp_path / f"crash{at}"
        prepared(root)
        with pytest.raises(Crash):
            ACTIONS[action](store(root, ops=SteppedOps(crash_at=at)))
        found = state(root)
        document_is, queue, applied, generation = found
        assert document_is in (old[0], new[0]), steps[at - 1]
        is_new = document_is == new[0]
        seen.add(is_new)
        assert queue == (new[1] if is_new else old[1]), steps[at - 1]
        assert applied == (new[2] if is_new else old[2]), steps[at - 1]
        if is_new:
            assert generation == new[3]
        assert not list((root / ".autopatch-j").rglob(".tmp-*"))
        assert not list((root / ".autopatch-j").rglob("*.open"))
        assert store(root).history.verify() == ()
    assert seen == {False, True}


def attempt(action: str, found: MemoryStore) -> type[BaseException] | None:
    """What an action raises, if anything."""
    try:
        ACTIONS[action](found)
    except (StateError, OSError) as error:
        return type(error)
    return None


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("action", list(ACTIONS))
def test_a_failure_at_every_step_is_never_acknowledged(tmp_path: Path, action: str, code: int) -> None:
    steps = steps_of(action, tmp_path / "plain")
    prepared(tmp_path / "model")
    old, new = store(tmp_path / "model").load().document, store(tmp_path / "plain").load().document
    for at in range(1, len(steps) + 1):
        root = tmp_path / f"fail{at}"
        prepared(root)
        outcome = attempt(action, store(root, ops=SteppedOps(fail_at=at, code=code)))
        if outcome is None:
            # The pid beside the lock and the log are best effort; a failure there must stop nothing.
            assert store(root).load().document == new
        elif issubclass(outcome, OSError):
            assert steps[at - 1] in {"rename", "unlink"}
        elif issubclass(outcome, OutcomeUnknownError):
            assert steps[at - 1] == "fsync_folder"
        assert store(root).load().document in (old, new)
        state(root)
        assert not list((root / ".autopatch-j").rglob(".tmp-*"))


def test_a_failed_write_names_the_fault_and_leaves_the_old_file(tmp_path: Path) -> None:
    prepared(tmp_path)
    before = (tmp_path / ".autopatch-j" / "memory.json").read_bytes()
    ops = SteppedOps()
    record(store(tmp_path, ops=ops))
    at = max(index for index, name in enumerate(ops.steps, 1) if name == "fsync")
    put(tmp_path, before)
    with pytest.raises(WriteError, match="the disk is full"):
        record(store(tmp_path, ops=SteppedOps(fail_at=at)))
    assert (tmp_path / ".autopatch-j" / "memory.json").read_bytes() == before


def test_a_crashed_commit_over_which_somebody_wrote_is_taken_back_and_its_delta_stays(tmp_path: Path) -> None:
    prepared(tmp_path)
    ops = SteppedOps()
    apply(store(tmp_path, ops=ops))
    shutil.rmtree(tmp_path / ".autopatch-j")
    prepared(tmp_path)
    last_rename = max(index for index, name in enumerate(ops.steps, 1) if name == "rename")
    with pytest.raises(Crash):
        apply(store(tmp_path, ops=SteppedOps(crash_at=last_rename)))
    put(tmp_path, encode(document(items=(note(7),))))
    found = state(tmp_path)
    assert found[0].items == (note(7),)


def test_history_is_a_chain_and_an_edit_shows(tmp_path: Path) -> None:
    prepared(tmp_path)
    for number in range(3):
        with store(tmp_path).transaction(wait=1) as transaction:
            transaction.commit(cause="item", summary=str(number), document=document(items=(note(number + 1),)))
    history = store(tmp_path).history
    assert history.verify() == ()
    file = history.path(2)
    file.write_bytes(file.read_bytes().replace("关注".encode(), "忽略".encode()))
    assert history.verify() == (2,)
    first = history.path(1)
    first.write_bytes(first.read_bytes().replace(b"Turns recorded", b"Turns  ecorded"))
    assert history.verify() == (2,)


def test_every_revision_follows_the_document_before_it(tmp_path: Path) -> None:
    prepared(tmp_path)
    apply(store(tmp_path))
    record(store(tmp_path))
    with store(tmp_path).transaction(wait=1) as transaction:
        transaction.commit(cause="item", summary="", document=ONE)
    revisions = store(tmp_path).history.list()
    assert [revision.cause for revision in revisions] == ["recorded", "apply", "recorded", "item"]
    for earlier, later in pairwise(revisions):
        assert later.base in {earlier.sha256, later.base if later.cause == "recorded" else earlier.sha256}
        assert store(tmp_path).history.base_bytes(later.seq) == store(tmp_path).history.document_bytes(earlier.seq)


def test_old_revisions_keep_what_when_and_why_but_no_document(tmp_path: Path) -> None:
    found = store(tmp_path, policy=Policy(history_keep=2))
    for number in range(5):
        with found.transaction(wait=1) as transaction:
            transaction.commit(cause="item", summary=str(number), document=document(items=(note(number + 1),)))
    assert [revision.kept for revision in found.history.list()] == [False, False, False, True, True]
    assert [revision.summary for revision in found.history.list()] == ["0", "1", "2", "3", "4"]
    assert found.history.verify() == ()
    with pytest.raises(StateError, match="old"):
        found.history.document_bytes(1)
    with pytest.raises(UnknownIdError):
        found.history.document_bytes(99)


def test_reset_raises_the_generation_and_leaves_one_undo_point(tmp_path: Path) -> None:
    prepared(tmp_path)
    found = store(tmp_path)
    with found.transaction(wait=1) as transaction:
        undo = transaction.reset(MemoryDocument(updated_at=AT), discard=(entry().id,))
    assert undo is not None
    assert decode(found.history.document_bytes(undo.seq), Policy().limits, NOW).document == ONE
    assert found.pending.list() == ()
    first = found.generation()
    assert first.startswith("1-")
    with found.transaction(wait=1) as transaction:
        assert transaction.reset(MemoryDocument(updated_at=AT), discard=()) is None
    assert found.generation().startswith("2-")
    assert found.history.list()[-2].seq == undo.seq


def test_purge_removes_history_backups_and_log_but_no_number_is_used_again(tmp_path: Path) -> None:
    prepared(tmp_path)
    put(tmp_path, b"{broken")
    found = store(tmp_path)
    record(found)
    apply(found)
    before = dict(found.marks())
    with found.transaction(wait=1) as transaction:
        removed = transaction.purge()
    assert "memory.corrupt.json" in removed
    assert found.history.list() == ()
    assert found.backups() == ()
    assert {key: found.marks()[key] for key in before if not key.startswith("delta")} == {
        key: number for key, number in before.items() if not key.startswith("delta")
    }


def test_the_queue_round_trips_and_refuses_beyond_its_limit(tmp_path: Path) -> None:
    found = store(tmp_path, policy=Policy(queue_keep=2))
    with found.transaction(wait=1) as transaction:
        transaction.enqueue(entry("delta_a"))
        transaction.enqueue(entry("delta_b", created_at="2026-05-01T12:00:00+08:00"))
        with pytest.raises(QueueFullError, match="2 deltas wait"):
            transaction.enqueue(entry("delta_c"))
    assert [waiting.id for waiting in found.pending.list()] == ["delta_b", "delta_a"]
    assert found.pending.get("delta_a") == entry("delta_a")


def test_identical_refused_replies_fold_into_one_with_a_count(tmp_path: Path) -> None:
    found = store(tmp_path)
    reason = ReplyReason("reply_empty", "The reply is empty.")
    with found.transaction(wait=1) as transaction:
        for number in range(3):
            transaction.enqueue(entry(f"delta_{number}", refused=reason, reply="嗯"))
        transaction.enqueue(entry("delta_9", refused=reason, reply="别的"))
    assert [(waiting.id, waiting.count) for waiting in found.pending.list()] == [("delta_0", 3), ("delta_9", 1)]


def test_what_was_turned_down_is_remembered_once_and_boundedly(tmp_path: Path) -> None:
    found = store(tmp_path)
    one = TurnedDown("long_term", "project_note", "标签", "摘要", AT)
    with found.transaction(wait=1) as transaction:
        for _ in range(2):
            transaction.close_delta(QueueChange(), turned_down=(one,))
        transaction.close_delta(QueueChange(), turned_down=tuple(replace(one, summary=str(n)) for n in range(600)))
    assert len(found.turned_down()) == 500
    assert found.turned_down()[-1].summary == "599"


def test_attempts_are_kept_for_turns_that_are_there(tmp_path: Path) -> None:
    prepared(tmp_path)
    found = store(tmp_path)
    with found.transaction(wait=1) as transaction:
        transaction.set_attempts({turn(1).id: 2, "turn_gone": 1})
    assert found.attempts() == {turn(1).id: 2}
    with found.transaction(wait=1) as transaction:
        transaction.set_attempts({turn(1).id: None})
    assert found.attempts() == {}


def test_the_log_is_bounded_and_survives_damage(tmp_path: Path) -> None:
    prepared(tmp_path)
    found = store(tmp_path)
    for number in range(30):
        found.log.append("kind", "长" * 20_000, number=number)
    assert (tmp_path / ".autopatch-j" / "memory" / "log.jsonl").stat().st_size < 1_000_000
    assert found.log.tail(1)[0].data["number"] == 29
    store(tmp_path / "nowhere").log.append("kind", "nothing is made for a log alone")
    assert not (tmp_path / "nowhere").exists()


def _writer(root: str, first: int, count: int) -> None:
    found = MemoryStore(Layout(Path(root)), policy=Policy(), clock=FixedClock(NOW), ids=Tokens())
    for number in range(first, first + count):
        with found.transaction(wait=30) as transaction:
            items = (*transaction.loaded.document.items, note(number))
            transaction.commit(cause="item", summary="", document=transaction.loaded.document.with_items(items))


def test_many_processes_lose_no_write(tmp_path: Path) -> None:
    prepared(tmp_path)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_writer, args=(str(tmp_path), 1 + 5 * number, 5)) for number in range(4)]
    for writer in writers:
        writer.start()
    for _ in range(200):
        assert store(tmp_path).load().status == "ok"
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    assert {item.id for item in store(tmp_path).load().document.items} == {note(number).id for number in range(1, 21)}
    assert store(tmp_path).history.verify() == ()


def test_nothing_of_ours_stands_beside_the_document_but_the_private_folder(tmp_path: Path) -> None:
    prepared(tmp_path)
    apply(store(tmp_path))
    assert {name.split("/")[1] for name in tree(tmp_path)} == {"memory.json", "memory"}
