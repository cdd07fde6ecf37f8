"""A proposal like one that a person turned down before arrives marked so, and is held (R4c)."""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.review.candidate import Candidate, check, passed
from memory_core.review.verdict import Check, TurnedDown
from memory_core.text import fold, similarity

NEAR = 0.8
"""Similarity from which on two summaries say the same."""
NEAR_UNDER_ONE_LABEL = 0.5
"""The same, where the labels are equal once folded."""


def run(candidate: Candidate) -> Iterator[Check]:
    """Compare with everything of its kind that was turned down, the newest first."""
    kind, item_type = candidate.kind, candidate.item_type
    for before in reversed(candidate.context.turned_down):
        if (before.kind, before.type) == (kind, item_type) and _is_like(candidate, before):
            note = f": {before.note}" if before.note else ""
            yield check("held", "turned_down_before", observed=before.summary, at=before.at, note=note)
            return
    if candidate.context.turned_down:
        yield passed("turned_down_before", "Nothing like it was turned down before.")


def _is_like(candidate: Candidate, before: TurnedDown) -> bool:
    label = candidate.text("label")
    same_label = bool(label) and fold(label) == fold(before.label)
    return similarity(candidate.text("summary"), before.summary) >= (NEAR_UNDER_ONE_LABEL if same_label else NEAR)
