"""What the public entries give back; all frozen. Field names are those of the command line's JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_core.capacity import Trimmed
    from memory_core.diff import Change
    from memory_core.document import MemoryDocument, RepoProfile
    from memory_core.profile.collector import ProfileNote, ProfileSource
    from memory_core.reply import ReplyReason
    from memory_core.review.verdict import Decision, Review
    from memory_core.storage.pending import PendingDelta

SummaryStatus = Literal[
    "applied", "queued", "refused", "failed", "nothing_to_do", "nothing_due", "discarded", "busy", "dry_run"
]


@dataclass(frozen=True, slots=True)
class RecordResult:
    """What became of a turn. `reason` is empty where it was recorded; `waiting`: deltas that wait for a person."""

    recorded: bool
    turn_id: str | None
    reason: str
    trigger: str | None = None
    trimmed: tuple[Trimmed, ...] = ()
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class SummaryResult:
    """What became of one summary run."""

    status: SummaryStatus
    delta_id: str | None = None
    reason: ReplyReason | None = None
    review: Review | None = None
    model: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A reply that was put into the queue."""

    delta_id: str
    review: Review


@dataclass(frozen=True, slots=True)
class PendingView:
    """A queued delta, judged against the document of now with the drafted decisions (R2, R4c)."""

    entry: PendingDelta
    review: Review
    decisions: Mapping[str, Decision]
    notes: Mapping[str, str]
    superseded: bool
    """Something of it could be accepted once, and nothing is left (R4c)."""

    @property
    def id(self) -> str:
        """The delta's id."""
        return self.entry.id


@dataclass(frozen=True, slots=True)
class ApproveResult:
    """Places that were applied, turned down, closed as rejected, and that go on waiting (R3b)."""

    applied: tuple[str, ...]
    turned_down: tuple[str, ...]
    waiting: tuple[str, ...]
    revision: int | None
    trimmed: tuple[Trimmed, ...]
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RevisionResult:
    """The revision that an action made, or None where nothing changed."""

    revision: int | None


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What an action on a long-term item made; `elsewhere`: where else its text still stands (R7)."""

    revision: int | None
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResetPreview:
    """What a reset or a purge will remove, and what stays (R6)."""

    turns: int
    topics: int
    items: int
    pending: int
    in_flight: bool
    undo: bool
    """Whether an undo point will be left."""
    revisions: int = 0
    """History that a purge removes."""
    backups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResetResult:
    """What a reset removed, the undo point it left, and the new generation."""

    removed: tuple[str, ...]
    revision: int | None
    generation: str


@dataclass(frozen=True, slots=True)
class ProfileResult:
    """The profile as the build files state it, and how it differs from the stored one (P1, P2)."""

    profile: RepoProfile
    stated_by: Mapping[str, tuple[ProfileSource, ...]]
    notes: tuple[ProfileNote, ...]
    changes: tuple[Change, ...]
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class DiffResult:
    """Two documents, compared item by item and field by field (R5)."""

    a: str
    b: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class RevertPreview:
    """The inverse of one revision against the document of now (R5); `conflicts`: places that have changed since."""

    seq: int
    base: str
    document: MemoryDocument
    changes: tuple[Change, ...]
    conflicts: tuple[str, ...] = field(default=())
