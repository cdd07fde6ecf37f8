"""`Workspace`: holds the manager, watches the folder, runs what the panes ask for. The console's one door to memory."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from inspector.snapshot import Camera, Snapshot
from memory_core.clock import parse_time
from memory_core.errors import MemoryCoreError
from memory_core.flows.review import judging_context, parsed_reply
from memory_core.manager import MemoryManager
from memory_core.results import PendingView
from memory_core.review.applier import MemoryDeltaApplier
from memory_core.review.verdict import Decision
from memory_core.salvage import Salvage, salvage
from memory_core.storage.layout import read_bytes

LOOK_EVERY = 0.1
"""Seconds between two looks at the folder, so that a change is on the screen within 250 ms."""

logger = logging.getLogger("inspector")


@dataclass(frozen=True, slots=True)
class BackupView:
    """A file without a document, or a backup: its text as far as it is shown, and what can be read of it."""

    text: str
    left_out: int
    salvage: Salvage


class Workspace:
    """One repository's memory, as the console uses it. `look_at` stands for the time in pictures and tests."""

    def __init__(self, manager: MemoryManager, *, read_only: bool = False, look_at: str = "") -> None:
        self.manager = manager
        self.read_only = read_only
        self.drafts = DraftKeeper(manager, read_only=read_only)
        self._camera = Camera(manager, at=look_at)
        self._stop = threading.Event()
        self._look_now = threading.Event()

    # Looking.

    def watch(self, changed: Callable[[Snapshot], object], failed: Callable[[str], object]) -> None:
        """Call `changed` with a new snapshot whenever something on disk changed, until `stop`. Meant for a thread.

        A look that fails is told by `failed`, once, and tried again; the watch goes on whatever happens.
        """
        last: object = None
        told = ""
        while not self._stop.is_set():
            try:
                fingerprint = self.manager.store.fingerprint()
                if fingerprint != last or self._look_now.is_set():
                    if self._look_now.is_set():
                        self._camera.forget()
                        self._look_now.clear()
                    for snapshot in self._camera.shots(fingerprint):
                        changed(snapshot)
                    last, told = fingerprint, ""
            except Exception as error:  # the thread's edge: a look that fails is said, not fatal
                words = error.message if isinstance(error, MemoryCoreError) else f"{type(error).__name__}: {error}"
                if words != told and not self._stop.is_set():
                    logger.exception("the folder could not be looked at")
                    failed(words)
                last, told = None, words
            self._stop.wait(LOOK_EVERY)

    def look_again(self) -> None:
        """Make the watcher look even where nothing seems to have changed."""
        self._look_now.set()

    def stop(self) -> None:
        """End watching."""
        self._stop.set()

    def close(self) -> None:
        """End watching, keep the drafts that are under way, stop the background."""
        self.stop()
        self.drafts.close()
        self.manager.close()

    def backup(self, name: str) -> BackupView:
        """A backup's text, and what can be salvaged from it. Meant for a thread."""
        store = self.manager.store
        text, left_out = store.backup_text(name)
        known = any(backup.name == name for backup in store.backups())
        data = (read_bytes(store.layout.folder / name) or b"") if known else b""
        return BackupView(text, left_out, self._salvaged(data))

    def damaged(self) -> BackupView:
        """The current file where it holds no document. Meant for a thread."""
        loaded = self.manager.load()
        data = self.manager.store.read_bytes() if loaded.raw else None
        return BackupView(loaded.raw, loaded.raw_left_out, self._salvaged(data or b""))

    def _salvaged(self, data: bytes) -> Salvage:
        return salvage(data, self.manager.policy.limits, self.manager.store.clock.now())

    # Judging.

    def judged(self, view: PendingView, snapshot: Snapshot, decisions: Mapping[str, Decision]) -> PendingView:
        """A queued delta with these decisions, judged against the snapshot's document; reads nothing."""
        if view.decisions == decisions and view.review.base == snapshot.loaded.sha256:
            return view
        review = MemoryDeltaApplier.judge_reply(
            snapshot.document,
            parsed_reply(view.entry),
            self.manager.policy,
            judging_context(view.entry),
            decisions,
            base=snapshot.loaded.sha256,
        )
        return replace(view, review=review, decisions=dict(decisions))

    def age_of(self, stamp: str) -> str:
        """How long ago a time was, in one unit."""
        moment = parse_time(stamp)
        if moment is None:
            return "?"
        seconds = (self.manager.store.clock.now() - moment).total_seconds()
        for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
            if seconds >= size:
                return f"{int(seconds // size)} {unit}"
        return "now"


class DraftKeeper:
    """Keeps decisions that are not applied yet, one after another in a thread of its own; the newest of each counts."""

    def __init__(self, manager: MemoryManager, *, read_only: bool) -> None:
        self._manager = manager
        self._read_only = read_only
        self._lock = threading.Lock()
        self._wanted: dict[str, tuple[dict[str, Decision], dict[str, str]]] = {}
        self._running = 0
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="drafts")

    @property
    def busy(self) -> bool:
        """Whether a draft is not on disk yet."""
        with self._lock:
            return bool(self._wanted or self._running)

    def keep(
        self,
        delta_id: str,
        decisions: Mapping[str, Decision],
        notes: Mapping[str, str],
        failed: Callable[[MemoryCoreError], None],
    ) -> None:
        """Keep these decisions and notes; returns at once. `failed` is called in the thread."""
        if self._read_only:
            return
        with self._lock:
            self._wanted[delta_id] = dict(decisions), dict(notes)
        self._thread.submit(self._save, delta_id, failed)

    def _save(self, delta_id: str, failed: Callable[[MemoryCoreError], None]) -> None:
        with self._lock:
            draft = self._wanted.pop(delta_id, None)
            if draft is None:
                return
            self._running += 1
        try:
            self._manager.save_draft(delta_id, *draft)
        except MemoryCoreError as error:
            failed(error)
        finally:
            with self._lock:
                self._running -= 1

    def close(self) -> None:
        """Wait for what is under way; at most as long as a person waits for the lock."""
        self._thread.shutdown(wait=True)
