"""Durable, atomic writes: temporary file, write, fsync, rename, fsync of the folder (S5, S7b, S11).

Every step that changes the disk goes through `FileOps`, so that a test can count, fail or cut off any of them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from memory_core.errors import OutcomeUnknownError, WriteError
from memory_core.storage.layout import PLAIN

TEMPORARY = ".tmp-"
"""What every temporary file of ours starts with."""

_WORDS = {
    errno.ENOSPC: ("the disk is full", "Make room, then try again."),
    errno.EDQUOT: ("the quota is used up", "Make room, then try again."),
    errno.EROFS: ("the file system is read-only", "Memory can be looked at, not changed."),
    errno.EACCES: ("permission is denied", "Look at the owner and mode of .autopatch-j/."),
    errno.EPERM: ("permission is denied", "Look at the owner and mode of .autopatch-j/."),
    errno.EIO: ("the disk reports an error", "Look at the disk before trying again."),
}
_SHARING_VIOLATIONS = frozenset({5, 32, 33})
_RENAME_PATIENCE = 2.0
"""Seconds that a rename blocked by another Windows program is tried again."""


class FileOps:
    """The operating system's calls that change something."""

    def create(self, path: Path, mode: int) -> int:
        """A new file for writing; fails where anything stands at the path."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PLAIN, mode)

    def append(self, path: Path) -> int:
        """A file for appending, made where there is none; never waits for the other end of a pipe."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | PLAIN | getattr(os, "O_NONBLOCK", 0), 0o600)

    def overwrite(self, path: Path) -> int:
        """A file for writing over its first bytes, made where there is none."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | PLAIN | getattr(os, "O_NONBLOCK", 0), 0o600)

    def chmod(self, descriptor: int, mode: int) -> None:
        """Give an open file its mode, whatever the umask; Windows knows no such modes."""
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)

    def write(self, descriptor: int, data: bytes) -> None:
        """Write all of the data."""
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    def fsync(self, descriptor: int) -> None:
        """Make a file's content durable."""
        os.fsync(descriptor)

    def rename(self, source: Path, target: Path) -> None:
        """Put a file in another's place, in one step."""
        source.replace(target)

    def link(self, source: Path, target: Path) -> None:
        """Give a file a second name; fails where anything stands there."""
        os.link(source, target)

    def unlink(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()

    def mkdir(self, path: Path) -> None:
        """Make a folder for its owner only."""
        path.mkdir(mode=0o700)

    def fsync_folder(self, folder: Path) -> None:
        """Make a folder's entries durable; Windows has no such call (S11)."""
        if sys.platform == "win32":
            return
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_file(ops: FileOps, path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace a file's content in one step; an existing file's mode is kept, a new one is its owner's only.

    Raises `WriteError` where it failed before the rename (the old file stands, the temporary one is gone), and
    `OutcomeUnknownError` where only the folder's fsync failed.
    """
    temporary = path.with_name(f"{TEMPORARY}{path.name}-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        _write_temporary(ops, temporary, data, _mode(path), durable=durable)
        _rename(ops, temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            ops.unlink(temporary)
        raise failure(f"{path.name} was not written", error) from error
    if durable:
        sync_folder(ops, path.parent, path.name)


def write_new(ops: FileOps, path: Path, data: bytes) -> None:
    """Write a small file that may be lost: not durable, nothing replaced. Raises `WriteError`."""
    try:
        _write_temporary(ops, path, data, 0o600, durable=False)
    except OSError as error:
        raise failure(f"{path.name} was not written", error) from error


def rename(ops: FileOps, source: Path, target: Path) -> None:
    """Rename a file durably. Raises `WriteError`, `OutcomeUnknownError`."""
    try:
        _rename(ops, source, target)
    except OSError as error:
        raise failure(f"{source.name} was not renamed to {target.name}", error) from error
    sync_folder(ops, target.parent, target.name)


def make_folder(ops: FileOps, folder: Path) -> None:
    """Make a folder for its owner, durably, where there is none. Raises `WriteError`."""
    try:
        if not folder.is_dir():
            with contextlib.suppress(FileExistsError):
                ops.mkdir(folder)
            ops.fsync_folder(folder.parent)
    except OSError as error:
        raise failure(f"{folder.name}/ could not be made", error) from error


@contextlib.contextmanager
def before_it_counts() -> Iterator[None]:
    """Until memory.json itself is renamed nothing has changed: an unknown outcome is a plain failure (S7b)."""
    try:
        yield
    except OutcomeUnknownError as error:
        raise WriteError(f"{error.message} memory.json is as it was.", hint="Look at the disk.") from error


def sync_folder(ops: FileOps, folder: Path, name: str) -> None:
    """Make a rename durable; never tried twice. Raises `OutcomeUnknownError`."""
    try:
        ops.fsync_folder(folder)
    except OSError as error:
        raise OutcomeUnknownError(
            f"{name} was replaced, but whether that is durable is unknown: {error.strerror}.",
            hint="The file is read again; look at it before going on.",
        ) from error


def remove(ops: FileOps, path: Path) -> bool:
    """Remove a file; whether there was one. Raises `WriteError`."""
    try:
        ops.unlink(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise failure(f"{path.name} was not removed", error) from error
    return True


def failure(what: str, error: OSError) -> WriteError:
    """A plain failure in words."""
    words, hint = _WORDS.get(error.errno or 0, (error.strerror or type(error).__name__, "The old file stands."))
    return WriteError(f"{what}: {words}.", hint=hint)


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode & 0o777
    except OSError:
        return 0o600


def _write_temporary(ops: FileOps, path: Path, data: bytes, mode: int, *, durable: bool) -> None:
    descriptor = ops.create(path, 0o600)
    try:
        if mode != 0o600:
            ops.chmod(descriptor, mode)
        ops.write(descriptor, data)
        if durable:
            ops.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rename(ops: FileOps, source: Path, target: Path) -> None:
    deadline = time.monotonic() + _RENAME_PATIENCE
    while True:
        try:
            ops.rename(source, target)
        except OSError as error:
            if getattr(error, "winerror", None) not in _SHARING_VIOLATIONS or time.monotonic() >= deadline:
                raise
            time.sleep(0.05)
        else:
            return
