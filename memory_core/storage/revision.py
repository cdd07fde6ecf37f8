"""What a revision is, and how its file holds it: a header line, a line of details, the document's raw bytes (R5, S9).

The header says what, when, why, and the hashes; it alone is read for a list. The details are what a crash or judging
again needs. Each header carries the hash of the header before and of its own details, so that an edit shows.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

from memory_core.clock import Marks
from memory_core.review.verdict import Evidence, TurnedDown
from memory_core.storage.forgetting import Wordings
from memory_core.storage.pending import PendingDelta

Cause = Literal["apply", "auto", "recorded", "outside", "profile", "item", "forget", "reset", "restore", "revert"]


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
    """One revision: what happened, and the hash of the document that it left.

    A list of revisions leaves `marks`, `queue`, `turned_down` and `delta` empty; `History.get` fills them.
    """

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
    generation: str = ""
    """For a reset: the generation before it, put back where the reset never came to count."""
    marks: Marks = field(default_factory=dict)
    """Every number in use as of then (D4)."""
    queue: QueueChange = QueueChange()
    turned_down: tuple[TurnedDown, ...] = ()
    delta: PendingDelta | None = None
    """The delta that was applied, with all that it was judged with, so that it can be judged again."""
    kept: bool = True
    """Whether the document is still stored; old revisions keep only what, when, why and hashes (S10)."""


_DETAILS = ("marks", "queue", "turned_down", "delta")


@cache
def _revisions() -> TypeAdapter[Revision]:
    return TypeAdapter(Revision)


@dataclass(frozen=True, slots=True)
class Stored:
    """A revision as its file holds it. `details` and `body` are empty where they are no longer kept."""

    revision: Revision
    header: bytes
    details: bytes
    body: bytes

    @property
    def header_sha256(self) -> str:
        """What the next revision carries as `previous`."""
        return hashlib.sha256(self.header).hexdigest()

    def fits(self) -> bool:
        """Whether details and document are what the header says."""
        sha256, _ = _details_of(json.loads(self.header))
        details_fit = not self.details or hashlib.sha256(self.details).hexdigest() == sha256
        return details_fit and (not self.body or hashlib.sha256(self.body).hexdigest() == self.revision.sha256)

    def forgotten(self, wordings: Wordings, item_id: str, previous: str) -> Stored:
        """The same without the texts and what was decided about the item, and with another `previous`.

        A document that holds one of the texts is no longer kept.
        """
        revision = replace(self.revision, decisions=_forgotten(self.revision.decisions, wordings, item_id))
        details = wordings.taken_out(self.details)
        body = b"" if wordings.stand_in(self.body) else self.body
        values = json.loads(self.header) | {"previous": previous, "decisions": _dump(revision)["decisions"]}
        if details:
            values["details"] = _mark(details)
        return replace(self, revision=revision, header=wordings.taken_out(_line(values)), details=details, body=body)

    def encoded(self) -> bytes:
        """The file's bytes."""
        return self.header + self.details + self.body


def encode_revision(revision: Revision, document: bytes) -> bytes:
    """The bytes of a revision's file."""
    values = _dump(revision)
    details = _line({name: values.pop(name) for name in _DETAILS})
    return _line(values | {"details": _mark(details)}) + details + document


def decode_header(header: bytes, file_size: int) -> Revision | None:
    """The revision that a header line alone tells of, or None where it is damaged."""
    try:
        values = json.loads(header)
        kept = file_size > len(header) + _details_of(values)[1]
        return _revisions().validate_python(values | {"kept": kept})
    except (ValueError, TypeError, RecursionError):
        return None


def decode_revision(data: bytes) -> Stored | None:
    """A revision's whole file, or None where it is damaged."""
    line, newline, rest = data.partition(b"\n")
    header = line + newline
    try:
        values = json.loads(header)
        size = _details_of(values)[1]
        details, body = rest[:size], rest[size:]
        if details:
            values |= json.loads(details)
        revision = _revisions().validate_python(values | {"kept": bool(body)})
    except (ValueError, TypeError, RecursionError):
        return None
    return Stored(revision, header, details, body)


def _dump(revision: Revision) -> dict[str, Any]:
    values: dict[str, Any] = _revisions().dump_python(revision, mode="json", exclude={"kept"})
    return values


def _line(values: dict[str, Any]) -> bytes:
    # A lone surrogate becomes its escape, which JSON reads back; a line break within a string always is one.
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _mark(details: bytes) -> list[object]:
    return [hashlib.sha256(details).hexdigest(), len(details)]


def _details_of(values: object) -> tuple[str, int]:
    match values:
        case {"details": [str(sha256), int(size)]} if size >= 0:
            return sha256, size
    raise ValueError("no header of a revision")


def _forgotten(decisions: tuple[DecisionRecord, ...], wordings: Wordings, item_id: str) -> tuple[DecisionRecord, ...]:
    def about(record: DecisionRecord) -> bool:
        return bool(item_id and record.item_id == item_id) or wordings.stand_in_value({"summary": record.summary})

    return tuple(
        replace(record, label="", summary="", note="", evidence=()) if about(record) else record for record in decisions
    )
