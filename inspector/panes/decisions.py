"""The person's decisions on waiting deltas: kept, undone, carried over when the file changes (R3, R4). Pure values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memory_core.review.verdict import Decision, Review, Verdict


@dataclass(slots=True)
class Desk:
    """Decisions and notes on one delta, with what can be undone and redone."""

    decisions: dict[str, Decision] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    cleared: dict[str, str] = field(default_factory=dict)
    """Places that changed since they were shown, with what flipped; until a decision is taken there."""
    past: list[dict[str, Decision]] = field(default_factory=list)
    future: list[dict[str, Decision]] = field(default_factory=list)

    def decide(self, changes: Mapping[str, Decision | None]) -> None:
        """Set or clear decisions, as one step that can be undone."""
        self.past.append(dict(self.decisions))
        self.future.clear()
        for at, decision in changes.items():
            self.cleared.pop(at, None)
            if decision is None:
                self.decisions.pop(at, None)
            else:
                self.decisions[at] = decision

    def undo(self) -> bool:
        """Take the last step back; whether there was one."""
        return self._step(self.past, self.future)

    def redo(self) -> bool:
        """Take the last undone step again; whether there was one."""
        return self._step(self.future, self.past)

    def _step(self, source: list[dict[str, Decision]], other: list[dict[str, Decision]]) -> bool:
        while source:
            was = dict(self.decisions)
            self.decisions = source.pop()
            if self.decisions != was:
                other.append(was)
                return True
        return False

    def carry_over(self, before: Review, now: Review) -> tuple[str, ...]:
        """Keep a decision where verdict, before and after are the same, else clear and mark it (R4).

        The places that changed. No undo brings back a decision on what is no longer there.
        """
        old = {verdict.at: verdict for verdict in before.operations}
        changed: list[str] = []
        for verdict in now.operations:
            was = old.get(verdict.at)
            if was is not None and not same(was, verdict):
                self.cleared[verdict.at] = flip(was, verdict, decided=verdict.at in self.decisions)
                changed.append(verdict.at)
        self.forget(changed)
        self.keep_only(verdict.at for verdict in now.operations)
        return tuple(changed)

    def forget(self, places: Iterable[str]) -> None:
        """Drop the decisions on these places, also where an undo or redo would bring them back."""
        gone = set(places)
        for decisions in (self.decisions, *self.past, *self.future):
            for at in gone & decisions.keys():
                del decisions[at]

    def keep_only(self, places: Iterable[str]) -> None:
        """Drop whatever is about places that are no longer there."""
        known = set(places)
        self.forget({at for decisions in (self.decisions, *self.past, *self.future) for at in decisions} - known)
        for told in (self.notes, self.cleared):
            for at in told.keys() - known:
                del told[at]


def same(before: Verdict, now: Verdict) -> bool:
    """Whether a decision on the one holds for the other (R4)."""
    return (before.verdict, before.before, before.after) == (now.verdict, now.before, now.after)


def flip(before: Verdict, now: Verdict, *, decided: bool) -> str:
    """What changed, in words."""
    lost = "; your decision was cleared" if decided else ""
    if before.verdict != now.verdict:
        return f"was {before.verdict}, is {now.verdict} since the file changed{lost}"
    return f"what it would change is another since the file changed{lost}"


def refusal(verdict: Verdict, decision: Decision | None, *, several: bool) -> str:
    """Why a decision is not taken; empty where it is (R3)."""
    if verdict.verdict == "rejected" and decision is not None:
        return "rejected by a rule, which nobody can force." if decision == "accept" else "rejected already."
    if several and decision == "accept" and verdict.verdict == "held":
        return "held; a held one is accepted only singly."
    return ""
