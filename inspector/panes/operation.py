"""One operation of a waiting delta in full: before and after, checks, evidence, neighbour."""

from __future__ import annotations

from typing import Any

from inspector.widgets.text import (
    Doc,
    Line,
    blank,
    decision_word,
    doc,
    field_change,
    heading,
    line,
    pair,
    shown,
    text,
    verdict_word,
)
from inspector.wording import plainly
from memory_core.document import LongTermItem, MemoryDocument
from memory_core.review.verdict import Check, Review, Verdict

OUTCOMES = {"failed": ("✗", "bad"), "held": ("?", "held"), "remark": ("·", "warn"), "passed": ("✓", "accepted")}
QUIET = frozenset(
    ["id", "intent", "created_at", "updated_at", "last_touched_at", "summary_status", "status", "scope_paths"]
)
"""Fields of a new entry that the program fills in."""


def operation_detail(
    verdict: Verdict, number: int, review: Review, document: MemoryDocument, *, note: str, cleared: str, folded: bool
) -> Doc:
    """Everything that is known of an operation."""
    program, you = verdict_word(verdict), decision_word(verdict)
    return doc(
        line((f"{number}. {plainly(verdict)}", "title")),
        line((f"{verdict.at}   {_effect(verdict)}", "dim")),
        blank(),
        line(("program  ", "dim"), program, "  ", verdict.message, hang=9),
        line(("you      ", "dim"), you, hang=9),
        line(("! ", "warn"), (cleared, "warn"), hang=2) if cleared else None,
        doc(heading("Your note"), text(note)) if note else None,
        _change(verdict),
        _turn(verdict),
        _checks(verdict, folded=folded),
        _evidence(verdict),
        _neighbour(verdict, review, document),
        line(("accepting it drops ", "warn"), _named(document, verdict.dropped)) if verdict.dropped else None,
    )


def _effect(verdict: Verdict) -> str:
    return {
        "apply": "would be written",
        "wait": "would go on waiting for you",
        "close": "would be closed, nothing written",
    }[verdict.effective]


def _named(document: MemoryDocument, ids: tuple[str, ...]) -> str:
    """Ids with the words that a person knows the entries by."""
    names = []
    for id in ids:
        found = document.find(id)
        words = str(getattr(found, "label", "") or getattr(found, "user_text", "") or "")
        names.append(f"{words} ({id})" if words else id)
    return ", ".join(names)


def _change(verdict: Verdict) -> Doc:
    """Before and after; unchanged fields folded with their count."""
    before, after = verdict.before, verdict.after
    if after is None:
        if before is None:
            return ()
        words = str(before.get("label") or before.get("user_text") or "")
        return doc(
            heading("What it aims at"), line("  " + words), line(("  " + str(before.get("summary") or ""), "dim"))
        )
    if before is None:
        return doc(heading("Would be new", (f"   {after.get('id')}", "dim")), *_new(after))
    changed = [name for name in after if before.get(name) != after[name]]
    same = len(after) - len(changed)
    return doc(
        heading("Before → after"),
        *[field_change(name, before.get(name), after[name]) for name in changed if not name.endswith("_at")],
        *[_moment(name, before.get(name), after[name]) for name in changed if name.endswith("_at")],
        line((f"    {same} fields stay as they are", "dim")),
    )


def _new(after: dict[str, Any]) -> list[Line]:
    names = [name for name in after if name not in QUIET and after[name] not in ("", [], None)]
    return [
        line((f"    {name.replace('_', ' '):<12}", "dim"), (shown(after[name]), "added"), hang=16) for name in names
    ]


def _moment(name: str, before: Any, after: Any) -> Line:
    return line((f"    {name.replace('_', ' ')}  {shown(before)} → {shown(after)}", "dim"), hang=6)


def _turn(verdict: Verdict) -> Doc:
    """What a turn summary sums up, so that it can be judged."""
    before = verdict.before or {}
    if verdict.kind != "turn_summary" or not before.get("user_text"):
        return ()
    answer = str(before.get("assistant_text") or "")
    return doc(
        heading("The turn"),
        line(("    user   ", "dim"), str(before["user_text"]), hang=11),
        line(("    agent  ", "dim"), (answer, "dim"), hang=11) if answer else None,
    )


def _evidence(verdict: Verdict) -> Doc:
    if not verdict.evidence:
        return ()
    parts: list[Line] = []
    for found in verdict.evidence:
        parts.append(line(("    “", "dim"), found.quote, ("”", "dim"), hang=5))
        parts.append(line((f"     said by the {found.speaker} in {found.turn_id}", "dim")))
    return doc(heading("Evidence"), tuple(parts))


def _neighbour(verdict: Verdict, review: Review, document: MemoryDocument) -> Doc:
    if verdict.neighbour is None:
        return ()
    found = document.find(verdict.neighbour)
    if found is not None:
        label, summary = str(getattr(found, "label", "")), str(getattr(found, "summary", ""))
    else:
        other = next((entry for entry in review.operations if entry.at == verdict.neighbour), None)
        after = (other.after if other else None) or {}
        label, summary = str(after.get("label", "")), str(after.get("summary", ""))
    status = f", {found.status}" if isinstance(found, LongTermItem) else ""
    return doc(
        heading("Its neighbour", (f"   {verdict.neighbour}{status}", "dim")),
        line(("    " + label, "strong")) if label else None,
        line("    " + summary) if summary else None,
    )


def _checks(verdict: Verdict, *, folded: bool) -> Doc:
    """Every check that did not pass, in full; the passed ones folded with their count."""
    passed = [check for check in verdict.checks if check.outcome == "passed"]
    others = [check for check in verdict.checks if check.outcome != "passed"]
    count = line(("    ✓ ", "accepted"), f"{len(passed)} passed", ("   f unfolds them", "dim"))
    return doc(
        heading("Checks"),
        *[_check(check) for check in others],
        count if folded else None,
        *[_check(check) for check in (() if folded else passed)],
    )


def _check(check: Check) -> Doc:
    mark, tone = OUTCOMES[check.outcome]
    head = line((f"    {mark} ", tone), check.message, (f"   {check.rule} {check.code}", "dim"), hang=6)
    if check.outcome == "passed":
        return (head,)
    seen = [] if check.observed is None else [f"observed {shown(check.observed)}"]
    seen += [] if check.limit is None else [f"limit {shown(check.limit)}"]
    seen += [] if check.field is None else [f"in {check.field}"]
    return doc(
        head,
        line(("      " + ", ".join(seen), "dim")) if seen else None,
        *[line(("      “", "dim"), quote.quote, ("”", "dim"), hang=7) for quote in check.evidence],
    )


def sizes(label: str, before: int, after: int, limit: int) -> Line:
    """A size or count, now and after, against its limit."""
    tone = "bad" if after > limit else ("warn" if after >= limit * 0.9 else "")
    return pair(label, f"{before} → {after} of {limit}", tone, width=10)
