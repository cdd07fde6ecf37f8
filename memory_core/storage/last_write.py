"""What we wrote last, so that anything else in its place is known to be somebody else's (S9b).

Two small files take turns, so that a kill in the middle of one leaves the other. They are never made durable and
never replaced by rename: both would cost as much as the document's own write. Losing them costs no memory: the
document found is then kept as if somebody else had written it.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from memory_core.clock import Marks
from memory_core.errors import StateError
from memory_core.storage.atomic import FileOps, remove, write_new
from memory_core.storage.jsonfile import numbers
from memory_core.storage.layout import READ_LIMIT, read_bytes

Identity = tuple[int, int]
"""Inode and time of change (ns): the same file, untouched."""


@dataclass(frozen=True, slots=True)
class LastWrite:
    """Our last write of memory.json; `before` and `after` are SHA-256 of the document's bytes."""

    count: int = 0
    before: str = ""
    after: str = ""
    replaced: Identity | None = None
    """The file that was to be replaced; where it still stands the write never came to count."""
    marks: Marks = field(default_factory=dict)
    """Numbers in use as of then (D4)."""
    document: bytes = b""
    """What was written, to be kept where somebody else writes over it."""

    def is_ours(self, sha256: str) -> bool:
        """Whether a document of that hash is one of ours."""
        return bool(self.after) and sha256 in {self.before, self.after}

    def was_overwritten(self, sha256: str, found: Identity | None) -> bool:
        """Whether something else than what we wrote stands there now, our own write having counted."""
        if not self.document or sha256 == self.after:
            return False
        return not (sha256 == self.before and found == self.replaced)


class LastWrites:
    """Reads and writes the two files; only the transaction writes them."""

    def __init__(self, paths: tuple[Path, Path]) -> None:
        self._paths = paths

    def read(self) -> LastWrite:
        """The newest whole one, or an empty one."""
        return max(self.all(), key=lambda entry: entry.count, default=LastWrite())

    def all(self) -> tuple[LastWrite, ...]:
        """Every whole one, oldest first: two where a write was cut off, of which nobody knows whether it counted."""
        found = (entry for path in self._paths if (entry := _read(path)) is not None)
        return tuple(sorted(found, key=lambda entry: entry.count))

    def write(self, ops: FileOps, entry: LastWrite) -> None:
        """Keep it beside the one before. Raises `WriteError`."""
        path = self._path(entry)
        remove(ops, path)
        header = {
            "count": entry.count,
            "before": entry.before,
            "after": entry.after,
            "replaced": entry.replaced,
            "marks": dict(entry.marks),
            "size": len(entry.document),
        }
        write_new(ops, path, json.dumps(header).encode() + b"\n" + entry.document)

    def drop(self, ops: FileOps, entry: LastWrite) -> None:
        """Take one back: its document was not written."""
        remove(ops, self._path(entry))

    def keep_only(self, ops: FileOps, entry: LastWrite) -> None:
        """Remove the one before: its document is gone, and so must its text be."""
        remove(ops, self._paths[(entry.count + 1) % 2])

    def _path(self, entry: LastWrite) -> Path:
        return self._paths[entry.count % 2]


def identity(path: Path) -> Identity | None:
    """Which file stands at a path now."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _read(path: Path) -> LastWrite | None:
    try:
        header, newline, document = (read_bytes(path, READ_LIMIT) or b"").partition(b"\n")
        value = json.loads(header)
        count, before, after, size = (value[key] for key in ("count", "before", "after", "size"))
        replaced = value.get("replaced")
    except (StateError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
    whole = newline and type(count) is int and size == len(document)
    if not whole or not isinstance(before, str) or not isinstance(after, str):
        return None
    if document and hashlib.sha256(document).hexdigest() != after:
        return None
    match replaced:
        case [int(inode), int(changed)]:
            found: Identity | None = (inode, changed)
        case _:
            found = None
    return LastWrite(count, before, after, found, numbers(value.get("marks")), document)
