"""Changes under the lock, all or nothing across a crash (S6, S9, S9b).

The order of a commit: the revision is made durable as `N.open`, a reset raises the generation, `memory.json` is renamed
into place (the one moment that counts), the queue is settled, the revision becomes `N.rev`.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_core.capacity import encode
from memory_core.clock import Marks, merge_marks
from memory_core.codec import FileSize, LoadResult, decode
from memory_core.document import LongTermItem, MemoryDocument, marks_of
from memory_core.errors import CorruptError, OutcomeUnknownError, QueueFullError, StateError, WriteError
from memory_core.review.verdict import TurnedDown, marks_of_ids
from memory_core.storage.atomic import before_it_counts, write_file
from memory_core.storage.erasing import clean_files, purge, wordings_of
from memory_core.storage.forgetting import Wordings
from memory_core.storage.keeping import Keeper
from memory_core.storage.last_write import LastWrite, identity
from memory_core.storage.pending import PendingDelta, as_kept, proposes
from memory_core.storage.revision import Cause, DecisionRecord, QueueChange, Revision
from memory_core.storage.settling import Settler

if TYPE_CHECKING:
    from memory_core.storage.store import MemoryStore


class Transaction:
    """Valid while the lock is held; everything was read again under it."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._layout = store.layout
        self._ops = store.ops
        self._keeper = Keeper(store)
        self._settler = Settler(store)
        with before_it_counts():
            self._settler.remove_leftovers()
            self._began = store.begin_generation()
            self._settler.recover()
        self.loaded: LoadResult = store.load()
        if self.loaded.status in {"unreadable", "link"}:
            store.raise_unreadable(self.loaded)

    @property
    def generation(self) -> str:
        """The generation in force (U5)."""
        return self._store.generation()

    def is_current(self, generation: str) -> bool:
        """Whether no reset came since that generation was read; one read before anything was written fits (U5)."""
        return generation == self.generation or (self._began and generation == "0-")

    def set_aside(self) -> str | None:
        """Keep what a write would lose, because a person says so; the backup's name (S2-S4)."""
        name, self.loaded = self._keeper.set_aside(self.loaded)
        return name

    # Writing.

    def write_turn(self, document: MemoryDocument) -> None:
        """Write the document alone; no revision (S9b). Raises `WriteError`, `OutcomeUnknownError`."""
        self.loaded = self._keeper.keep(self.loaded, turns_too=False)
        self._write(encode(document), document)

    def _write(self, data: bytes, document: MemoryDocument) -> None:
        last, writes = self._store.last_writes.read(), self._store.last_writes
        now = LastWrite(
            count=last.count + 1,
            before=self.loaded.sha256,
            after=hashlib.sha256(data).hexdigest(),
            replaced=identity(self._layout.document),
            marks=merge_marks(last.marks, marks_of(self.loaded.document), marks_of(document)),
            document=data,
        )
        writes.write(self._ops, now)
        try:
            write_file(self._ops, self._layout.document, data)
        except WriteError:
            with contextlib.suppress(StateError):
                writes.drop(self._ops, now)
            raise
        with contextlib.suppress(StateError):
            writes.keep_only(self._ops, now)
        limits = self._store.policy.limits
        size = FileSize(len(data), limits.soft_bytes, limits.hard_bytes)
        self.loaded = LoadResult(document, "ok", (), size, now.after)

    def commit(
        self,
        *,
        cause: Cause,
        summary: str,
        document: MemoryDocument | bytes,
        decisions: Sequence[DecisionRecord] = (),
        delta_id: str | None = None,
        delta_sha: str | None = None,
        queue: QueueChange | None = None,
        turned_down: Sequence[TurnedDown] = (),
        delta: PendingDelta | None = None,
        new_generation: bool = False,
        refuse_corrupt: bool = True,
    ) -> Revision:
        """Change document, queue and history together (S9).

        Raises `WriteError` where nothing changed, `OutcomeUnknownError` where the document may have, `CorruptError`
        where the file is damaged and `refuse_corrupt` is set, `StateError` of code `already_applied`.
        """
        if self.loaded.status == "corrupt" and refuse_corrupt:
            raise CorruptError(f"memory.json is damaged: {self.loaded.problems[0].message}", hint="Recover it first.")
        self._refuse_twice(delta, decisions)
        if isinstance(document, bytes):
            data, written = document, decode(document, self._store.policy.limits, self._store.clock.now()).document
        else:
            data, written = encode(document), document
        self.loaded = self._keeper.keep(self.loaded, turns_too=True)
        revision = replace(
            self._keeper.revision(cause, summary, data),
            base=self.loaded.sha256,
            delta_id=delta_id,
            delta_sha=delta_sha,
            decisions=tuple(decisions),
            queue=queue or QueueChange(),
            turned_down=tuple(turned_down),
            delta=delta,
            generation=self.generation if new_generation else "",
        )
        revision = replace(revision, marks=merge_marks(revision.marks, marks_of(written)))
        try:
            with before_it_counts():
                self._store.history.write(revision, data, ".open")
                if new_generation:
                    self._store.raise_generation()
            self._write(data, written)
        except WriteError:
            with contextlib.suppress(StateError):  # whoever writes next takes it back
                self._settler.take_back(revision)
            raise
        try:
            self._settler.settle(revision)
        except StateError as error:
            raise OutcomeUnknownError(
                f"memory.json was written, but what follows was not: {error.message}",
                hint="It counts; the next write completes the queue and the history.",
            ) from error
        with contextlib.suppress(StateError):  # old documents take room, no more
            self._store.history.strip(self._store.policy.history_keep)
        return revision

    def _refuse_twice(self, delta: PendingDelta | None, decisions: Sequence[DecisionRecord]) -> None:
        """A delta that is back in the queue after it was applied is known by the history (S9)."""
        if delta is None:
            return
        places = {record.at for record in decisions if record.decision == "applied"}
        if places & self._store.history.applied_before(delta.id, delta.created_at):
            raise StateError(f"{delta.id} was applied before.", hint="Dismiss it.", code="already_applied")

    def close_delta(self, change: QueueChange, *, turned_down: Sequence[TurnedDown]) -> None:
        """Close a delta of which nothing was applied: what was turned down is remembered, the queue settled."""
        self._settler.remember(turned_down)
        self._settler.change_queue(change)

    def reset(self, empty: MemoryDocument, *, discard: tuple[str, ...]) -> Revision | None:
        """Clear the document, raise the generation, drop the queue (R6). The revision that undoes it, which is the
        newest before the reset's own; None where there was nothing to keep."""
        loaded, document = self.loaded, self.loaded.document
        empty_already = not (any(document.entries()) or document.repo_profile.has_value or loaded.needs_copy)
        if loaded.status == "absent" or (loaded.status == "ok" and empty_already):
            self._store.raise_generation()
            self._settler.change_queue(QueueChange(remove=discard))
            return None
        self.commit(
            cause="reset",
            summary="Memory cleared",
            document=empty,
            queue=QueueChange(remove=discard),
            new_generation=True,
            refuse_corrupt=False,
        )
        kept = [revision for revision in self._store.history.list() if revision.cause != "reset"]
        return kept[-1] if kept else None

    # The queue.

    def enqueue(self, entry: PendingDelta) -> PendingDelta:
        """Add a delta; an identical refused reply only counts up. Raises `QueueFullError`, `WriteError`."""
        entry = as_kept(entry)
        waiting = self._store.pending.list()
        if entry.refused is not None:
            same = next((old for old in waiting if old.refused is not None and old.reply == entry.reply), None)
            if same is not None:
                entry = replace(same, count=same.count + 1, last_at=entry.created_at)
                self._settler.replace(entry)
                return entry
        if len(waiting) >= self._store.policy.queue_keep:
            self._store.log.append("queue_full", f"A delta was refused: {len(waiting)} wait already.")
            raise QueueFullError(
                f"{len(waiting)} deltas wait already; this one was not taken.", hint="Decide or dismiss some first."
            )
        self._settler.replace(entry)
        self._note(marks_of_ids([entry.id]))
        return entry

    def _note(self, marks: Marks) -> None:
        """Keep numbers in use that neither document nor history tell of, as a dismissed delta's (D4)."""
        last = self._store.last_writes.read()
        noted = replace(last, count=last.count + 1, marks=merge_marks(last.marks, marks))
        with contextlib.suppress(StateError):
            self._store.last_writes.write(self._ops, noted)
            self._store.last_writes.keep_only(self._ops, noted)

    def replace(self, entry: PendingDelta) -> None:
        """Write a queue entry. Raises `WriteError`, `OutcomeUnknownError`."""
        self._settler.replace(entry)

    def remove(self, delta_id: str) -> None:
        """Take a delta out of the queue, with its draft. Raises `WriteError`, `UnknownIdError`."""
        self._settler.remove(delta_id)

    # The rest.

    def set_attempts(self, changes: Mapping[str, int | None]) -> None:
        """Set how often in a row a turn's summary failed; None forgets it (T7)."""
        attempts = dict(self._store.attempts())
        for turn, count in changes.items():
            if count is None:
                attempts.pop(turn, None)
            else:
                attempts[turn] = count
        present = {turn.id for turn in self.loaded.document.turns}
        kept = {turn: count for turn, count in attempts.items() if turn in present}
        if kept != self._store.attempts():
            self._store.write_state(attempts=kept)

    def purge(self) -> tuple[str, ...]:
        """Remove history, backups, log and what was turned down; what went (R6)."""
        return purge(self._store)

    def wordings_of(self, item: LongTermItem) -> Wordings:
        """What an item says, and what any revision that is kept knows it to have said."""
        return wordings_of(self._store, item)

    def forget_everywhere(self, item_id: str, wordings: Wordings) -> None:
        """Take an item's text out of history, queue, log and backups too (R7)."""
        self._store.history.forget(wordings, item_id)
        self._store.log.forget(wordings)
        for entry in self._store.pending.list():
            if proposes(entry, wordings):
                self._settler.remove(entry.id)
                self._store.log.append("delta_forgotten", f"It proposed what {item_id} said.", delta_id=entry.id)
        clean_files(self._store, wordings)
