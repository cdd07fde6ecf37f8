"""The person's decisions on waiting deltas: kept, undone, carried over when the file changes (R3, R4). Pure values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memory_core.review.verdict import Decision, Review, Verdict


@dataclass(slots=True)
class Desk:
    """Decisions and notes on one delta, with what can be undone and redone."""

    decisions: dict[str, Decision] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    cleared: dict[str, str] = field(default_factory=dict)
    """Places whose decision was cleared since the operation changed, with what flipped."""
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
        if not source:
            return False
        other.append(dict(self.decisions))
        self.decisions = source.pop()
        return True

    def carry_over(self, before: Review, now: Review) -> None:
        """Keep a decision where verdict, before and after are the same, else clear and mark it (R4)."""
        old = {verdict.at: verdict for verdict in before.operations}
        for verdict in now.operations:
            was = old.get(verdict.at)
            if was is None or same(was, verdict):
                continue
            self.cleared[verdict.at] = flip(was, verdict)
            self.decisions.pop(verdict.at, None)


def same(before: Verdict, now: Verdict) -> bool:
    """Whether a decision on the one holds for the other (R4)."""
    return (before.verdict, before.before, before.after) == (now.verdict, now.before, now.after)


def flip(before: Verdict, now: Verdict) -> str:
    """What changed, in words."""
    if before.verdict != now.verdict:
        return f"was {before.verdict}, is {now.verdict} since the file changed: {now.message}"
    return "what it would change is another since the file changed"
