"""What works on every tab: summarise, problems, help, reset and purge, and the list of all commands."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from inspector.keys import described
from inspector.messages import Task
from inspector.panes.base import Pane
from inspector.screens.confirm import Confirm, Typed
from inspector.screens.help import Help, KeyGroup
from inspector.screens.problems import Problems
from inspector.widgets.detail import DocView
from inspector.widgets.row_list import RowList
from inspector.widgets.text import Doc, blank, doc, heading, line, pair
from inspector.workspace import BackupView
from memory_core.document import RecentTurn
from memory_core.errors import MemoryCoreError
from memory_core.results import ResetPreview, ResetResult, SummaryResult
from memory_core.summary.summarizer import BATCH_LIMIT

if TYPE_CHECKING:
    from inspector.app import InspectorApp

SUMMARISING = "summarising"


def summarise(app: InspectorApp) -> None:
    """Name the model and the turns, ask, then summarise in a thread; while one runs, ask whether to cancel it."""
    manager, snapshot = app.workspace.manager, app.snapshot
    if snapshot is None or not app.may_write():
        return
    if app.running(SUMMARISING):
        _ask_cancel(app)
        return
    pending = [turn for turn in snapshot.document.turns if turn.is_pending and turn.id not in snapshot.claimed]
    if not pending:
        claimed = sum(turn.id in snapshot.claimed for turn in snapshot.document.turns)
        app.notify(
            f"No turn waits for a summary; {claimed} wait with their delta under Pending."
            if claimed
            else "No turn waits for a summary. One is recorded by an agent, or by memory-inspector record."
        )
        return
    try:
        name = manager.summarizer.name
    except MemoryCoreError as error:
        app.failed(error, writes=True)
        return

    def answered(answer: str | None) -> None:
        if answer:
            app.perform(Task(SUMMARISING, lambda: manager.summarize(asked_by="person"), partial(_summarised, app)))

    app.push_screen(Confirm("Summarise now?", _plan(name, pending), "app.summarise", "summarise"), answered)


def _plan(name: str, pending: list[RecentTurn]) -> Doc:
    chosen = pending[-BATCH_LIMIT:]
    rest = f", the newest; {len(pending) - len(chosen)} more wait" if len(pending) > len(chosen) else ""
    return doc(
        pair("model", name),
        pair("turns", f"{len(chosen)}{rest}"),
        *[line(("  · ", "dim"), turn.user_text, hang=4) for turn in chosen],
        blank(),
        line(("The reply is judged and waits under Pending; nothing is applied by itself.", "dim")),
        line(("While it runs, S asks whether to cancel it.", "dim")),
    )


def _ask_cancel(app: InspectorApp) -> None:
    body = (line("A summary is under way. Cancelled, it leaves the turns pending and memory as it was."),)

    def answered(answer: str | None) -> None:
        if answer:
            app.workspace.manager.cancel_summary()
            app.notify("The summary is being cancelled.")

    app.push_screen(Confirm("Cancel the summary?", body, "app.summarise", "cancel it"), answered)


def _summarised(app: InspectorApp, result: object) -> None:
    if not isinstance(result, SummaryResult):
        return
    told = {
        "queued": f"{result.delta_id} waits under Pending.",
        "applied": "Applied, as the policy says.",
        "nothing_to_do": "The model found nothing to remember.",
        "nothing_due": "No turn waits for a summary.",
        "discarded": "A reset came meanwhile; the reply is discarded.",
        "refused": f"The reply is refused and kept under Pending as {result.delta_id}.",
        "failed": "No summary; the turns stay pending.",
    }
    words = f"{result.model}: {told.get(result.status, result.status.replace('_', ' '))}"
    if result.reason is not None:
        words += f" {result.reason.message} {result.reason.hint}"
    bad = result.status in {"failed", "refused", "discarded"}
    app.notify(words.strip(), severity="warning" if bad else "information", timeout=10)


def problems(app: InspectorApp) -> None:
    """What is wrong, and the log; a damaged file is read for it in a thread."""
    if app.snapshot is None:
        return
    if app.snapshot.loaded.raw:
        app.perform(Task("", app.workspace.damaged, partial(_show_problems, app), writes=False, quiet=True))
    else:
        _show_problems(app, None)


def _show_problems(app: InspectorApp, damaged: object) -> None:
    manager = app.workspace.manager

    def answered(word: str | None) -> None:
        if word == "recover":
            recover(app)

    def kept(name: object) -> None:
        app.notify(f"The damaged file is kept as {name}; memory begins anew.")

    def recover(app: InspectorApp) -> None:
        if app.may_write():
            app.perform(Task("setting the file aside", manager.recover, kept))

    if app.snapshot is not None:
        view = damaged if isinstance(damaged, BackupView) else None
        app.push_screen(Problems(app.snapshot, tuple(app.notices), view), answered)


def recover(app: InspectorApp) -> None:
    """Show the damaged file; R there sets it aside."""
    if app.snapshot is not None and app.snapshot.loaded.status != "corrupt":
        app.notify("memory.json is not damaged; there is nothing to recover.")
    else:
        problems(app)


def show_help(app: InspectorApp) -> None:
    """Keys of what has the focus, then those that work everywhere."""
    groups: list[KeyGroup] = []
    keymap, pane = app._keymap, app.pane
    if pane is not None:
        groups.append((f"In {pane.TITLE}", described(type(pane).BINDINGS, keymap)))
        kind = DocView if isinstance(app.focused, DocView) else RowList
        title = "In the detail" if kind is DocView else "In the list"
        groups.append((title, described([*kind.BINDINGS, *Pane.BINDINGS], keymap)))
    groups.append(("Everywhere", described(app.BINDINGS, keymap)))
    app.push_screen(Help(groups))


def reset(app: InspectorApp, *, purge: bool) -> None:
    """Say what goes and what stays; the word must be typed."""
    if app.may_write():
        app.perform(
            Task("", app.workspace.manager.preview_reset, partial(_ask_reset, app, purge), writes=False, quiet=True)
        )


def _ask_reset(app: InspectorApp, purge: bool, found: object) -> None:
    if not isinstance(found, ResetPreview):
        return
    word = "purge" if purge else "reset"
    manager = app.workspace.manager

    def answered(answer: str | None) -> None:
        if answer == word:
            app.perform(Task(f"{word} of memory", lambda: manager.reset(purge=purge), partial(_was_reset, app)))

    app.push_screen(
        Typed(f"{word.capitalize()} memory?", _consequences(found, purge=purge), word=word, danger=True), answered
    )


def _consequences(found: ResetPreview, *, purge: bool) -> Doc:
    backups = ", ".join(found.backups) or "no backups"
    flight = "a summary is in flight here and will be discarded" if found.in_flight else (
        "a summary in flight, also in another process, will be discarded"
    )  # fmt: skip
    goes = doc(
        heading("Goes"),
        line(f"  {found.turns} turns, {found.topics} topics, {found.items} long-term items"),
        line(f"  {found.pending} pending deltas; they stay on record as discarded", hang=4),
        line(f"  {flight}", hang=4),
    )
    if purge:
        return doc(
            goes,
            line(f"  {found.revisions} revisions of the history"),
            line(f"  {backups}", hang=4),
            blank(),
            line(("There is NO undo.", "bad")),
        )
    undo = "one undo point in the history" if found.undo else "nothing to undo: there is no memory"
    return doc(
        goes,
        heading("Stays"),
        line(f"  {undo}"),
        line(f"  {found.revisions} earlier revisions, {len(found.backups)} backups"),
        line("  the policy file"),
    )


def _was_reset(app: InspectorApp, result: object) -> None:
    if isinstance(result, ResetResult):
        undo = f" Revision {result.revision} undoes it: 6, U." if result.revision else ""
        app.notify(f"Memory is cleared.{undo}")


def commands(app: InspectorApp) -> Iterable[SystemCommand]:
    """Every action, for the command palette."""
    for number, title in enumerate(app.titles):
        yield SystemCommand(title, f"Open the tab {number + 1}", partial(app.call_later, app.action_tab, number))
    pane = app.pane
    if pane is not None:
        for binding in type(pane).BINDINGS:
            keys, words, tip = described([binding], app._keymap)[0]
            action = getattr(binding, "action", "")
            yield SystemCommand(
                f"{pane.TITLE}: {words}", f"{tip} ({keys})", partial(app.call_later, app.run_action, action, pane)
            )
    yield SystemCommand(
        "Summarise now", "Ask the model for a delta; while one runs, cancel it (S)", partial(summarise, app)
    )
    yield SystemCommand("Problems and log", "What is wrong, and what happened (!)", partial(problems, app))
    yield SystemCommand("Recover", "Set a damaged memory.json aside, after showing it", partial(recover, app))
    yield SystemCommand("Reset memory", "Clear the document; leaves one undo point", partial(reset, app, purge=False))
    yield SystemCommand(
        "Purge memory", "Clear everything, history and backups too; no undo", partial(reset, app, purge=True)
    )
    yield SystemCommand("Keys", "What can be done here (?)", partial(show_help, app))
    yield SystemCommand("Look again", "Read the folder anew (ctrl+r)", app.action_look)
    yield SystemCommand("Theme", "Choose colours", app.action_change_theme)
    yield SystemCommand("Quit", "Leave the console (q)", partial(app.exit, 0))
