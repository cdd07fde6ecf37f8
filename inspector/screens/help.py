"""Help for whatever has the focus: its keys, then those that work everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.widgets.text import heading, line, lines

FIRST = (
    "What the agent remembers of this repository, and what it wants to remember next.",
    "Begin under 4 Pending: enter opens a delta, y and n decide. A writes what the program accepted and you did",
    "not turn down; what it held it writes only where you said y.",
    "Nothing is written before you say so, and History (6) takes anything back.",
)


class Help(ModalScreen[None]):
    """Keys, from the bindings themselves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "close", "Close", show=False, id="help.close"),
        Binding("down,j", "scroll(2)", "Down", show=False, id="help.down"),
        Binding("up,k", "scroll(-2)", "Up", show=False, id="help.up"),
        Binding("pagedown,space", "scroll(10)", "Page down", show=False, id="help.page_down"),
        Binding("pageup", "scroll(-10)", "Page up", show=False, id="help.page_up"),
        Binding("G,end", "scroll(9999)", "To the end", show=False, id="help.end"),
        Binding("g,home", "scroll(-9999)", "To the start", show=False, id="help.start"),
    ]

    def __init__(self, groups: Iterable[tuple[str, list[tuple[str, str]]]]) -> None:
        super().__init__()
        self._groups = list(groups)

    def compose(self) -> ComposeResult:
        """Title and keys."""
        with Vertical(classes="dialog"):
            yield Static(line(("Keys", "title")), classes="dialog-title")
            with VerticalScroll(classes="dialog-body", can_focus=False):
                yield Static(self._body())
            yield Static(line((" esc ", "strong"), " closes"), classes="dialog-foot")

    def _body(self) -> Content:
        parts: list[Content] = [line((text, "dim")) for text in FIRST]
        for title, keys in self._groups:
            parts.append(heading(title))
            parts += [line((f"  {key:<14}", "strong"), description) for key, description in keys]
        return lines(*parts)

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)

    def action_scroll(self, by: int) -> None:
        """Scroll."""
        self.query_one(".dialog-body", VerticalScroll).scroll_relative(y=by, animate=False)
