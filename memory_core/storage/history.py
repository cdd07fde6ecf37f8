"""Revisions: one file each, a header line and the document's raw bytes (R5, S9, S10).

A revision is written before the document that it tells of, as `N.open`, and becomes `N.rev` once it counts. Each header
carries the hash of the one before, so that an edit of the history shows.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from memory_core.clock import Marks
from memory_core.errors import StateError, UnknownIdError
from memory_core.review.verdict import Evidence, TurnedDown
from memory_core.storage.atomic import FileOps, remove, write_file
from memory_core.storage.forgetting import Wordings
from memory_core.storage.layout import read_bytes
from memory_core.storage.pending import PendingDelta

Cause = Literal["apply", "auto", "recorded", "outside", "profile", "item", "forget", "reset", "restore", "revert"]
HEADER_LIMIT = 1024 * 1024


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """What became of one operation, by whose word, when, and why (R3)."""

    at: str
    decision: str
    """`applied`, `turned_down`, `rejected` or `waiting`."""
    verdict: str
    code: str
    note: str = ""
    decided_at: str = ""
    label: str = ""
    summary: str = ""
    item_id: str = ""
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class QueueChange:
    """What becomes of the queue when a revision counts."""

    remove: tuple[str, ...] = ()
    put: tuple[PendingDelta, ...] = ()


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision: what happened, and the hash of the document that it left."""

    seq: int
    at: str
    cause: Cause
    summary: str
    delta_id: str | None
    decisions: tuple[DecisionRecord, ...]
    sha256: str
    """Of the document's bytes."""
    previous: str
    """SHA-256 of the header of the revision before; empty for the first."""
    delta_sha: str | None = None
    base: str = ""
    """SHA-256 of the document before."""
    size: int = 0
    marks: Marks = field(default_factory=dict)
    queue: QueueChange = QueueChange()
    turned_down: tuple[TurnedDown, ...] = ()
    delta: PendingDelta | None = None
    """The delta that was applied, with all that it was judged with, so that it can be judged again."""
    kept: bool = True
    """Whether the document is still stored; old revisions keep only what, when, why and hashes (S10)."""


_REVISION: TypeAdapter[Revision] = TypeAdapter(Revision)


@dataclass(frozen=True, slots=True)
class Stored:
    """A revision as its file holds it."""

    revision: Revision
    header: bytes
    body: bytes


