"""A store on a temporary folder, and file operations that fail or stop at a chosen step."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from memory_core.clock import FixedClock
from memory_core.policy import Policy
from memory_core.review.verdict import JudgeContext
from memory_core.storage.atomic import FileOps
from memory_core.storage.layout import Layout
from memory_core.storage.pending import PendingDelta
from memory_core.storage.store import MemoryStore
from tests.core.samples import AT, NOW, turn


class Tokens:
    """Marks that differ, without randomness."""

    def __init__(self) -> None:
        self.count = 0

    def token(self) -> str:
        self.count += 1
        return f"{self.count:04d}"


class Crash(BaseException):
    """The process dies here: no handler of the code under test may run on."""


class SteppedOps(FileOps):
    """Counts every step that changes the disk; dies in the middle of a chosen one, or fails at it.

    Nothing is really made durable, which no test could tell and every test would wait for.
    """

    NAMES = ("create", "append", "overwrite", "chmod", "write", "fsync", "rename", "link", "unlink", "mkdir")
    NAMES += ("fsync_folder",)

    def __init__(self, *, crash_at: int | None = None, fail_at: int | None = None, code: int = errno.ENOSPC) -> None:
        self.steps: list[str] = []
        self._crash_at = crash_at
        self._fail_at = fail_at
        self._code = code

    def _step(self, name: str, arguments: tuple[Any, ...]) -> None:
        self.steps.append(name)
        if len(self.steps) == self._crash_at:
            if name == "write":
                descriptor, data = arguments
                os.write(descriptor, data[: len(data) // 2])
            raise Crash(name)
        if len(self.steps) == self._fail_at:
            raise OSError(self._code, "injected", name)

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in SteppedOps.NAMES:
            return found

        def stepped(*arguments: Any) -> Any:
            self._step(name, arguments)
            return None if name.startswith("fsync") else found(*arguments)

        return stepped


def store(root: Path, *, policy: Policy | None = None, ops: FileOps | None = None) -> MemoryStore:
    """A store at a fixed time."""
    return MemoryStore(Layout(root), policy=policy or Policy(), clock=FixedClock(NOW), ids=Tokens(), ops=ops)


def put(root: Path, data: bytes) -> Path:
    """Write `memory.json` as somebody else would."""
    file = root / ".autopatch-j" / "memory.json"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    return file


def tree(root: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def entry(delta_id: str = "delta_20260501_124500_001", **changes: Any) -> PendingDelta:
    """A waiting delta."""
    waiting = PendingDelta(
        id=delta_id,
        created_at=AT,
        generation="0-0001",
        trigger=None,
        model="",
        origin="propose",
        reply="{}",
        finish_reason=None,
        delta_sha="x",
        context=JudgeContext(proposed_at=AT, batch=(turn(1),), closed=frozenset({"a"})),
    )
    return replace(waiting, **changes)
