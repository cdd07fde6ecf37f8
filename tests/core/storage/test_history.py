"""Revisions: their chain, what a list reads, what goes with age, what a crash or a foe left (R5, S9, S10)."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memory_core.capacity import encode
from memory_core.codec import EMPTY_SHA256
from memory_core.document import MemoryDocument
from memory_core.errors import StateError, UnknownIdError
from memory_core.policy import Policy
from memory_core.storage.history import DecisionRecord, History, QueueChange, Stored
from memory_core.storage.store import MemoryStore
from tests.core.samples import document, note, turn
from tests.core.storage.helpers import SteppedOps, entry, put, store

ONE = document(turns=(turn(1),))
APPLIED = DecisionRecord(at="long_term_operations[0]", decision="applied", verdict="accepted", code="accepted")


def noted(number: int) -> MemoryDocument:
    return document(items=(note(number),))


def commit(found: MemoryStore, what: MemoryDocument | bytes, **changes: Any) -> None:
    values: dict[str, Any] = {"cause": "item", "summary": "", "document": what}
    with found.transaction(wait=1) as transaction:
        transaction.commit(**(values | changes))


@pytest.fixture
def found(tmp_path: Path) -> MemoryStore:
    """Three revisions."""
    made = store(tmp_path, ops=SteppedOps())
    for number in (1, 2, 3):
        commit(made, noted(number), summary=f"第 {number} 个")
    return made


def test_a_revision_tells_what_when_why_and_leads_to_the_one_before(found: MemoryStore) -> None:
    with found.transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
    commit(found, noted(4))
    revisions = found.history.list()
    assert [revision.cause for revision in revisions] == ["item", "item", "item", "recorded", "item"]
    assert [revision.seq for revision in revisions] == [1, 2, 3, 4, 5]
    assert revisions[0].base == EMPTY_SHA256
    assert revisions[0].previous == ""
    for earlier, later in pairwise(revisions):
        assert later.base == earlier.sha256
        assert found.history.base_bytes(later.seq) == found.history.document_bytes(earlier.seq)
    assert found.history.base_bytes(1) == b""
    assert found.history.verify() == ()


EDITS = {
    "the document": ("用户关注".encode(), "用户忽略".encode()),
    "the header": ("第 2 个".encode(), "第 9 个".encode()),
    "the details": (b'"turned_down"', b'"turned_donw"'),
    "the chain": (b'"previous": "', b'"previous": "0'),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_of_the_history_shows(found: MemoryStore, edit: str) -> None:
    assert found.history.verify() == ()
    file = found.history.path(2)
    data = file.read_bytes()
    file.write_bytes(data.replace(*EDITS[edit], 1))
    assert file.read_bytes() != data
    assert set(found.history.verify()) & {2, 3}
    assert set(store(found.layout.root).history.verify()) & {2, 3}
    file.write_bytes(data)
    assert found.history.verify() == ()


def test_a_revision_under_another_number_is_damaged(found: MemoryStore) -> None:
    found.history.path(3).rename(found.history.path(7))
    assert [revision.seq for revision in found.history.list()] == [1, 2]
    assert found.history.verify() == (7,)
    with pytest.raises(UnknownIdError):
        found.history.get(7)
    commit(found, noted(4))
    assert [revision.seq for revision in found.history.list()] == [1, 2, 8, 9]


@pytest.mark.parametrize("name", ["x.rev", "1e3.rev", "¹.rev", "٣.rev", f"{'9' * 60}.rev", ".rev", "00000009.rev.bak"])
def test_foreign_files_among_the_revisions_are_none(found: MemoryStore, name: str) -> None:
    (found.layout.history / name).write_bytes(b"{}")
    assert [revision.seq for revision in found.history.list()] == [1, 2, 3]
    commit(found, noted(4))
    assert found.history.verify() == ()


@pytest.mark.parametrize(
    "junk", [b"", b"\n", b"null\n", b"{}\n", b"[" * 100_000 + b"\n", b"\xff\n", b'{"details": 1}\n']
)
def test_a_damaged_revision_stops_nothing(found: MemoryStore, junk: bytes) -> None:
    found.history.path(3).write_bytes(junk)
    assert [revision.seq for revision in found.history.list()] == [1, 2]
    assert 3 in found.history.verify()
    commit(found, noted(4))
    assert found.history.list()[-1].seq == 5
    found.history.path(6, ".open").write_bytes(junk)
    commit(found, noted(5))
    assert found.history.sequence(".open") == ()


def test_a_list_reads_headers_alone(found: MemoryStore) -> None:
    before = found.history.list()
    for revision in before:
        file = found.history.path(revision.seq)
        header, rest = file.read_bytes().split(b"\n", 1)
        file.write_bytes(header + b"\n" + b"\xff" * len(rest))
    assert store(found.layout.root).history.list() == before


def test_a_list_reads_each_header_once(found: MemoryStore) -> None:
    before = found.history.list()
    file = found.history.path(2)
    status, data = file.stat(), file.read_bytes()
    file.write_bytes(b"x" * len(data))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert found.history.list() == before
    file.write_bytes(b"x" * (len(data) + 1))
    assert found.history.list() == (before[0], before[2])


def test_details_come_with_one_revision_not_with_the_list(found: MemoryStore) -> None:
    waiting = entry(reply='{"long_term_operations": []}' + " " * 500_000)
    rest = entry(closed=("a",), reply=waiting.reply)
    commit(found, noted(4), cause="apply", delta_id=waiting.id, delta=waiting, queue=QueueChange(put=(rest,)))
    assert found.history.list()[-1].delta is None
    one = found.history.get(4)
    assert one.delta == waiting
    assert one.queue.put == (rest,)
    assert one.marks == found.history.get(4).marks != {}
    assert found.history.document_bytes(4) == encode(noted(4))


def test_a_lone_surrogate_and_line_breaks_in_a_note_survive(found: MemoryStore) -> None:
    odd = DecisionRecord("turn_summaries[0]", "turned_down", "accepted", "accepted", note="a\ud800b\nc\u2028\x85d")
    commit(found, noted(4), decisions=(odd,))
    assert found.history.list()[-1].decisions == (odd,)
    assert found.history.verify() == ()


def test_old_revisions_keep_what_when_why_and_hashes_but_no_document(tmp_path: Path) -> None:
    found = store(tmp_path, policy=Policy(history_keep=2), ops=SteppedOps())
    for number in range(1, 6):
        commit(found, noted(number), summary=str(number), decisions=(APPLIED,))
    assert [revision.kept for revision in found.history.list()] == [False, False, False, True, True]
    assert [revision.summary for revision in found.history.list()] == ["1", "2", "3", "4", "5"]
    assert found.history.list()[0].decisions == (APPLIED,)
    assert found.history.verify() == ()
    assert "用户关注第 1 个模块。".encode() not in found.history.path(1).read_bytes()
    with pytest.raises(StateError, match="old") as caught:
        found.history.document_bytes(1)
    assert caught.value.code == "not_kept"
    with pytest.raises(StateError):
        found.history.base_bytes(4)
    assert found.history.base_bytes(5) == encode(noted(4))


def test_a_commit_looks_at_few_revisions_however_many_there_are(found: MemoryStore) -> None:
    class Counting(History):
        reads = 0

        def read(self, seq: int, suffix: str = ".rev") -> Stored | None:
            self.reads += 1
            return super().read(seq, suffix)

    found.history = few = Counting(found.layout.history, found.ops)
    commit(found, noted(4))
    for number in range(5, 40):
        commit(found, noted(number % 9))
    found.history = many = Counting(found.layout.history, found.ops)
    commit(found, ONE)
    assert many.reads * 30 < few.reads


def test_the_base_of_a_revision_over_a_damaged_file_is_nothing(found: MemoryStore) -> None:
    put(found.layout.root, b"{broken")
    commit(found, noted(4), refuse_corrupt=False)
    assert found.history.base_bytes(4) == b""
    put(found.layout.root, b'{"version": 9}')
    commit(found, noted(5))
    assert found.history.base_bytes(5) == b""


def test_a_restored_document_is_the_same_byte_for_byte(found: MemoryStore) -> None:
    odd = encode(noted(1)).replace(b"\n", b"\r\n")
    put(found.layout.root, odd)
    commit(found, noted(4))
    outside = found.history.list()[-2]
    assert outside.cause == "outside"
    commit(found, found.history.document_bytes(outside.seq), cause="restore")
    assert found.read_bytes() == odd


# A delta is applied once.


def test_a_delta_that_is_back_in_the_queue_is_not_applied_again(found: MemoryStore) -> None:
    waiting = entry()
    changes = {"cause": "apply", "delta_id": waiting.id, "delta": waiting, "decisions": (APPLIED,)}
    commit(found, noted(4), **changes)
    before = found.read_bytes()
    with pytest.raises(StateError) as caught:
        commit(found, noted(5), **changes)
    assert caught.value.code == "already_applied"
    assert found.read_bytes() == before
    assert len(found.history.list()) == 4


def test_the_rest_of_a_delta_can_be_applied_after_its_first_part(found: MemoryStore) -> None:
    waiting = entry()
    held = DecisionRecord(at="long_term_operations[1]", decision="waiting", verdict="held", code="pii")
    changes = {"cause": "apply", "delta_id": waiting.id, "delta": waiting}
    commit(found, noted(4), decisions=(APPLIED, held), **changes)
    later = DecisionRecord(at="long_term_operations[1]", decision="applied", verdict="held", code="pii")
    commit(found, noted(5), decisions=(later,), **changes)
    with pytest.raises(StateError, match="applied before"):
        commit(found, noted(6), decisions=(later,), **changes)
