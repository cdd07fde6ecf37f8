"""One delta against one document: what is carried on from operation to operation (A3, A10, R3b)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from memory_core.capacity import Trimmed, encoded_size, fit, resized
from memory_core.clock import make_id, merge_marks
from memory_core.codes import sentence
from memory_core.delta import KNOWN_KEYS, DeltaOperation, Kind
from memory_core.document import Entry, LongTermItem, MemoryDocument, RecentTurn, marks_of
from memory_core.entries import json_name
from memory_core.policy import Policy
from memory_core.review.candidate import Candidate, Earlier, check, id_field, passed, shown
from memory_core.review.effect import entry_after, put
from memory_core.review.rules import content_checks, shape_checks
from memory_core.review.rules.structure import gives_way_to
from memory_core.review.verdict import Check, Decisions, JudgeContext, Judgement, Verdict, marks_of_ids
from memory_core.text import normalise

_ID_KIND: Mapping[Kind, str] = {"topic": "topic", "long_term": "mem"}


@dataclass(frozen=True, slots=True)
class _Grown:
    """The document with an operation's entry in it, its size, and what had to go for it (D6)."""

    document: MemoryDocument
    size: int
    trimmed: tuple[Trimmed, ...]


class Judging:
    """Judges operations one after the other; `document` and `size` are as the effective ones so far leave them.

    The document under judgement carries the time of the proposal from the start, so that its size is the one that
    would be written; where nothing is applied, it is not used.
    """

    def __init__(self, document: MemoryDocument, policy: Policy, context: JudgeContext, decisions: Decisions) -> None:
        self.size_before = encoded_size(document)
        self.document = document.touched(context.proposed_at)
        self.size = resized(self.size_before, document, self.document)
        self.policy = policy
        self.context = context
        self.decisions = decisions
        self.trimmed: list[Trimmed] = []
        self.applied = False
        self.earlier: tuple[Earlier, ...] = ()
        self.summarised: frozenset[str] = frozenset()
        self.taken = {entry.id for entry in document.entries()}
        self.marks = merge_marks(context.marks, marks_of(document), marks_of_ids(context.ids.values()))

    def verdict(self, operation: DeltaOperation) -> Verdict:
        """The verdict on the next operation; where it is effective, the document moves on."""
        if operation.section_of_wrong_type or not isinstance(operation.value, dict):
            return _unreadable(operation)
        candidate = self._candidate(operation, operation.value)
        new_id = self._new_id(candidate)
        after = entry_after(candidate, new_id)
        checks = shape_checks(candidate)
        grown: _Grown | None = None
        if after is not None and not _failed(checks):
            checks += content_checks(candidate)
            if not _failed(checks):
                grown, found = self._grow(candidate, after)
                checks += found
        verdict = self._verdict(candidate, checks, after, grown.trimmed if grown is not None else ())
        if grown is not None and after is not None:
            self._move_on(candidate, verdict, after, grown)
        return verdict

    def _candidate(self, operation: DeltaOperation, value: Mapping[str, Any]) -> Candidate:
        name = value.get(id_field(operation.kind))
        return Candidate(
            at=operation.at,
            kind=operation.kind,
            raw=value,
            document=self.document,
            policy=self.policy,
            context=self.context,
            earlier=self.earlier,
            texts={
                key: normalise(text) for key in KNOWN_KEYS[operation.kind] if isinstance(text := value.get(key), str)
            },
            named=self.document.find(name) if isinstance(name, str) else None,
            summarised=self.summarised,
        )

    def _new_id(self, candidate: Candidate) -> str:
        """The id that the operation's entry gets: the one of the proposal while it is free, else the next (A1, D4)."""
        kind = _ID_KIND.get(candidate.kind)
        if kind is None or not candidate.creates:
            return ""
        given = self.context.ids.get(candidate.at)
        if given is not None and given not in self.taken:
            return given
        marks = dict(self.marks)
        while (identifier := make_id(kind, self.context.moment, marks)) in self.taken:
            day = f"{kind}_{self.context.moment:%Y%m%d}"
            marks[day] = marks.get(day, 0) + 1
        return identifier

    def _grow(self, candidate: Candidate, after: Entry) -> tuple[_Grown | None, list[Check]]:
        """The document with the entry in it, within its limits; None where there is no room (D6)."""
        document, trimmed = self.document, []
        gives_way = gives_way_to(candidate)
        if gives_way is not None:
            document = document.with_items(tuple(item for item in document.items if item.id != gives_way.id))
            trimmed.append(Trimmed("item", gives_way.id, "count"))
        document = put(document, after)
        limits = self.policy.limits
        size = resized(self.size, self.document, document)
        fitted = fit(document, limits, now=self.context.moment, size=size)
        refusal = self._refusal(after, fitted.trimmed)
        if refusal is None and not fitted.fits:
            refusal = f"with all that may go gone, the document has {fitted.size} bytes of {limits.hard_bytes}"
        if refusal is not None:
            return None, [check("failed", "no_room", observed=size, limit=limits.hard_bytes, reason=refusal)]
        message = f"There is room: {fitted.size} bytes of {limits.hard_bytes}."
        room = passed("no_room", message, observed=fitted.size, limit=limits.hard_bytes)
        grown = _Grown(fitted.document, fitted.size, (*trimmed, *fitted.trimmed))
        return grown, [room, *_trimming(fitted.trimmed)]

    def _refusal(self, after: Entry, trimmed: tuple[Trimmed, ...]) -> str | None:
        """Why what was trimmed is too high a price: a pending turn, or the entry itself."""
        pending = {turn.id for turn in self.document.turns if turn.is_pending}
        for step in trimmed:
            if step.what != "assistant_text" and step.id == after.id:
                return "what it writes would be dropped again at once"
            if step.what == "turn" and step.id in pending:
                return f"the pending turn {shown(step.id)} would be dropped for it"
        return None

    def _move_on(self, candidate: Candidate, verdict: Verdict, after: Entry, grown: _Grown) -> None:
        """Carry on what an operation that is not rejected leaves to those after it.

        One that waits or was turned down leaves its id, which nothing else may take; one that waits leaves its turn
        too, since the first summary of a turn wins (A9c).
        """
        self.taken.add(after.id)
        self.marks = merge_marks(self.marks, marks_of_ids((after.id,)))
        if isinstance(after, RecentTurn) and verdict.effective != "close":
            self.summarised |= {after.id}
        if verdict.effective != "apply":
            return
        self.applied = True
        self.document, self.size = grown.document, grown.size
        self.trimmed.extend(grown.trimmed)
        if isinstance(after, LongTermItem) and candidate.creates:
            self.earlier = (*self.earlier, Earlier(candidate.at, after))

    def _verdict(
        self, candidate: Candidate, checks: list[Check], after: Entry | None, trimmed: tuple[Trimmed, ...]
    ) -> Verdict:
        judgement, code, message = decide(checks)
        rejected = judgement == "rejected"
        named = candidate.named
        shown_after = after.model_dump(mode="json") if after is not None else None
        if rejected and shown_after is not None and candidate.creates:
            shown_after["id"] = ""
        return Verdict(
            at=candidate.at,
            kind=candidate.kind,
            operation=shown(candidate.operation) or None,
            target_id=(named.id if named is not None else shown(candidate.identifier)) or None,
            verdict=judgement,
            code=code,
            message=message,
            checks=tuple(checks),
            before=named.model_dump(mode="json") if named is not None else None,
            after=shown_after,
            evidence=tuple(found for entry in checks for found in entry.evidence),
            neighbour=next((entry.neighbour for entry in checks if entry.neighbour), None),
            decision=None if rejected else self.decisions.get(candidate.at),
            dropped=tuple(step.id for step in trimmed if step.what != "assistant_text"),
        )


