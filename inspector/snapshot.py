"""`Snapshot`: one frozen picture of everything the panes show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memory_core.codec import LoadResult
from memory_core.configuration import ConfigProblem
from memory_core.document import MemoryDocument
from memory_core.entries import Problem
from memory_core.manager import MemoryManager
from memory_core.results import PendingView
from memory_core.review.check import check
from memory_core.storage.history import Revision
from memory_core.storage.log import Event
from memory_core.storage.store import Backup


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
    """When it was taken: hours, minutes, seconds."""

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


def take(manager: MemoryManager, at: str) -> Snapshot:
    """Look at everything on disk; creates nothing. Meant for a thread."""
    store = manager.store
    loaded = manager.load()
    return Snapshot(
        loaded=loaded,
        pending=manager.pending(),
        revisions=store.history.list(),
        broken_revisions=store.history.verify(),
        backups=store.backups(),
        events=store.log.tail(),
        findings=check(loaded.document, manager.policy),
        config_problems=manager.configuration.problems,
        attempts=store.attempts(),
        claimed=manager.claimed_turns(),
        given_up=manager.given_up_turns(),
        generation=store.generation(),
        at=at,
    )
