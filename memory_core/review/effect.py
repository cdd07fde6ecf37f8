"""What an operation would make of the entry that it is about, and the document with that entry in it. Pure."""

from __future__ import annotations

from typing import TypeVar

from memory_core.document import SOURCE_OF, ActiveTopic, Entry, LongTermItem, MemoryDocument, RecentTurn
from memory_core.review.candidate import ENTRY_OF, Candidate
from memory_core.review.rules.structure import related_turns

E = TypeVar("E", bound=Entry)


def entry_after(candidate: Candidate, new_id: str) -> Entry | None:
    """The entry as the operation leaves it; None where the operation does not say enough to tell.

    Rejected operations are shown too, so their texts may be over their limits. `new_id` is the id of a created entry.
    """
    summary = candidate.text("summary")
    if not summary:
        return None
    if candidate.creates and candidate.kind != "turn_summary":
        return _created(candidate, summary, new_id)
    if candidate.named is None or not isinstance(candidate.named, ENTRY_OF[candidate.kind]):
        return None
    if candidate.operation in {"summarize", "update_existing"}:
        return _updated(candidate, candidate.named, summary)
    return None


def _created(candidate: Candidate, summary: str, new_id: str) -> Entry | None:
    at, label, kind = candidate.context.proposed_at, candidate.text("label"), candidate.item_type
    if not label or candidate.raw.get("target_id") is not None:
        return None
    if candidate.kind == "topic":
        return ActiveTopic(
            id=new_id,
            label=label,
            summary=summary,
            related_turn_ids=related_turns(candidate),
            last_touched_at=at,
        )
    if kind is None:
        return None
    return LongTermItem(
        id=new_id,
        type=kind,
        label=label,
        summary=summary,
        status="active",
        source=SOURCE_OF[kind],
        created_at=at,
        updated_at=at,
    )


def _updated(candidate: Candidate, entry: Entry, summary: str) -> Entry:
    at = candidate.context.proposed_at
    if isinstance(entry, ActiveTopic):
        changes: dict[str, object] = {
            "label": candidate.text("label") or entry.label,
            "summary": summary,
            "related_turn_ids": tuple(dict.fromkeys((*entry.related_turn_ids, *related_turns(candidate)))),
            "last_touched_at": at,
        }
    elif isinstance(entry, LongTermItem):
        changes = {"summary": summary, "updated_at": at}
    else:
        changes = {"summary": summary, "summary_status": "ready"}
    return entry.model_copy(update=changes)


def put(document: MemoryDocument, entry: Entry) -> MemoryDocument:
    """The document with the entry in the place of the one with its id, or at the end of its list (A11)."""
    if isinstance(entry, RecentTurn):
        return document.with_turns(_put(document.turns, entry))
    if isinstance(entry, ActiveTopic):
        return document.with_topics(_put(document.topics, entry))
    if isinstance(entry, LongTermItem):
        return document.with_items(_put(document.items, entry))
    return document


def _put(entries: tuple[E, ...], entry: E) -> tuple[E, ...]:
    if any(other.id == entry.id for other in entries):
        return tuple(entry if other.id == entry.id else other for other in entries)
    return (*entries, entry)
