"""Files that are kept before a write would lose something of them: memory.corrupt*.json, memory.v*.json (S2-S4).

Nothing but a purge deletes them, and none is ever written over.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_core.errors import WriteError
from memory_core.storage.atomic import FileOps, failure, rename, sync_folder, write_file
from memory_core.storage.layout import Layout, mode_of, read_bytes

PATTERNS = ("memory.corrupt*.json", "memory.v*.json")
BACKUP_LIMIT = 64 * 1024 * 1024
"""Bytes of a file that are kept in a copy, and searched when a text is forgotten."""

_NO_LINKS = frozenset({errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EXDEV})
"""What file systems without hard links answer."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A file that was kept before something of it would have been lost; size in bytes."""

    name: str
    size: int
    modified: float


class Backups:
    """The backups of one repository."""

    def __init__(self, layout: Layout, ops: FileOps) -> None:
        self._layout = layout
        self._ops = ops

    def list(self) -> tuple[Backup, ...]:
        """Every backup, by name."""
        found: list[Backup] = []
        for path in self._paths():
            with contextlib.suppress(OSError):
                status = path.lstat()
                found.append(Backup(path.name, status.st_size, status.st_mtime))
        return tuple(sorted(found, key=lambda backup: backup.name))

    def _paths(self) -> Iterator[Path]:
        for pattern in PATTERNS:
            yield from self._layout.folder.glob(pattern)

    def copy(self, stem: str, now: datetime) -> str:
        """Copy memory.json; the copy's name. Raises `WriteError`, `OutcomeUnknownError`."""
        data = read_bytes(self._layout.document, limit=BACKUP_LIMIT) or b""
        name = self._free_name(stem, now)
        write_file(self._ops, self._layout.folder / name, data)
        return name

    def keep(self, stem: str, now: datetime) -> str:
        """Give memory.json, about to be replaced, a second name; the name. It is whole under its own name until then.

        Where the file system has no links it is moved. Raises `WriteError`, `OutcomeUnknownError`.
        """
        if (kept := self._kept_already()) is not None:
            return kept
        name = self._free_name(stem, now)
        target = self._layout.folder / name
        try:
            self._ops.link(self._layout.document, target)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise failure("The damaged memory.json could not be kept", error) from error
            rename(self._ops, self._layout.document, target)
            return name
        sync_folder(self._ops, self._layout.folder, name)
        return name

    def move(self, stem: str, now: datetime) -> str:
        """Move memory.json away; its new name. Raises `WriteError`, `OutcomeUnknownError`."""
        name = self._kept_already() or self._free_name(stem, now)
        rename(self._ops, self._layout.document, self._layout.folder / name)
        if mode_of(self._layout.document) is not None:
            # Two names of one file: a rename from one to the other changes nothing, by POSIX.
            self._unlink_document()
        return name

    def _unlink_document(self) -> None:
        try:
            self._ops.unlink(self._layout.document)
        except OSError as error:
            raise failure("The damaged memory.json could not be moved", error) from error
        sync_folder(self._ops, self._layout.folder, self._layout.document.name)

    def _kept_already(self) -> str | None:
        """A backup that is this very file: a write was cut off after it had been kept."""
        with contextlib.suppress(OSError):
            document = self._layout.document.lstat()
            for path in self._paths():
                status = path.lstat()
                if (status.st_dev, status.st_ino) == (document.st_dev, document.st_ino):
                    return path.name
        return None

    def _free_name(self, stem: str, now: datetime) -> str:
        """A name that nothing has, never an earlier backup's, also within one second (S2)."""
        stamp = f"{now:%Y%m%d_%H%M%S}"
        candidates = [f"{stem}.json", f"{stem}.{stamp}.json"]
        candidates += [f"{stem}.{stamp}_{number}.json" for number in range(2, 10_000)]
        for name in candidates:
            if mode_of(self._layout.folder / name) is None:
                return name
        raise WriteError("There is no free name for a backup.", hint="Purge, or move backups away.")
