"""Document against document, item by item and field by field; words within a text (R5). Pure."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from memory_core.document import Entry, MemoryDocument
from memory_core.text import clip

Kind = Literal["added", "removed", "changed", "moved"]
Piece = Literal["same", "removed", "added"]

LABEL = 60
"""Characters of the words that name a changed entry."""
MAX_COMPARED = 250_000
"""Pairs of words that are compared at most; texts that differ beyond it are marked as a whole."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that differs, as JSON values; None where it is absent."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Change:
    """One entry, or one field outside the entries, that differs.

    `at` is a place such as `long_term_memory.project_notes.mem_20260501_002`; before and after are JSON values, None
    where there is none. `moved` is told of a list: the ids that stand in both documents, in another order.
    """

    at: str
    kind: Kind
    before: Any
    after: Any
    fields: tuple[FieldChange, ...] = ()
    label: str = ""


def diff(before: MemoryDocument, after: MemoryDocument) -> tuple[Change, ...]:
    """Every difference; empty exactly when the documents hold the same."""
    return (
        *_fields("repo_profile.", before.repo_profile.model_dump(), after.repo_profile.model_dump()),
        *_entries("working_memory.recent_turns", before.turns, after.turns),
        *_entries("working_memory.active_topics", before.topics, after.topics),
        *_entries("long_term_memory.durable_preferences", before.preferences, after.preferences),
        *_entries("long_term_memory.project_notes", before.notes, after.notes),
        *_fields("", _rest(before), _rest(after)),
    )


def _rest(document: MemoryDocument) -> dict[str, Any]:
    """What stands at the top level beside the sections: `updated_at` and unknown keys."""
    return {"updated_at": document.updated_at, **(document.__pydantic_extra__ or {})}


def _same(before: Any, after: Any) -> bool:
    """Whether two values are the same JSON: to Python `true`, `1` and `1.0` are equal, in a file they are not."""
    return json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True)


def _fields(prefix: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    for change in _field_changes(before, after):
        kind: Kind = "changed"
        if change.name not in before:
            kind = "added"
        elif change.name not in after:
            kind = "removed"
        yield Change(f"{prefix}{change.name}", kind, change.before, change.after, (change,))


def _field_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    names = [*before, *(name for name in after if name not in before)]
    return tuple(
        FieldChange(name, _json(before.get(name)), _json(after.get(name)))
        for name in names
        if (name in before) != (name in after) or not _same(before.get(name), after.get(name))
    )


def _json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _entries(place: str, before: Sequence[Entry], after: Sequence[Entry]) -> Iterator[Change]:
    old, new = _by_id(before), _by_id(after)
    for key, entry in old.items():
        if key not in new:
            was = _shown(entry)
            yield Change(f"{place}.{key}", "removed", was, None, _field_changes(was, {}), _label(entry))
    for key, entry in new.items():
        now = _shown(entry)
        if key not in old:
            yield Change(f"{place}.{key}", "added", None, now, _field_changes({}, now), _label(entry))
        elif fields := _field_changes(was := _shown(old[key]), now):
            yield Change(f"{place}.{key}", "changed", was, now, fields, _label(entry))
    kept = [key for key in old if key in new], [key for key in new if key in old]
    if kept[0] != kept[1]:
        yield Change(place, "moved", *kept, (FieldChange("order", *kept),))


def _by_id(entries: Iterable[Entry]) -> dict[str, Entry]:
    """The entries by id, in their order; of equal ones, which no file of ours holds, each later one is told apart."""
    found: dict[str, Entry] = {}
    for entry in entries:
        key, number = entry.id, 1
        while key in found:
            number += 1
            key = f"{entry.id}#{number}"
        found[key] = entry
    return found


def _shown(entry: Entry) -> dict[str, Any]:
    return {name: _json(value) for name, value in entry.model_dump().items()}


def _label(entry: Entry) -> str:
    return clip(str(getattr(entry, "label", "") or getattr(entry, "user_text", "")), LABEL)


def marked(before: str, after: str) -> tuple[tuple[str, Piece], ...]:
    """A text's pieces with what is the same, removed, added: Chinese by character, Latin by word.

    The same and the removed pieces together are `before`, the same and the added ones `after`.
    """
    old, new = tokens(before), tokens(after)
    limit = min(len(old), len(new))
    head = next((at for at in range(limit) if old[at] != new[at]), limit)
    tail = next((at for at in range(limit - head) if old[-1 - at] != new[-1 - at]), limit - head)
    ends = (old[:head], old[len(old) - tail :])
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    pieces: list[tuple[Sequence[str], Piece]] = [(ends[0], "same")]
    if len(old) * len(new) > MAX_COMPARED:
        pieces += [(old, "removed"), (new, "added")]
    else:
        for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag == "equal":
                pieces.append((old[i:j], "same"))
            else:
                pieces += [(old[i:j], "removed"), (new[k:m], "added")]
    pieces.append((ends[1], "same"))
    return tuple(_joined(pieces))


def _joined(pieces: Iterable[tuple[Sequence[str], Piece]]) -> Iterator[tuple[str, Piece]]:
    """The pieces that hold something, neighbours of one kind together."""
    text, kind = "", None
    for words, piece in pieces:
        if not words:
            continue
        if kind is not None and piece != kind:
            yield text, kind
            text = ""
        text, kind = text + "".join(words), piece
    if kind is not None:
        yield text, kind


def tokens(text: str) -> list[str]:
    """What a text is compared by: a Chinese character, a Latin word, a run of spaces, any other character.

    What belongs to the character before it, such as a mark or the rest of an emoji, stays with it.
    """
    found: list[str] = []
    last = ""
    for ch in text:
        kind = _token_kind(ch)
        flag = kind == "flag" and last == "flag" and len(found[-1]) == 1
        if found and (kind == "mark" or found[-1].endswith("\u200d") or flag or (kind == last and kind in _RUNS)):
            found[-1] += ch
            last = kind if kind != "mark" and last not in _RUNS else last
            continue
        found.append(ch)
        last = kind
    return found


_RUNS = frozenset({"word", "space"})


def _token_kind(ch: str) -> str:
    if ch.isspace():
        return "space"
    code = ord(ch)
    if 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x3FFFF:
        return "han"
    if 0x1F1E6 <= code <= 0x1F1FF:
        return "flag"
    if (
        unicodedata.category(ch)[0] == "M"
        or ch in "\u200c\u200d"
        or 0x1F3FB <= code <= 0x1F3FF
        or 0xE0020 <= code <= 0xE007F
    ):
        return "mark"
    return "word" if ch.isalnum() or ch == "_" else "other"
