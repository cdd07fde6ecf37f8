"""Changes under the lock, all or nothing across a crash (S6, S9, S9b).

The order of a commit: the revision is made durable as `N.open`, a reset raises the generation, `memory.json` is renamed
into place (the one moment that counts), the queue is settled, the revision becomes `N.rev`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_core.capacity import encode
from memory_core.clock import iso, merge_marks
from memory_core.codec import EMPTY_SHA256, LoadResult, decode
from memory_core.document import LongTermItem, MemoryDocument, marks_of
from memory_core.errors import CorruptError, QueueFullError, WriteError
from memory_core.review.verdict import TurnedDown
from memory_core.storage.atomic import TEMPORARY, remove, sync_folder, write_file
from memory_core.storage.forgetting import Wordings
from memory_core.storage.history import Cause, DecisionRecord, QueueChange, Revision
from memory_core.storage.jsonfile import write_json
from memory_core.storage.layout import mode_of, read_bytes
from memory_core.storage.pending import PendingDelta, entry_to_json, proposes

if TYPE_CHECKING:
    from memory_core.storage.store import MemoryStore

BACKUP_LIMIT = 64 * 1024 * 1024
"""Bytes of a file that are kept in a backup, and searched when a text is forgotten."""

TURNED_DOWN_KEPT = 500
"""Turned-down operations that are remembered (R4c)."""


class Transaction:
    """Valid while the lock is held; everything was read again under it."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._layout = store.layout
        self._ops = store.ops
        self._remove_leftovers()
        self.recover()
        self.loaded: LoadResult = store.load()
        if self.loaded.status in {"unreadable", "link"}:
            store.raise_unreadable(self.loaded)

    @property
    def generation(self) -> str:
        """The generation in force (U5)."""
        return self._store.generation()

    # Recovery.

    def _remove_leftovers(self) -> None:
        for folder in self._layout.folders:
            for path in folder.glob(f"{TEMPORARY}*"):
                remove(self._ops, path)

    def recover(self) -> None:
        """Settle revisions that came to count before a crash, take back those that did not (S9)."""
        history = self._store.history
        for seq in history.sequence(".open"):
            stored = history.read(seq, ".open")
            if stored is not None and stored.revision.sha256 == self._sha_on_disk():
                self._settle(stored.revision)
                self._store.log.append("recovered", f"Revision {seq} had come to count; the queue was settled.")
            else:
                remove(self._ops, history.path(seq, ".open"))
                self._store.log.append("taken_back", f"Revision {seq} never came to count; it was taken back.")

    def _sha_on_disk(self) -> str:
        data = read_bytes(self._layout.document)
        return EMPTY_SHA256 if data is None else hashlib.sha256(data).hexdigest()

    # Keeping what others wrote.

    def set_aside(self) -> str | None:
        """Keep what a write would lose: a corrupt file is moved, others are copied (S2, S3, S4). The backup's name."""
        loaded = self.loaded
        if loaded.status == "corrupt":
            name = self._free_name("memory.corrupt")
            self._ops_rename(name)
            self._store.log.append("corrupt", f"{loaded.problems[0].message} It was moved to {name}.", backup=name)
            self.loaded = self._store.load()
            return name
        if loaded.status == "other_version":
            return self._copy(self._free_name(f"memory.v{loaded.version_label}"), "other_version")
        if loaded.status == "ok" and loaded.needs_copy:
            return self._copy(self._free_name("memory.corrupt"), "copied")
        return None

    def _ops_rename(self, name: str) -> None:
        target = self._layout.folder / name
        try:
            self._ops.rename(self._layout.document, target)
        except OSError as error:
            raise WriteError(f"The damaged memory.json could not be moved: {error.strerror}.") from error
        sync_folder(self._ops, self._layout.folder, name)

    def _copy(self, name: str, kind: str) -> str:
        data = read_bytes(self._layout.document, limit=BACKUP_LIMIT) or b""
        write_file(self._ops, self._layout.folder / name, data)
        self._store.log.append(kind, f"A copy of memory.json was kept as {name}.", backup=name)
        return name

    def _free_name(self, stem: str) -> str:
        """A name that nothing has, never an earlier backup's, also within one second (S2)."""
        stamp = f"{self._store.clock.now():%Y%m%d_%H%M%S}"
        candidates = [f"{stem}.json", f"{stem}.{stamp}.json"]
        candidates += [f"{stem}.{stamp}_{number}.json" for number in range(2, 10_000)]
        for name in candidates:
            if mode_of(self._layout.folder / name) is None:
                return name
        raise WriteError("There is no free name for a backup.", hint="Purge, or move backups away.")

    def _checkpoint(self) -> None:
        """Keep the document that is about to be replaced, where no revision holds it: turns recorded since, or what
        somebody else wrote (S9b)."""
        if self.loaded.status != "ok":
            return
        newest = self._store.history.newest()
        if newest is not None and newest.sha256 == self.loaded.sha256 and newest.kept:
            return
        data = read_bytes(self._layout.document) or b""
        ours = self.loaded.sha256 in self._store.last_hashes()
        cause: Cause = "recorded" if ours else "outside"
        summary = "Turns recorded since" if ours else "Changed from outside"
        self._store.history.write(self._revision(cause, summary, data), data, ".rev")

    def _revision(self, cause: Cause, summary: str, data: bytes) -> Revision:
        history = self._store.history
        taken = (*history.sequence(), *history.sequence(".open"))
        return Revision(
            seq=max(taken, default=0) + 1,
            at=iso(self._store.clock.now()),
            cause=cause,
            summary=summary,
            delta_id=None,
            decisions=(),
            sha256=hashlib.sha256(data).hexdigest(),
            previous=history.newest_header_hash(),
            base=self.loaded.sha256,
            size=len(data),
            marks=self._store.marks(),
        )

    # Writing.

    def write_turn(self, document: MemoryDocument) -> None:
        """Write the document alone; no revision (S9b). Raises `WriteError`, `OutcomeUnknownError`."""
        if self.loaded.status == "ok" and self.loaded.sha256 not in self._store.last_hashes():
            self._checkpoint()
        self.set_aside()
        self._write(encode(document), document)

    def _write(self, data: bytes, document: MemoryDocument) -> None:
        hashes = [self.loaded.sha256, hashlib.sha256(data).hexdigest()]
        marks = merge_marks(self._store.last_marks(), marks_of(self.loaded.document), marks_of(document))
        write_json(self._ops, self._layout.last_write, {"hashes": hashes, "marks": marks}, durable=False)
        write_file(self._ops, self._layout.document, data)
        self.loaded = self._store.load()

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
        """Change document, queue and history together (S9). Raises `WriteError`, `OutcomeUnknownError`,
        and `CorruptError` where the file is damaged and `refuse_corrupt` is set."""
        if self.loaded.status == "corrupt" and refuse_corrupt:
            raise CorruptError(f"memory.json is damaged: {self.loaded.problems[0].message}", hint="Recover it first.")
        data = document if isinstance(document, bytes) else encode(document)
        written = document if isinstance(document, MemoryDocument) else MemoryDocument()
        self._checkpoint()
        self.set_aside()
        revision = replace(
            self._revision(cause, summary, data),
            delta_id=delta_id,
            delta_sha=delta_sha,
            decisions=tuple(decisions),
            queue=queue or QueueChange(),
            turned_down=tuple(turned_down),
            delta=delta,
        )
        revision = replace(revision, marks=merge_marks(revision.marks, marks_of(written)))
        self._store.history.write(revision, data, ".open")
        try:
            if new_generation:
                self._store.raise_generation()
            self._write(data, written)
        except WriteError:
            remove(self._ops, self._store.history.path(revision.seq, ".open"))
            raise
        self._settle(revision)
        self._store.history.strip(self._store.policy.history_keep)
        return revision

    def _settle(self, revision: Revision) -> None:
        """What follows once the document is in place; may run twice."""
        self._remember(revision.turned_down)
        self.change_queue(revision.queue)
        history = self._store.history
        self._ops.rename(history.path(revision.seq, ".open"), history.path(revision.seq))
        sync_folder(self._ops, self._layout.history, "the revision")

    def change_queue(self, change: QueueChange) -> None:
        """Put and remove queue entries."""
        for entry in change.put:
            self.replace(entry)
        for delta_id in change.remove:
            self.remove(delta_id)

    def close_delta(self, change: QueueChange, *, turned_down: Sequence[TurnedDown]) -> None:
        """Close a delta of which nothing was applied: what was turned down is remembered, the queue settled."""
        self._remember(turned_down)
        self.change_queue(change)

    def _remember(self, turned_down: Sequence[TurnedDown]) -> None:
        if turned_down:
            known = self._store.turned_down()
            fresh = [entry for entry in turned_down if entry not in known]
            if fresh:
                self._store.write_turned_down((*known, *fresh)[-TURNED_DOWN_KEPT:])

    def reset(self, empty: MemoryDocument, *, discard: tuple[str, ...]) -> Revision | None:
        """Clear the document, raise the generation, drop the queue (R6). The revision that undoes it, which is the
        newest before the reset's own; None where there was nothing to keep."""
        nothing = self.loaded.status == "ok" and not any(True for _ in self.loaded.document.entries())
        if self.loaded.status == "absent" or (nothing and not self.loaded.document.repo_profile.has_value):
            self._store.raise_generation()
            self.change_queue(QueueChange(remove=discard))
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
        waiting = self._store.pending.list()
        if entry.refused is not None:
            same = next(
                (old for old in waiting if old.refused is not None and old.reply == entry.reply and old.id), None
            )
            if same is not None:
                entry = replace(same, count=same.count + 1, last_at=entry.created_at)
                self.replace(entry)
                return entry
        if len(waiting) >= self._store.policy.queue_keep:
            self._store.log.append("queue_full", f"A delta was refused: {len(waiting)} wait already.")
            raise QueueFullError(
                f"{len(waiting)} deltas wait already; this one was not taken.", hint="Decide or dismiss some first."
            )
        self.replace(entry)
        return entry

    def replace(self, entry: PendingDelta) -> None:
        """Write a queue entry."""
        write_json(self._ops, self._store.pending.path(entry.id), entry_to_json(entry))

    def remove(self, delta_id: str) -> None:
        """Take a delta out of the queue, with its draft."""
        path = self._store.pending.path(delta_id)
        remove(self._ops, path)
        remove(self._ops, self._layout.drafts / path.name)

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
        """Remove history, backups, log, drafts and what was turned down; what went (R6)."""
        marks = self._store.marks()
        removed = [f"{self._store.history.purge()} revisions"]
        for backup in self._store.backups():
            remove(self._ops, self._layout.folder / backup.name)
            removed.append(backup.name)
        for path in (self._layout.log, self._layout.turned_down):
            remove(self._ops, path)
        hashes = list(self._store.last_hashes())
        write_json(self._ops, self._layout.last_write, {"hashes": hashes, "marks": marks})
        return tuple(removed)

    def wordings_of(self, item: LongTermItem) -> Wordings:
        """What an item says, and what any revision that is kept knows it to have said."""
        texts = {item.summary}
        history, limits = self._store.history, self._store.policy.limits
        for seq in history.sequence():
            stored = history.read(seq)
            if stored is None:
                continue
            texts |= {record.summary for record in stored.revision.decisions if record.item_id == item.id}
            if item.id.encode() in stored.body:
                then = decode(stored.body, limits, self._store.clock.now()).document.find(item.id)
                texts |= {then.summary} if isinstance(then, LongTermItem) else set()
        return Wordings(texts)

    def forget_everywhere(self, item_id: str, wordings: Wordings) -> None:
        """Take an item's text out of history, queue, log and backups too (R7)."""
        self._store.history.forget(wordings, item_id)
        self._store.log.forget(wordings)
        for entry in self._store.pending.list():
            if proposes(entry, wordings):
                self.remove(entry.id)
                self._store.log.append("delta_forgotten", f"It proposed what {item_id} said.", delta_id=entry.id)
        kept = [down for down in self._store.turned_down() if not wordings.stand_in_value({"summary": down.summary})]
        self._store.write_turned_down(tuple(kept))
        layout = self._layout
        files = [*layout.pending.glob("*.json"), *layout.drafts.glob("*.json"), layout.turned_down]
        files += [layout.folder / backup.name for backup in self._store.backups()]
        for path in files:
            data = read_bytes(path, limit=BACKUP_LIMIT) or b""
            if (clean := wordings.taken_out(data)) != data:
                write_file(self._ops, path, clean)
