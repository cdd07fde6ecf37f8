"""What every tab shares: a list on the left, the detail of its row on the right, a line of what can be done."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.keys import bind
from inspector.messages import HintsChanged, Perform, Task
from inspector.snapshot import Snapshot
from inspector.widgets.detail import DocView
from inspector.widgets.row_list import Cell, Row, RowList, header_line
from inspector.widgets.text import Doc, Line, fitted, line
from inspector.workspace import Workspace
from memory_core.errors import MemoryCoreError

NARROW = 100
"""Columns below which the detail goes under the list."""
FRESH = 2.0
"""Seconds for which a change is marked."""
HOLD = 0.8
"""Seconds for which a decision is refused after what the cursor stands on changed under it."""

Rows = list[Row]
Hints = tuple[tuple[str, str], ...]
"""Binding ids, several joined by `+`, and what they do; the most important first."""


class Pane(Horizontal):
    """One tab. It renders snapshots and asks for tasks; it reads no file and decides no rule."""

    TITLE: ClassVar[str] = ""
    HINTS: ClassVar[Hints] = ()
    COLUMNS: ClassVar[tuple[Cell, ...]] = ()
    EMPTY: ClassVar[tuple[str, ...]] = ()
    """Why it is empty, and what would fill it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("tab", "other_side", "List or detail", "pane.other_side", "Lists", priority=True),
        bind("J", "scroll_detail(3)", "Scroll the detail down", "pane.detail_down", "Lists"),
        bind("K", "scroll_detail(-3)", "Scroll the detail up", "pane.detail_up", "Lists"),
        bind("slash", "filter", "Filter", "pane.filter", "Lists", tip="Several words must all be there."),
        bind("plus", "zoom", "Detail alone, or beside", "pane.zoom", "Lists"),
        bind("escape,h,backspace", "back", "Back", "pane.back", "Lists", tip="Closes the nearest thing; never quits."),
        bind("C", "copy", "Copy", "pane.copy", "Lists", tip="What is selected by mouse, else the row."),
    ]

    hold = HOLD

    def __init__(self, workspace: Workspace, *, id: str) -> None:
        super().__init__(id=id)
        self.workspace = workspace
        self.snapshot: Snapshot | None = None
        self.filter_text = ""
        self._fresh: set[str] = set()
        self._unseen: set[str] = set()
        self._shifted: dict[str, float] = {}
        self.switched = False
        """Whether the list shows other rows than before for a reason of its own, so that none of them is news."""

    def compose(self) -> ComposeResult:
        """List, filter and foot on the left; the detail on the right."""
        with Vertical(classes="side"):
            yield from self.above()
            yield Static(classes="columns", markup=False)
            yield RowList()
            yield Input(placeholder="filter: words that must be there", classes="filter", compact=True)
            yield Static(classes="foot")
        yield DocView(classes="detail")

    def above(self) -> ComposeResult:
        """What stands above the list."""
        return iter(())

    # What a tab gives.

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """The rows of the list."""
        raise NotImplementedError

    def detail(self, snapshot: Snapshot, key: str | None) -> Doc:
        """The detail of a row."""
        raise NotImplementedError

    def foot(self, snapshot: Snapshot) -> Doc:
        """What stands under the list."""
        return ()

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """What `C` copies."""
        return key

    def columns(self) -> tuple[Cell, ...]:
        """The names of the columns."""
        return self.COLUMNS

    def hints(self) -> Hints:
        """Keys of what has the focus."""
        if self.detail_view.has_focus:
            return (
                ("detail.down+detail.up", "scroll"),
                ("pane.back", "back"),
                ("pane.zoom", "zoom"),
                *self.own_hints(),
            )
        if isinstance(self.screen.focused, Input):
            return (("enter", "keeps it"), ("escape", "leaves"))
        return self.own_hints()

    def own_hints(self) -> Hints:
        """Keys of this tab's list."""
        return self.HINTS

    # Rendering.

    @property
    def list(self) -> RowList:
        """The list."""
        return self.query_one(RowList)

    @property
    def detail_view(self) -> DocView:
        """The detail."""
        return self.query_one(".detail", DocView)

    @property
    def is_built(self) -> bool:
        """Whether the list stands: not before the pane is composed, nor while the console closes."""
        return self.is_attached and bool(self.query(RowList))

    def show(self, snapshot: Snapshot) -> None:
        """Render a snapshot; cursor and scroll stay."""
        first, switched = self.snapshot is None, self.switched
        self.snapshot, self.switched = snapshot, False
        if not (first or switched):
            self._note_fresh(snapshot)
        if self.redraw() and not first and self.list.key is not None:
            self.shift([self.list.key])

    def _note_fresh(self, snapshot: Snapshot) -> None:
        """Mark what came or changed: for two seconds, and with a dot until the cursor was on it."""
        known = {row.key: row.search for row in self.list.rows}
        came = {row.key for row in self._kept(snapshot) if not row.heading and known.get(row.key) != row.search}
        if not came:
            return
        self._fresh |= came
        self._unseen |= came - {self.list.key}
        self.set_timer(FRESH, lambda: self._forget_fresh(came))

    def _forget_fresh(self, came: set[str]) -> None:
        self._fresh -= came
        self.redraw()

    def visited(self) -> None:
        """The tab is left: what was new has been seen."""
        self._fresh.clear()
        self._unseen.clear()

    def _kept(self, snapshot: Snapshot) -> Sequence[Row]:
        """The rows that the filter leaves; a heading goes with the last of its rows."""
        terms = self.filter_text.casefold().split()
        kept: Rows = []
        for row in self.rows(snapshot):
            if row.heading:
                if kept and kept[-1].heading:
                    kept.pop()
                kept.append(row)
            elif all(term in row.search.casefold() for term in terms):
                kept.append(row)
        while kept and kept[-1].heading:
            kept.pop()
        return kept

    def redraw(self) -> bool:
        """Render what is known again; whether the cursor had to go to another row."""
        snapshot = self.snapshot
        if snapshot is None or not self.is_built:
            return False
        rows = [
            row
            if row.heading
            else Row(row.key, row.cells, False, row.key in self._fresh, row.key in self._unseen, row.search)
            for row in self._kept(snapshot)
        ]
        with self.app.batch_update():
            displaced = self.list.set_rows(rows)
            self._draw_columns(bool(rows))
            self.draw_detail()
            self._draw_foot(self._filter_foot(snapshot) or self.foot(snapshot))
        return displaced

    def _draw_columns(self, any_rows: bool) -> None:
        columns, strip = self.columns(), self.query_one(".columns", Static)
        strip.display = bool(columns) and any_rows
        if strip.display:
            strip.update(Content(header_line(columns, max(1, self.list.size.width))))

    def _draw_foot(self, foot: Doc) -> None:
        strip = self.query_one(".foot", Static)
        strip.display = bool(foot)
        if foot:
            strip.update(fitted(foot, max(10, self.list.size.width - 2)))

    def _filter_foot(self, snapshot: Snapshot) -> Doc:
        if not self.filter_text:
            return ()
        found = sum(not row.heading for row in self._kept(snapshot))
        of = sum(not row.heading for row in self.rows(snapshot))
        return (line(("filter ", "dim"), (self.filter_text, "strong"), f"  {found} of {of}", ("   esc clears", "dim")),)

    def draw_detail(self) -> None:
        """Render the detail of the row under the cursor."""
        if self.snapshot is None:
            return
        key = self.list.key
        self.detail_view.show(self.detail(self.snapshot, key) if key is not None else self.empty())

    def empty(self) -> Doc:
        """Why there is nothing here."""
        if self.filter_text:
            return (line(("No row holds that. esc clears the filter.", "dim")),)
        return tuple(line((words, "" if number == 0 else "dim")) for number, words in enumerate(self.EMPTY))

    def on_resize(self, event: events.Resize) -> None:
        """Names of columns and foot fit the new width."""
        self.call_after_refresh(self.redraw)

    # What changed just now.

    def shift(self, keys: Sequence[str]) -> None:
        """Remember that these rows, or what the cursor stands on, changed just now."""
        now = time.monotonic()
        self._shifted |= dict.fromkeys(keys, now)

    def just_shifted(self, key: str) -> bool:
        """Whether a row changed so short a time ago that a key may have been meant for what it was."""
        return time.monotonic() - self._shifted.get(key, float("-inf")) < self.hold

    # Events of the list.

    @on(RowList.Highlighted)
    def _highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if type(event) is not RowList.Highlighted:
            return
        self._unseen -= {event.key or ""}
        self.detail_view.scroll_home(animate=False)
        self.row_changed(event.key)
        self.draw_detail()

    def row_changed(self, key: str | None) -> None:
        """The cursor stands on another row."""

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if event.key is not None:
            self.open(event.key)
            self.post_message(HintsChanged())

    def open(self, key: str) -> None:
        """A row was opened: its detail alone where there is little room, else the focus goes there."""
        if self.app.size.width < NARROW:
            self.set_class(True, "zoomed")
        self.detail_view.focus()

    # Actions.

    def action_other_side(self) -> None:
        """Go to the detail, or back to the list."""
        if self.detail_view.has_focus:
            self.remove_class("zoomed")
            self.list.focus()
        else:
            self.detail_view.focus()

    def action_scroll_detail(self, by: int) -> None:
        """Scroll the detail from the list."""
        self.detail_view.scroll_relative(y=by, animate=False)

    def action_zoom(self) -> None:
        """The detail alone, or beside its list again."""
        self.toggle_class("zoomed")
        (self.detail_view if self.has_class("zoomed") else self.list).focus()

    def action_filter(self) -> None:
        """Type what the rows must hold."""
        self.remove_class("zoomed")
        box = self.query_one(".filter", Input)
        box.display = True
        box.value = self.filter_text
        box.focus()

    @on(Input.Changed, ".filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.input.display and event.value != self.filter_text:
            self.filter_text = event.value
            self.redraw()

    @on(Input.Submitted, ".filter")
    def _filter_done(self, event: Input.Submitted) -> None:
        event.stop()
        event.input.display = False
        self.list.focus()

    def action_back(self) -> None:
        """Close the nearest thing: typing, zoom, detail, filter; never quits."""
        box = self.query_one(".filter", Input)
        if box.has_focus:
            box.display = False
            self._clear_filter()
        elif self.has_class("zoomed") or not self.list.has_focus:
            self.remove_class("zoomed")
        elif self.filter_text:
            self._clear_filter()
        self.list.focus()

    def close_one(self) -> bool:
        """Close what `q` closes before it quits; whether there was anything."""
        if self.has_class("zoomed"):
            self.remove_class("zoomed")
            self.list.focus()
            return True
        return False

    def _clear_filter(self) -> None:
        self.filter_text = ""
        self.query_one(".filter", Input).value = ""
        self.redraw()

    def action_copy(self) -> None:
        """Send what is selected to the terminal's clipboard."""
        selected = self.screen.get_selected_text()
        if selected:
            self.app.copy_to_clipboard(selected)
        elif self.snapshot is not None and self.list.key is not None:
            self.app.copy_to_clipboard(self.copied(self.snapshot, self.list.key))

    # Asking for something.

    def perform(
        self,
        title: str,
        run: Callable[[], object],
        done: Callable[[object], None] | None = None,
        *,
        failed: Callable[[MemoryCoreError], bool] | None = None,
        writes: bool = True,
        quiet: bool = False,
    ) -> None:
        """Ask for a task."""
        self.post_message(Perform(Task(title, run, done, failed, writes, quiet)))

    def say(self, words: str, *, warning: bool = False) -> None:
        """Say something that goes by."""
        self.app.notify(words, severity="warning" if warning else "information")

    def may_write(self) -> bool:
        """Whether this console may write; says so where it may not."""
        if self.workspace.read_only:
            self.say("Read-only: this console was opened to look; nothing is written.", warning=True)
        return not self.workspace.read_only


def lines_of(*words: str, tone: str = "dim") -> tuple[Line, ...]:
    """Plain lines of ours."""
    return tuple(line((entry, tone)) for entry in words)
