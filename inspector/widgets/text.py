"""Details as lines: stored text always goes through `display.safe` and is never parsed as markup."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from textual.content import Content

from inspector.display import cells, masked, safe
from inspector.widgets.wrap import wrapped
from memory_core.diff import Change, FieldChange, marked
from memory_core.review.verdict import Verdict

TONES = {
    "": "",
    "accepted": "$text-success",
    "held": "$text-warning",
    "rejected": "$text-error",
    "dim": "$foreground-muted",
    "title": "bold $text-accent",
    "heading": "$text-accent",
    "strong": "bold",
    "added": "$text-success",
    "removed": "$text-error strike",
    "warn": "$text-warning",
    "bad": "$text-error",
    "key": "bold $text-accent",
}
MARKS = {"accepted": "✓", "held": "?", "rejected": "✗"}
QUIET = frozenset(
    [
        "id",
        "status",
        "summary_status",
        "source",
        "created_at",
        "updated_at",
        "last_touched_at",
        "intent",
        "type",
        "related_turn_ids",
    ]
)
"""Fields of a new or gone entry that say little."""

Part = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Line:
    """One logical line; `hang` is the indent, in cells, of what does not fit on its first line."""

    content: Content
    hang: int = 0

    @property
    def plain(self) -> str:
        """The bare text."""
        return self.content.plain


Doc = tuple[Line, ...]
"""Lines under one another."""
_EMPTY_LINE = Line(Content(""))


def styled(*parts: Part) -> Content:
    """Stored or own text on one line; a part may name a tone. Everything is made safe here."""
    pieces: list[Content] = []
    for part in parts:
        text, tone = (part, "") if isinstance(part, str) else part
        pieces.append(Content.styled(safe(text), TONES[tone]) if TONES[tone] else Content(safe(text)))
    return Content("").join(pieces)


def line(*parts: Part, hang: int | None = None) -> Line:
    """One line; what goes on is indented as its beginning is, unless `hang` says otherwise."""
    content = styled(*parts)
    plain = content.plain
    return Line(content, len(plain) - len(plain.lstrip(" ")) if hang is None else hang)


def text(stored: str, tone: str = "", *, indent: int = 0) -> Doc:
    """A stored text with its own line breaks."""
    return tuple(line(" " * indent, (entry, tone)) for entry in masked(stored).splitlines() or [""])


def blank() -> Line:
    """An empty line."""
    return _EMPTY_LINE


def doc(*parts: Line | Doc | None) -> Doc:
    """Lines and groups of lines, one after another; None leaves one out."""
    found: list[Line] = []
    for part in parts:
        if isinstance(part, Line):
            found.append(part)
        elif part:
            found.extend(part)
    return tuple(found)


def heading(words: str, *parts: Part) -> Doc:
    """A heading with room above it."""
    return (_EMPTY_LINE, line((words, "heading"), *parts))


def pair(name: str, value: str, tone: str = "", *, width: int = 12) -> Line:
    """A name and its value."""
    label = name + " " * max(1, width - cells(name))
    return line((label, "dim"), (value or "–", tone if value else "dim"), hang=cells(label))


def fitted(lines: Iterable[Line], width: int) -> Content:
    """The lines as they stand on a screen of that width."""
    return Content("\n").join([piece for entry in lines for piece in wrapped(entry.content, width, entry.hang)])


def shown(value: Any) -> str:
    """A JSON value for people."""
    if isinstance(value, str):
        return value or "(empty)"
    if value is None:
        return "(absent)"
    if isinstance(value, list | tuple):
        return ", ".join(str(entry) for entry in value) or "(none)"
    return json.dumps(value, ensure_ascii=False)


def words(before: str, after: str, *, lead: Part = "") -> Line:
    """A text with its changed words marked by colour and by signs: `[-gone-]`, `{+new+}`."""
    start = styled(lead)
    pieces: list[Content] = [start]
    for piece, kind in marked(masked(before), masked(after)):
        if kind == "same":
            pieces.append(Content(safe(piece)))
        elif kind == "removed":
            pieces.append(Content.styled(f"[-{safe(piece)}-]", TONES["removed"]))
        else:
            pieces.append(Content.styled(f"{{+{safe(piece)}+}}", TONES["added"] + " underline"))
    return Line(Content("").join(pieces), cells(start.plain))


def field_change(name: str, before: Any, after: Any) -> Doc:
    """One field's change: what was, what is, and the words between."""
    label = name.replace("_", " ")
    title = line((f"    {label}", "dim"))
    gone, come = before in _NOTHING, after in _NOTHING
    if isinstance(before, str) and isinstance(after, str) and not (gone or come):
        if name.endswith("_at") or (_is_token(before) and _is_token(after)):
            return (line((f"    {label}  ", "dim"), (before, "removed"), " → ", (after, "added"), hang=6),)
        return (title, words(before, after, lead="      "))
    if isinstance(before, list | tuple) and isinstance(after, list | tuple):
        return _list_change(title, [shown(entry) for entry in before], [shown(entry) for entry in after])
    return doc(
        title,
        None if gone else line(("      - ", "bad"), (shown(before), "removed"), hang=8),
        None if come else line(("      + ", "accepted"), (shown(after), "added"), hang=8),
        line(("      nothing", "dim")) if gone and come else None,
    )


