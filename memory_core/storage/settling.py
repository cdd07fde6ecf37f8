"""What follows a commit's rename, and what a crash left of one (S9)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_core.codec import EMPTY_SHA256
from memory_core.errors import UnknownIdError
from memory_core.review.verdict import TurnedDown
from memory_core.storage.atomic import TEMPORARY, remove, rename, sync_folder
from memory_core.storage.jsonfile import write_json
from memory_core.storage.layout import read_bytes
from memory_core.storage.pending import PendingDelta, entry_to_json
from memory_core.storage.revision import QueueChange, Revision

if TYPE_CHECKING:
    from memory_core.storage.store import MemoryStore

TURNED_DOWN_KEPT = 500
"""Turned-down operations that are remembered (R4c)."""


class Settler:
    """Brings queue and history in line with the document; only under the lock. Everything may run twice."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._layout = store.layout
        self._ops = store.ops

    def remove_leftovers(self) -> None:
        """Remove temporary files of writers that were killed."""
        for folder in self._layout.folders:
            for path in folder.glob(f"{TEMPORARY}*"):
                remove(self._ops, path)

    def recover(self) -> None:
        """Settle revisions that came to count before a crash, take back those that did not (S9)."""
        history, log = self._store.history, self._store.log
        for seq in history.sequence(".open"):
            stored = history.read(seq, ".open")
            if stored is None:
                history.take_back(seq)
                log.append("taken_back", f"Revision {seq} was not whole; it was taken back.")
            elif self._counted(stored.revision):
                self._complete(stored.revision)
                log.append("recovered", f"Revision {seq} had come to count; the queue was settled.")
            else:
                self.take_back(stored.revision)
                log.append("taken_back", f"Revision {seq} never came to count; it was taken back.")

    def _complete(self, revision: Revision) -> None:
        try:
            self.settle(revision)
        except UnknownIdError:  # a repository is not trusted: ids that are no names of files are none of ours
            self._store.history.take_back(revision.seq)

    def _counted(self, revision: Revision) -> bool:
        """Whether the rename happened: the document is there, or what follows the rename was begun."""
        data = read_bytes(self._layout.document)
        if revision.sha256 == (EMPTY_SHA256 if data is None else hashlib.sha256(data).hexdigest()):
            return True
        waiting = {entry.id: entry for entry in self._store.pending.list()}
        gone = any(delta_id not in waiting for delta_id in revision.queue.remove)
        return gone or any(waiting.get(entry.id) == entry for entry in revision.queue.put)

    def take_back(self, revision: Revision) -> None:
        """Remove a revision that never came to count, and undo the generation that it raised."""
        if revision.generation:
            self._store.put_generation_back(revision.generation)
        self._store.history.take_back(revision.seq)

    def settle(self, revision: Revision) -> None:
        """What follows once the document is in place; may run twice."""
        self.remember(revision.turned_down)
        self.change_queue(revision.queue)
        if revision.generation and self._store.attempts():
            self._store.write_state(attempts={})
        history = self._store.history
        rename(self._ops, history.path(revision.seq, ".open"), history.path(revision.seq))

    def change_queue(self, change: QueueChange) -> None:
        """Put and remove queue entries, durably. Raises `WriteError`, `OutcomeUnknownError`."""
        for entry in change.put:
            self.replace(entry)
        for delta_id in change.remove:
            self.remove(delta_id)
        if change.remove:
            sync_folder(self._ops, self._layout.pending, "the queue")

    def remember(self, turned_down: Sequence[TurnedDown]) -> None:
        """Remember what was turned down, once, the newest 500 (R4c)."""
        if turned_down:
            known = self._store.turned_down()
            fresh = [entry for entry in turned_down if entry not in known]
            if fresh:
                self._store.write_turned_down((*known, *fresh)[-TURNED_DOWN_KEPT:])

    def replace(self, entry: PendingDelta) -> None:
        """Write a queue entry."""
        write_json(self._ops, self._store.pending.path(entry.id), entry_to_json(entry))

    def remove(self, delta_id: str) -> None:
        """Take a delta out of the queue, with its draft."""
        path = self._store.pending.path(delta_id)
        remove(self._ops, path)
        remove(self._ops, self._layout.drafts / path.name)
