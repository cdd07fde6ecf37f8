"""Unsafe text: rejected where it is hidden or a secret, held where a person can judge it (A9, A9b)."""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.review.candidate import TEXT_FIELDS, Candidate, check, passed, shown
from memory_core.review.verdict import Check, CheckOutcome
from memory_core.safety.scan import find
from memory_core.safety.secrets import MARKER


def run(candidate: Candidate) -> Iterator[Check]:
    """Look at every text as the model sent it, before its white space is folded."""
    clean = True
    for field in TEXT_FIELDS:
        value = candidate.raw.get(field)
        if not isinstance(value, str):
            continue
        reported: set[str] = set()
        # A reply is masked before it is judged and kept (D8); what stood there was a secret all the same.
        if (masked := MARKER.search(value)) is not None:
            reported.add("secret")
            clean = False
            yield check("failed", "secret", observed=masked[0], on=field)
        for finding in find(value):
            if finding.rule == "A6" or finding.kind in reported:
                continue
            reported.add(finding.kind)
            clean = False
            outcome: CheckOutcome = "failed" if finding.action == "reject" else "held"
            yield check(outcome, finding.kind, observed=shown(finding.excerpt, 120), on=field)
    if clean:
        yield passed("control_chars", "Nothing hidden, no secret, no personal data, no instruction to a model.")
