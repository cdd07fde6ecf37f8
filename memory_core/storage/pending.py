"""The queue of deltas that wait for a person (R2, R4c, S10): one small file each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from memory_core.clock import Marks
from memory_core.codes import sentence
from memory_core.delta import MemoryDeltaParser
from memory_core.errors import UnknownIdError
from memory_core.reply import ReplyReason
from memory_core.review.verdict import Decision, JudgeContext
from memory_core.storage.forgetting import Wordings
from memory_core.storage.jsonfile import numbers, read_json

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


_ENTRY: TypeAdapter[PendingDelta] = TypeAdapter(PendingDelta)
_DRAFT: TypeAdapter[Draft] = TypeAdapter(Draft)


def entry_to_json(entry: PendingDelta) -> dict[str, Any]:
    """The entry as JSON values."""
    values: dict[str, Any] = _ENTRY.dump_python(entry, mode="json")
    return values


def entry_from_json(value: object, name: str) -> PendingDelta:
    """The entry that a file holds; a damaged one becomes a refused entry of that name, so that it can be dismissed."""
    try:
        return _ENTRY.validate_python(value)
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

    def path(self, delta_id: str) -> Path:
        """Where a delta of that id is kept. Raises `UnknownIdError` for what is no file name."""
        if not delta_id or "/" in delta_id or "\0" in delta_id or delta_id.startswith("."):
            raise UnknownIdError(f"There is no delta {delta_id[:60]!r}.", hint="memory-inspector pending lists them.")
        return self._folder / f"{delta_id}.json"

    def ids(self) -> tuple[str, ...]:
        """The ids in the queue, in the order of their names."""
        try:
            names = [path.stem for path in self._folder.iterdir() if path.suffix == ".json" and path.name[0] != "."]
        except OSError:
            return ()
        return tuple(sorted(names))

    def list(self) -> tuple[PendingDelta, ...]:
        """Every waiting delta, oldest first. One that vanishes meanwhile is passed over."""
        found = [entry for name in self.ids() if (entry := self._read(name)) is not None]
        return tuple(sorted(found, key=lambda entry: (entry.created_at, entry.id)))

    def _read(self, name: str) -> PendingDelta | None:
        path = self._folder / f"{name}.json"
        value = read_json(path)
        if value is None and not path.exists():
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
            return _DRAFT.validate_python(read_json(self._drafts / self.path(delta_id).name) or {})
        except ValidationError:
            return Draft()

    @staticmethod
    def draft_to_json(draft: Draft) -> dict[str, Any]:
        """A draft as JSON values."""
        values: dict[str, Any] = _DRAFT.dump_python(draft, mode="json")
        return values


def reserved_marks(entries: tuple[PendingDelta, ...]) -> dict[str, int]:
    """The highest numbers that waiting deltas hold on to."""
    marks: dict[str, int] = {}
    for entry in entries:
        for key, number in numbers(dict(entry.reserved)).items():
            marks[key] = max(number, marks.get(key, 0))
    return marks
