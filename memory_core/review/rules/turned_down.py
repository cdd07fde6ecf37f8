"""A proposal like one that a person turned down before is held (R4c)."""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.review.candidate import Candidate, check
from memory_core.review.verdict import Check
from memory_core.text import fold, similarity

NEAR = 0.8
"""Similarity of two summaries from which on they count as the same proposal."""


def run(candidate: Candidate) -> Iterator[Check]:
    """Hold an operation whose summary, or label and type, was turned down."""
    summary, label = candidate.text("summary"), candidate.text("label")
    for before in reversed(candidate.context.turned_down):
        if before.kind != candidate.kind or (candidate.item_type and before.type != candidate.item_type):
            continue
        same_label = bool(label) and fold(label) == fold(before.label) and similarity(summary, before.summary) >= 0.5
        if same_label or similarity(summary, before.summary) >= NEAR:
            note = f": {before.note}" if before.note else ""
            yield check("held", "turned_down_before", observed=before.summary, at=before.at, note=note)
            return
