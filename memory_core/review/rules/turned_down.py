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
    """Compare with everything that was turned down, the newest first."""
    for before in reversed(candidate.context.turned_down):
        if _is_like(candidate, before):
            note = f": {before.note}" if before.note else ""
            yield check("held", "turned_down_before", observed=before.summary, at=before.at, note=note)
            return
    if candidate.context.turned_down:
        yield passed("turned_down_before", "Nothing like it was turned down before.")


def _is_like(candidate: Candidate, before: TurnedDown) -> bool:
    if before.kind != candidate.kind or (candidate.item_type or None) != before.type:
        return False
    label, summary = fold(candidate.text("label")), candidate.text("summary")
    if fold(summary) == fold(before.summary):
        return True
    near = NEAR_UNDER_ONE_LABEL if label and label == fold(before.label) else NEAR
    return similarity(summary, before.summary) >= near
