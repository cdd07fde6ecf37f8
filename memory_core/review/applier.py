"""`MemoryDeltaApplier`: judges a delta against a document, and gives the document that the verdicts leave (A1-A11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memory_core.capacity import Sizes, Trimmed, encoded_size, fit
from memory_core.clock import make_id, merge_marks, parse_time
from memory_core.codes import sentence
from memory_core.delta import DeltaOperation, MemoryDelta, ParsedReply
from memory_core.document import (
    SOURCE_OF,
    ActiveTopic,
    Entry,
    ItemType,
    LongTermItem,
    MemoryDocument,
    RecentTurn,
    marks_of,
)
from memory_core.entries import json_name
from memory_core.policy import Policy
from memory_core.review.candidate import Candidate, Earlier, check
from memory_core.review.rules import RULES
from memory_core.review.rules.structure import Inspection, Shape
from memory_core.review.verdict import Check, Decision, Decisions, JudgeContext, Judgement, Review, Verdict
from memory_core.text import normalise

BATCH_LIMIT = 4
"""Pending turns that one summary takes at most (U1)."""


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
        decisions: Decisions | None = None,
        *,
        base: str = "",
    ) -> Review:
        """Every operation in its order, each against what the effective ones before it leave (A3, R3b)."""
        return _Judging(document, policy, context, decisions or {}).review(delta, base)

    @staticmethod
    def judge_reply(
        document: MemoryDocument,
        parsed: ParsedReply,
        policy: Policy,
        context: JudgeContext,
        decisions: Decisions | None = None,
        *,
        base: str = "",
    ) -> Review:
        """The review of a parsed reply; a refused one has its reason and no operations."""
        if parsed.delta is not None:
            review = MemoryDeltaApplier.judge(document, parsed.delta, policy, context, decisions, base=base)
            return replace(review, remarks=parsed.remarks, ignored_keys=parsed.ignored_keys)
        size = encoded_size(document)
        limits = policy.limits
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
            bytes=Sizes(size, size, limits.soft_bytes, limits.hard_bytes),
        )


class _Judging:
    """One delta against one document: what is carried from operation to operation."""

    def __init__(self, document: MemoryDocument, policy: Policy, context: JudgeContext, decisions: Decisions) -> None:
        self.original = document
        self.policy = policy
        self.context = context
        self.decisions = decisions
        self.now = parse_time(context.proposed_at) or datetime.fromtimestamp(0, UTC)
        fitted = fit(document, policy.limits, now=self.now)
        self.document = fitted.document
        self.trimmed: list[Trimmed] = list(fitted.trimmed)
        self.size = self.size_before = encoded_size(document)
        self.earlier: list[Earlier] = []
        self.summarised: set[str] = set()
        self.marks = merge_marks(context.marks, marks_of(document))
        self.applied = False

    def review(self, delta: MemoryDelta, base: str) -> Review:
        verdicts = tuple(self._verdict(op) for op in delta.operations if op.at not in self.context.closed)
        result, trimmed = self.original, tuple[Trimmed, ...]()
        if self.applied:
            result = self.document.touched(self.context.proposed_at)
            trimmed = tuple(self.trimmed)
        limits = self.policy.limits
        size_after = encoded_size(result) if self.applied else self.size_before
        return Review(
            reply="parsed",
            reason=None,
            remarks=(),
            ignored_keys=(),
            base=base,
            delta=delta.sha256,
            policy=self.policy.sha256,
            operations=verdicts,
            document=result,
            trimmed=trimmed,
            bytes=Sizes(self.size_before, size_after, limits.soft_bytes, limits.hard_bytes),
            changes=self.applied,
        )

    def _verdict(self, operation: DeltaOperation) -> Verdict:
        value = operation.value
        if operation.section_of_wrong_type or not isinstance(value, dict):
            expected = "a list" if operation.section_of_wrong_type else "an object"
            where = operation.at if operation.section_of_wrong_type else "The operation"
            wrong = check("failed", "wrong_type", observed=json_name(value), limit=expected, on=where)
            return self._closed(operation, None, [wrong])
        candidate = Candidate(
            at=operation.at,
            kind=operation.kind,
            raw=value,
            document=self.document,
            policy=self.policy,
            context=self.context,
            earlier=tuple(self.earlier),
            texts={name: normalise(text) for name, text in value.items() if isinstance(text, str)},
        )
        inspection = Inspection(candidate)
        shape = inspection.run()
        checks = inspection.checks
        turn_id = value.get("turn_id") if operation.kind == "turn_summary" else None
        if isinstance(turn_id, str) and turn_id in self.summarised:
            checks, shape = [check("failed", "duplicate_summary", observed=turn_id, on="turn_id")], None
        if shape is None:
            return self._closed(operation, candidate, checks)
        for rule in RULES:
            if rule.number not in self.policy.rules_off:
                checks.extend(rule.run(candidate))
        before, after = shape.target, self._after(candidate, shape)
        judgement, deciding = decide(checks)
        if judgement != "rejected":
            grown, dropped, refusal = self._grow(after, shape)
            if refusal is not None:
                checks.append(refusal)
                judgement, deciding = decide(checks)
        verdict = self._made(operation, candidate, checks, judgement, deciding, before, after)
        if isinstance(after, RecentTurn) and verdict.effective != "close":
            self.summarised.add(after.id)
        if verdict.effective == "apply":
            self._accept(grown, dropped, operation, after)
            verdict = replace(verdict, dropped=tuple(step.id for step in dropped if step.what == "item"))
        return verdict

    def _after(self, candidate: Candidate, shape: Shape) -> Entry:
        """The entry that the operation makes."""
        at, target = self.context.proposed_at, shape.target
        if isinstance(target, RecentTurn):
            return target.model_copy(update={"summary": shape.summary, "summary_status": "ready"})
        if isinstance(target, ActiveTopic):
            added = tuple(turn for turn in shape.related if turn not in target.related_turn_ids)
            return target.model_copy(
                update={
                    "label": shape.label or target.label,
                    "summary": shape.summary,
                    "related_turn_ids": target.related_turn_ids + added,
                    "last_touched_at": at,
                }
            )
        if isinstance(target, LongTermItem):
            return target.model_copy(update={"summary": shape.summary, "updated_at": at})
        if candidate.kind == "topic":
            return ActiveTopic(
                id=make_id("topic", self.now, self.marks),
                label=shape.label,
                summary=shape.summary,
                related_turn_ids=shape.related,
                last_touched_at=at,
            )
        kind: ItemType = "durable_preference" if candidate.item_type == "durable_preference" else "project_note"
        return LongTermItem(
            id=make_id("mem", self.now, self.marks),
            type=kind,
            label=shape.label,
            summary=shape.summary,
            status="active",
            source=SOURCE_OF[kind],
            created_at=at,
            updated_at=at,
        )

    def _grow(self, after: Entry, shape: Shape) -> tuple[MemoryDocument, list[Trimmed], Check | None]:
        """The document with the entry in it, within its limits; or why there is no room (D6)."""
        document, dropped = self.document, []
        if shape.drops is not None:
            gone = shape.drops.id
            document = document.with_items(tuple(item for item in document.items if item.id != gone))
            dropped.append(Trimmed("item", gone, "count"))
        document = put(document, after)
        fitted = fit(document, self.policy.limits, now=self.now)
        pending = {turn.id for turn in self.document.turns if turn.is_pending}
        for step in fitted.trimmed:
            if step.id == after.id or (step.what == "turn" and step.id in pending):
                return self.document, [], check("failed", "no_room", observed=step.id)
        if not fitted.fits:
            return self.document, [], check("failed", "no_room", observed=after.id)
        return fitted.document, [*dropped, *fitted.trimmed], None

    def _accept(
        self, document: MemoryDocument, dropped: list[Trimmed], operation: DeltaOperation, after: Entry
    ) -> None:
        self.document = document
        self.trimmed.extend(dropped)
        self.applied = True
        self.marks = merge_marks(self.marks, marks_of(document))
        if isinstance(after, LongTermItem) and operation.value.get("operation") == "create_new":
            self.earlier.append(Earlier(operation.at, after))

    def _decision(self, at: str, judgement: Judgement) -> Decision | None:
        """The person's decision; a rejected operation cannot be forced (R3)."""
        return None if judgement == "rejected" else self.decisions.get(at)

    def _made(
        self,
        operation: DeltaOperation,
        candidate: Candidate,
        checks: list[Check],
        judgement: Judgement,
        deciding: Check | None,
        before: Entry | None,
        after: Entry,
    ) -> Verdict:
        return Verdict(
            at=operation.at,
            kind=operation.kind,
            operation=candidate.operation,
            target_id=target_of(operation.value, operation.kind),
            verdict=judgement,
            code=deciding.code if deciding else "accepted",
            message=deciding.message if deciding else sentence("accepted"),
            checks=tuple(checks),
            before=before.model_dump(mode="json") if before is not None else None,
            after=after.model_dump(mode="json"),
            evidence=tuple(found for entry in checks for found in entry.evidence),
            neighbour=next((entry.neighbour for entry in checks if entry.neighbour), None),
            decision=self._decision(operation.at, judgement),
        )

    def _closed(self, operation: DeltaOperation, candidate: Candidate | None, checks: list[Check]) -> Verdict:
        """A rejected operation: shown as far as it can be read."""
        judgement, deciding = decide(checks)
        value: Mapping[str, Any] = operation.value if isinstance(operation.value, dict) else {}
        target = target_of(value, operation.kind)
        before = self.document.find(target) if target else None
        word = value.get("operation")
        return Verdict(
            at=operation.at,
            kind=operation.kind,
            operation=candidate.operation
            if candidate and (candidate.kind == "turn_summary" or word is not None)
            else None,
            target_id=target,
            verdict=judgement,
            code=deciding.code if deciding else "accepted",
            message=deciding.message if deciding else sentence("accepted"),
            checks=tuple(checks),
            before=before.model_dump(mode="json") if before is not None else None,
            after=None,
        )


