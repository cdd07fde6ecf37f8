"""Where everything stands, and what may stand there: no links, no devices (S8).

Reading is bounded and never follows.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from memory_core.errors import LinkRefusedError, UnreadableError

FOLDER = ".autopatch-j"
READ_LIMIT = 4 * 1024 * 1024
"""Bytes that are read of one file at most."""

PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""How every file of ours is opened: no link followed, not handed on to children, bytes as they are. Windows lacks the
first two (S11)."""
_LOOKING = os.O_RDONLY | PLAIN | getattr(os, "O_NONBLOCK", 0)


class Layout:
    """Paths of one repository's memory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / FOLDER
        self.document = self.folder / "memory.json"
        self.policy = self.folder / "memory.yaml"
        self.private = self.folder / "memory"
        self.gitignore = self.private / ".gitignore"
        self.lock = self.private / "lock"
        self.holder = self.private / "holder"
        self.state = self.private / "state.json"
        self.last_writes = (self.private / "last_write.a.json", self.private / "last_write.b.json")
        self.turned_down = self.private / "turned_down.json"
        self.log = self.private / "log.jsonl"
        self.pending = self.private / "pending"
        self.history = self.private / "history"
        self.drafts = self.private / "drafts"

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders of ours, outermost first."""
        return self.folder, self.private, self.pending, self.history, self.drafts

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of ours at fixed places."""
        own = (self.gitignore, self.lock, self.holder, self.state, *self.last_writes, self.turned_down, self.log)
        return self.document, *own

    def guard(self) -> None:
        """Refuse links, dangling ones too, and whatever is no file or folder where one is expected.

        Raises `LinkRefusedError`, `UnreadableError`.
        """
        for path in self.folders:
            self._expect(path, stat.S_ISDIR, "a folder")
        for path in self.files:
            self._expect(path, stat.S_ISREG, "a file")

    def _expect(self, path: Path, is_right: Callable[[int], bool], name: str) -> None:
        mode = mode_of(path)
        if mode is None:
            return
        shown = path.relative_to(self.root)
        if stat.S_ISLNK(mode):
            raise LinkRefusedError(
                f"{shown} is a link; it is neither followed nor replaced.", hint="Put the real file or folder there."
            )
        if not is_right(mode):
            raise UnreadableError(f"{shown} is not {name}.", hint=f"Move away what stands there; {name} belongs there.")


def mode_of(path: Path) -> int | None:
    """The mode of what stands at a path, links not followed; None where nothing stands there.

    Raises `UnreadableError` where not even that can be told.
    """
    try:
        return path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{path.name[:80]} cannot be looked at: {_why(error)}.") from error


def names_in(folder: Path) -> list[str]:
    """The names in a folder; none where it cannot be listed. Ten times as fast as making paths of them."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    except OSError:
        return []


def open_plain(path: Path) -> int | None:
    """A descriptor of a plain file for reading, None where there is none; nothing is waited for.

    Raises `LinkRefusedError`, `UnreadableError` for links, devices, pipes and folders.
    """
    try:
        if not PLAIN & getattr(os, "O_NOFOLLOW", 0) and path.is_symlink():
            raise LinkRefusedError(f"{path.name} is a link; it is not followed.")
        descriptor = os.open(path, _LOOKING)
    except (FileNotFoundError, NotADirectoryError):
        if mode_of(path) is not None:
            raise UnreadableError(f"{path.name} cannot be opened.") from None
        return None
    except (OSError, ValueError) as error:
        mode = mode_of(path)
        if mode is not None and stat.S_ISLNK(mode):
            raise LinkRefusedError(f"{path.name} is a link; it is not followed.") from error
        raise UnreadableError(f"{path.name[:80]} cannot be read: {_why(error)}.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableError(f"{path.name} is not a file.", hint="Move away what stands there.")
    return descriptor


def read_bytes(path: Path, limit: int = READ_LIMIT) -> bytes | None:
    """At most `limit + 1` bytes of a plain file, so that more than `limit` can be told; None where there is none.

    Raises `LinkRefusedError`, `UnreadableError`.
    """
    descriptor = open_plain(path)
    if descriptor is None:
        return None
    try:
        chunks: list[bytes] = []
        wanted = limit + 1
        while wanted > 0 and (chunk := os.read(descriptor, min(wanted, 1024 * 1024))):
            chunks.append(chunk)
            wanted -= len(chunk)
        return b"".join(chunks)
    except OSError as error:
        raise UnreadableError(f"{path.name} cannot be read: {_why(error)}.") from error
    finally:
        os.close(descriptor)


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "it is no name of a file"
