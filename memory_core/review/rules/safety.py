"""Unsafe text: rejected where it is hidden or a secret, held where a person can judge it (A9, A9b)."""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.review.candidate import Candidate, check, passed
from memory_core.review.verdict import Check
from memory_core.safety import find


def run(candidate: Candidate) -> Iterator[Check]:
    """Look at every text as the model sent it, before its white space is folded."""
    clean = True
    for field, value in candidate.raw.items():
        if field not in {"label", "summary"} or not isinstance(value, str):
            continue
        reported: set[str] = set()
        for finding in find(value):
            if finding.kind in reported:
                continue
            reported.add(finding.kind)
            clean = False
            outcome = "failed" if finding.action == "reject" else "held"
            yield check(
                "failed" if outcome == "failed" else "held", finding.kind, observed=finding.excerpt[:120], on=field
            )
    if clean:
        yield passed("control_chars", "Nothing hidden, no secret, no personal data.")
