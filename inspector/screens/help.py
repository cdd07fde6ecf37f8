"""Help for whatever has the focus: its keys, then those that work everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from inspector.display import cells
from inspector.keys import bind
from inspector.screens.confirm import Dialog
from inspector.widgets.text import Doc, Line, doc, heading, line, styled

FIRST = (
    "What an agent remembers of this repository, and what it wants to remember next.",
    "Begin under 4 Pending: enter opens a delta, y and n decide, A applies what you accepted.",
    "Nothing is written before you say so, and 6 History takes anything back.",
)
MARKS = "✓ accepted   ? held: you decide   ✗ rejected by a rule   ! changed since   • new   ◆ marked"

KeyGroup = tuple[str, list[tuple[str, str, str]]]


class Help(Dialog):
    """Keys, from the bindings themselves, as the person's keymap has them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape,q,question_mark,enter", "cancel", "Close", "help.close", "Everywhere")
    ]

    def __init__(self, groups: Iterable[KeyGroup]) -> None:
        super().__init__("Keys", _body(groups), classes="wide")

    def foot(self) -> Content:
        """How to close it."""
        return styled((" esc ", "key"), "closes   ", ("j k ", "key"), "scroll   ", (": ", "key"), "every command")


def _body(groups: Iterable[KeyGroup]) -> Doc:
    parts: list[Doc | Line] = [line((words, "dim")) for words in FIRST]
    parts.append(line((MARKS, "dim")))
    for title, keys in groups:
        parts.append(heading(title))
        for key, words, tip in keys:
            shown = key + " " * max(1, 14 - cells(key))
            rest = "" if tip.rstrip(".") == words else "  " + tip
            parts.append(line(("  " + shown, "key"), words, (rest, "dim"), hang=16))
    return doc(*parts)
