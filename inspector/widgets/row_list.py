"""A list of rows with a cursor that stays on its row whatever comes or goes around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inspector.display import cells, pad, safe
from inspector.keys import bind

MARK = 2
"""Cells at the beginning of a row, for its mark."""
TONES = ("ok", "held", "bad", "dim", "strong", "accent", "fresh")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a row; width 0 takes what is left. `tone` names a colour, which never stands alone."""

    text: str
    width: int = 0
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One row. A heading cannot be chosen."""

    key: str
    cells: tuple[Cell, ...]
    heading: bool = False
    fresh: bool = False
    """It came or changed within the last two seconds."""
    unseen: bool = False
    """It came or changed, and the cursor has not been on it since."""
    search: str = field(default="")
    """What a filter looks at, and what tells a change."""


class RowList(ScrollView, can_focus=True):
    """Rows of cells; the flexible one is cut with `…`, everything measured in terminal cells."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row-list--cursor",
        "row-list--cursor-blurred",
        "row-list--heading",
        *(f"row-list--{tone}" for tone in TONES),
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("down,j", "move(1)", "Next row", "row.next", "Lists"),
        bind("up,k", "move(-1)", "Previous row", "row.previous", "Lists"),
        bind("pagedown,ctrl+d", "page(1)", "Page down", "row.page_down", "Lists"),
        bind("pageup,ctrl+u", "page(-1)", "Page up", "row.page_up", "Lists"),
        bind("g,home", "edge(-1)", "First row", "row.first", "Lists"),
        bind("G,end", "edge(1)", "Last row", "row.last", "Lists"),
        bind("enter,l", "choose", "Open", "row.open", "Lists"),
        bind("space", "mark", "Mark a row", "row.mark", "Lists", tip="Marked rows are decided, or compared, together."),
    ]

    can_mark = False
    """Whether rows can be marked here."""

    class Highlighted(Message):
        """The cursor stands on another row."""

        def __init__(self, rows: RowList, key: str | None) -> None:
            super().__init__()
            self.rows = rows
            self.key = key

        @property
        def control(self) -> RowList:
            """The list."""
            return self.rows

    class Chosen(Highlighted):
        """A row was opened."""

    class Marked(Highlighted):
        """A row was marked, or its mark taken away."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: tuple[Row, ...] = ()
        self.key: str | None = None
        self.marked: set[str] = set()
        self._index = -1

    def set_rows(self, rows: Sequence[Row]) -> bool:
        """Show these rows. The cursor stays on its key and at its height on the screen; else at its index.

        Whether the cursor had to go to another row.
        """
        height_on_screen = self._index - self.scroll_offset.y
        self.rows = tuple(rows)
        self.marked &= {row.key for row in rows}
        index = next((i for i, row in enumerate(self.rows) if row.key == self.key and not row.heading), None)
        before = self.key
        if index is None:
            index = self._nearest(min(max(self._index, 0), len(self.rows) - 1), 1)
        moved = index != self._index
        self._index = index
        self.key = self.rows[index].key if index >= 0 else None
        self.virtual_size = Size(self.size.width, len(self.rows))
        if moved and index >= 0:
            self.scroll_to(y=max(0, index - max(0, height_on_screen)), animate=False, immediate=True)
            self._show_cursor()
        self.refresh()
        if self.key == before:
            return False
        self.post_message(self.Highlighted(self, self.key))
        return before is not None

    def _nearest(self, index: int, step: int) -> int:
        """The nearest row that is no heading, looking one way and then the other."""
        for direction in (step, -step):
            at = index
            while 0 <= at < len(self.rows):
                if not self.rows[at].heading:
                    return at
                at += direction
        return -1

    def select(self, key: str) -> None:
        """Put the cursor on a row."""
        index = next((i for i, row in enumerate(self.rows) if row.key == key), None)
        if index is not None:
            self._go(index)

    def _go(self, index: int) -> None:
        if not 0 <= index < len(self.rows):
            return
        self._index = index
        changed = self.key != self.rows[index].key
        self.key = self.rows[index].key
        self._show_cursor()
        self.refresh()
        if changed:
            self.post_message(self.Highlighted(self, self.key))

    def _show_cursor(self) -> None:
        """Scroll so that the cursor is seen, with the heading right above it."""
        above = 1 if self._index > 0 and self.rows[self._index - 1].heading else 0
        self.scroll_to_region(Region(0, self._index - above, 1, 1 + above), animate=False, force=True)

    def action_move(self, step: int) -> None:
        """One row down or up, over headings."""
        at = self._nearest(self._index + step, step) if 0 <= self._index + step < len(self.rows) else -1
        if at >= 0:
            self._go(at)

    def action_page(self, step: int) -> None:
        """A screenful down or up."""
        target = min(max(self._index + step * max(1, self.size.height - 1), 0), len(self.rows) - 1)
        self._go(self._nearest(target, step))

    def action_edge(self, step: int) -> None:
        """The first or the last row."""
        self._go(self._nearest(0 if step < 0 else len(self.rows) - 1, -step))

    def action_choose(self) -> None:
        """Open the row."""
        if self.key is not None:
            self.post_message(self.Chosen(self, self.key))

    def action_mark(self) -> None:
        """Mark the row, or take its mark away, and go on."""
        if self.can_mark and self.key is not None:
            self.marked ^= {self.key}
            self.refresh()
            self.post_message(self.Marked(self, self.key))
            self.action_move(1)

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor; a double click opens."""
        index = event.y + self.scroll_offset.y
        if 0 <= index < len(self.rows) and not self.rows[index].heading:
            self._go(index)
            if event.chain == 2:
                self.action_choose()

    def on_resize(self) -> None:
        """Rows fill the new width."""
        self.virtual_size = Size(self.size.width, len(self.rows))

    def render_line(self, y: int) -> Strip:
        """One line on the screen."""
        index = y + self.scroll_offset.y
        width = self.size.width
        base = self.rich_style
        if not 0 <= index < len(self.rows):
            return Strip.blank(width, base)
        row = self.rows[index]
        if index == self._index:
            base = self._cursor_style()
        elif row.heading:
            base += self.get_component_rich_style("row-list--heading", partial=True)
        elif row.fresh:
            base += self.get_component_rich_style("row-list--fresh", partial=True)
        return Strip(self._segments(row, width, base, index == self._index), width)

    def _cursor_style(self) -> Style:
        """A tint; on a terminal's own colours, of which nothing is known, reversed."""
        if self.app.current_theme.ansi:
            return self.rich_style + (Style(reverse=True, bold=True) if self.has_focus else Style(underline=True))
        return self.get_component_rich_style("row-list--cursor" if self.has_focus else "row-list--cursor-blurred")

    def _segments(self, row: Row, width: int, base: Style, chosen: bool) -> list[Segment]:
        mark = "" if row.heading else ("◆ " if row.key in self.marked else ("• " if row.unseen else "  "))
        plain = chosen and self.app.current_theme.ansi
        fixed = sum(cell.width + 1 for cell in row.cells if cell.width)
        flexible = [cell for cell in row.cells if not cell.width]
        room = max(0, width - cells(mark) - fixed - max(0, len(flexible) - 1))
        segments = [Segment(mark, base)]
        used = cells(mark)
        for cell in row.cells:
            share = cell.width or room // max(1, len(flexible))
            share = min(share, width - used)
            if share <= 0:
                break
            style = base
            if cell.tone and not plain:
                style = base + self.get_component_rich_style(f"row-list--{cell.tone}", partial=True)
            segments.append(Segment(pad(safe(cell.text), share), style))
            used += share
            if used < width:
                segments.append(Segment(" ", base))
                used += 1
        if used < width:
            segments.append(Segment(" " * (width - used), base))
        return segments


def header_line(columns: Sequence[Cell], width: int) -> str:
    """The names of the columns, each above its own."""
    fixed = sum(cell.width + 1 for cell in columns if cell.width)
    flexible = sum(not cell.width for cell in columns)
    room = max(0, width - MARK - fixed - max(0, flexible - 1))
    parts = [pad(cell.text, cell.width or room // max(1, flexible)) for cell in columns]
    return pad(" " * MARK + " ".join(parts), width)