_NOTHING: tuple[Any, ...] = (None, "", [], ())


def _is_token(value: str) -> bool:
    """Whether a text is one word of the program's own, such as a status."""
    return value.isascii() and value.replace("_", "").isalnum() and len(value) <= 20


def _list_change(title: Line, before: Sequence[str], after: Sequence[str]) -> Doc:
    """What came and went of a list."""
    gone = [entry for entry in before if entry not in after]
    come = [entry for entry in after if entry not in before]
    if not gone and not come:
        return (title, line(("      in another order: ", "dim"), ", ".join(after), hang=8))
    return doc(
        title,
        *[line(("      - ", "bad"), (entry, "removed"), hang=8) for entry in gone],
        *[line(("      + ", "accepted"), (entry, "added"), hang=8) for entry in come],
    )


_SIGNS = {
    "added": ("+ new      ", "accepted"),
    "removed": ("- gone     ", "bad"),
    "changed": ("~ changed  ", "warn"),
    "moved": ("~ moved    ", "warn"),
}


def changes(found: Iterable[Change], *, nothing: str = "No difference.") -> Doc:
    """A comparison, item by item and field by field."""
    parts: list[Line | Doc | None] = []
    for change in found:
        if parts:
            parts.append(_EMPTY_LINE)
        parts += _change(change)
    return doc(*parts) if parts else (line((nothing, "dim")),)


def _change(change: Change) -> Iterator[Line | Doc | None]:
    sign, tone = _SIGNS[change.kind]
    place, _, name = change.at.rpartition(".")
    label = change.label or name or change.at
    yield line((sign, tone), (label, "strong"), (f"  {_place(place)} {name}" if place else "", "dim"), hang=len(sign))
    for changed in change.fields:
        if change.kind in {"added", "removed"} and not _telling(change, changed):
            continue
        yield field_change(changed.name, changed.before, changed.after)


def _place(place: str) -> str:
    """Where an entry stands, in words."""
    return place.rpartition(".")[2].replace("_", " ")


def _telling(change: Change, changed: FieldChange) -> bool:
    """Whether a field of a new or gone entry is worth a line."""
    value = changed.after if change.kind == "added" else changed.before
    return changed.name not in QUIET and value not in ("", [], None, ()) and value != change.label


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


_JSON_KEY = re.compile(r'^(\s*)("(?:[^"\\]|\\.)*"\s*:)(.*)$')


def raw(stored: str, *, most: int = 600) -> Doc:
    """A stored text as it stands, line by line, the keys of JSON dimmed; at most that many lines."""
    found: list[Line] = []
    entries = masked(stored).splitlines()
    for entry in entries[:most]:
        match = _JSON_KEY.match(entry)
        if match:
            found.append(line(match[1], (match[2], "dim"), match[3], hang=len(match[1]) + 2))
        else:
            found.append(line(entry))
    if len(entries) > most:
        found.append(line((f"… {len(entries) - most} more lines", "dim")))
    return tuple(found)
