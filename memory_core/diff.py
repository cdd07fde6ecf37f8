"""Document against document, item by item and field by field; words within a text (R5). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from memory_core.document import Entry, MemoryDocument

Kind = Literal["added", "removed", "changed"]
Piece = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that differs; None where it is absent."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Change:
    """One entry, or one field outside the entries, that differs.

    `at` is a place such as `long_term_memory.project_notes.mem_20260501_002`; before and after are JSON values.
    """

    at: str
    kind: Kind
    before: Any
    after: Any
    fields: tuple[FieldChange, ...] = ()
    label: str = ""


def diff(before: MemoryDocument, after: MemoryDocument) -> tuple[Change, ...]:
    """Every difference; empty exactly when the documents are equal."""
    changes = [
        *_fields("repo_profile", before.repo_profile.model_dump(), after.repo_profile.model_dump()),
        *_entries("working_memory.recent_turns", before.turns, after.turns),
        *_entries("working_memory.active_topics", before.topics, after.topics),
        *_entries("long_term_memory.durable_preferences", before.preferences, after.preferences),
        *_entries("long_term_memory.project_notes", before.notes, after.notes),
        *_fields("", _rest(before), _rest(after)),
    ]
    return tuple(changes)


def _rest(document: MemoryDocument) -> dict[str, Any]:
    """What stands at the top level beside the sections: `updated_at` and unknown keys."""
    return {"updated_at": document.updated_at, **(document.__pydantic_extra__ or {})}


def _fields(place: str, before: dict[str, Any], after: dict[str, Any]) -> Iterable[Change]:
    for change in _field_changes(before, after):
        at = f"{place}.{change.name}" if place else change.name
        kind: Kind = "changed"
        if change.name not in before:
            kind = "added"
        elif change.name not in after:
            kind = "removed"
        yield Change(at, kind, change.before, change.after, (change,))


def _field_changes(before: dict[str, Any], after: dict[str, Any]) -> tuple[FieldChange, ...]:
    names = [*before, *(name for name in after if name not in before)]
    return tuple(
        FieldChange(name, _json(before.get(name)), _json(after.get(name)))
        for name in names
        if (name in before) != (name in after) or before.get(name) != after.get(name)
    )


def _json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _entries(place: str, before: Sequence[Entry], after: Sequence[Entry]) -> Iterable[Change]:
    old = {entry.id: entry for entry in before}
    new = {entry.id: entry for entry in after}
    for entry in before:
        if entry.id not in new:
            shown = entry.model_dump(mode="json")
            yield Change(f"{place}.{entry.id}", "removed", shown, None, _field_changes(shown, {}), _label(entry))
    for entry in after:
        if entry.id not in old:
            shown = entry.model_dump(mode="json")
            yield Change(f"{place}.{entry.id}", "added", None, shown, _field_changes({}, shown), _label(entry))
        elif old[entry.id] != entry:
            was, now = old[entry.id].model_dump(mode="json"), entry.model_dump(mode="json")
            yield Change(f"{place}.{entry.id}", "changed", was, now, _field_changes(was, now), _label(entry))
    kept_before = [entry.id for entry in before if entry.id in new]
    kept_after = [entry.id for entry in after if entry.id in old]
    if kept_before != kept_after:
        yield Change(
            f"{place}.order", "changed", kept_before, kept_after, (FieldChange("order", kept_before, kept_after),)
        )


def _label(entry: Entry) -> str:
    return str(getattr(entry, "label", "") or getattr(entry, "user_text", ""))[:60]


_TOKEN = re.compile(r"[㐀-鿿豈-﫿]|\s+|\w+?(?=[㐀-鿿豈-﫿]|\b)|.", re.DOTALL)


def marked(before: str, after: str) -> tuple[tuple[str, Piece], ...]:
    """A text's pieces with what is the same, removed, added: Chinese by character, Latin by word."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    pieces: list[tuple[str, Piece]] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(("".join(old[i:j]), "same"))
            continue
        if i < j:
            pieces.append(("".join(old[i:j]), "removed"))
        if k < m:
            pieces.append(("".join(new[k:m]), "added"))
    return tuple(pieces)
