"""Problems and log: what is wrong now, and what happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from inspector.keys import bind
from inspector.screens.confirm import Dialog
from inspector.snapshot import Snapshot
from inspector.widgets.text import Doc, Line, doc, heading, line, raw, styled
from inspector.workspace import BackupView
from memory_core.storage.log import Event

STATES = {
    "corrupt": (
        "memory.json is damaged.",
        "Nothing is applied to it, nothing is lost: the bytes stand below. R sets the file aside, so that memory "
        "begins anew; an agent's next turn would do the same.",
    ),
    "other_version": (
        "memory.json is of another version and counts as empty.",
        "Before the first write over it a copy is kept beside it.",
    ),
    "unreadable": (
        "memory.json cannot be read.",
        "Nothing is moved, nothing is written. Look at the permissions, and at what stands in its place.",
    ),
    "link": (
        "A link stands in place of one of the files.",
        "It is neither followed nor replaced. Put the real file or folder there.",
    ),
}
TOLD = ("delta_id", "model", "code", "hint", "note", "backup", "url")
"""What of an event's data is shown."""


class Problems(Dialog):
    """Gives `recover` where the person asks for it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape,q,exclamation_mark,enter", "cancel", "Close", "problems.close", "Everywhere"),
        bind("R", "recover", "Set the damaged file aside", "problems.recover", "Everywhere"),
    ]

    def __init__(self, snapshot: Snapshot, notices: Sequence[tuple[str, str]], damaged: BackupView | None) -> None:
        self._damaged = snapshot.loaded.status == "corrupt"
        super().__init__("Problems and log", _body(snapshot, notices, damaged), classes="wide")

    def foot(self) -> Content:
        """How to close it, and how to go on from a damaged file."""
        rest = ("   ", ("R ", "key"), "sets the damaged file aside") if self._damaged else ()
        return styled((" esc ", "key"), "closes   ", ("j k ", "key"), "scroll", *rest)

    def action_recover(self) -> None:
        """Ask for the damaged file to be set aside."""
        if self._damaged:
            self.dismiss("recover")


def _body(snapshot: Snapshot, notices: Sequence[tuple[str, str]], damaged: BackupView | None) -> Doc:
    loaded = snapshot.loaded
    state = STATES.get(loaded.status)
    problems = snapshot.problems
    notes = [problem for problem in loaded.problems if problem.severity == "note"]
    return doc(
        (line((state[0], "bad")), line((state[1], "dim"))) if state else None,
        heading(f"Wrong now ({len(problems)})"),
        *[line(("  ! ", "warn"), words, hang=4) for words in problems],
        None if problems else line(("  nothing", "dim")),
        *[line(("  · ", "dim"), (f"{note.at}: {note.message}", "dim"), hang=4) for note in notes],
        _salvaged(damaged) if damaged else None,
        heading(f"What went by here ({len(notices)})") if notices else None,
        *[line((f"  {at}  ", "dim"), words, hang=12) for at, words in reversed(notices)],
        heading(f"Log, newest first ({len(snapshot.events)})"),
        *[_event(event) for event in reversed(snapshot.events)],
        None if snapshot.events else line(("  Nothing has happened yet.", "dim")),
    )


def _event(event: Event) -> Doc:
    found: list[Line] = [
        line(
            (f"  {event.at[5:19].replace('T', ' ')}  ", "dim"),
            (event.kind.replace("_", " ") + "  ", "heading"),
            event.message,
            hang=18,
        )
    ]
    told = "  ".join(f"{key.replace('_', ' ')}: {event.data[key]}" for key in TOLD if event.data.get(key))
    if told:
        found.append(line((" " * 18 + told, "dim")))
    return tuple(found)


def _salvaged(damaged: BackupView) -> Doc:
    document = damaged.salvage.document
    found = f"{len(document.turns)} turns, {len(document.topics)} topics, {len(document.items)} items"
    return doc(
        heading("The file as it stands", (f"   {found} in it are whole", "dim")),
        raw(damaged.text, most=400),
        line((f"… {damaged.left_out} more bytes are left out", "dim")) if damaged.left_out else None,
    )
