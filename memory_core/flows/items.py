"""The three things that a person may do to a long-term item: set inactive, set active, forget (R7)."""

from __future__ import annotations

from memory_core.clock import iso
from memory_core.document import ItemStatus, LongTermItem, MemoryDocument
from memory_core.errors import StateError, UnknownIdError
from memory_core.flows.workbench import PERSON_WAIT, Workbench
from memory_core.results import ItemResult


def _item(document: MemoryDocument, item_id: str) -> LongTermItem:
    item = document.find(item_id)
    if not isinstance(item, LongTermItem):
        raise UnknownIdError(f"There is no long-term item {item_id}.", hint="memory-inspector show lists them.")
    return item


def set_status(bench: Workbench, item_id: str, status: ItemStatus) -> ItemResult:
    """Set an item active or inactive; no revision where it is so already. Raises `UnknownIdError`, `StateError`s."""
    with bench.store.transaction(wait=PERSON_WAIT) as transaction:
        document = transaction.loaded.document
        item = _item(document, item_id)
        if item.status == status:
            return ItemResult(None)
        limit = bench.policy.limits.long_term_items
        if status == "active" and len(document.items) > limit:
            raise StateError(f"Long-term memory holds {len(document.items)} of {limit} items.", code="long_term_full")
        now = iso(bench.now())
        changed = item.model_copy(update={"status": status, "updated_at": now})
        items = tuple(changed if other.id == item_id else other for other in document.items)
        revision = transaction.commit(
            cause="item",
            summary=f"{item_id} set {status}",
            document=document.with_items(items).touched(now),
        )
    return ItemResult(revision.seq)


def elsewhere(bench: Workbench, item: LongTermItem) -> tuple[str, ...]:
    """Where else an item's text still stands: `history:12`, `pending:delta_…`, `backup:memory.corrupt.json`."""
    return bench.store.places_of(item.summary)


def forget(bench: Workbench, item_id: str, *, everywhere: bool) -> ItemResult:
    """Take an item out of memory; `everywhere` also out of history, queue and backups. Says where it still stands."""
    with bench.store.transaction(wait=PERSON_WAIT) as transaction:
        document = transaction.loaded.document
        item = _item(document, item_id)
        items = tuple(other for other in document.items if other.id != item_id)
        revision = transaction.commit(
            cause="forget",
            summary=f"{item_id} forgotten",
            document=document.with_items(items).touched(iso(bench.now())),
        )
        if everywhere:
            transaction.forget_everywhere(item.id, item.summary)
        return ItemResult(revision.seq, elsewhere(bench, item))
