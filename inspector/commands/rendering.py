"""Reviews, changes and deltas as lines of text, for people without a screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from inspector.commands.common import MARKS
from inspector.wording import plainly
from memory_core.diff import Change
from memory_core.results import PendingView
from memory_core.review.verdict import Review, Verdict

DECISIONS = {"accept": "accepted by you", "turn_down": "turned down by you"}


def shown(value: Any) -> str:
    """A JSON value on one line, a text without its quotes."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def verdict_lines(verdict: Verdict, number: int) -> Iterator[str]:
    """One operation: verdict, what it would do, reasons, before and after."""
    decided = f"  [{DECISIONS[verdict.decision]}]" if verdict.decision else ""
    yield f"{number:>2} {MARKS[verdict.verdict]} {verdict.verdict:<8} {verdict.at}  {plainly(verdict)}{decided}"
    for check in verdict.checks:
        if check.outcome != "passed":
            yield f"     {check.rule} {check.code}: {check.message}"
    for evidence in verdict.evidence:
        yield f"     said by the {evidence.speaker} in {evidence.turn_id}: {evidence.quote}"
    before, after = verdict.before or {}, verdict.after or {}
    for field in after:
        if before and before.get(field) == after[field]:
            continue
        if field in before:
            yield f"     - {field}: {shown(before[field])}"
        if field in {"label", "summary", "status", "related_turn_ids", "type"}:
            yield f"     + {field}: {shown(after[field])}"


def review_lines(review: Review) -> Iterator[str]:
    """A whole review."""
    if review.reason is not None:
        place = f" (line {review.reason.line}, column {review.reason.column})" if review.reason.line else ""
        yield f"refused: {review.reason.message}{place}  [{review.reason.code}]"
        if review.reason.hint:
            yield f"  {review.reason.hint}"
        return
    counts = review.counts()
    yield "  ".join(f"{MARKS[name]} {counts[name]} {name}" for name in counts)
    for remark in review.remarks:
        yield f"remark: {remark}"
    if review.ignored_keys:
        yield "ignored keys: " + ", ".join(review.ignored_keys)
    for number, verdict in enumerate(review.operations, 1):
        yield from verdict_lines(verdict, number)
    for trimmed in review.trimmed:
        yield f"would be dropped for {trimmed.reason}: {trimmed.what.replace('_', ' ')} {trimmed.id}"
    size = review.bytes
    yield f"{size.before} → {size.after} bytes (soft {size.soft}, hard {size.hard})"


def pending_line(view: PendingView) -> str:
    """A queued delta on one line."""
    entry = view.entry
    head = f"{entry.id}  {entry.created_at}  {entry.trigger or entry.origin}  {entry.model or '–'}"
    if entry.refused is not None:
        times = f" ×{entry.count}" if entry.count > 1 else ""
        return f"{head}  ✗ refused{times}: {entry.refused.message}"
    counts = view.review.counts()
    marks = " ".join(f"{MARKS[name]}{counts[name]}" for name in counts)
    if view.superseded:
        return f"{head}  {marks}  superseded: nothing is left to accept"
    return f"{head}  {marks}" + ("" if entry.usable else "  nothing in it can be accepted")


def change_lines(changes: tuple[Change, ...]) -> Iterator[str]:
    """A comparison, item by item and field by field."""
    signs = {"added": "+", "removed": "-", "changed": "~"}
    for change in changes:
        yield f"{signs.get(change.kind, '~')} {change.at}  {change.label}".rstrip()
        for field in change.fields:
            if change.kind != "added" and field.before is not None:
                yield f"    - {field.name}: {shown(field.before)}"
            if change.kind != "removed" and field.after is not None:
                yield f"    + {field.name}: {shown(field.after)}"
    if not changes:
        yield "no difference"


def outcome_status(review: Review) -> int:
    """1 where something was held, rejected or refused, else 0."""
    counts = review.counts()
    return 1 if review.reply == "refused" or counts["held"] or counts["rejected"] else 0
