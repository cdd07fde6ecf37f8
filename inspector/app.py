"""`InspectorApp`: the frame, the tabs, the keys that work everywhere, tasks in threads, and the wiring."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

os.environ.setdefault("TEXTUAL_DISABLE_KITTY_KEY", "1")  # keeps input methods working in some terminals

from textual import events, on
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Input, Static, TextArea
from textual.worker import Worker, WorkerState

from inspector import actions, themes
from inspector.clipboard import send_through_tmux, sendable
from inspector.display import safe
from inspector.filters import PlainFilter, ScrubFilter
from inspector.keys import bind, clashes, key_name, twin, unknown
from inspector.messages import HintsChanged, LookFailed, Perform, SnapshotTaken, Task
from inspector.panes.base import NARROW, Pane
from inspector.panes.context import ContextPane
from inspector.panes.history import HistoryPane
from inspector.panes.long_term import LongTermPane
from inspector.panes.pending import PendingPane
from inspector.panes.profile import ProfilePane
from inspector.panes.working import WorkingPane
from inspector.snapshot import Snapshot
from inspector.widgets.frame import TabBar, header, key_bar, tab_bar
from inspector.workspace import Workspace
from memory_core.configuration import Configuration
from memory_core.errors import LockedError, MemoryCoreError, OutcomeUnknownError
from memory_core.manager import MemoryManager

logger = logging.getLogger("inspector")

PANES: tuple[type[Pane], ...] = (ProfilePane, WorkingPane, LongTermPane, PendingPane, ContextPane, HistoryPane)
START = 3
"""The tab that is open first: Pending."""
NOTICES = 200
"""Notices that are kept for Problems and log."""
FAULT = "A fault of this program"
ENDING = ("SIGTERM", "SIGHUP")
"""Signals that end the console as `q` does: drafts kept, the terminal left clean."""


class InspectorApp(App[int]):
    """The console on one repository's memory. `look_at` stands for the time of the data in pictures and tests."""

    CSS_PATH = "app.tcss"
    TITLE = "memory-inspector"
    AUTO_FOCUS = ""
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            bind(str(number + 1), f"tab({number})", pane.TITLE, f"tab.{pane.TITLE.lower()}", "Tabs")
            for number, pane in enumerate(PANES)
        ),
        bind("left_square_bracket", "turn_tab(-1)", "Previous tab", "tab.previous", "Tabs"),
        bind("right_square_bracket", "turn_tab(1)", "Next tab", "tab.next", "Tabs"),
        bind("S", "summarise", "Summarise now…", "app.summarise", "Everywhere", tip="Names model and turns, and asks."),
        bind("exclamation_mark", "problems", "Problems and log", "app.problems", "Everywhere"),
        bind("ctrl+r", "look", "Look at the disk again", "app.look", "Everywhere"),
        bind("question_mark", "help", "Keys", "app.help", "Everywhere"),
        bind(
            "colon",
            "command_palette",
            "Commands",
            "app.commands",
            "Everywhere",
            tip="Also ctrl+p; reset and recover too.",
        ),
        bind("q", "leave", "Close, at the top quit", "app.quit", "Everywhere"),
        bind("ctrl+q", "quit", "Quit", "app.quit_now", "Everywhere", priority=True),
        bind("ctrl+c", "quit", "Quit", "app.interrupt", "Everywhere", priority=True),
        bind("ctrl+z", "suspend_process", "To the background", "app.suspend", "Everywhere"),
    ]

    def __init__(
        self,
        manager: MemoryManager,
        *,
        read_only: bool = False,
        ascii_only: bool = False,
        title: str | None = None,
        theme: str = "",
        look_at: str = "",
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]
        self.workspace = Workspace(manager, read_only=read_only, look_at=look_at)
        self.name_shown = title or manager.root.name
        self.snapshot: Snapshot | None = None
        self.notices: deque[tuple[str, str]] = deque(maxlen=NOTICES)
        self.titles: Sequence[str] = tuple(pane.TITLE for pane in PANES)
        self._tasks: list[Task] = []
        self._look_trouble = ""
        self._write_trouble = ""
        self._visited: dict[int, object] = {}
        self._bar: TabBar | None = None
        self._backstops: list[LineFilter] = [ScrubFilter(), *([PlainFilter()] if ascii_only else [])]
        for ours in themes.OURS:
            self.register_theme(ours)
        self._theme_wanted = theme or manager.configuration.settings.theme
        self._own_keys = dict(manager.configuration.settings.keymap)

    def compose(self) -> ComposeResult:
        """First line, tab bar, the open tab, the line of keys."""
        yield Static(id="header")
        yield Static(id="tabs")
        yield ContentSwitcher(id="switcher")
        yield Static(id="keys")

    async def on_mount(self) -> None:
        """Choose colours, open the first tab, begin to watch."""
        self.theme = themes.chosen(self._theme_wanted, self.available_themes, os.environ)
        if self._own_keys:
            self.set_keymap(self._own_keys)
        self._end_on_signals()
        self.app_resume_signal.subscribe(self, self._back_again)
        await self._open(START)
        self.run_worker(self._watch, thread=True, exit_on_error=False, group="watch")
        for id in unknown(self._own_keys):
            self.notify(f"The keymap names {id}, which is no binding; ? lists what there is.", severity="warning")
        for key, ids in clashes(self._own_keys):
            words = f"The keymap gives {key} two meanings: {' and '.join(ids)}. One of them is lost."
            self.notify(words, severity="warning", timeout=10)

    def _end_on_signals(self) -> None:
        """End as `q` does when the terminal or the system says so."""
        if self.is_headless:
            return
        loop = asyncio.get_running_loop()
        for name in ENDING:
            number = getattr(signal, name, None)
            if number is not None:
                with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.add_signal_handler(number, self.exit, 128 + number)

    def _back_again(self, _: object) -> None:
        """Back from the background: the terminal shows nothing of ours, so everything is drawn anew."""
        self.set_timer(0.1, lambda: self.screen.refresh(layout=True))

    def _watch(self) -> None:
        """Runs in a thread of its own until the console ends."""
        self.workspace.watch(
            lambda snapshot: self.post_message(SnapshotTaken(snapshot)),
            lambda words: self.post_message(LookFailed(words)),
        )

    async def on_unmount(self) -> None:
        """End watching and keep the drafts, so that the program ends at once and nothing is lost."""
        self.workspace.stop()
        await asyncio.to_thread(self.workspace.close)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What every line goes through last."""
        return [*super().get_line_filters(), *self._backstops]

    async def settled(self) -> None:
        """Wait until a first look was taken and no task or draft is under way; for tests and pictures."""
        while self.snapshot is None or self._tasks or self.workspace.drafts.busy:
            await asyncio.sleep(0.005)

    # Tabs.

    async def _open(self, number: int) -> None:
        """Show a tab; it is mounted on its first visit."""
        switcher = self.query_one("#switcher", ContentSwitcher)
        name = f"pane-{number}"
        if self.pane is not None and switcher.current != name:
            self.pane.visited()
        if not switcher.query(f"#{name}"):
            await switcher.mount(PANES[number](self.workspace, id=name))
        switcher.current = name
        pane = switcher.query_one(f"#{name}", Pane)
        if self.snapshot is not None and pane.snapshot is not self.snapshot:
            pane.show(self.snapshot)
        if not pane.has_focus_within:
            pane.list.focus()
        self._visit()
        self.draw_frame()

    @property
    def active(self) -> int:
        """The number of the open tab, from 0."""
        current = self.screen_stack[0].query_one("#switcher", ContentSwitcher).current
        return int(current.rpartition("-")[2]) if current else START

    @property
    def pane(self) -> Pane | None:
        """The open tab."""
        switcher = self.screen_stack[0].query_one("#switcher", ContentSwitcher)
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
            tuple((view.id, view.superseded) for view in snapshot.pending),
            None,
            tuple(revision.seq for revision in snapshot.revisions),
        )
        return contents[number]

    def _visit(self) -> None:
        if self.snapshot is not None:
            self._visited[self.active] = self._content_of(self.snapshot, self.active)

    @on(events.Click, "#tabs")
    async def _tab_clicked(self, event: events.Click) -> None:
        """A click on a tab opens it; one on the problems shows them."""
        number = self._bar.at(event.x) if self._bar is not None else None
        if number is not None:
            await self._open(number)
        elif event.x > self.size.width - 14:
            if self.snapshot is not None and self.snapshot.problems:
                self.action_problems()
            else:
                self.action_help()

    # The frame.

    @on(SnapshotTaken)
    def _taken(self, event: SnapshotTaken) -> None:
        first = self.snapshot is None
        self.snapshot = event.snapshot
        self._look_trouble = ""
        if first:
            self._visited = {number: self._content_of(event.snapshot, number) for number in range(len(PANES))}
        pane = self.pane
        if pane is not None and pane.is_built:
            pane.show(event.snapshot)
        self._visit()
        self.draw_frame()

    @on(LookFailed)
    def _look_failed(self, event: LookFailed) -> None:
        self._look_trouble = "CANNOT LOOK"
        self.notify(
            f"{event.words} What stands here is as it was; the console goes on looking.",
            title="The folder could not be read",
            severity="error",
            timeout=12,
        )
        self.draw_frame()

    @on(HintsChanged)
    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _other_keys(self) -> None:
        self.call_after_refresh(self.draw_frame)

    def draw_frame(self) -> None:
        """First line, tab bar and line of keys as they are now."""
        snapshot, width = self.snapshot, self.size.width
        if not self.is_running or width == 0 or not self.screen_stack:
            return
        root = self.screen_stack[0]
        if not root.query("#keys"):
            return  # the console closes
        limits = self.workspace.manager.policy.limits
        titled = [task.title for task in self._tasks if not task.quiet and task.title]
        root.query_one("#header", Static).update(
            header(
                self.name_shown,
                snapshot,
                limits,
                width,
                read_only=self.workspace.read_only,
                busy=f"⟳ {titled[-1]}…" if titled else "",
                trouble=self._look_trouble or self._write_trouble,
            )
        )
        keymap, pane = self._keymap, self.pane
        problems = len(snapshot.problems) if snapshot else 0
        news = [self._news(number) for number in range(len(PANES))]
        chosen = "bold reverse" if self.current_theme.ansi else "bold $text-accent on $primary 30%"
        self._bar = tab_bar(self.titles, self.active, news, problems, width, key_name("app.help", keymap), chosen)
        root.query_one("#tabs", Static).update(self._bar.content)
        hints = pane.hints() if pane is not None and pane.is_built else ()
        always = (("app.help", "keys"), ("app.quit", "quit"))
        root.query_one("#keys", Static).update(key_bar(hints, always, width, keymap))

    def _news(self, number: int) -> str:
        """A tab's count, and a dot where something came that nobody has visited yet."""
        snapshot = self.snapshot
        if snapshot is None:
            return ""
        count = f" {len(snapshot.pending)}" if PANES[number] is PendingPane and snapshot.pending else ""
        return count + ("•" if self._visited.get(number) != self._content_of(snapshot, number) else "")

    def on_resize(self) -> None:
        """The frame fits the new width."""
        self.call_after_refresh(self.draw_frame)

    async def on_event(self, event: events.Event) -> None:
        """Full-width keys work as their twins, unless something is typed into."""
        if isinstance(event, events.Key) and not isinstance(self.focused, Input | TextArea):
            event = twin(event) or event
        await super().on_event(event)

    # Tasks.

    @on(Perform)
    def _perform(self, event: Perform) -> None:
        event.stop()
        self.perform(event.task)

    def may_write(self) -> bool:
        """Whether this console may write; says so where it may not."""
        if self.workspace.read_only:
            self.notify("Read-only: this console was opened to look; nothing is written.", severity="warning")
        return not self.workspace.read_only

    def running(self, title: str) -> bool:
        """Whether a task of that title is under way."""
        return any(task.title == title for task in self._tasks)

    def perform(self, task: Task) -> None:
        """Run a task in a thread; the console goes on meanwhile."""
        if task.writes and not self.may_write():
            return
        self._tasks.append(task)
        if not task.quiet:
            self.draw_frame()
        self.run_worker(partial(self._run, task), thread=True, exit_on_error=False, group="task")

    def _run(self, task: Task) -> None:
        """In the thread: the result goes back to the console, whatever it is."""
        try:
            result = task.run()
        except MemoryCoreError as error:
            self._back(partial(self._task_failed, task, error))
        except Exception:
            self._back(partial(self._over, task))
            raise
        else:
            self._back(partial(self._finished, task, result))

    def _back(self, call: partial[None]) -> None:
        """Call something in the console's own thread, unless it has ended meanwhile."""
        with contextlib.suppress(RuntimeError):
            self.call_from_thread(call)

    def _over(self, task: Task) -> None:
        if task in self._tasks:
            self._tasks.remove(task)
        if task.writes:
            self.workspace.look_again()
        self.draw_frame()

    def _finished(self, task: Task, result: object) -> None:
        if task.writes:
            self._write_trouble = ""
        try:
            if task.done is not None:
                task.done(result)
        finally:
            self._over(task)

    def _task_failed(self, task: Task, error: MemoryCoreError) -> None:
        try:
            if task.failed is None or not task.failed(error):
                self.failed(error, writes=task.writes)
        finally:
            self._over(task)

    def failed(self, error: MemoryCoreError, *, writes: bool) -> None:
        """What happened, what it means, what to do."""
        title = "Nothing was written" if writes else "That did not work"
        if isinstance(error, OutcomeUnknownError):
            self._write_trouble, title = "OUTCOME UNKNOWN", "Written, but perhaps not durably"
        elif isinstance(error, LockedError):
            self._write_trouble = f"LOCKED by {error.holder}" if error.holder else "LOCKED"
        self.notify(f"{error.message} {error.hint}".strip(), title=title, severity="error", timeout=12)
        self.draw_frame()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """A fault of ours in a thread is said, and ends nothing."""
        error = event.worker.error
        if event.state is not WorkerState.ERROR or error is None:
            return
        logger.error("a task of the console broke", exc_info=error)
        self.notify(
            f"{type(error).__name__}: {error}. Nothing else is affected; ctrl+r looks at the disk again.",
            title=FAULT,
            severity="error",
            timeout=12,
        )

    # What is said, and what is copied.

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Say something that goes by; it is kept for Problems and log. Never parsed as markup."""
        del markup
        at = self.workspace.manager.store.clock.now().strftime("%H:%M:%S")
        self.notices.append((at, f"{title}: {message}" if title else message))
        super().notify(
            safe(message, one_line=False), title=safe(title), severity=severity, timeout=timeout, markup=False
        )

    def copy_to_clipboard(self, text: str) -> None:
        """Send a text to the terminal's clipboard, through tmux where that is in between."""
        text = sendable(text)
        super().copy_to_clipboard(text)
        self.run_worker(partial(send_through_tmux, text, os.environ), thread=True, exit_on_error=False, group="copy")
        self.notify(f"Sent to the terminal's clipboard: {len(text)} characters.")

    # Actions everywhere.

    def action_leave(self) -> None:
        """Close what is open; at the top, quit."""
        pane = self.pane
        if pane is None or not pane.close_one():
            self.exit(0)

    async def action_quit(self) -> None:
        """Quit at once; drafts are kept."""
        self.exit(0)

    def action_look(self) -> None:
        """Look at the disk again."""
        self._write_trouble = ""
        self.workspace.look_again()
        self.draw_frame()

    def action_summarise(self) -> None:
        """Summarise now, after asking."""
        actions.summarise(self)

    def action_problems(self) -> None:
        """What is wrong, and the log."""
        actions.problems(self)

    def action_help(self) -> None:
        """The keys."""
        actions.show_help(self)

    def action_reset(self, purge: bool) -> None:
        """Clear memory, after the word was typed."""
        actions.reset(self, purge=purge)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action, for the command palette."""
        return actions.commands(self)


def run(
    root: Path,
    *,
    read_only: bool = False,
    ascii_only: bool = False,
    mouse: bool = True,
    configuration: Configuration | None = None,
    title: str | None = None,
) -> int:
    """Open the console on a repository; its status is 0 after `q`, 128 and the number after a signal."""
    manager = MemoryManager(root, configuration=configuration)
    app = InspectorApp(manager, read_only=read_only, ascii_only=ascii_only, title=title)
    return app.run(mouse=mouse) or 0
