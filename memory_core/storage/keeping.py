"""What is kept before a write, so that nothing is lost by it: revisions of what no revision holds, and backups.

Turns are recorded without a revision, and programs that take no lock write over memory.json; both come to the history
here, before the next write (S9b).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from memory_core import codec
from memory_core.clock import iso
from memory_core.codec import EMPTY_SHA256, LoadResult
from memory_core.storage.atomic import before_it_counts
from memory_core.storage.backups import Backups
from memory_core.storage.last_write import identity
from memory_core.storage.layout import read_bytes
from memory_core.storage.revision import Cause, Revision

if TYPE_CHECKING:
    from memory_core.storage.store import MemoryStore


class Keeper:
    """Keeps what the next write would lose; only under the lock."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._document = store.layout.document
        self._backups = Backups(store.layout, store.ops)

    def keep(self, loaded: LoadResult, *, turns_too: bool) -> LoadResult:
        """Before memory.json is replaced. With `turns_too` the turns recorded since are kept too, for a revision to
        come after them. Gives what the write replaces: a file that is no document counts as none.

        Raises `WriteError`.
        """
        last = self._store.last_writes.read()
        with before_it_counts():
            if last.was_overwritten(loaded.sha256, identity(self._document)):
                for entry in self._store.last_writes.all():
                    if entry.document and entry.after != loaded.sha256:
                        self._checkpoint("recorded", "Written over from outside", entry.document)
            ours = last.is_ours(loaded.sha256)
            if loaded.status == "ok" and (turns_too or not ours):
                cause: Cause = "recorded" if ours else "outside"
                summary = "Turns recorded since" if ours else "Changed from outside"
                self._checkpoint(cause, summary, read_bytes(self._document) or b"")
            return loaded if self._set_aside(loaded, self._backups.keep) is None else self._without(loaded)

    def set_aside(self, loaded: LoadResult) -> tuple[str | None, LoadResult]:
        """Where a person says so: a corrupt file is moved, another version and one with bad entries are copied
        (S2-S4). The backup's name, and what is there now. Raises `WriteError`, `OutcomeUnknownError`."""
        name = self._set_aside(loaded, self._backups.move)
        return name, loaded if name is None else self._without(loaded)

    def _set_aside(self, loaded: LoadResult, move: Callable[[str, datetime], str]) -> str | None:
        now, log = self._store.clock.now(), self._store.log
        if loaded.status == "corrupt":
            name = move("memory.corrupt", now)
            log.append("corrupt", f"{loaded.problems[0].message} It was moved to {name}.", backup=name)
            return name
        if loaded.status == "other_version":
            name = self._backups.copy(f"memory.v{loaded.version_label}", now)
            log.append("other_version", f"A copy of memory.json was kept as {name}.", backup=name)
            return name
        if loaded.status == "ok" and loaded.needs_copy:
            name = self._backups.copy("memory.corrupt", now)
            log.append("copied", f"A copy of memory.json was kept as {name}.", backup=name)
            return name
        return None

    def _without(self, loaded: LoadResult) -> LoadResult:
        return codec.absent(self._store.policy.limits) if loaded.status == "corrupt" else loaded

    def _checkpoint(self, cause: Cause, summary: str, data: bytes) -> None:
        newest = self._store.history.newest()
        if newest is None or newest.body != data:
            self._store.history.write(self.revision(cause, summary, data), data, ".rev")

    def revision(self, cause: Cause, summary: str, data: bytes) -> Revision:
        """The next revision in the chain."""
        highest, newest = self._store.history.head()
        return Revision(
            seq=highest + 1,
            at=iso(self._store.clock.now()),
            cause=cause,
            summary=summary,
            delta_id=None,
            decisions=(),
            sha256=hashlib.sha256(data).hexdigest(),
            previous=newest.header_sha256 if newest else "",
            base=newest.revision.sha256 if newest else EMPTY_SHA256,
            size=len(data),
            marks=self._store.marks(newest),
        )
