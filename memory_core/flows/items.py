"""The three things that a person may do to a long-term item: set inactive, set active, forget (R7)."""

from __future__ import annotations

from memory_core.capacity import fit
from memory_core.clock import iso
from memory_core.document import ActiveTopic, ItemStatus, LongTermItem, MemoryDocument, RecentTurn
from memory_core.errors import StateError, UnknownIdError
from memory_core.flows.workbench import PERSON_WAIT, Workbench
from memory_core.results import ItemResult
from memory_core.storage.forgetting import Wordings


def _item(document: MemoryDocument, item_id: str) -> LongTermItem:
    item = document.find(item_id)
    if not isinstance(item, LongTermItem):
        raise UnknownIdError(f"There is no long-term item {item_id}.", hint="memory-inspector show lists them.")
    return item


def set_status(bench: Workbench, item_id: str, status: ItemStatus) -> ItemResult:
    """Set an item active or inactive; no revision where it is so already. Raises `UnknownIdError`, `StateError`s."""
    _item(bench.readable(), item_id)  # an unknown one makes no folders
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
        fitted = fit(document.with_items(items).touched(now), bench.policy.limits, now=bench.now())
        if not fitted.fits:
            raise StateError(
                f"Memory would stay over {bench.policy.limits.hard_bytes} bytes.",
                hint="Forget items that are no longer needed.",
                code="no_room",
            )
        revision = transaction.commit(cause="item", summary=f"{item_id} set {status}", document=fitted.document)
    return ItemResult(revision.seq)


def forget(bench: Workbench, item_id: str, *, everywhere: bool) -> ItemResult:
    """Take an item out of memory, and say where its text still stands.

    `everywhere` takes it out of history, queue and backups too, with every wording that it ever had, and with the
    turns and topics that say it word for word: the next summary would propose it again.
    """
    _item(bench.readable(), item_id)  # an unknown one makes no folders
    with bench.store.transaction(wait=PERSON_WAIT) as transaction:
        document = transaction.loaded.document
        item = _item(document, item_id)
        wordings = transaction.wordings_of(item)
        rest = document.with_items(tuple(other for other in document.items if other.id != item_id))
        told = f"{item_id} forgotten"
        if everywhere:
            rest = rest.with_turns(tuple(turn for turn in rest.turns if not _says(turn, wordings)))
            rest = rest.with_topics(tuple(topic for topic in rest.topics if not _says(topic, wordings)))
            gone = len(document.turns) + len(document.topics) - len(rest.turns) - len(rest.topics)
            told += " everywhere" + (f", with {gone} turns and topics that say the same" if gone else "")
        revision = transaction.commit(cause="forget", summary=told, document=rest.touched(iso(bench.now())))
        if everywhere:
            transaction.forget_everywhere(item.id, wordings)
        return ItemResult(revision.seq, bench.store.places(wordings))


def _says(entry: RecentTurn | ActiveTopic, wordings: Wordings) -> bool:
    return wordings.stand_in(entry.model_dump_json().encode())
