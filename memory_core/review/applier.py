"""`MemoryDeltaApplier`: judges a delta against a document, and gives the document that the verdicts leave (A1-A11)."""

from __future__ import annotations

from types import MappingProxyType

from memory_core.capacity import Sizes, encoded_size
from memory_core.delta import MemoryDelta, ParsedReply
from memory_core.document import MemoryDocument, RecentTurn
from memory_core.policy import Policy
from memory_core.review.judging import Judging
from memory_core.review.verdict import Decisions, JudgeContext, Review

BATCH_LIMIT = 4
"""Pending turns that one summary takes at most (U1)."""

NO_DECISIONS: Decisions = MappingProxyType({})


def pending_batch(document: MemoryDocument) -> tuple[RecentTurn, ...]:
    """The batch of a bare `plan` or `propose`: the document's pending turns, at most the newest four."""
    return tuple(turn for turn in document.turns if turn.is_pending)[-BATCH_LIMIT:]


class MemoryDeltaApplier:
    """Judging is pure: the same input gives the same review, ids and times included (A1). It never raises."""

    @staticmethod
    def judge(
        document: MemoryDocument,
        delta: MemoryDelta,
        policy: Policy,
        context: JudgeContext,
        decisions: Decisions = NO_DECISIONS,
        *,
        base: str = "",
        parsed: ParsedReply | None = None,
    ) -> Review:
        """Every operation in its order, each against what the effective ones before it leave (A3, R3b).

        The document of the review is the given one itself where nothing is applied. `base` is the hash of the file
        that the document was read from (R4b); `parsed` brings the parser's remarks into the review.
        """
        judging = Judging(document, policy, context, decisions)
        verdicts = tuple(judging.verdict(op) for op in delta.operations if op.at not in context.closed)
        size = judging.size if judging.applied else judging.size_before
        return Review(
            reply="parsed",
            reason=None,
            remarks=parsed.remarks if parsed is not None else (),
            ignored_keys=parsed.ignored_keys if parsed is not None else (),
            base=base,
            delta=delta.sha256,
            policy=policy.sha256,
            operations=verdicts,
            document=judging.document if judging.applied else document,
            trimmed=tuple(judging.trimmed),
            bytes=Sizes(judging.size_before, size, policy.limits.soft_bytes, policy.limits.hard_bytes),
            changes=judging.applied,
        )

    @staticmethod
    def refused_review(document: MemoryDocument, parsed: ParsedReply, policy: Policy, *, base: str = "") -> Review:
        """The review of a reply that the parser refused: its reason, no operations, the document as it is (U2)."""
        size = encoded_size(document)
        return Review(
            reply="refused",
            reason=parsed.reason,
            remarks=parsed.remarks,
            ignored_keys=parsed.ignored_keys,
            base=base,
            delta=None,
            policy=policy.sha256,
            operations=(),
            document=document,
            trimmed=(),
            bytes=Sizes(size, size, policy.limits.soft_bytes, policy.limits.hard_bytes),
        )

    @staticmethod
    def judge_reply(
        document: MemoryDocument,
        parsed: ParsedReply,
        policy: Policy,
        context: JudgeContext,
        decisions: Decisions = NO_DECISIONS,
        *,
        base: str = "",
    ) -> Review:
        """The review of whatever the parser made of a reply."""
        if parsed.delta is None:
            return MemoryDeltaApplier.refused_review(document, parsed, policy, base=base)
        return MemoryDeltaApplier.judge(document, parsed.delta, policy, context, decisions, base=base, parsed=parsed)
