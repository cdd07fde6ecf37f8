"""What every tab shares: a list on the left, the detail of its row on the right, a line of what can be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from inspector.messages import Notice, Perform, Task
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Row, RowList
from inspector.widgets.text import line, prose
from inspector.workspace import Workspace

NARROW = 100
"""Columns below which the detail goes under the list."""


class Pane(Horizontal):
    """One tab. It renders snapshots and asks for tasks; it reads no file and decides no rule."""

    TITLE: ClassVar[str] = ""
    HINTS: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Keys and what they do here, the most important first."""
    EMPTY: ClassVar[str] = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "other_side", "List or detail", show=False, id="pane.other_side", priority=True),
        Binding("J", "scroll_detail(3)", "Scroll the detail down", show=False, id="pane.detail_down"),
        Binding("K", "scroll_detail(-3)", "Scroll the detail up", show=False, id="pane.detail_up"),
        Binding("slash", "filter", "Filter", show=False, id="pane.filter"),
        Binding("C", "copy", "Copy", show=False, id="pane.copy"),
        Binding("plus", "zoom", "Zoom the detail", show=False, id="pane.zoom"),
        Binding("escape,h,backspace", "back", "Back", show=False, id="pane.back"),
    ]

    def __init__(self, workspace: Workspace, *, id: str) -> None:
        super().__init__(id=id)
        self.workspace = workspace
        self.snapshot: Snapshot | None = None
        self.filter_text = ""
        self._fresh: set[str] = set()

    def compose(self) -> ComposeResult:
        """List, filter and foot on the left; the detail on the right."""
        with VerticalScroll(classes="side", can_focus=False):
            yield Input(placeholder="filter", classes="filter", compact=True)
            yield RowList()
            yield Static(classes="foot")
        with VerticalScroll(classes="detail"):
            yield Static(classes="detail-text")

    # What a tab gives.

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """The rows of the list."""
        raise NotImplementedError

    def detail(self, snapshot: Snapshot, key: str | None) -> Content:
        """The detail of a row."""
        raise NotImplementedError

    def foot(self, snapshot: Snapshot) -> Content | None:
        """A line under the list."""
        return None

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """What `C` copies."""
        return key

    # Rendering.

    @property
    def list(self) -> RowList:
        """The list."""
        return self.query_one(RowList)

    def show(self, snapshot: Snapshot) -> None:
        """Render a snapshot; cursor and scroll stay."""
        changed = self.snapshot is not None and snapshot.document != self.snapshot.document
        self.snapshot = snapshot
        if changed:
            self._note_fresh(snapshot)
        self.redraw()

    def _note_fresh(self, snapshot: Snapshot) -> None:
        """Mark what came or changed, for two seconds."""
        known = {row.key: row.search for row in self.list.rows}
        self._fresh = {row.key for row in self.rows(snapshot) if not row.heading and known.get(row.key) != row.search}
        if self._fresh:
            self.set_timer(2.0, self._forget_fresh)

    def _forget_fresh(self) -> None:
        self._fresh = set()
        self.redraw()

    def redraw(self) -> None:
        """Render what is known again."""
        snapshot = self.snapshot
        if snapshot is None or not self.is_attached or not self.query(RowList):
            return
        rows = [
            Row(row.key, row.cells, row.heading, row.key in self._fresh, row.search)
            for row in self.rows(snapshot)
            if row.heading or self.filter_text.casefold() in row.search.casefold()
        ]
        with self.app.batch_update():
            self.list.set_rows(rows)
            self.draw_detail()
            foot = self._filter_foot(rows) or self.foot(snapshot)
            strip = self.query_one(".foot", Static)
            strip.display = foot is not None
            if foot is not None:
                strip.update(foot)

    def _filter_foot(self, rows: Sequence[Row]) -> Content | None:
        if not self.filter_text or self.snapshot is None:
            return None
        found = sum(not row.heading for row in rows)
        of = sum(not row.heading for row in self.rows(self.snapshot))
        return line(("/", "dim"), (self.filter_text, "strong"), f"  {found} of {of}", ("  esc clears", "dim"))

    def draw_detail(self) -> None:
        """Render the detail of the row under the cursor."""
        if self.snapshot is None:
            return
        key = self.list.key
        shown = self.detail(self.snapshot, key) if key is not None else prose(self.EMPTY)
        self.query_one(".detail-text", Static).update(shown)

    @on(RowList.Highlighted)
    def _highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.query_one(".detail", VerticalScroll).scroll_home(animate=False)
        self.draw_detail()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if event.key is not None:
            self.open(event.key)

    def open(self, key: str) -> None:
        """A row was opened: its detail alone where there is little room, else the cursor goes there."""
        if self.size.width < NARROW:
            self.set_class(True, "zoomed")
        self.query_one(".detail", VerticalScroll).focus()

    # Actions.

    def action_other_side(self) -> None:
        """Go to the detail, or back to the list."""
        detail = self.query_one(".detail", VerticalScroll)
        (self.list if detail.has_focus else detail).focus()

    def action_scroll_detail(self, by: int) -> None:
        """Scroll the detail from the list."""
        self.query_one(".detail", VerticalScroll).scroll_relative(y=by, animate=False)

    def action_zoom(self) -> None:
        """The detail alone, or beside its list again."""
        self.toggle_class("zoomed")

    def action_filter(self) -> None:
        """Type what the rows must hold."""
        box = self.query_one(".filter", Input)
        box.display = True
        box.value = self.filter_text
        box.focus()

    @on(Input.Changed, ".filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.filter_text = event.value
        self.redraw()

    @on(Input.Submitted, ".filter")
    def _filter_done(self, event: Input.Submitted) -> None:
        event.stop()
        event.input.display = False
        self.list.focus()

    def action_back(self) -> None:
        """Close the nearest thing: typing, zoom, filter; never quits."""
        box = self.query_one(".filter", Input)
        if box.has_focus or self.filter_text:
            box.value = self.filter_text = ""
            box.display = False
            self.redraw()
        self.remove_class("zoomed")
        self.list.focus()

    def action_copy(self) -> None:
        """Send the selected thing to the terminal's clipboard."""
        if self.snapshot is not None and self.list.key is not None:
            self.app.copy_to_clipboard(self.copied(self.snapshot, self.list.key))
            self.post_message(Notice("Sent to the terminal's clipboard."))

    def perform(
        self,
        title: str,
        run: Callable[[], object],
        done: Callable[[object], None] | None = None,
        *,
        writes: bool = True,
    ) -> None:
        """Ask for a task."""
        self.post_message(Perform(Task(title, run, done, writes)))
