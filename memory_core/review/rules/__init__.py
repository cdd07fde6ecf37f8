"""The rules: small pure functions over a `Candidate`, each giving every check that it ran, passed ones too (A2).

A new rule is a module of its own in this package and one place in `RULES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memory_core.review.candidate import Candidate
from memory_core.review.rules import content, duplicates, evidence, safety, sources, structure, turned_down
from memory_core.review.verdict import Check

Rule = Callable[[Candidate], Iterable[Check]]

STAGES: tuple[tuple[Rule, ...], ...] = (
    (structure.operation,),
    (structure.fields,),
    (structure.target, structure.related, structure.placeholders),
    (structure.kept_fields, sources.run),
    (structure.change, structure.room),
)
"""The shape of an operation. A stage runs where every one before it passed; nobody can switch these off (S12)."""

RULES: tuple[Rule, ...] = (
    safety.run,
    content.run,
    evidence.run,
    duplicates.run,
    turned_down.run,
)
"""What a well-shaped operation says. All of them run, in this order; the first that fails, or else holds, decides."""

SWITCHABLE = frozenset({"A6", "A7", "A8", "A9", "A9b", "A9d", "A9e"})
"""Numbers that the person's own policy may switch off (S12)."""


def shape_checks(candidate: Candidate) -> list[Check]:
    """The checks of the stages, up to the first one that fails."""
    checks: list[Check] = []
    for stage in STAGES:
        for rule in stage:
            checks.extend(rule(candidate))
        if any(check.outcome == "failed" for check in checks):
            break
    return checks


def content_checks(candidate: Candidate) -> list[Check]:
    """The checks of every rule that is not switched off."""
    off = candidate.policy.rules_off & SWITCHABLE
    return [check for rule in RULES for check in rule(candidate) if check.rule not in off]
