"""Encoded size, limits and trimming (D6). Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memory_core.clock import instant
from memory_core.document import ActiveTopic, Entry, LongTermItem, MemoryDocument, RecentTurn
from memory_core.policy import Limits


@dataclass(frozen=True, slots=True)
class Trimmed:
    """Something that space or a count took away (D6): `what` is `turn`, `assistant_text`, `topic` or `item`."""

    what: Literal["turn", "assistant_text", "topic", "item"]
    id: str
    reason: Literal["count", "space"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Encoded size of the document before and after, and the limits, in bytes of UTF-8."""

    before: int
    after: int
    soft: int
    hard: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """A document brought within its limits, or as far as it goes."""

    document: MemoryDocument
    trimmed: tuple[Trimmed, ...]
    fits: bool
    """False where it is over the hard limit although nothing more may be trimmed."""
    size: int
    """Its encoded size in bytes."""


def encode(document: MemoryDocument) -> bytes:
    """The file's bytes: plain JSON, UTF-8, indented by two, non-ASCII not escaped, as V1 writes it (D7)."""
    return json.dumps(to_json(document), ensure_ascii=False, indent=2).encode()


def to_json(document: MemoryDocument) -> dict[str, Any]:
    """The document as JSON values, in the file's key order."""
    return document.model_dump(mode="json")


def encoded_size(document: MemoryDocument) -> int:
    """Bytes of UTF-8 that the document takes on disk: the length of `encode`, told without laying the text out."""
    return _laid_out_size(to_json(document), 0)


def _laid_out_size(value: Any, indent: int) -> int:
    """Bytes of a JSON value written with an indentation of two, itself standing at `indent`."""
    return len(json.dumps(value, ensure_ascii=False).encode()) + _layout(value, indent)


def _layout(value: Any, indent: int) -> int:
    """Bytes that line breaks and indentation add to the same value on one line."""
    if not value or not isinstance(value, (dict, list)):
        return 0
    parts = value.values() if isinstance(value, dict) else value
    nested = sum(_layout(part, indent + 2) for part in parts if isinstance(part, (dict, list)))
    return nested + len(value) * (indent + 2) + indent + 2


def resized(size: int, old: MemoryDocument, new: MemoryDocument) -> int:
    """The encoded size of `new`, from the `size` of the document that it was made from.

    Exact, and cheap: only entries that differ are encoded, and entries that both share are told by identity. Without
    it, judging and trimming would encode the whole document once a step.
    """
    if new is old:
        return size
    if new.repo_profile is not old.repo_profile or new.__pydantic_extra__ != old.__pydantic_extra__:
        return encoded_size(new)
    if new.updated_at != old.updated_at:
        size += _laid_out_size(new.updated_at, 0) - _laid_out_size(old.updated_at, 0)
    lists: tuple[tuple[Sequence[Entry], Sequence[Entry]], ...] = (
        (old.turns, new.turns),
        (old.topics, new.topics),
        (old.preferences, new.preferences),
        (old.notes, new.notes),
    )
    for before, after in lists:
        if before is not after:
            was, will_be = {id(entry) for entry in before}, {id(entry) for entry in after}
            size += sum(_entry_size(entry) for entry in after if id(entry) not in was)
            size -= sum(_entry_size(entry) for entry in before if id(entry) not in will_be)
            size += _CLOSING_INDENT * (bool(after) - bool(before))
    return size


_ENTRY_INDENT, _CLOSING_INDENT = 6, 4
"""Spaces before an entry of a list, and before the bracket that closes a list that is not empty."""


def _entry_size(entry: Entry) -> int:
    """Bytes that an entry takes in its list, the line break before it and the one or the comma after it included."""
    return _laid_out_size(entry.model_dump(mode="json"), _ENTRY_INDENT) + _ENTRY_INDENT + 2


