"""What takes out of the folder what people want gone: a purge, and forgetting one item's words everywhere (R6, R7)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memory_core.codec import decode
from memory_core.document import LongTermItem
from memory_core.storage.atomic import remove, write_file
from memory_core.storage.backups import BACKUP_LIMIT
from memory_core.storage.forgetting import Wordings
from memory_core.storage.layout import read_bytes

if TYPE_CHECKING:
    from memory_core.storage.store import MemoryStore


def purge(store: MemoryStore) -> tuple[str, ...]:
    """Remove history, backups, log and what was turned down; what went (R6). Numbers in use stay known (D4).

    Drafts go with the deltas that they belong to.
    """
    last = store.last_writes.read()
    bare = replace(last, count=last.count + 1, marks=store.marks(), document=b"")
    store.last_writes.write(store.ops, bare)
    store.last_writes.keep_only(store.ops, bare)
    removed = [f"{store.history.purge()} revisions"]
    for backup in store.backups():
        remove(store.ops, store.layout.folder / backup.name)
        removed.append(backup.name)
    for path in (store.layout.log, store.layout.turned_down):
        remove(store.ops, path)
    return tuple(removed)


def wordings_of(store: MemoryStore, item: LongTermItem) -> Wordings:
    """What an item says, and what any revision that is kept knows it to have said."""
    texts = {item.summary}
    for seq in store.history.sequence():
        stored = store.history.read(seq)
        if stored is None:
            continue
        texts |= {record.summary for record in stored.revision.decisions if record.item_id == item.id}
        if item.id.encode() in stored.body:
            then = decode(stored.body, store.policy.limits, store.clock.now()).document.find(item.id)
            texts |= {then.summary} if isinstance(then, LongTermItem) else set()
    return Wordings(texts)


def clean_files(store: MemoryStore, wordings: Wordings) -> None:
    """Take the texts out of queue, drafts, what was turned down, and backups."""
    kept = [down for down in store.turned_down() if not wordings.stand_in_value({"summary": down.summary})]
    store.write_turned_down(tuple(kept))
    layout = store.layout
    files = [*layout.pending.glob("*.json"), *layout.drafts.glob("*.json"), layout.turned_down]
    files += [layout.folder / backup.name for backup in store.backups()]
    for path in files:
        data = read_bytes(path, limit=BACKUP_LIMIT) or b""
        if (clean := wordings.taken_out(data)) != data:
            write_file(store.ops, path, clean)
