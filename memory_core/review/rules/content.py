"""Pasted matter never enters long-term memory (A6): rejected where it is plain, held where it is likely.

In turn summaries and topics, which pass by themselves, the same is held.
"""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.review.candidate import TEXT_FIELDS, Candidate, check, passed, shown
from memory_core.review.verdict import Check, CheckOutcome
from memory_core.safety.scan import find


def run(candidate: Candidate) -> Iterator[Check]:
    """Look at every text as the model sent it; naming a class, a file or an error is no fault."""
    clean = True
    for field in TEXT_FIELDS:
        value = candidate.raw.get(field)
        if not isinstance(value, str):
            continue
        for finding in find(value):
            if finding.rule != "A6":
                continue
            clean = False
            plain = finding.action == "reject" and candidate.kind == "long_term"
            outcome: CheckOutcome = "failed" if plain else "held"
            yield check(outcome, finding.kind, observed=shown(finding.excerpt, 120), on=field)
    if clean:
        yield passed("pasted_blob", "No code, diff, log, trace, tool output or reasoning.")
