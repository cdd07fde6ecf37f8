"""What judging gives back: `Review`, `Verdict`, `Check` (A2). Frozen values; field names are those of the JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from memory_core.capacity import Sizes, Trimmed
from memory_core.clock import Marks, mark_of, merge_marks, parse_time
from memory_core.delta import Kind
from memory_core.document import MemoryDocument, RecentTurn, marks_of
from memory_core.reply import ReplyReason

Judgement = Literal["accepted", "held", "rejected"]
CheckOutcome = Literal["passed", "remark", "held", "failed"]
Decision = Literal["accept", "turn_down"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words of a turn that carry an operation (A7); `speaker` is `user` or `assistant`."""

    turn_id: str
    speaker: Literal["user", "assistant"]
    quote: str


@dataclass(frozen=True, slots=True)
class Check:
    """One rule that ran over one operation: what it saw, against which limit, and what came of it."""

    rule: str
    code: str
    outcome: CheckOutcome
    message: str
    observed: Any = None
    limit: Any = None
    field: str | None = None
    """The field of the operation that it is about."""
    neighbour: str | None = None
    """Id of a stored item, or place of another operation in the delta (A8)."""
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the program says of one operation, and what the operation would do.

    `verdict` is the program's word; `decision` the person's, if any; `effective` what happens if applied now.
    """

    at: str
    kind: Kind
    operation: str | None
    target_id: str | None
    verdict: Judgement
    code: str
    message: str
    checks: tuple[Check, ...]
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    evidence: tuple[Evidence, ...] = ()
    neighbour: str | None = None
    decision: Decision | None = None
    dropped: tuple[str, ...] = ()
    """Ids of the entries that accepting this operation drops, such as the oldest inactive item (D6)."""

    @property
    def effective(self) -> Literal["apply", "wait", "close"]:
        """Applying writes it, leaves it waiting (a held one without a decision), or closes it (R3b)."""
        if self.verdict == "rejected" or self.decision == "turn_down":
            return "close"
        if self.verdict == "held" and self.decision != "accept":
            return "wait"
        return "apply"


@dataclass(frozen=True, slots=True)
class TurnedDown:
    """An operation that a person turned down before (R4c)."""

    kind: Kind
    type: str | None
    label: str
    summary: str
    at: str
    note: str = ""
    delta_id: str = ""


@dataclass(frozen=True, slots=True)
class JudgeContext:
    """All that judging needs beside document, delta and policy; frozen with the queued delta (A1)."""

    proposed_at: str
    """ISO 8601 with offset; new ids and times are of this moment."""
    batch: tuple[RecentTurn, ...] = ()
    """The turns that the delta was made from, as they were then."""
    placeholders: tuple[str, ...] = ()
    """Texts of the prompt that no operation may echo (A4, U3b)."""
    turned_down: tuple[TurnedDown, ...] = ()
    marks: Marks = field(default_factory=dict)
    """Numbers in use in history and queue; new ids are above them and above the document's (D4)."""
    closed: frozenset[str] = frozenset()
    """Places that an earlier partial application dealt with; they are left out (R3b)."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """Ids that the proposal gave to what it creates, by place; each is used again where it is still free (A1, D4)."""

    @property
    def moment(self) -> datetime:
        """The instant of the proposal; the start of 1970 where its text names none."""
        return parse_time(self.proposed_at) or datetime.fromtimestamp(0, UTC)


Decisions = Mapping[str, Decision]
"""The person's decisions by the operation's place, such as `long_term_operations[0]`."""


@dataclass(frozen=True, slots=True)
class Review:
    """All verdicts of one delta against one document, and the document that they would leave."""

    reply: Literal["parsed", "refused"]
    reason: ReplyReason | None
    remarks: tuple[str, ...]
    ignored_keys: tuple[str, ...]
    base: str
    """SHA-256 of the bytes of the file that was judged against (R4b)."""
    delta: str | None
    policy: str
    operations: tuple[Verdict, ...]
    document: MemoryDocument
    """The resulting document: exactly what applying writes."""
    trimmed: tuple[Trimmed, ...]
    bytes: Sizes
    changes: bool = False
    """Whether applying would change the document at all."""

    @property
    def ids(self) -> dict[str, str]:
        """Ids of what the operations that are not rejected would create, by place; kept with a queued delta (A1)."""
        return {
            verdict.at: verdict.after["id"]
            for verdict in self.operations
            if verdict.operation == "create_new" and verdict.verdict != "rejected" and verdict.after is not None
        }

    @property
    def marks(self) -> Marks:
        """Numbers that the resulting document and the operations that wait for a person hold on to (D4)."""
        return merge_marks(marks_of(self.document), marks_of_ids(self.ids.values()))

    def counts(self) -> dict[Judgement, int]:
        """How many operations the program accepted, held, rejected."""
        return {
            judgement: sum(verdict.verdict == judgement for verdict in self.operations)
            for judgement in ("accepted", "held", "rejected")
        }


def marks_of_ids(identifiers: Iterable[str]) -> Marks:
    """The highest number by kind and day among ids that are not in a document yet (D4)."""
    marks = (mark_of(identifier) for identifier in identifiers)
    return merge_marks(*(dict([mark]) for mark in marks if mark is not None))
