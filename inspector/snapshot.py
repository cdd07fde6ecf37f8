"""`Snapshot`: one frozen picture of everything the panes show."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memory_core.codec import LoadResult
from memory_core.configuration import ConfigProblem
from memory_core.document import Entry, MemoryDocument
from memory_core.entries import Problem
from memory_core.manager import MemoryManager
from memory_core.results import PendingView
from memory_core.review.check import check
from memory_core.storage.history import Revision
from memory_core.storage.log import Event
from memory_core.storage.pending import PendingDelta
from memory_core.storage.store import Backup

FEW = 3
"""Deltas that are judged without a word first; one takes some 20 ms."""
MANY = 200
"""Revisions that are looked through without a word first."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is on disk at one moment, judged under the policy in force."""

    loaded: LoadResult
    pending: tuple[PendingView, ...]
    revisions: tuple[Revision, ...]
    broken_revisions: tuple[int, ...]
    backups: tuple[Backup, ...]
    events: tuple[Event, ...]
    findings: tuple[Problem, ...]
    """What the rules object to in the stored document."""
    config_problems: tuple[ConfigProblem, ...]
    attempts: Mapping[str, int]
    claimed: frozenset[str]
    given_up: frozenset[str]
    generation: str
    at: str
    """When the data last changed, the clock's time of this place."""
    settling: bool = False
    """Whether what waits is still being judged against this document; a whole snapshot follows."""

    @property
    def document(self) -> MemoryDocument:
        """The document."""
        return self.loaded.document

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that is wrong, a sentence each."""
        stored = [f"{problem.at}: {problem.message}" for problem in self.loaded.problems if problem.severity != "note"]
        found = [f"{finding.at}: {finding.message}" for finding in self.findings]
        broken = [
            f"Revision {seq}: its hash does not fit; it was changed from outside." for seq in self.broken_revisions
        ]
        return (*stored, *found, *broken, *(str(problem) for problem in self.config_problems))

    def objections(self) -> dict[str, list[str]]:
        """What the rules object to in stored entries, by the entry's id (A6-A9 on what is stored)."""
        document = self.document
        lists: dict[str, Sequence[Entry]] = {
            "working_memory.recent_turns": document.turns,
            "working_memory.active_topics": document.topics,
            "long_term_memory.durable_preferences": document.preferences,
            "long_term_memory.project_notes": document.notes,
        }
        found: dict[str, list[str]] = {}
        for finding in self.findings:
            place, _, rest = finding.at.partition("[")
            entries, index = lists.get(place, ()), rest.partition("]")[0]
            if index.isdigit() and int(index) < len(entries):
                found.setdefault(entries[int(index)].id, []).append(finding.message)
        return found


class Camera:
    """Takes snapshots; what is costly is done again only where its files changed. For one thread."""

    def __init__(self, manager: MemoryManager, *, at: str = "") -> None:
        self._manager = manager
        self._at = at
        self._views: dict[str, PendingView] = {}
        self._history: tuple[object, tuple[Revision, ...]] | None = None
        self._chain: tuple[tuple[Revision, ...], tuple[int, ...]] = (), ()
        self._checked: tuple[str, tuple[Problem, ...]] | None = None

    def shots(self, fingerprint: tuple[object, ...]) -> Iterator[Snapshot]:
        """Look at everything on disk; creates nothing.

        The last snapshot is whole. One comes before it where judging the queue, or looking through the history, takes
        long enough to be felt.
        """
        manager = self._manager
        store = manager.store
        loaded = manager.load()
        entries = store.pending.list()
        self._views = {entry.id: self._views[entry.id] for entry in entries if entry.id in self._views}
        known = tuple(self._views.values())
        stale = sum(not self._holds(entry, loaded) for entry in entries)
        revisions = self._revisions()
        snapshot = Snapshot(
            loaded=loaded,
            pending=known,
            revisions=revisions,
            broken_revisions=self._chain[1],
            backups=store.backups(),
            events=store.log.tail(),
            findings=self._checked[1] if self._checked else (),
            config_problems=manager.configuration.problems,
            attempts=store.attempts(),
            claimed=frozenset(turn for entry in entries for turn in entry.claims),
            given_up=manager.given_up_turns(),
            generation=store.generation(),
            at=self._at or changed_at(fingerprint),
            settling=True,
        )
        if stale > FEW or len(revisions) - len(self._chain[0]) > MANY:
            yield snapshot
        yield replace(
            snapshot,
            pending=tuple(self._judged(entry, loaded) for entry in entries),
            broken_revisions=self._broken(revisions),
            findings=self._findings(loaded),
            settling=False,
        )

    def forget(self) -> None:
        """Look at everything anew the next time."""
        self._views.clear()
        self._history = self._checked = None
        self._chain = (), ()

    def _holds(self, entry: PendingDelta, loaded: LoadResult) -> bool:
        """Whether a delta was judged against this document already, with the decisions that are drafted now."""
        view = self._views.get(entry.id)
        if view is None or view.entry != entry or view.review.base != loaded.sha256:
            return False
        draft = self._manager.store.draft(entry.id)
        return view.notes == draft.notes and view.decisions == draft.decisions

    def _judged(self, entry: PendingDelta, loaded: LoadResult) -> PendingView:
        if not self._holds(entry, loaded):
            self._views[entry.id] = self._manager.view_of(entry, loaded)
        return self._views[entry.id]

    def _revisions(self) -> tuple[Revision, ...]:
        """The history; read again where its folder changed."""
        store = self._manager.store
        try:
            stamp: object = store.layout.history.lstat().st_mtime_ns
        except OSError:
            stamp = None
        if self._history is None or self._history[0] != stamp:
            self._history = stamp, store.history.list()
        return self._history[1]

    def _broken(self, revisions: tuple[Revision, ...]) -> tuple[int, ...]:
        if self._chain[0] != revisions:
            self._chain = revisions, self._manager.store.history.verify()
        return self._chain[1]

    def _findings(self, loaded: LoadResult) -> tuple[Problem, ...]:
        if self._checked is None or self._checked[0] != loaded.sha256:
            self._checked = loaded.sha256, check(loaded.document, self._manager.policy)
        return self._checked[1]


def changed_at(fingerprint: tuple[object, ...]) -> str:
    """When anything on disk last changed: the time of day, with the date where it was on another day."""
    times = [mark[0] for mark in fingerprint if isinstance(mark, tuple) and isinstance(mark[0], int)]
    if not times:
        return ""
    moment = time.localtime(max(times) / 1e9)
    today = time.localtime()[:3] == moment[:3]
    return time.strftime("%H:%M:%S" if today else "%m-%d %H:%M", moment)
