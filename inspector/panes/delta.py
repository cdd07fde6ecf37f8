"""A waiting delta: in the queue, in full, as the document and the prompt that it would leave. Rendering only."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.panes.decisions import Desk
from inspector.panes.operation import sizes
from inspector.widgets.row_list import Cell, Row
from inspector.widgets.text import (
    MARKS,
    Doc,
    Line,
    blank,
    changes,
    decision_word,
    doc,
    heading,
    line,
    pair,
    raw,
    verdict_word,
)
from inspector.wording import plainly
from memory_core.context import MemoryContext
from memory_core.diff import diff
from memory_core.document import MemoryDocument
from memory_core.policy import Limits
from memory_core.results import PendingView
from memory_core.review.verdict import Review, Verdict

TONE_OF = {"accepted": "ok", "held": "held", "rejected": "bad"}
LONG_WAIT = 7
"""Days after which a delta's age is marked (R4c)."""
MODEL = 18
"""Cells of the column that names the model."""
EFFECTS = {"apply": ("✓ written  ", "accepted"), "wait": ("? waits    ", "held"), "close": ("✗ closed   ", "rejected")}


def reason_of(view: PendingView) -> str:
    """Why the delta was made."""
    entry = view.entry
    return (
        entry.trigger or {"propose": "proposed", "auto_rest": "held back by auto"}.get(entry.origin, entry.origin)
    ).replace("_", " ")


def queue_row(view: PendingView, age: str, *, drafted: bool, named: bool) -> Row:
    """A delta in the queue: its age, verdicts, trigger; its model where any of the queue has one."""
    entry = view.entry
    model = (Cell(entry.model, MODEL, "dim"),) if named else ()
    days = int(age.partition(" ")[0]) if age.endswith(" d") else 0
    when = Cell(age, 6, "held" if days >= LONG_WAIT else "dim")
    if entry.refused is not None:
        times = f" ×{entry.count}" if entry.count > 1 else ""
        cells = (when, Cell(f"✗ refused{times}", 13, "bad"), Cell(entry.refused.message), *model)
        return Row(entry.id, cells, search=f"{entry.id} refused {entry.refused.message} {entry.model} {entry.count}")
    counts = view.review.counts()
    marks = " ".join(f"{MARKS[name]}{counts[name]}" for name in counts)
    words = reason_of(view)
    if view.superseded:
        words = f"superseded: nothing left to accept ({words})"
    elif not entry.usable:
        words = f"nothing in it can be accepted ({words})"
    words = f"{words}, decisions drafted" if drafted else words
    tone = "dim" if view.superseded or not entry.usable else ""
    cells = (when, Cell(marks, 13, tone or "strong"), Cell(words, 0, tone), *model)
    return Row(entry.id, cells, search=f"{entry.id} {words} {entry.model} {marks}")


def operation_row(number: int, verdict: Verdict, desk: Desk) -> Row:
    """An operation: number, the program's verdict, the person's decision, what it would do."""
    decided = decision_word(verdict)
    flag = "!" if verdict.at in desk.cleared else ("m" if desk.notes.get(verdict.at) else " ")
    tone = {"accepted": "ok", "rejected": "bad"}.get(decided[1], "dim")
    words = plainly(verdict)
    return Row(
        verdict.at,
        (
            Cell(f"{number:>2}{flag}", 3, "held" if flag == "!" else "dim"),
            Cell(verdict_word(verdict)[0], 10, TONE_OF[verdict.verdict]),
            Cell(decided[0], 13, tone),
            Cell(words, 0, "dim" if verdict.effective == "close" else ""),
        ),
        search=f"{verdict.at} {words} {verdict.code} {verdict.verdict} {verdict.message}",
    )


def delta_detail(view: PendingView, age: str) -> Doc:
    """A delta in full, as it stands in the queue."""
    entry = view.entry
    last = f", last {entry.last_at}" if entry.last_at else ""
    return doc(
        line((entry.id, "title")),
        blank(),
        pair("waits", f"{age}, since {entry.created_at}"),
        pair("made by", entry.model or {"propose": "memory-inspector propose"}.get(entry.origin, entry.origin)),
        pair("because", reason_of(view)),
        pair("came", f"{entry.count} times{last}") if entry.count > 1 else None,
        *_batch(view),
        _refused(view) if entry.refused is not None else _verdicts(view),
        heading("The model's reply", ("  secrets masked", "dim")),
        raw(entry.reply, most=120),
    )


def _batch(view: PendingView) -> list[Line]:
    """The turns that it was made from."""
    turns = view.entry.context.batch
    return [pair("made from" if number == 0 else "", turn.user_text) for number, turn in enumerate(turns)]


def _refused(view: PendingView) -> Doc:
    reason = view.entry.refused
    if reason is None:
        return ()
    place = f"   line {reason.line}, column {reason.column}" if reason.line else ""
    return doc(
        heading("Refused", (place, "dim")),
        line((reason.message, "bad"), (f"   {reason.code}", "dim")),
        line((reason.hint, "dim")) if reason.hint else None,
        _pointed(view.entry.reply, reason.line, reason.column),
        line(("There is nothing to apply; its turns stay pending. D dismisses it.", "dim")),
    )


