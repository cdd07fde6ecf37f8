"""The same rules over what is already stored: V1 checked nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory_core.codes import rule_of, sentence
from memory_core.document import Entry, LongTermItem, MemoryDocument, RecentTurn
from memory_core.entries import Problem
from memory_core.policy import Policy
from memory_core.review.rules.duplicates import likeness
from memory_core.safety.scan import find, find_unseen


def check(document: MemoryDocument, policy: Policy) -> tuple[Problem, ...]:
    """What the rules A6, A8, A9, A9b and A9e object to in a stored document; places as in the file. Pure.

    What a preference rests on (A7) cannot be told afterwards: the turns that said it are gone.
    """
    places: tuple[tuple[str, Sequence[Entry]], ...] = (
        ("working_memory.recent_turns", document.turns),
        ("working_memory.active_topics", document.topics),
        ("long_term_memory.durable_preferences", document.preferences),
        ("long_term_memory.project_notes", document.notes),
    )
    problems: list[Problem] = []
    for place, entries in places:
        for index, entry in enumerate(entries):
            problems += check_entry(entry, f"{place}[{index}]")
            if isinstance(entry, LongTermItem):
                problems += _alike(entry, entries[:index], f"{place}[{index}]")
    return tuple(problem for problem in problems if rule_of(problem.code) not in policy.rules_off)


def check_entry(entry: Entry, at: str) -> Iterator[Problem]:
    """What one entry's own texts hold (A6, A9, A9b)."""
    fields = ("user_text", "assistant_text", "summary") if isinstance(entry, RecentTurn) else ("label", "summary")
    for field in fields:
        # What people said is material: there only what nobody can see, and secrets, are faults.
        look = find_unseen if field in {"user_text", "assistant_text"} else find
        for finding in look(getattr(entry, field)):
            message = sentence(finding.kind, field=field, observed=finding.excerpt[:60])
            yield Problem(f"{at}.{field}", finding.kind, "error" if finding.action == "reject" else "warning", message)


def _alike(item: LongTermItem, earlier: Sequence[Entry], at: str) -> Iterator[Problem]:
    """The first active item before it that says the same, or the contrary (A8, A9e)."""
    for other in earlier:
        if not (isinstance(other, LongTermItem) and other.is_active and item.is_active):
            continue
        code = likeness(item.label, item.summary, other.label, other.summary)
        if code:
            field = "label" if code == "same_label" else "summary"
            message = sentence(code, item=other.id, observed=other.summary)
            yield Problem(f"{at}.{field}", code, "warning", message)
            return
