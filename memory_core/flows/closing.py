"""What applying a reviewed delta closes, and what of it goes on waiting (R3, R3b)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memory_core.review.verdict import Review, TurnedDown, Verdict
from memory_core.storage.history import DecisionRecord, QueueChange
from memory_core.storage.pending import PendingDelta
from memory_core.storage.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Closing:
    """A reviewed delta, taken apart: what is applied, turned down, rejected, and what waits on."""

    applied: tuple[str, ...]
    turned_down: tuple[str, ...]
    rejected: tuple[str, ...]
    waiting: tuple[str, ...]
    records: tuple[DecisionRecord, ...]
    refused_texts: tuple[TurnedDown, ...]
    """What the person turned down, to be known again (R4c)."""
    rest: PendingDelta | None
    """The same delta with its undecided held operations, or None where nothing waits."""


def close(entry: PendingDelta, review: Review, *, at: str, notes: Mapping[str, str]) -> Closing:
    """Take a review apart; pure. `at` is the time of the decisions, `notes` are the person's, by place."""
    groups: dict[str, list[str]] = {"applied": [], "turned_down": [], "rejected": [], "waiting": []}
    records: list[DecisionRecord] = []
    refused_texts: list[TurnedDown] = []
    for verdict in review.operations:
        outcome = _outcome(verdict)
        groups[outcome].append(verdict.at)
        records.append(
            DecisionRecord(
                at=verdict.at,
                decision=outcome,
                verdict=verdict.verdict,
                code=verdict.code,
                note=notes.get(verdict.at, ""),
                decided_at=at,
                label=_text(verdict, "label"),
                summary=_text(verdict, "summary"),
                item_id=_text(verdict, "id"),
                evidence=verdict.evidence,
            )
        )
        if outcome == "turned_down":
            refused_texts.append(
                TurnedDown(
                    kind=verdict.kind,
                    type=_text(verdict, "type") or None,
                    label=_text(verdict, "label"),
                    summary=_text(verdict, "summary"),
                    at=at,
                    note=notes.get(verdict.at, ""),
                    delta_id=entry.id,
                )
            )
    closed = groups["applied"] + groups["turned_down"] + groups["rejected"]
    rest = None
    if groups["waiting"]:
        waiting_turns = {
            str(verdict.target_id)
            for verdict in review.operations
            if verdict.kind == "turn_summary" and verdict.effective == "wait"
        }
        rest = replace(
            entry,
            closed=(*entry.closed, *closed),
            applied=True,
            claims=tuple(turn for turn in entry.claims if turn in waiting_turns),
        )
    return Closing(
        applied=tuple(groups["applied"]),
        turned_down=tuple(groups["turned_down"]),
        rejected=tuple(groups["rejected"]),
        waiting=tuple(groups["waiting"]),
        records=tuple(records),
        refused_texts=tuple(refused_texts),
        rest=rest,
    )


def _outcome(verdict: Verdict) -> str:
    if verdict.effective == "apply":
        return "applied"
    if verdict.effective == "wait":
        return "waiting"
    return "turned_down" if verdict.decision == "turn_down" and verdict.verdict != "rejected" else "rejected"


def _text(verdict: Verdict, field: str) -> str:
    value = (verdict.after or {}).get(field, "")
    return value if isinstance(value, str) else ""


def apply_by_itself(transaction: Transaction, entry: PendingDelta, review: Review, *, at: str) -> str | None:
    """Mode `auto`: write what the program accepts; what it holds waits as a delta of its own (R1).

    Gives the id of the delta that waits, if any.
    """
    closing = close(entry, review, at=at, notes={})
    rest = replace(closing.rest, origin="auto_rest", trigger=entry.trigger) if closing.rest else None
    transaction.commit(
        cause="auto",
        summary=f"{len(closing.applied)} operations applied by policy",
        document=review.document,
        decisions=closing.records,
        delta_id=entry.id,
        delta_sha=entry.delta_sha,
        delta=entry,
        queue=QueueChange(put=(rest,) if rest else ()),
        refuse_corrupt=False,
    )
    return rest.id if rest else None