def _pointed(reply: str, number: int | None, column: int | None) -> Doc:
    """The line of the reply that the refusal points at, with a mark under the column."""
    rows = reply.splitlines()
    if not number or not column or number > len(rows):
        return ()
    start = max(0, column - 40)
    return (
        line(("  " + rows[number - 1][start : column + 20], "warn")),
        line((" " * (1 + column - start) + "^", "bad")),
    )


def _verdicts(view: PendingView) -> Doc:
    review = view.review
    counts = review.counts()
    rows: list[Line] = []
    for number, verdict in enumerate(review.operations, 1):
        words, tone = verdict_word(verdict)
        rows.append(line((f"{number:>3}  ", "dim"), (f"{words:<11}", tone), plainly(verdict), hang=16))
    return doc(
        pair("verdicts", ", ".join(f"{MARKS[name]} {counts[name]} {name}" for name in counts)),
        *[pair("remark", remark) for remark in review.remarks],
        pair("ignored", ", ".join(review.ignored_keys) + " (unknown keys)") if review.ignored_keys else None,
        line(("Superseded: the file changed, and nothing in it can be accepted any more.", "warn"))
        if view.superseded
        else None,
        heading(f"Operations ({len(rows)})", ("  enter decides on them", "dim")),
        tuple(rows),
    )


def foot(review: Review) -> Doc:
    """What would happen if it were applied now."""
    groups = {"apply": 0, "wait": 0, "close": 0}
    for verdict in review.operations:
        groups[verdict.effective] += 1
    size = review.bytes
    return (
        line(
            ("If applied now: ", "dim"),
            (f"✓ {groups['apply']} written", "accepted"),
            (f"   ? {groups['wait']} wait", "held" if groups["wait"] else "dim"),
            (f"   ✗ {groups['close']} closed", "rejected" if groups["close"] else "dim"),
        ),
        line(
            (f"{size.before} → {size.after} of {size.hard} bytes", "warn" if size.after > size.soft else "dim"),
            (f"   ! {len(review.trimmed)} trimmed", "warn") if review.trimmed else "",
        ),
    )


def resulting(review: Review, now: MemoryDocument, limits: Limits) -> Doc:
    """The resulting document as a diff, with sizes and counts, and what would be trimmed."""
    after = review.document
    return doc(
        sizes("bytes", review.bytes.before, review.bytes.after, review.bytes.hard),
        sizes("turns", len(now.turns), len(after.turns), limits.recent_turns),
        sizes("topics", len(now.topics), len(after.topics), limits.active_topics),
        sizes("items", len(now.items), len(after.items), limits.long_term_items),
        trimmed(review),
        heading("What would change"),
        changes(diff(now, after), nothing="Nothing, as decided now."),
    )


def trimmed(review: Review) -> Doc:
    """What would go to make room."""
    if not review.trimmed:
        return ()
    return doc(
        heading("Trimmed to make room"),
        *[
            line(("  - ", "bad"), f"{entry.what.replace('_', ' ')} {entry.id}", (f"   {entry.reason}", "dim"), hang=4)
            for entry in review.trimmed
        ],
    )


def prompts(before: MemoryContext, after: MemoryContext) -> Doc:
    """What the next prompt would carry, before and after."""
    old, new = before.text.splitlines(), after.text.splitlines()
    parts: list[Line] = [
        line((f"{before.characters} → {after.characters} characters", "dim")),
        line((f"about {before.tokens_estimate} → {after.tokens_estimate} tokens (estimated)", "dim")),
        line(("for an ordinary, empty question; a repair gets nothing", "dim")),
        blank(),
    ]
    parts += merged(old, new)
    return tuple(parts)


def merged(old: Sequence[str], new: Sequence[str]) -> list[Line]:
    """Two texts as one, line by line: gone, new, the same."""
    from difflib import SequenceMatcher

    found: list[Line] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found += [line((" │ ", "dim"), entry, hang=5) for entry in old[i:j]]
            continue
        found += [line(("-", "bad"), ("│ ", "dim"), (entry, "removed"), hang=5) for entry in old[i:j]]
        found += [line(("+", "accepted"), ("│ ", "dim"), (entry, "added"), hang=5) for entry in new[k:m]]
    return found


def what_happens(view: PendingView) -> Doc:
    """Each operation with what applying does to it."""
    found: list[Line] = []
    for number, verdict in enumerate(view.review.operations, 1):
        words, tone = EFFECTS[verdict.effective]
        by = "you" if verdict.decision else "the program"
        note = f"   decided by {by}" if verdict.effective != "wait" else "   held, no decision"
        found.append(line((f"{number:>3}  ", "dim"), (words, tone), plainly(verdict), (note, "dim"), hang=16))
    return tuple(found)