def fit(
    document: MemoryDocument, limits: Limits, *, now: datetime, protect: str | None = None, size: int | None = None
) -> Fitted:
    """Bring a document within counts and the hard size; long-term memory is never trimmed for space (D6).

    `protect` is the id of the turn being recorded, which is never trimmed. `size` is the encoded size where it is
    known. Order for space: `assistant_text` of ready turns, ready turns, topics, `assistant_text` of pending turns,
    pending turns; oldest first in each.
    """
    size = encoded_size(document) if size is None else size
    counted, trimmed = _fit_counts(document, limits, now, protect)
    size, document = resized(size, document, counted), counted
    if size > limits.hard_bytes:
        document, size, more = _fit_space(document, size, limits.hard_bytes, now, protect)
        trimmed += more
    return Fitted(document, tuple(trimmed), size <= limits.hard_bytes, size)


def _fit_counts(
    document: MemoryDocument, limits: Limits, now: datetime, protect: str | None
) -> tuple[MemoryDocument, list[Trimmed]]:
    trimmed: list[Trimmed] = []
    surplus = len(document.turns) - limits.recent_turns
    if surplus > 0:
        oldest = oldest_turns(document.turns, now)
        order = [t for t in oldest if not t.is_pending] + [t for t in oldest if t.is_pending]
        gone = {turn.id for turn in [t for t in order if t.id != protect][:surplus]}
        trimmed += [Trimmed("turn", turn.id, "count") for turn in order if turn.id in gone]
        document = document.with_turns(tuple(turn for turn in document.turns if turn.id not in gone))
    surplus = len(document.topics) - limits.active_topics
    if surplus > 0:
        gone = {topic.id for topic in longest_untouched(document.topics, now)[:surplus]}
        trimmed += [Trimmed("topic", topic.id, "count") for topic in document.topics if topic.id in gone]
        document = document.with_topics(tuple(topic for topic in document.topics if topic.id not in gone))
    return document, trimmed


def _fit_space(
    document: MemoryDocument, size: int, hard: int, now: datetime, protect: str | None
) -> tuple[MemoryDocument, int, list[Trimmed]]:
    oldest = [turn for turn in oldest_turns(document.turns, now) if turn.id != protect]
    ready, pending = [t for t in oldest if not t.is_pending], [t for t in oldest if t.is_pending]
    steps: list[Trimmed] = [
        *(Trimmed("assistant_text", turn.id, "space") for turn in ready if turn.assistant_text),
        *(Trimmed("turn", turn.id, "space") for turn in ready),
        *(Trimmed("topic", topic.id, "space") for topic in longest_untouched(document.topics, now)),
        *(Trimmed("assistant_text", turn.id, "space") for turn in pending if turn.assistant_text),
        *(Trimmed("turn", turn.id, "space") for turn in pending),
    ]
    done: list[Trimmed] = []
    for step in steps:
        if size <= hard:
            break
        smaller = without(document, step)
        size, document = resized(size, document, smaller), smaller
        done.append(step)
    dropped = {step.id for step in done if step.what == "turn"}
    return document, size, [s for s in done if s.what != "assistant_text" or s.id not in dropped]


def without(document: MemoryDocument, step: Trimmed) -> MemoryDocument:
    """The document after one trimming step."""
    if step.what == "topic":
        return document.with_topics(tuple(topic for topic in document.topics if topic.id != step.id))
    if step.what == "turn":
        return document.with_turns(tuple(turn for turn in document.turns if turn.id != step.id))
    if step.what == "item":
        return document.with_items(tuple(item for item in document.items if item.id != step.id))
    return document.with_turns(
        tuple(turn.model_copy(update={"assistant_text": ""}) if turn.id == step.id else turn for turn in document.turns)
    )


def oldest_turns(turns: Sequence[RecentTurn], now: datetime) -> list[RecentTurn]:
    """Turns by their instant, oldest first; equal instants keep the file's order."""
    return sorted(turns, key=lambda turn: instant(turn.created_at, now))


def longest_untouched(topics: Sequence[ActiveTopic], now: datetime) -> list[ActiveTopic]:
    """Topics by when they were last touched, longest ago first."""
    return sorted(topics, key=lambda topic: instant(topic.last_touched_at, now))


def oldest_inactive(items: Sequence[LongTermItem], now: datetime) -> LongTermItem | None:
    """The inactive item that was updated longest ago: the one to go when long-term memory is full."""
    inactive = [item for item in items if not item.is_active]
    return min(inactive, key=lambda item: instant(item.updated_at, now), default=None)
