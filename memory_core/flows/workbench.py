"""The tools that every flow works with: one repository's store, its policy, clock, ids and summariser."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memory_core.clock import Clock, Ids, iso, merge_marks
from memory_core.configuration import Configuration
from memory_core.document import MemoryDocument, RecentTurn, marks_of
from memory_core.errors import CorruptError, UnreadableError
from memory_core.policy import Policy
from memory_core.storage.store import MemoryStore

if TYPE_CHECKING:
    from memory_core.profile.collector import RepoProfileCollector
    from memory_core.review.verdict import JudgeContext

AGENT_WAIT = 1.0
"""Seconds that an agent waits for the lock (S6)."""
PERSON_WAIT = 5.0
"""Seconds that a person waits for the lock (S6)."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """Everything that a flow needs; nothing of it is global."""

    root: Path
    store: MemoryStore
    configuration: Configuration
    clock: Clock
    ids: Ids
    known_secrets: tuple[str, ...] = ()
    """Exact values, such as the endpoint's key, that are masked wherever they occur."""

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self.configuration.policy

    def collector(self) -> RepoProfileCollector:
        """Reads the build files (P1)."""
        from memory_core.profile.collector import RepoProfileCollector

        return RepoProfileCollector(self.root, limits=self.policy.limits, objection=objectionable)

    def now(self) -> datetime:
        """The clock's time."""
        return self.clock.now()

    def masked(self, text: str) -> str:
        """The text as it may be kept: encodable, and without recognised secrets (D8)."""
        from memory_core.safety.secrets import mask_known, mask_secrets

        clean = mask_known(text.encode("utf-8", errors="replace").decode(), self.known_secrets)
        return mask_secrets(clean) if self.policy.mask_secrets else clean

    def judge_context(self, batch: tuple[RecentTurn, ...], document: MemoryDocument) -> JudgeContext:
        """What a delta proposed now is judged with, frozen (A1)."""
        from memory_core.review.verdict import JudgeContext
        from memory_core.summary.prompt import PLACEHOLDERS

        return JudgeContext(
            proposed_at=iso(self.now()),
            batch=batch,
            placeholders=PLACEHOLDERS,
            turned_down=self.store.turned_down(),
            marks=merge_marks(self.store.marks(), marks_of(document)),
        )

    def readable(self) -> MemoryDocument:
        """The document of now, for a person's question; a file that gives none is an error that says why.

        Raises `CorruptError` or `UnreadableError`.
        """
        loaded = self.store.load()
        if loaded.status in {"ok", "absent"}:
            return loaded.document
        message = loaded.problems[0].message
        if loaded.status in {"corrupt", "other_version"}:
            raise CorruptError(
                message, hint="memory-inspector check shows it; an agent's next turn sets the file aside."
            )
        raise UnreadableError(message, hint="Look at the permissions and at what stands in place of the file.")


def rejected_text(text: str) -> str | None:
    """Why a text may never reach a prompt: what a reviewer cannot see, or a secret (C2b)."""
    from memory_core.safety.scan import find_unseen

    return next((finding.kind for finding in find_unseen(text)), None)


def objectionable(text: str) -> str | None:
    """Why a stranger's text may not enter the profile: anything that A9 objects to (P2c)."""
    from memory_core.safety.scan import find

    return next((finding.kind for finding in find(text)), None)
