"""What panes may ask for, and what they are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message

from inspector.snapshot import Snapshot


class SnapshotTaken(Message):
    """The disk was looked at anew."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self.snapshot = snapshot


@dataclass(frozen=True, slots=True)
class Task:
    """Something to do in a thread: in words while it runs, the call itself, what to do with its result."""

    title: str
    run: Callable[[], object]
    done: Callable[[object], None] | None = None
    writes: bool = True


class Perform(Message):
    """A pane asks for a task."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task = task


class Notice(Message):
    """A pane has something to say."""

    def __init__(self, text: str, severity: str = "information") -> None:
        super().__init__()
        self.text = text
        self.severity = severity
