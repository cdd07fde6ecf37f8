"""The queue of deltas that wait for a person (R2, R4c, S10): one small file each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from memory_core.clock import Marks
from memory_core.codes import sentence
from memory_core.delta import MemoryDeltaParser
from memory_core.errors import UnknownIdError
from memory_core.reply import MAX_LENGTH, ReplyReason
from memory_core.review.verdict import Decision, JudgeContext
from memory_core.storage.forgetting import Wordings
from memory_core.storage.jsonfile import numbers, read_json
from memory_core.storage.layout import mode_of, names_in
from memory_core.text import clip, is_encodable

FILE_LIMIT = 16 * 1024 * 1024
REFUSED_REPLY = MAX_LENGTH
"""Characters that are kept of a refused reply, which nothing can be applied of."""

Key = tuple[int, int, int]
"""Inode, time of change (ns) and size: a file that has not changed."""
Origin = Literal["agent", "person", "propose", "auto_rest"]


@dataclass(frozen=True, slots=True)
class PendingDelta:
    """A model's reply that waits, with all that it is judged with."""

    id: str
    created_at: str
    generation: str
    trigger: str | None
    model: str
    origin: Origin
    reply: str
    """The raw reply, secrets masked (D8)."""
    finish_reason: str | None
    delta_sha: str | None
    context: JudgeContext
    refused: ReplyReason | None = None
    """Why the parser refused it; such an entry can only be dismissed."""
    remarks: tuple[str, ...] = ()
    """What the endpoint's answer needed before it could be parsed."""
    count: int = 1
    """How often the same refused reply came."""
    last_at: str = ""
    closed: tuple[str, ...] = ()
    """Places that an earlier application dealt with (R3b)."""
    applied: bool = False
    claims: tuple[str, ...] = ()
    """Turns that are not sent again while this waits (T7)."""
    usable: bool = True
    """Whether anything of it could be accepted when it was proposed."""
    reserved: Marks = field(default_factory=dict)
    """Numbers of the ids that it would make, so that nothing else takes them (D4)."""

    __pydantic_config__ = ConfigDict(frozen=True)


@dataclass(frozen=True, slots=True)
class Draft:
    """Decisions and notes that are not applied yet, by place."""

    decisions: Mapping[str, Decision] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)


@cache
def _entries() -> TypeAdapter[PendingDelta]:
    return TypeAdapter(PendingDelta)


@cache
def _drafts() -> TypeAdapter[Draft]:
    return TypeAdapter(Draft)


def as_kept(entry: PendingDelta) -> PendingDelta:
    """The entry as the queue keeps it: a refused reply of any length does not fill the disk (S10)."""
    return entry if entry.refused is None else replace(entry, reply=clip(entry.reply, REFUSED_REPLY))


def entry_to_json(entry: PendingDelta) -> dict[str, Any]:
    """The entry as JSON values."""
    values: dict[str, Any] = _entries().dump_python(entry, mode="json")
    return values


def entry_from_json(value: object, name: str) -> PendingDelta:
    """The entry that a file holds; a damaged one becomes a refused entry of that name, so that it can be dismissed."""
    try:
        return _entries().validate_python(value)
    except (ValidationError, RecursionError):
        reason = ReplyReason("damaged_entry", sentence("damaged_entry"), "Dismiss it.")
        return PendingDelta(name, "", "", None, "", "propose", "", None, None, JudgeContext(proposed_at=""), reason)


def proposes(entry: PendingDelta, wordings: Wordings) -> bool:
    """Whether an operation of it that is not closed yet says one of the texts; a refused reply counts as a whole."""
    delta = MemoryDeltaParser.parse(entry.reply).delta
    if delta is None:
        return wordings.stand_in_value(entry.reply)
    waiting = [operation.value for operation in delta.operations if operation.at not in entry.closed]
    return wordings.stand_in_value(waiting)


class PendingDeltas:
    """Reads the queue; the transaction alone writes it."""

    def __init__(self, folder: Path, drafts: Path) -> None:
        self._folder = folder
        self._drafts = drafts
        self._seen: dict[str, tuple[Key, PendingDelta]] = {}

    def path(self, delta_id: str) -> Path:
        """Where a delta of that id is kept. Raises `UnknownIdError` for what is no file name."""
        if not _is_name(delta_id):
            raise UnknownIdError(f"There is no delta {delta_id[:60]!r}.", hint="memory-inspector pending lists them.")
        return self._folder / f"{delta_id}.json"

    def ids(self) -> tuple[str, ...]:
        """The ids in the queue, in the order of their names."""
        names = (name.removesuffix(".json") for name in names_in(self._folder) if name.endswith(".json"))
        return tuple(sorted(filter(_is_name, names)))

    def list(self) -> tuple[PendingDelta, ...]:
        """Every waiting delta, oldest first, each read again only where its file changed.

        One that vanishes meanwhile is passed over.
        """
        found: dict[str, tuple[Key, PendingDelta]] = {}
        for name in self.ids():
            try:
                status = self.path(name).lstat()
            except OSError:
                continue
            key = status.st_ino, status.st_mtime_ns, status.st_size
            seen = self._seen.get(name)
            if seen is not None and seen[0] == key:
                found[name] = seen
            elif (entry := self._read(name)) is not None:
                found[name] = key, entry
        self._seen = found
        return tuple(sorted((entry for _, entry in found.values()), key=lambda entry: (entry.created_at, entry.id)))

    def _read(self, name: str) -> PendingDelta | None:
        path = self.path(name)
        value = read_json(path, FILE_LIMIT)
        if value is None and mode_of(path) is None:
            return None
        entry = entry_from_json(value, name)
        return entry if entry.id == name else entry_from_json(None, name)

    def get(self, delta_id: str) -> PendingDelta:
        """The delta of that id. Raises `UnknownIdError`."""
        self.path(delta_id)
        entry = self._read(delta_id)
        if entry is None:
            raise UnknownIdError(f"There is no delta {delta_id}.", hint="memory-inspector pending lists them.")
        return entry

    def draft(self, delta_id: str) -> Draft:
        """The decisions kept for a delta; none where there is no draft or a damaged one."""
        try:
            return _drafts().validate_python(read_json(self._drafts / self.path(delta_id).name) or {})
        except ValidationError:
            return Draft()

    @staticmethod
    def draft_to_json(draft: Draft) -> dict[str, Any]:
        """A draft as JSON values."""
        values: dict[str, Any] = _drafts().dump_python(draft, mode="json")
        return values


def _is_name(delta_id: str) -> bool:
    """Whether an id can be the name of a file of ours, and of nothing else."""
    foreign = any(character in delta_id for character in "/\\\0:") or delta_id.startswith(".")
    return bool(delta_id) and not foreign and len(delta_id) <= 120 and is_encodable(delta_id)


def reserved_marks(entries: tuple[PendingDelta, ...]) -> dict[str, int]:
    """The highest numbers that waiting deltas hold on to."""
    marks: dict[str, int] = {}
    for entry in entries:
        for key, number in numbers(dict(entry.reserved)).items():
            marks[key] = max(number, marks.get(key, 0))
    return marks
