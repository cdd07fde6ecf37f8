"""The file and its neighbours: looking, setting aside, links, locks (S1-S8)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from memory_core.capacity import encode
from memory_core.document import MemoryDocument
from memory_core.errors import CorruptError
from memory_core.storage.layout import READ_LIMIT
from tests.core.samples import V1_SAMPLES, document, turn
from tests.core.storage.helpers import put, store, tree

ONE = document(turns=(turn(1),))
TWO = document(turns=(turn(1), turn(2)))


def test_looking_creates_nothing(tmp_path: Path) -> None:
    loaded = store(tmp_path).load()
    assert (loaded.status, loaded.document) == ("absent", MemoryDocument())
    assert store(tmp_path).pending.list() == ()
    assert store(tmp_path).history.list() == ()
    assert store(tmp_path).generation() == "0-"
    assert list(tmp_path.iterdir()) == []


def test_a_write_is_read_back_and_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with store(tmp_path).transaction(wait=1) as transaction:
            transaction.write_turn(ONE)
    finally:
        os.umask(old)
    assert store(tmp_path).load().document == ONE
    folder = tmp_path / ".autopatch-j"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "memory.json").stat().st_mode) == 0o600
    assert (folder / "memory" / ".gitignore").read_text() == "*\n"
    assert not list(folder.rglob(".tmp-*"))


def test_the_mode_of_an_existing_file_is_kept(tmp_path: Path) -> None:
    put(tmp_path, encode(ONE)).chmod(0o644)
    with store(tmp_path).transaction(wait=1) as transaction:
        transaction.write_turn(TWO)
    assert stat.S_IMODE((tmp_path / ".autopatch-j" / "memory.json").stat().st_mode) == 0o644


def test_a_corrupt_file_is_moved_by_a_write_and_never_over_an_earlier_backup(tmp_path: Path) -> None:
    names = []
    for damage in (b"{one", b"{two", b"{three"):
        put(tmp_path, damage)
        assert store(tmp_path).load().status == "corrupt"
        with store(tmp_path).transaction(wait=1) as transaction:
            transaction.write_turn(ONE)
    for path in sorted((tmp_path / ".autopatch-j").glob("memory.corrupt*")):
        names.append(path.name)
    assert len(names) == 3
    kept = {(tmp_path / ".autopatch-j" / name).read_bytes() for name in names}
    assert kept == {b"{one", b"{two", b"{three"}
    assert store(tmp_path).load().document == ONE


def test_looking_at_a_corrupt_file_moves_nothing(tmp_path: Path) -> None:
    put(tmp_path, b"{broken")
    before = tree(tmp_path)
    assert store(tmp_path).load().raw == "{broken"
    assert tree(tmp_path) == before


def test_an_approval_never_applies_to_the_empty_document_in_place_of_a_corrupt_one(tmp_path: Path) -> None:
    file = put(tmp_path, b"{broken")
    with pytest.raises(CorruptError), store(tmp_path).transaction(wait=1) as transaction:
        transaction.commit(cause="apply", summary="", document=ONE)
    assert file.read_bytes() == b"{broken"


@pytest.mark.parametrize(
    ("data", "name"), [(b'{"version": 2}', "memory.v2.json"), (b'{"version": true}', "memory.v-unknown.json")]
)
def test_another_version_is_kept_before_the_first_write_over_it(tmp_path: Path, data: bytes, name: str) -> None:
    put(tmp_path, data)
    assert store(tmp_path).load().status == "other_version"
    with store(tmp_path).transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
    assert (tmp_path / ".autopatch-j" / name).read_bytes() == data
    assert store(tmp_path).load().document == ONE


def test_a_copy_is_kept_before_a_bad_entry_is_dropped(tmp_path: Path) -> None:
    data = encode(ONE).replace(b'"general_chat"', b'"code_audit"')
    put(tmp_path, data)
    loaded = store(tmp_path).load()
    assert loaded.status == "ok"
    assert loaded.document.turns == ()
    with store(tmp_path).transaction(wait=1) as transaction:
        transaction.write_turn(TWO)
    assert (tmp_path / ".autopatch-j" / "memory.corrupt.json").read_bytes() == data


def test_a_huge_file_is_not_read_whole(tmp_path: Path) -> None:
    file = put(tmp_path, b"")
    with file.open("r+b") as handle:
        handle.truncate(READ_LIMIT + 100_000_000)
    loaded = store(tmp_path).load()
    assert (loaded.status, loaded.problems[0].code) == ("corrupt", "too_large")
    assert len(loaded.raw) <= 64 * 1024


def test_a_leftover_of_a_killed_writer_is_removed_and_never_read(tmp_path: Path) -> None:
    put(tmp_path, encode(ONE))
    leftover = tmp_path / ".autopatch-j" / ".tmp-memory.json-1-aaaa"
    leftover.write_bytes(b"half")
    assert store(tmp_path).load().document == ONE
    with store(tmp_path).transaction(wait=1) as transaction:
        transaction.write_turn(TWO)
    assert not leftover.exists()


@pytest.mark.parametrize("sample", V1_SAMPLES, ids=lambda path: path.name)
def test_a_file_of_v1_is_kept_as_it_was(tmp_path: Path, sample: Path) -> None:
    put(tmp_path, sample.read_bytes())
    with store(tmp_path).transaction(wait=1) as transaction:
        transaction.commit(
            cause="item", summary="", document=transaction.loaded.document.touched("2026-05-01T00:00:00+08:00")
        )
    first = store(tmp_path).history.list()[0]
    assert store(tmp_path).history.document_bytes(first.seq) == sample.read_bytes()


def test_the_fingerprint_changes_with_the_disk(tmp_path: Path) -> None:
    before = store(tmp_path).fingerprint()
    put(tmp_path, encode(ONE))
    middle = store(tmp_path).fingerprint()
    assert before != middle
    assert store(tmp_path).fingerprint() == middle


def test_a_damaged_state_or_queue_file_never_raises(tmp_path: Path) -> None:
    with store(tmp_path).transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
    private = tmp_path / ".autopatch-j" / "memory"
    for name in ("state.json", "last_write.a.json", "last_write.b.json", "turned_down.json"):
        (private / name).write_bytes(b"\xff{")
    (private / "log.jsonl").write_bytes(b"\xff\n{}\n")
    (private / "pending" / "delta_x.json").write_bytes(b"[1")
    (private / "history" / "00000001.rev").write_bytes(b"junk")
    found = store(tmp_path)
    assert found.generation() == "0-"
    assert found.attempts() == {}
    assert found.turned_down() == ()
    entry = found.pending.get("delta_x")
    assert entry.refused is not None
    assert entry.refused.code == "damaged_entry"
    assert found.history.list() == ()
    assert found.history.verify() == (1,)
    with found.transaction(wait=1) as transaction:
        transaction.remove("delta_x")
        transaction.write_turn(TWO)
    assert found.pending.list() == ()
