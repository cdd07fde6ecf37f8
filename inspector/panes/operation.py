"""One operation of a waiting delta in full: before and after, checks, evidence, neighbour."""

from __future__ import annotations

from typing import Any

from textual.content import Content

from inspector.widgets.text import decision_word, heading, line, lines, pair, shown, verdict_word, words
from inspector.wording import plainly
from memory_core.document import Entry, MemoryDocument
from memory_core.review.verdict import Check, Verdict

OUTCOMES = {"failed": ("✗", "bad"), "held": ("?", "held"), "remark": ("·", "warn"), "passed": ("✓", "accepted")}
QUIET = ("id", "intent", "created_at", "updated_at", "last_touched_at", "summary_status", "status", "scope_paths")


def operation_detail(
    verdict: Verdict, number: int, document: MemoryDocument, *, note: str, cleared: str, folded: bool
) -> Content:
    """Everything that is known of an operation."""
    parts: list[Content | None] = [
        line((f"{number}  {plainly(verdict)}", "title")),
        line((f"{verdict.at}", "dim")),
        Content(""),
        line(("program  ", "dim"), verdict_word(verdict), ("      you  ", "dim"), decision_word(verdict)),
        line(verdict.message),
    ]
    if cleared:
        parts.append(line(("! your decision was cleared: ", "warn"), (cleared, "warn")))
    parts += _change(verdict)
    parts += _evidence(verdict)
    parts += _neighbour(verdict, document)
    parts += _checks(verdict, folded=folded)
    if verdict.dropped:
        parts.append(line(("drops for it: ", "warn"), ", ".join(verdict.dropped)))
    if note:
        parts += [heading("Your note"), line(note)]
    return lines(*parts)


def _change(verdict: Verdict) -> list[Content | None]:
    """Before and after; unchanged fields folded with their count."""
    before, after = verdict.before, verdict.after
    if after is None:
        if before is None:
            return []
        return [
            heading("What it aims at"),
            line(f"  {before.get('label') or before.get('user_text') or ''}"),
            line((f"  {before.get('summary') or ''}", "dim")),
        ]
    if before is None:
        fields = [name for name in after if name not in QUIET and after[name] not in ("", [], None)]
        parts: list[Content | None] = [heading("Would be new")]
        parts += [line((f"  {name.replace('_', ' ')}", "dim"), "  ", (shown(after[name]), "added")) for name in fields]
        parts.append(line((f"  as {after.get('id')}", "dim")))
        return parts
    changed = [name for name in after if before.get(name) != after[name]]
    parts = [heading("Before → after")]
    for name in changed:
        parts.append(line((f"  {name.replace('_', ' ')}", "dim")))
        parts.append(_field(before.get(name), after[name]))
    same = len(after) - len(changed)
    parts.append(line((f"  {same} fields stay as they are", "dim")))
    return parts


def _field(before: Any, after: Any) -> Content:
    if isinstance(before, str) and isinstance(after, str) and before and after:
        return lines(
            line(("    - ", "bad"), before),
            line(("    + ", "accepted"), after),
            Content("    = ") + words(before, after),
        )
    return lines(
        line(("    - ", "bad"), (shown(before), "removed")) if before not in ("", [], None) else None,
        line(("    + ", "accepted"), (shown(after), "added")),
    )


def _evidence(verdict: Verdict) -> list[Content | None]:
    if not verdict.evidence:
        return []
    parts: list[Content | None] = [heading("Evidence")]
    for found in verdict.evidence:
        parts.append(line(("  “", "dim"), found.quote, ("”", "dim")))
        parts.append(line((f"   said by the {found.speaker} in {found.turn_id}", "dim")))
    return parts


def _neighbour(verdict: Verdict, document: MemoryDocument) -> list[Content | None]:
    if verdict.neighbour is None:
        return []
    parts: list[Content | None] = [heading("Neighbour"), line(f"  {verdict.neighbour}")]
    found = document.find(verdict.neighbour)
    if isinstance(found, Entry):
        parts.append(
            line(("  " + str(getattr(found, "label", "")), "strong"), "  " + str(getattr(found, "summary", "")))
        )
    return parts


def _checks(verdict: Verdict, *, folded: bool) -> list[Content | None]:
    """Every check that did not pass; the passed ones folded with their count."""
    passed = [check for check in verdict.checks if check.outcome == "passed"]
    others = [check for check in verdict.checks if check.outcome != "passed"]
    parts: list[Content | None] = [heading("Checks")]
    parts += [_check(check) for check in others]
    if folded:
        parts.append(line(("  ✓ ", "accepted"), f"{len(passed)} passed", ("   f unfolds them", "dim")))
    else:
        parts += [_check(check) for check in passed]
    return parts


def _check(check: Check) -> Content:
    mark, tone = OUTCOMES[check.outcome]
    head = line((f"  {mark} ", tone), (f"{check.rule} {check.code}  ", "dim"), check.message)
    if check.outcome == "passed" or (check.observed is None and check.limit is None):
        return head
    seen = [] if check.observed is None else [f"observed {shown(check.observed)}"]
    seen += [] if check.limit is None else [f"limit {shown(check.limit)}"]
    return lines(head, line(("      " + ", ".join(seen), "dim")))


def sizes(label: str, before: int, after: int, limit: int) -> Content:
    """A size or count, now and after, against its limit."""
    tone = "bad" if after > limit else ("warn" if after >= limit * 0.9 else "")
    return pair(label, f"{before} → {after} of {limit}", tone, width=12)
