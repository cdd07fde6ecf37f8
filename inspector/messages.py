"""What panes may ask for, and what they are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message

from inspector.snapshot import Snapshot
from memory_core.errors import MemoryCoreError


class SnapshotTaken(Message):
    """The disk was looked at anew."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self.snapshot = snapshot

    def can_replace(self, message: Message) -> bool:
        """A newer look makes an older one needless."""
        return isinstance(message, SnapshotTaken)


class LookFailed(Message):
    """The disk could not be looked at; the last snapshot stands."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


@dataclass(frozen=True, slots=True)
class Task:
    """Something to do in a thread: in words while it runs, the call itself, what to do with its result.

    `failed` sees an error of the core first, and says whether it dealt with it.
    """

    title: str
    run: Callable[[], object]
    done: Callable[[object], None] | None = None
    failed: Callable[[MemoryCoreError], bool] | None = None
    writes: bool = True
    quiet: bool = False
    """Whether it runs without a word in the first line."""


class Perform(Message):
    """A pane asks for a task."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task = task


class HintsChanged(Message):
    """The keys that the last line names are others."""
