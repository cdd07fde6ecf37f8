"""The detail of what is selected: lines that fit the width, to be scrolled and selected by mouse."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from inspector.keys import bind
from inspector.widgets.text import Doc, fitted


class DocView(VerticalScroll, can_focus=True):
    """Shows a document; wraps it anew when its width changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("down,j", "scroll_down", "Line down", "detail.down", "Details"),
        bind("up,k", "scroll_up", "Line up", "detail.up", "Details"),
        bind("pagedown,ctrl+d", "page_down", "Page down", "detail.page_down", "Details"),
        bind("pageup,ctrl+u", "page_up", "Page up", "detail.page_up", "Details"),
        bind("g,home", "scroll_home", "Top", "detail.top", "Details"),
        bind("G,end", "scroll_end", "End", "detail.end", "Details"),
    ]

    def __init__(self, doc: Doc = (), *, id: str | None = None, classes: str = "", can_focus: bool = True) -> None:
        super().__init__(id=id, classes=classes, can_focus=can_focus)
        self.doc = doc
        self._drawn: tuple[Doc, int] | None = None

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(classes="doc-text")

    def show(self, doc: Doc) -> None:
        """Show these lines; the scroll stays."""
        self.doc = doc
        self._draw()

    def on_resize(self) -> None:
        """Lines fit the new width."""
        self._draw()

    def on_mount(self) -> None:
        """Draw what was given."""
        self._draw()

    def _draw(self) -> None:
        found = self.query(".doc-text")
        width = self.scrollable_content_region.width
        if not found or width <= 0 or (self.doc, width) == self._drawn:
            return
        self._drawn = (self.doc, width)
        found.first(Static).update(fitted(self.doc, width))

    def action_scroll_down(self) -> None:
        """A line down."""
        self.scroll_relative(y=1, animate=False)

    def action_scroll_up(self) -> None:
        """A line up."""
        self.scroll_relative(y=-1, animate=False)

    def action_page_down(self) -> None:
        """A screenful down."""
        self.scroll_relative(y=max(1, self.size.height - 2), animate=False)

    def action_page_up(self) -> None:
        """A screenful up."""
        self.scroll_relative(y=-max(1, self.size.height - 2), animate=False)

    def action_scroll_home(self) -> None:
        """To the top."""
        self.scroll_home(animate=False)

    def action_scroll_end(self) -> None:
        """To the end."""
        self.scroll_end(animate=False)
