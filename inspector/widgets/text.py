"""Details as `Content`: stored text always goes through `display.safe` and is never parsed as markup."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from textual.content import Content

from inspector.display import safe
from memory_core.diff import Change, FieldChange, marked
from memory_core.review.verdict import Verdict

TONES = {
    "accepted": "$text-success",
    "held": "$text-warning",
    "rejected": "$text-error",
    "dim": "$foreground-muted",
    "title": "bold $text-accent",
    "strong": "bold",
    "added": "$text-success",
    "removed": "$text-error strike",
    "same": "",
    "warn": "$text-warning",
    "bad": "$text-error",
}
MARKS = {"accepted": "✓", "held": "?", "rejected": "✗"}

Part = str | tuple[str, str]


def line(*parts: Part) -> Content:
    """One line of stored or own text; a part may name a tone. Everything is made safe here."""
    pieces: list[Content] = []
    for part in parts:
        text, tone = (part, "") if isinstance(part, str) else part
        pieces.append(Content.styled(safe(text), TONES[tone]) if tone else Content(safe(text)))
    return Content("").join(pieces)


def gap(*parts: Part) -> Content:
    """A line with an empty one above it."""
    return Content("\n") + line(*parts)


def prose(text: str) -> Content:
    """Quiet words of our own, over several lines."""
    return lines(*[line((row, "dim")) for row in text.split("\n")])


def lines(*content: Content | None) -> Content:
    """Lines under one another; None leaves a line out."""
    return Content("\n").join([entry for entry in content if entry is not None])


def heading(text: str) -> Content:
    """A heading with room above it."""
    return Content("\n") + Content.styled(safe(text), TONES["title"])


def pair(name: str, value: str, tone: str = "", *, width: int = 14) -> Content:
    """A name and its value."""
    label = name if len(name) >= width else name + " " * (width - len(name))
    return line((f"{label} ", "dim"), (value, tone))


def shown(value: Any) -> str:
    """A JSON value for people."""
    if isinstance(value, str):
        return value or "(empty)"
    if value is None:
        return "(absent)"
    if isinstance(value, list):
        return ", ".join(str(entry) for entry in value) or "(none)"
    return json.dumps(value, ensure_ascii=False)


def words(before: str, after: str) -> Content:
    """A text with its changed words marked: `-removed-` struck through, added ones underlined by colour and signs."""
    pieces: list[Content] = []
    for text, piece in marked(before, after):
        if piece == "same":
            pieces.append(Content(safe(text)))
        elif piece == "removed":
            pieces.append(Content.styled(f"[-{safe(text)}-]", TONES["removed"]))
        else:
            pieces.append(Content.styled(f"{{+{safe(text)}+}}", TONES["added"] + " underline"))
    return Content("").join(pieces)


def field_change(change: FieldChange) -> Content:
    """One field's change."""
    name = change.name.replace("_", " ")
    if isinstance(change.before, str) and isinstance(change.after, str) and change.before and change.after:
        return lines(line((f"  {name}", "dim")), Content("    ") + words(change.before, change.after))
    parts = [line((f"  {name}", "dim"))]
    if change.before not in (None, "", []):
        parts.append(line(("    - ", "bad"), (shown(change.before), "removed")))
    if change.after not in (None, "", []):
        parts.append(line(("    + ", "accepted"), (shown(change.after), "added")))
    return lines(*parts)


def changes(found: Iterable[Change]) -> Content:
    """A comparison, item by item and field by field."""
    parts: list[Content] = []
    signs = {
        "added": ("+ new", "accepted"),
        "removed": ("- gone", "bad"),
        "changed": ("~ changed", "warn"),
        "moved": ("~ moved", "warn"),
    }
    quiet = {
        "id",
        "status",
        "summary_status",
        "source",
        "created_at",
        "updated_at",
        "last_touched_at",
        "intent",
        "type",
    }
    for change in found:
        sign, tone = signs[change.kind]
        parts.append(
            line(
                (f"{sign}  ", tone), (change.label or change.at.rpartition(".")[2], "strong"), (f"  {change.at}", "dim")
            )
        )
        for field in change.fields:
            if change.kind == "added" and (field.name in quiet or field.after in ("", [], None)):
                continue
            if change.kind == "removed" and field.name not in {"label", "summary", "user_text"}:
                continue
            parts.append(field_change(field))
    return lines(*parts) if parts else line(("No difference.", "dim"))


def verdict_word(verdict: Verdict) -> tuple[str, str]:
    """The program's verdict, as mark and word."""
    return f"{MARKS[verdict.verdict]} {verdict.verdict}", verdict.verdict


def decision_word(verdict: Verdict) -> tuple[str, str]:
    """The person's decision, as mark and word."""
    if verdict.decision == "accept":
        return "✓ accepted", "accepted"
    if verdict.decision == "turn_down":
        return "✗ turned down", "rejected"
    return ("– closed", "dim") if verdict.verdict == "rejected" else ("· undecided", "dim")
