"""The same rules over what is already stored: V1 checked nothing."""

from __future__ import annotations

from memory_core.codes import sentence
from memory_core.document import Entry, MemoryDocument, RecentTurn
from memory_core.entries import Problem
from memory_core.policy import Policy
from memory_core.safety.scan import find, find_unseen


def check(document: MemoryDocument, policy: Policy) -> tuple[Problem, ...]:
    """What the rules object to in a stored document; places as in the file. Pure."""
    if "A9" in policy.rules_off:
        return ()
    places = (
        ("working_memory.recent_turns", document.turns),
        ("working_memory.active_topics", document.topics),
        ("long_term_memory.durable_preferences", document.preferences),
        ("long_term_memory.project_notes", document.notes),
    )
    problems: list[Problem] = []
    for place, entries in places:
        for index, entry in enumerate(entries):
            problems += check_entry(entry, f"{place}[{index}]")
    return tuple(problems)


def check_entry(entry: Entry, at: str) -> list[Problem]:
    """What the rules object to in one entry."""
    fields = ("user_text", "assistant_text", "summary") if isinstance(entry, RecentTurn) else ("label", "summary")
    problems: list[Problem] = []
    for field in fields:
        # What people said is material: there only what nobody can see, and secrets, are faults.
        look = find_unseen if field in {"user_text", "assistant_text"} else find
        for finding in look(getattr(entry, field)):
            message = sentence(finding.kind, field=field, observed=finding.excerpt[:60])
            severity = "error" if finding.action == "reject" else "warning"
            problems.append(
                Problem(f"{at}.{field}", finding.kind, "error" if severity == "error" else "warning", message)
            )
    return problems