def _unreadable(operation: DeltaOperation) -> Verdict:
    """A section that is no list, or an entry of one that is no object (U2)."""
    if operation.section_of_wrong_type:
        expected, what = "a list", operation.at
    else:
        expected, what = "an object", "The operation"
    wrong = replace(
        check("failed", "wrong_type", observed=json_name(operation.value), limit=expected, on=what), field=None
    )
    return Verdict(operation.at, operation.kind, None, None, "rejected", wrong.code, wrong.message, (wrong,))


def _trimming(trimmed: tuple[Trimmed, ...]) -> Iterator[Check]:
    for step in trimmed:
        if step.what == "assistant_text":
            yield check("remark", "trims_text", observed=shown(step.id))
        else:
            yield check("remark", "drops_entry", observed=shown(step.id), kind=step.what, reason=step.reason)


def _failed(checks: list[Check]) -> bool:
    return any(entry.outcome == "failed" for entry in checks)


def decide(checks: list[Check]) -> tuple[Judgement, str, str]:
    """The verdict that checks lead to, with code and sentence of the first check that decides it (A2)."""
    outcomes: tuple[tuple[str, Judgement], ...] = (("failed", "rejected"), ("held", "held"))
    for outcome, judgement in outcomes:
        for entry in checks:
            if entry.outcome == outcome:
                return judgement, entry.code, entry.message
    return "accepted", "accepted", sentence("accepted")
