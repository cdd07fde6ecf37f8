"""The rules: small pure functions over a `Candidate`, each giving every check that it ran (A2).

Structure comes first and is never switched off; these run on well-shaped operations only, in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memory_core.review.candidate import Candidate
from memory_core.review.rules import safety, turned_down
from memory_core.review.verdict import Check


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule and the number by which the person's own policy may switch it off (S12)."""

    number: str
    run: Callable[[Candidate], Iterable[Check]]


RULES: tuple[Rule, ...] = (
    Rule("A9", safety.run),
    Rule("R4c", turned_down.run),
)
