"""Commits across files: faults in words, reset, purge, many processes (S6, S7b, S9, R6)."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from memory_core.clock import FixedClock
from memory_core.codec import decode
from memory_core.document import MemoryDocument
from memory_core.errors import WriteError
from memory_core.policy import Policy
from memory_core.storage.history import QueueChange
from memory_core.storage.layout import Layout
from memory_core.storage.store import MemoryStore
from tests.core.samples import AT, NOW, document, note, turn
from tests.core.storage.helpers import SteppedOps, Tokens, entry, put, store, tree

ONE = document(turns=(turn(1),))
TWO = document(turns=(turn(1),), items=(note(1),))


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
    assert found.marks() == before


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
