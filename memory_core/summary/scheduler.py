"""`MemorySummaryScheduler`: one background thread, one run at a time (U4)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from memory_core.summary.triggers import Trigger

logger = logging.getLogger("memory_core")


class MemorySummaryScheduler:
    """Runs a summary in the background; while one is in flight no second is taken.

    The thread is a daemon and starts with the first run: a program that ends waits for no model.
    """

    def __init__(self, run: Callable[[Trigger], None]) -> None:
        self._run = run
        self._idle = threading.Condition()
        self._running = False
        self._closed = False

    @property
    def running(self) -> bool:
        """Whether a run is in flight."""
        return self._running

    def submit(self, trigger: Trigger) -> bool:
        """Start a run; False where one is in flight, the scheduler is closed, or the system gives no thread."""
        with self._idle:
            if self._running or self._closed:
                return False
            self._running = True
        try:
            threading.Thread(target=self._work, args=(trigger,), name="memory-summary", daemon=True).start()
        except RuntimeError:  # no threads left, or the interpreter is going down
            logger.exception("no summary run could be started")
            self._done()
            return False
        return True

    def _work(self, trigger: Trigger) -> None:
        try:
            self._run(trigger)
        except Exception:
            logger.exception("the summary run failed")
        finally:
            self._done()

    def _done(self) -> None:
        with self._idle:
            self._running = False
            self._idle.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing runs, at most `timeout` seconds; whether it is so."""
        with self._idle:
            return self._idle.wait_for(lambda: not self._running, timeout)

    def close(self) -> None:
        """Take no more runs; waits for nothing."""
        with self._idle:
            self._closed = True