def decide(checks: list[Check]) -> tuple[Judgement, Check | None]:
    """The verdict that checks lead to, and the check that decides it."""
    for outcome, judgement in (("failed", "rejected"), ("held", "held")):
        found = next((entry for entry in checks if entry.outcome == outcome), None)
        if found is not None:
            return ("rejected" if judgement == "rejected" else "held"), found
    return "accepted", None


def target_of(value: Mapping[str, Any], kind: str) -> str | None:
    """The id that an operation names, where it names one."""
    found = value.get("turn_id" if kind == "turn_summary" else "target_id")
    return found if isinstance(found, str) and found else None


def put(document: MemoryDocument, entry: Entry) -> MemoryDocument:
    """The document with an entry replaced, or appended to its list."""
    if isinstance(entry, RecentTurn):
        return document.with_turns(_put(document.turns, entry))
    if isinstance(entry, ActiveTopic):
        return document.with_topics(_put(document.topics, entry))
    if isinstance(entry, LongTermItem):
        return document.with_items(_put(document.items, entry))
    return document


def _put(entries: tuple[Any, ...], entry: Entry) -> tuple[Any, ...]:
    if any(other.id == entry.id for other in entries):
        return tuple(entry if other.id == entry.id else other for other in entries)
    return (*entries, entry)
