"""A proposal like one that a person turned down before arrives marked so, and is held (R4c)."""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.review.candidate import Candidate, check, passed
from memory_core.review.rules.duplicates import relation
from memory_core.review.verdict import Check

LIKE = frozenset({"same_label", "near_duplicate"})
"""Relations that make a proposal the same one again; one that differs by a negation or a number is another (A9e)."""


def run(candidate: Candidate) -> Iterator[Check]:
    """Compare with everything of its kind that was turned down, the newest first, by the measure of A8."""
    kind, item_type = candidate.kind, candidate.item_type
    for before in reversed(candidate.context.turned_down):
        if (before.kind, before.type) == (kind, item_type) and relation(candidate, before) in LIKE:
            note = f": {before.note}" if before.note else ""
            yield check("held", "turned_down_before", observed=before.summary, at=before.at, note=note)
            return
    if candidate.context.turned_down:
        yield passed("turned_down_before", "Nothing like it was turned down before.")
