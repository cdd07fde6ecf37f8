"""A log of runs and decisions: best effort, bounded, never in the way."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory_core.clock import Clock, iso
from memory_core.errors import StateError
from memory_core.storage.atomic import FileOps, write_file
from memory_core.storage.forgetting import Wordings
from memory_core.storage.layout import Layout, read_bytes

MAX_BYTES = 512 * 1024
"""Beyond this the older half goes."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: when, of which kind, in words, with its data."""

    at: str
    kind: str
    message: str
    data: Mapping[str, Any] = field(default_factory=dict)


class EventLog:
    """`log.jsonl`, one event a line."""

    def __init__(self, layout: Layout, ops: FileOps, clock: Clock) -> None:
        self._layout = layout
        self._path = layout.log
        self._ops = ops
        self._clock = clock

    def append(self, kind: str, message: str, **data: object) -> None:
        """Add an event; a failure to do so is let go, since the log must never stop what it tells of."""
        event = {"at": iso(self._clock.now()), "kind": kind, "message": message, **data}
        line = json.dumps(event, ensure_ascii=True, default=str).encode() + b"\n"
        with contextlib.suppress(OSError, StateError):
            self._layout.guard()
            if not self._layout.private.is_dir():
                return
            self._rotate()
            descriptor = self._ops.append(self._path)
            try:
                self._ops.write(descriptor, line)
            finally:
                os.close(descriptor)

    def _rotate(self) -> None:
        if self._path.exists() and self._path.stat().st_size > MAX_BYTES:
            data = read_bytes(self._path) or b""
            write_file(self._ops, self._path, data[len(data) // 2 :].partition(b"\n")[2], durable=False)

    def tail(self, count: int = 200) -> tuple[Event, ...]:
        """The newest events, oldest of them first; damaged lines are passed over."""
        try:
            data = read_bytes(self._path) or b""
        except StateError:
            return ()
        events: list[Event] = []
        for line in data.splitlines()[-count:]:
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                rest = {key: entry for key, entry in value.items() if key not in {"at", "kind", "message"}}
                events.append(Event(str(value.get("at")), str(value.get("kind")), str(value.get("message")), rest))
        return tuple(events)

    def forget(self, wordings: Wordings) -> None:
        """Take out every line that holds one of the texts, or the beginning of one that was cut off."""
        data = read_bytes(self._path)
        if data:
            kept = [line for line in data.splitlines(keepends=True) if not wordings.begin_in(line)]
            write_file(self._ops, self._path, b"".join(kept), durable=False)
