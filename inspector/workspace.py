"""`Workspace`: holds the manager, watches the folder, runs what the panes ask for. The console's one door to memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from inspector.snapshot import Snapshot, take
from memory_core.errors import MemoryCoreError
from memory_core.flows.review import judging_context, parsed_reply
from memory_core.manager import MemoryManager
from memory_core.results import PendingView
from memory_core.review.applier import MemoryDeltaApplier
from memory_core.review.verdict import Decision

LOOK_EVERY = 0.1
"""Seconds between two looks at the folder, so that a change is on the screen within 250 ms."""


class Workspace:
    """One repository's memory, as the console uses it. `look_at` stands for the time in pictures and tests."""

    def __init__(self, manager: MemoryManager, *, read_only: bool = False, look_at: str = "") -> None:
        self.manager = manager
        self.read_only = read_only
        self._look_at = look_at
        self._stop = threading.Event()
        self._look_now = threading.Event()

    def watch(self, changed: Callable[[Snapshot], None]) -> None:
        """Call `changed` with a new snapshot whenever something on disk changed, until `stop`. Meant for a thread."""
        last: object = None
        while not self._stop.is_set():
            fingerprint = self.manager.store.fingerprint()
            if fingerprint != last or self._look_now.is_set():
                self._look_now.clear()
                last = fingerprint
                changed(self.look())
            self._stop.wait(LOOK_EVERY)

    def look(self) -> Snapshot:
        """A snapshot of now."""
        return take(self.manager, self._look_at or time.strftime("%H:%M:%S"))

    def look_again(self) -> None:
        """Make the watcher look even where nothing seems to have changed."""
        self._look_now.set()

    def stop(self) -> None:
        """End watching."""
        self._stop.set()

    def judged(self, view: PendingView, snapshot: Snapshot, decisions: Mapping[str, Decision]) -> PendingView:
        """A queued delta with these decisions, judged against the snapshot's document; reads nothing."""
        review = MemoryDeltaApplier.judge_reply(
            snapshot.document,
            parsed_reply(view.entry),
            self.manager.policy,
            judging_context(view.entry),
            decisions,
            base=snapshot.loaded.sha256,
        )
        return replace(view, review=review, decisions=dict(decisions))

    def save_draft(self, delta_id: str, decisions: Mapping[str, Decision], notes: Mapping[str, str]) -> str | None:
        """Keep decisions that are not applied yet; what went wrong, if anything. Meant for a thread."""
        if self.read_only:
            return None
        try:
            self.manager.save_draft(delta_id, decisions, notes)
        except MemoryCoreError as error:
            return error.message
        return None
