"""`InspectorApp`: the frame, the tabs, the keys that work everywhere, and the wiring. Nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import unicodedata
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import ClassVar

os.environ.setdefault("TEXTUAL_DISABLE_KITTY_KEY", "1")  # keeps input methods working in some terminals

from textual import events, on
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Input, Static

from inspector.messages import Notice, Perform, SnapshotTaken, Task
from inspector.panes.base import NARROW, Pane
from inspector.panes.context import ContextPane
from inspector.panes.history import HistoryPane
from inspector.panes.long_term import LongTermPane
from inspector.panes.pending import PendingPane
from inspector.panes.profile import ProfilePane
from inspector.panes.working import WorkingPane
from inspector.screens.confirm import Confirm, TypedConfirm
from inspector.screens.help import Help
from inspector.screens.problems import Problems
from inspector.snapshot import Snapshot
from inspector.widgets.frame import header, key_bar, tab_bar
from inspector.widgets.text import gap, heading, line, lines, pair
from inspector.workspace import Workspace
from memory_core.configuration import Configuration
from memory_core.errors import ChangedError, MemoryCoreError
from memory_core.manager import MemoryManager
from memory_core.results import ResetPreview, ResetResult, SummaryResult

PANES: tuple[type[Pane], ...] = (ProfilePane, WorkingPane, LongTermPane, PendingPane, ContextPane, HistoryPane)
START = 3
"""The tab that is open first: Pending."""
TWINS = {chr(0xFF01 + offset): chr(0x21 + offset) for offset in range(94)}
"""Full-width characters, as an input method types them, to the keys that they stand for."""


class InspectorApp(App[int]):
    """The console on one repository's memory."""

    CSS_PATH = "app.tcss"
    TITLE = "memory-inspector"
    AUTO_FOCUS = "RowList"
    ENABLE_COMMAND_PALETTE = True

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number + 1), f"tab({number})", pane.TITLE, show=False, id=f"tab.{pane.TITLE.lower()}")
            for number, pane in enumerate(PANES)
        ),
        Binding("left_square_bracket", "turn_tab(-1)", "Previous tab", show=False, id="tab.previous"),
        Binding("right_square_bracket", "turn_tab(1)", "Next tab", show=False, id="tab.next"),
        Binding("S", "summarise", "Summarise now", show=False, id="app.summarise"),
        Binding("ctrl+r", "look", "Look at the disk again", show=False, id="app.look"),
        Binding("exclamation_mark", "problems", "Problems and log", show=False, id="app.problems"),
        Binding("question_mark", "help", "Keys", show=False, id="app.help"),
        Binding("colon", "command_palette", "Commands", show=False, id="app.commands"),
        Binding("q", "quit", "Quit", show=False, id="app.quit"),
        Binding("ctrl+c", "quit", "Quit", show=False, id="app.interrupt", priority=True),
    ]

    def __init__(
        self,
        manager: MemoryManager,
        *,
        read_only: bool = False,
        title: str | None = None,
        theme: str = "",
        look_at: str = "",
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]
        self.workspace = Workspace(manager, read_only=read_only, look_at=look_at)
        self.name_shown = title or manager.root.name
        self.snapshot: Snapshot | None = None
        self.busy = ""
        self._visited: dict[str, object] = {}
        self._theme_wanted = theme or manager.configuration.settings.theme
        keymap = manager.configuration.settings.keymap
        if keymap:
            self.set_keymap(keymap)

    def compose(self) -> ComposeResult:
        """First line, tab bar, the open tab, the line of keys."""
        yield Static(id="header")
        yield Static(id="tabs")
        yield ContentSwitcher(id="switcher")
        yield Static(id="keys")

    async def on_mount(self) -> None:
        """Open the first tab and begin to watch."""
        if self._theme_wanted in self.available_themes:
            self.theme = self._theme_wanted
        elif "NO_COLOR" in os.environ:
            self.theme = "textual-dark"  # without colours the terminal's own ones would become black on black
        elif self.ansi_color or os.environ.get("COLORTERM") not in {"truecolor", "24bit"}:
            self.theme = "ansi-dark" if "ansi-dark" in self.available_themes else "textual-ansi"
        await self._open(START)
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # not on Windows, nor in a thread
            for number in (signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, self._leave)
        self.run_worker(self._watch, thread=True, exit_on_error=False, group="watch")

    def _watch(self) -> None:
        """Runs in a thread of its own until the console ends."""

        def changed(snapshot: Snapshot) -> None:
            self.post_message(SnapshotTaken(snapshot))

        self.workspace.watch(changed)

    def on_unmount(self) -> None:
        """End watching, so that the program ends at once."""
        self.workspace.stop()
        self.workspace.manager.close()

    async def settled(self) -> None:
        """Wait until a first look was taken and no task runs; for tests and pictures."""
        while self.snapshot is None or any(
            worker.group in {"task", "draft"} for worker in self.workers if not worker.is_finished
        ):
            await asyncio.sleep(0.01)

    # Tabs.

    async def _open(self, number: int) -> None:
        """Show a tab; it is mounted on its first visit."""
        switcher = self.query_one("#switcher", ContentSwitcher)
        kind = PANES[number]
        name = f"pane-{number}"
        if not switcher.query(f"#{name}"):
            pane = kind(self.workspace, id=name)
            await switcher.mount(pane)
        switcher.current = name
        pane = switcher.query_one(f"#{name}", Pane)
        if self.snapshot is not None:
            pane.show(self.snapshot)
        pane.list.focus()
        self._visit()
        self._draw_frame()

    @property
    def active(self) -> int:
        """The number of the open tab, from 0."""
        current = self.query_one("#switcher", ContentSwitcher).current
        return int(current.rpartition("-")[2]) if current else START

    @property
    def pane(self) -> Pane | None:
        """The open tab."""
        switcher = self.query_one("#switcher", ContentSwitcher)
        return switcher.query_one(f"#{switcher.current}", Pane) if switcher.current else None

    async def action_tab(self, number: int) -> None:
        """Open a tab."""
        await self._open(number)

    async def action_turn_tab(self, step: int) -> None:
        """The next or the previous tab."""
        await self._open((self.active + step) % len(PANES))

    def _content_of(self, snapshot: Snapshot, number: int) -> object:
        """What makes a tab's content new."""
        document = snapshot.document
        contents: tuple[object, ...] = (
            document.repo_profile,
            document.working_memory,
            document.long_term_memory,
            tuple(view.id for view in snapshot.pending),
            None,
            tuple(revision.seq for revision in snapshot.revisions),
        )
        return contents[number]

    def _visit(self) -> None:
        if self.snapshot is not None:
            self._visited[PANES[self.active].TITLE] = self._content_of(self.snapshot, self.active)

    # The frame.

    @on(SnapshotTaken)
    def _taken(self, event: SnapshotTaken) -> None:
        first = self.snapshot is None
        self.snapshot = event.snapshot
        if first:
            self._visited = {pane.TITLE: self._content_of(event.snapshot, number) for number, pane in enumerate(PANES)}
        pane = self.pane
        if pane is not None:
            pane.show(event.snapshot)
        self._visit()
        self._draw_frame()

    def _draw_frame(self) -> None:
        snapshot, width = self.snapshot, self.size.width
        if not self.is_running or width == 0:
            return
        policy = self.workspace.manager.policy
        busy = f"⟳ {self.busy} …" if self.busy else ""
        first = header(self.name_shown, snapshot, policy.limits, width, read_only=self.workspace.read_only, busy=busy)
        self.query_one("#header", Static).update(first)
        news = []
        for number, pane in enumerate(PANES):
            fresh = snapshot is not None and self._visited.get(pane.TITLE) != self._content_of(snapshot, number)
            count = f" {len(snapshot.pending)}" if pane is PendingPane and snapshot and snapshot.pending else ""
            news.append(count + ("•" if fresh else ""))
        problems = len(snapshot.problems) if snapshot else 0
        self.query_one("#tabs", Static).update(
            tab_bar([pane.TITLE for pane in PANES], self.active, news, problems, width)
        )
        open_pane = self.pane
        self.query_one("#keys", Static).update(key_bar(open_pane.HINTS if open_pane else (), width))

    def on_resize(self) -> None:
        """The frame fits the new width, which is known once the screen was laid out anew."""
        self.call_after_refresh(self._draw_frame)

    @on(events.Click, "#tabs")
    async def _tab_clicked(self, event: events.Click) -> None:
        """A click on a tab opens it."""
        at = 1
        wide = self.size.width >= 96
        for number, pane in enumerate(PANES):
            title = pane.TITLE if wide or number == self.active else pane.TITLE[:7]
            at += len(title) + 5
            if event.x < at:
                await self._open(number)
                return

    async def on_event(self, event: events.Event) -> None:
        """Full-width keys work as their twins, unless something is typed into."""
        if isinstance(event, events.Key) and not isinstance(self.focused, Input):
            twin = _twin(event)
            event = events.Key(_key_name(twin), twin) if twin else event
        await super().on_event(event)

    # Tasks.

    @on(Perform)
    def _perform(self, event: Perform) -> None:
        event.stop()
        self.perform(event.task)

    def perform(self, task: Task) -> None:
        """Run a task in a thread; the console goes on meanwhile."""
        if task.writes and self.workspace.read_only:
            self.notify("Read-only: this console was opened to look.", severity="warning")
            return
        self.busy = task.title if task.writes else self.busy
        self._draw_frame()
        self.run_worker(partial(self._run, task), thread=True, exit_on_error=False, group="task")

    def _run(self, task: Task) -> None:
        try:
            result = task.run()
        except MemoryCoreError as error:
            self.call_from_thread(self._failed, task, error)
        except Exception as error:
            self.log.error(f"{task.title}: {error!r}")
            self.call_from_thread(self._broken, task, error)
        else:
            self.call_from_thread(self._finished, task, result)

    def _finished(self, task: Task, result: object) -> None:
        if task.writes:
            self.busy = ""
        self.workspace.look_again()
        if task.done is not None:
            task.done(result)
        self._draw_frame()

    def _failed(self, task: Task, error: MemoryCoreError) -> None:
        """What happened, what it means, what to do."""
        self.busy = ""
        self.workspace.look_again()
        title = "Nothing was written" if task.writes else "That did not work"
        if isinstance(error, ChangedError):
            title = "The file changed meanwhile"
        text = Content(f"{error.message} {error.hint}".strip())
        self.notify(text.plain.replace("[", "\\["), title=title, severity="error", timeout=12)
        self._draw_frame()

    def _broken(self, task: Task, error: Exception) -> None:
        self.busy = ""
        self.notify(f"A fault of ours while {task.title}: {type(error).__name__}.", severity="error", timeout=12)
        self._draw_frame()

    @on(Notice)
    def _notice(self, event: Notice) -> None:
        event.stop()
        self.notify(event.text, markup=False)

    # Actions everywhere.

    def action_look(self) -> None:
        """Look at the disk again."""
        self.workspace.look_again()

    def action_summarise(self) -> None:
        """Name the model and the turns, ask, then summarise in the background."""
        if self.snapshot is None:
            return
        pending = [
            turn for turn in self.snapshot.document.turns if turn.is_pending and turn.id not in self.snapshot.claimed
        ]
        if not pending:
            self.notify("No pending turn waits for a summary.")
            return
        try:
            name = self.workspace.manager.summarizer.name
        except MemoryCoreError as error:
            self.notify(f"{error.message} {error.hint}", severity="error", markup=False)
            return
        chosen = pending[-4:]
        body = lines(
            pair("model", name),
            pair("turns", f"{len(chosen)} of {len(pending)} pending, the newest"),
            *[line("  " + turn.user_text) for turn in chosen],
            gap(("The reply is judged and waits under Pending; nothing is applied by itself.", "dim")),
        )
        manager = self.workspace.manager

        def answered(confirmed: bool | None) -> None:
            if confirmed:
                self.perform(Task("summarising", lambda: manager.summarize(asked_by="person"), self._summarised))

        self.push_screen(Confirm("Summarise now?", body, key="S", verb="summarise"), answered)

    def _summarised(self, result: object) -> None:
        if not isinstance(result, SummaryResult):
            return
        words = f"{result.model}: {result.status.replace('_', ' ')}."
        if result.reason is not None:
            words += f" {result.reason.message} {result.reason.hint}"
        failed = result.status in {"failed", "refused", "discarded"}
        self.notify(words, severity="warning" if failed else "information", timeout=10, markup=False)

    def action_problems(self) -> None:
        """What is wrong, and the log."""
        if self.snapshot is None:
            return
        manager = self.workspace.manager

        def answered(word: str | None) -> None:
            if word == "recover":
                self.perform(
                    Task(
                        "setting the file aside",
                        manager.recover,
                        lambda name: self.notify(f"It is kept as {name}.", markup=False),
                    )
                )

        self.push_screen(Problems(self.snapshot), answered)

    def action_help(self) -> None:
        """Keys of what has the focus, then those that work everywhere."""
        groups: list[tuple[str, list[tuple[str, str]]]] = []
        pane = self.pane
        if pane is not None:
            groups.append((f"In {pane.TITLE}", _described(type(pane).BINDINGS)))
            groups.append(("In lists and details", _described([*type(pane.list).BINDINGS, *Pane.BINDINGS])))
        groups.append(("Everywhere", _described(self.BINDINGS)))
        self.push_screen(Help(groups))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action, for the command palette."""
        for number, pane in enumerate(PANES):
            yield SystemCommand(pane.TITLE, f"Open the tab {number + 1}", partial(self._open_later, number))
        yield SystemCommand("Summarise now", "Ask the model for a delta (S)", self.action_summarise)
        yield SystemCommand("Problems and log", "What is wrong, and what happened (!)", self.action_problems)
        yield SystemCommand("Keys", "What can be done here (?)", self.action_help)
        yield SystemCommand(
            "Reset memory", "Clear the document; leaves one undo point", partial(self.action_reset, False)
        )
        yield SystemCommand(
            "Purge memory", "Clear everything, history and backups too; no undo", partial(self.action_reset, True)
        )
        yield SystemCommand("Look again", "Read the folder anew (ctrl+r)", self.action_look)
        yield SystemCommand("Theme", "Choose colours", self.action_change_theme)
        yield SystemCommand("Quit", "Leave the console (q)", self._leave)

    def _open_later(self, number: int) -> None:
        self.call_later(self.action_tab, number)

    def _leave(self) -> None:
        self.exit(0)

    def action_reset(self, purge: bool) -> None:
        """Say what goes and what stays; the word must be typed."""
        manager = self.workspace.manager
        ask: Callable[[object], None] = partial(self._ask_reset, purge)
        self.perform(Task("looking", manager.preview_reset, ask, writes=False))

    def _ask_reset(self, purge: bool, found: object) -> None:
        if not isinstance(found, ResetPreview):
            return
        word = "purge" if purge else "reset"
        body = [
            heading("Goes"),
            line(f"  {found.turns} turns, {found.topics} topics, {found.items} long-term items"),
            line(f"  {found.pending} pending deltas, which stay on record as discarded"),
            line("  whatever summary is in flight, also in other processes: it will be discarded"),
        ]
        if purge:
            backups = ", ".join(found.backups) or "no backups"
            body += [
                line(f"  {found.revisions} revisions of the history, {backups}"),
                gap(("There is NO undo.", "bad")),
            ]
        else:
            undo = "  one undo point in the history" if found.undo else "  nothing to undo: there is no memory"
            body += [
                heading("Stays"),
                line(undo),
                line(f"  {found.revisions} earlier revisions, {len(found.backups)} backups"),
            ]
        manager = self.workspace.manager

        def answered(confirmed: bool | None) -> None:
            if confirmed:
                self.perform(Task(f"{word} of memory", lambda: manager.reset(purge=purge), self._was_reset))

        self.push_screen(TypedConfirm(f"{word.capitalize()} memory?", lines(*body), word=word), answered)

    def _was_reset(self, result: object) -> None:
        if isinstance(result, ResetResult):
            undo = f" Revision {result.revision} undoes it." if result.revision else ""
            self.notify(f"Memory is cleared.{undo}")


def _described(bindings: Iterable[BindingType]) -> list[tuple[str, str]]:
    """Keys and descriptions of bindings, for people."""
    names = {
        "question_mark": "?",
        "exclamation_mark": "!",
        "colon": ":",
        "slash": "/",
        "plus": "+",
        "left_square_bracket": "[",
        "right_square_bracket": "]",
    }
    described: list[tuple[str, str]] = []
    for binding in bindings:
        if isinstance(binding, Binding):
            keys = " ".join(names.get(key, key) for key in binding.key.split(","))
            described.append((keys, binding.description))
    return described


def _twin(event: events.Key) -> str:
    """The plain character that a full-width key stands for; empty for any other key."""
    character = event.character or ""
    if not character and event.key.startswith("fullwidth_"):
        with contextlib.suppress(KeyError):
            character = unicodedata.lookup(event.key.replace("_", " ").upper())
    return TWINS.get(character, "")


def _key_name(character: str) -> str:
    """The name that the framework gives to a character's key."""
    from textual.keys import _character_to_key

    return _character_to_key(character)


def run(
    root: Path,
    *,
    read_only: bool = False,
    ascii_only: bool = False,
    mouse: bool = True,
    configuration: Configuration | None = None,
    title: str | None = None,
) -> int:
    """Open the console on a repository; its status is 0 after `q`."""
    del ascii_only
    manager = MemoryManager(root, configuration=configuration)
    app = InspectorApp(manager, read_only=read_only, title=title)
    return app.run(mouse=mouse) or 0
