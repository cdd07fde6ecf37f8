"""Programs that take no lock: what they write and what they write over is kept, before our next write (S9b)."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from memory_core.capacity import encode
from memory_core.document import MemoryDocument
from memory_core.errors import StateError, WriteError
from memory_core.storage.layout import READ_LIMIT
from tests.core.samples import AT, V1_SAMPLES, document, note, turn
from tests.core.storage.helpers import Crash, SteppedOps, put, store, tree

ONE = document(turns=(turn(1),))
TWO = document(turns=(turn(1), turn(2)))
THEIRS = encode(document(items=(note(9, summary="手写的笔记。"),)))


def record(root: Path, what: MemoryDocument) -> None:
    with store(root, ops=SteppedOps()).transaction(wait=1) as transaction:
        transaction.write_turn(what)


def commit(root: Path, what: MemoryDocument) -> None:
    with store(root, ops=SteppedOps()).transaction(wait=1) as transaction:
        transaction.commit(cause="item", summary="", document=what)


def kept(root: Path) -> list[tuple[str, bytes]]:
    """Cause and document of every revision."""
    history = store(root).history
    assert history.verify() == ()
    return [(revision.cause, history.document_bytes(revision.seq)) for revision in history.list()]


def file_of(root: Path) -> Path:
    return root / ".autopatch-j" / "memory.json"


@pytest.mark.parametrize("write", [record, commit])
def test_what_they_wrote_and_what_they_wrote_over_is_kept(tmp_path: Path, write: object) -> None:
    record(tmp_path, ONE)
    put(tmp_path, THEIRS)
    assert callable(write)
    write(tmp_path, TWO)
    assert kept(tmp_path)[:2] == [("recorded", encode(ONE)), ("outside", THEIRS)]


def test_what_no_one_touched_is_kept_once_and_only_before_a_commit(tmp_path: Path) -> None:
    record(tmp_path, ONE)
    record(tmp_path, TWO)
    assert kept(tmp_path) == []
    commit(tmp_path, ONE)
    commit(tmp_path, TWO)
    assert kept(tmp_path) == [("recorded", encode(TWO)), ("item", encode(ONE)), ("item", encode(TWO))]


def test_an_edit_after_a_commit_is_kept_though_the_revision_holds_the_rest(tmp_path: Path) -> None:
    commit(tmp_path, ONE)
    put(tmp_path, THEIRS)
    record(tmp_path, TWO)
    assert kept(tmp_path) == [("item", encode(ONE)), ("outside", THEIRS)]


def test_what_was_deleted_from_outside_can_be_found_again(tmp_path: Path) -> None:
    record(tmp_path, ONE)
    record(tmp_path, TWO)
    file_of(tmp_path).unlink()
    record(tmp_path, ONE)
    assert kept(tmp_path) == [("recorded", encode(TWO))]


def test_what_was_cut_off_from_outside_can_be_found_again(tmp_path: Path) -> None:
    record(tmp_path, ONE)
    put(tmp_path, encode(ONE)[:50])
    record(tmp_path, TWO)
    assert kept(tmp_path) == [("recorded", encode(ONE))]
    assert [backup.size for backup in store(tmp_path).backups()] == [50]


def test_an_older_content_put_back_from_outside_costs_nothing(tmp_path: Path) -> None:
    """As `git checkout` does: the bytes before our last write, in a file of their own."""
    record(tmp_path, ONE)
    record(tmp_path, TWO)
    file_of(tmp_path).unlink()
    put(tmp_path, encode(ONE))
    record(tmp_path, document(turns=(turn(3),)))
    assert ("recorded", encode(TWO)) in kept(tmp_path)


def test_a_write_that_never_counted_leaves_no_trace(tmp_path: Path) -> None:
    def root(name: str) -> Path:
        (tmp_path / name).mkdir()
        record(tmp_path / name, ONE)
        return tmp_path / name

    ops = SteppedOps()
    record_with(root("whole"), ops)
    last = max(at for at, step in enumerate(ops.steps, 1) if step == "rename")
    for at in range(1, last + 1):
        for stopped in (SteppedOps(crash_at=at), SteppedOps(fail_at=at)):
            where = root(f"{at}-{id(stopped)}")
            with contextlib.suppress(Crash, WriteError):
                record_with(where, stopped)
            record(where, document(turns=(turn(3),)))
            assert kept(where) == [], ops.steps[at - 1]


def test_what_counted_is_kept_though_a_write_after_it_was_cut_off_and_all_was_written_over(tmp_path: Path) -> None:
    def root(name: str) -> Path:
        (tmp_path / name).mkdir()
        record(tmp_path / name, ONE)
        return tmp_path / name

    ops = SteppedOps()
    record_with(root("whole"), ops)
    for at in range(1, len(ops.steps) + 1):
        failed, died = root(f"f{at}"), root(f"d{at}")
        with contextlib.suppress(StateError):
            record_with(failed, SteppedOps(fail_at=at))
        with contextlib.suppress(Crash):
            record_with(died, SteppedOps(crash_at=at))
        for where in (failed, died):
            counted = store(where).read_bytes()
            put(where, THEIRS)
            record(where, document(turns=(turn(3),)))
            assert ("recorded", counted) in kept(where), (at, ops.steps[at - 1])
            assert kept(where)[-1] == ("outside", THEIRS)
            phantom = counted == encode(ONE) and ("recorded", encode(TWO)) in kept(where)
            assert where == died or not phantom, (at, ops.steps[at - 1])


def record_with(root: Path, ops: SteppedOps) -> None:
    with store(root, ops=ops).transaction(wait=1) as transaction:
        transaction.write_turn(TWO)


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]\n", b'{"count": 1}\nx', b"\xff\n\xff", b"null\n"])
def test_without_a_record_of_our_last_write_the_document_is_kept_as_somebody_elses(
    tmp_path: Path, damage: bytes
) -> None:
    record(tmp_path, ONE)
    for path in store(tmp_path).layout.last_writes:
        path.write_bytes(damage)
    record(tmp_path, TWO)
    assert kept(tmp_path) == [("outside", encode(ONE))]
    record(tmp_path, ONE)
    assert len(kept(tmp_path)) == 1


def test_a_torn_record_of_our_last_write_is_not_believed(tmp_path: Path) -> None:
    record(tmp_path, ONE)
    (path,) = [path for path in store(tmp_path).layout.last_writes if path.exists()]
    path.write_bytes(path.read_bytes()[:-10])
    put(tmp_path, THEIRS)
    record(tmp_path, TWO)
    assert kept(tmp_path) == [("outside", THEIRS)]


def test_the_record_of_the_last_write_holds_no_older_document(tmp_path: Path) -> None:
    """What was forgotten or cleared must not live on beside it."""
    record(tmp_path, document(turns=(turn(1, user_text="不再记得的话"),)))
    record(tmp_path, TWO)
    assert "不再记得的话".encode() not in b"".join(tree(tmp_path).values())


def test_a_purge_leaves_no_document_behind(tmp_path: Path) -> None:
    record(tmp_path, document(turns=(turn(1, user_text="不再记得的话"),)))
    found = store(tmp_path)
    with found.transaction(wait=1) as transaction:
        transaction.reset(MemoryDocument(updated_at=AT), discard=())
        transaction.purge()
    assert "不再记得的话".encode() not in b"".join(tree(tmp_path).values())
    record(tmp_path, ONE)
    assert kept(tmp_path) == []


@pytest.mark.parametrize("sample", V1_SAMPLES, ids=lambda path: path.name)
def test_a_file_of_v1_is_kept_byte_for_byte_before_the_first_write(tmp_path: Path, sample: Path) -> None:
    put(tmp_path, sample.read_bytes())
    record(tmp_path, ONE)
    assert kept(tmp_path) == [("outside", sample.read_bytes())]


# Files that other programs left, in every encoding.

TEXT = encode(document(items=(note(1, summary="用户关注缓存模块。"),))).decode()


def test_a_byte_order_mark_and_windows_line_breaks_are_read_and_written_back_without(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode()
    put(tmp_path, data)
    loaded = store(tmp_path).load()
    assert loaded.status == "ok"
    assert [problem.code for problem in loaded.problems] == ["byte_order_mark"]
    record(tmp_path, loaded.document)
    assert file_of(tmp_path).read_bytes() == TEXT.encode()
    assert kept(tmp_path) == [("outside", data)]


@pytest.mark.parametrize("encoding", ["gbk", "utf-16", "utf-16-le", "utf-32", "big5"])
def test_a_file_in_another_encoding_is_damaged_and_kept_as_it_was(tmp_path: Path, encoding: str) -> None:
    data = TEXT.replace("话", "").encode(encoding, errors="replace")
    put(tmp_path, data)
    assert store(tmp_path).load().status == "corrupt"
    record(tmp_path, ONE)
    (backup,) = store(tmp_path).backups()
    assert (tmp_path / ".autopatch-j" / backup.name).read_bytes() == data
    assert store(tmp_path).load().document == ONE


def test_a_huge_file_is_moved_whole_and_neither_read_nor_copied(tmp_path: Path) -> None:
    file = put(tmp_path, b"x")
    with file.open("r+b") as handle:
        handle.truncate(READ_LIMIT * 100)
    record(tmp_path, ONE)
    (backup,) = store(tmp_path).backups()
    assert backup.size == READ_LIMIT * 100
    assert (tmp_path / ".autopatch-j" / backup.name).stat().st_blocks < 1000


def test_many_accidents_within_one_second_are_all_kept(tmp_path: Path) -> None:
    accidents = {f"{{broken {number}".encode() for number in range(5)}
    accidents |= {f'{{"version": 2, "n": {number}}}'.encode() for number in range(3)}
    for data in accidents:
        put(tmp_path, data)
        record(tmp_path, ONE)
    folder = tmp_path / ".autopatch-j"
    assert {(folder / backup.name).read_bytes() for backup in store(tmp_path).backups()} == accidents
    assert {backup.name for backup in store(tmp_path).backups()} >= {
        "memory.corrupt.json",
        "memory.corrupt.20260501_124500.json",
        "memory.corrupt.20260501_124500_2.json",
        "memory.v2.json",
        "memory.v2.20260501_124500.json",
    }
