"""Problems and log: what is wrong now, and what happened."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.snapshot import Snapshot
from inspector.widgets.text import Part, heading, line, lines

STATES = {
    "corrupt": "memory.json is damaged. Nothing is applied to it. R sets it aside, so that memory can be written.",
    "other_version": "memory.json is of another version and counts as empty. Before the first write a copy is kept.",
    "unreadable": "memory.json cannot be read. Nothing is moved or written.",
    "link": "A link stands in place of one of the files. It is neither followed nor replaced.",
}


class Problems(ModalScreen[str]):
    """Gives `recover` where the person asks for it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,exclamation_mark,enter", "close", "Close", show=False, id="problems.close"),
        Binding("R", "recover", "Set the damaged file aside", show=False, id="problems.recover"),
        Binding("down,j", "scroll(2)", "Down", show=False, id="problems.down"),
        Binding("up,k", "scroll(-2)", "Up", show=False, id="problems.up"),
        Binding("pagedown,space", "scroll(10)", "Page down", show=False, id="problems.page_down"),
        Binding("pageup", "scroll(-10)", "Page up", show=False, id="problems.page_up"),
        Binding("G,end", "scroll(9999)", "To the end", show=False, id="problems.end"),
        Binding("g,home", "scroll(-9999)", "To the start", show=False, id="problems.start"),
    ]

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self._snapshot = snapshot

    def compose(self) -> ComposeResult:
        """What is wrong, then the log, newest first."""
        with Vertical(classes="dialog wide"):
            yield Static(line(("Problems and log", "title")), classes="dialog-title")
            with VerticalScroll(classes="dialog-body", can_focus=False):
                yield Static(self._body())
            keys: list[Part] = [(" esc ", "strong"), " closes"]
            if self._snapshot.loaded.status == "corrupt":
                keys += ["   ", (" R ", "strong"), " sets the damaged file aside"]
            yield Static(line(*keys), classes="dialog-foot")

    def _body(self) -> Content:
        loaded = self._snapshot.loaded
        parts: list[Content | None] = []
        if loaded.status in STATES:
            parts.append(line((STATES[loaded.status], "bad")))
        problems = self._snapshot.problems
        parts.append(heading(f"Now ({len(problems)})"))
        parts += [line(("! ", "warn"), text) for text in problems] or [line(("Nothing is wrong.", "dim"))]
        notes = [problem for problem in loaded.problems if problem.severity == "note"]
        parts += [line(("· ", "dim"), f"{note.at}: {note.message}") for note in notes]
        parts.append(heading("Log, newest first"))
        for event in reversed(self._snapshot.events):
            parts.append(
                line((f"{event.at[5:19].replace('T', ' ')}  {event.kind.replace('_', ' ')}  ", "dim"), event.message)
            )
            shown = {
                key: value
                for key, value in event.data.items()
                if key in {"delta_id", "note", "model", "hint", "backup"} and value
            }
            if shown:
                parts.append(
                    line(("               " + "  ".join(f"{key} {value}" for key, value in shown.items()), "dim"))
                )
        if not self._snapshot.events:
            parts.append(line(("Nothing has happened yet.", "dim")))
        if loaded.raw:
            parts.append(heading("The file as it stands"))
            parts += [line(text) for text in loaded.raw.splitlines()[:600]]
            if loaded.raw_left_out:
                parts.append(line((f"… {loaded.raw_left_out} more bytes are left out", "dim")))
        return lines(*parts)

    def action_close(self) -> None:
        """Back."""
        self.dismiss("")

    def action_recover(self) -> None:
        """Ask for the damaged file to be set aside."""
        if self._snapshot.loaded.status == "corrupt":
            self.dismiss("recover")

    def action_scroll(self, by: int) -> None:
        """Scroll."""
        self.query_one(".dialog-body", VerticalScroll).scroll_relative(y=by, animate=False)