class History:
    """Reads the revisions; the transaction alone writes them."""

    def __init__(self, folder: Path, ops: FileOps) -> None:
        self._folder = folder
        self._ops = ops

    def sequence(self, suffix: str = ".rev") -> tuple[int, ...]:
        """The numbers of the revisions that count, or with `.open` of those that do not yet."""
        try:
            names = [path.stem for path in self._folder.iterdir() if path.suffix == suffix]
        except OSError:
            return ()
        return tuple(sorted(int(name) for name in names if name.isascii() and name.isdigit()))

    def path(self, seq: int, suffix: str = ".rev") -> Path:
        """The file of a revision."""
        return self._folder / f"{seq:08d}{suffix}"

    def list(self) -> tuple[Revision, ...]:
        """Every revision that can be read, oldest first; headers only."""
        found = [self._header(seq) for seq in self.sequence()]
        return tuple(stored.revision for stored in found if stored is not None)

    def newest(self) -> Revision | None:
        """The newest revision that can be read."""
        for seq in reversed(self.sequence()):
            if (stored := self._header(seq)) is not None:
                return stored.revision
        return None

    def newest_header_hash(self) -> str:
        """The hash that the next revision carries as `previous`."""
        for seq in reversed(self.sequence()):
            if (stored := self._header(seq)) is not None:
                return hashlib.sha256(stored.header).hexdigest()
        return ""

    def get(self, seq: int) -> Revision:
        """One revision. Raises `UnknownIdError`."""
        stored = self._header(seq)
        if stored is None:
            raise UnknownIdError(f"There is no revision {seq}.", hint="memory-inspector history lists them.")
        return stored.revision

    def document_bytes(self, seq: int) -> bytes:
        """The document that a revision left, byte for byte. Raises `UnknownIdError`, `StateError`."""
        stored = self.read(seq)
        if stored is None:
            raise UnknownIdError(f"There is no revision {seq}.", hint="memory-inspector history lists them.")
        if not stored.revision.kept:
            raise StateError(f"Revision {seq} is old; only what, when and why is kept.", code="not_kept")
        return stored.body

    def base_bytes(self, seq: int) -> bytes:
        """The document before a revision: that of the one before it, or nothing. Raises as `document_bytes`."""
        earlier = [number for number in self.sequence() if number < seq]
        return self.document_bytes(earlier[-1]) if earlier else b""

    def verify(self) -> tuple[int, ...]:
        """The revisions whose document or place in the chain does not fit its hash, or that cannot be read."""
        broken: list[int] = []
        previous = ""
        for seq in self.sequence():
            stored = self.read(seq)
            if stored is None:
                broken.append(seq)
                continue
            revision = stored.revision
            document_fits = not revision.kept or hashlib.sha256(stored.body).hexdigest() == revision.sha256
            if not document_fits or revision.previous != previous:
                broken.append(seq)
            previous = hashlib.sha256(stored.header).hexdigest()
        return tuple(broken)

    def read(self, seq: int, suffix: str = ".rev") -> Stored | None:
        """A revision with its document, or None where the file is gone or damaged."""
        try:
            data = read_bytes(self.path(seq, suffix), limit=16 * 1024 * 1024)
        except StateError:
            return None
        return None if data is None else _stored(data)

    def _header(self, seq: int) -> Stored | None:
        try:
            with self.path(seq).open("rb") as file:
                header = file.readline(HEADER_LIMIT)
                kept = bool(file.read(1))
        except OSError:
            return None
        return _stored(header + (b"{" if kept else b""))

    def write(self, revision: Revision, document: bytes, suffix: str) -> Revision:
        """Make a revision durable. Raises `WriteError`, `OutcomeUnknownError`."""
        write_file(self._ops, self.path(revision.seq, suffix), encode_header(revision) + document)
        return revision

    def strip(self, keep: int) -> None:
        """Take the documents out of all but the newest `keep` revisions (S10)."""
        for seq in reversed(self.sequence()[:-keep]):
            stored = self._header(seq)
            if stored is None:
                continue
            if not stored.revision.kept:
                break
            write_file(self._ops, self.path(seq), stored.header, durable=False)

    def purge(self) -> int:
        """Remove every revision; how many there were."""
        numbers = self.sequence()
        for seq in numbers:
            remove(self._ops, self.path(seq))
        for seq in self.sequence(".open"):
            remove(self._ops, self.path(seq, ".open"))
        return len(numbers)

    def holding(self, wordings: Wordings) -> tuple[int, ...]:
        """The revisions whose file holds one of the texts."""
        found: list[int] = []
        for seq in self.sequence():
            stored = self.read(seq)
            if stored is not None and (wordings.stand_in(stored.header) or wordings.stand_in(stored.body)):
                found.append(seq)
        return tuple(found)

    def forget(self, wordings: Wordings, item_id: str) -> None:
        """Take a text out of every revision: documents that hold it, and decisions about it; then chain anew."""
        affected = self.holding(wordings)
        if not affected:
            return
        previous: str | None = None
        for seq in self.sequence():
            stored = self.read(seq)
            if stored is None:
                continue
            if seq < affected[0]:
                previous = hashlib.sha256(stored.header).hexdigest()
                continue
            revision = replace(stored.revision, previous=previous or "")
            body = stored.body
            if seq in affected:
                revision = replace(revision, decisions=_forgotten(revision.decisions, wordings, item_id))
                body = b"" if wordings.stand_in(body) else body
            header = wordings.taken_out(encode_header(revision))
            write_file(self._ops, self.path(seq), header + body, durable=True)
            previous = hashlib.sha256(header).hexdigest()


def _forgotten(decisions: tuple[DecisionRecord, ...], wordings: Wordings, item_id: str) -> tuple[DecisionRecord, ...]:
    def about(record: DecisionRecord) -> bool:
        return record.item_id == item_id or wordings.stand_in_value({"summary": record.summary})

    return tuple(
        replace(record, label="", summary="", note="", evidence=()) if about(record) else record for record in decisions
    )


def encode_header(revision: Revision) -> bytes:
    """The header line of a revision."""
    values = _REVISION.dump_python(revision, mode="json", exclude={"kept"})
    return json.dumps(values, ensure_ascii=True).encode() + b"\n"


def _stored(data: bytes) -> Stored | None:
    header, newline, body = data.partition(b"\n")
    try:
        value: Any = json.loads(header)
        revision = _REVISION.validate_python(value)
    except (ValueError, ValidationError, RecursionError):
        return None
    return Stored(replace(revision, kept=bool(body)), header + newline, body) if newline else None
