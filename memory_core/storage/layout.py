"""Where everything stands, and what may stand there: no links, no devices (S8).

Reading is bounded and never follows.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from memory_core.errors import LinkRefusedError, UnreadableError

FOLDER = ".autopatch-j"
READ_LIMIT = 4 * 1024 * 1024
"""Bytes that are read of one file at most."""


class Layout:
    """Paths of one repository's memory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / FOLDER
        self.document = self.folder / "memory.json"
        self.policy = self.folder / "memory.yaml"
        self.private = self.folder / "memory"
        self.lock = self.private / "lock"
        self.holder = self.private / "holder"
        self.state = self.private / "state.json"
        self.last_write = self.private / "last_write.json"
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
        return self.document, self.lock, self.holder, self.state, self.last_write, self.turned_down, self.log

    def guard(self) -> None:
        """Refuse links, dangling ones too, and whatever is no file or folder where one is expected.

        Raises `LinkRefusedError`, `UnreadableError`.
        """
        for path in self.folders:
            self._expect(path, stat.S_ISDIR, "a folder")
        for path in self.files:
            self._expect(path, stat.S_ISREG, "a file")

    def _expect(self, path: Path, is_right: object, name: str) -> None:
        mode = mode_of(path)
        if mode is None:
            return
        shown = path.relative_to(self.root)
        if stat.S_ISLNK(mode):
            raise LinkRefusedError(
                f"{shown} is a link; it is neither followed nor replaced.", hint="Put the real file or folder there."
            )
        if callable(is_right) and not is_right(mode):
            raise UnreadableError(f"{shown} is not {name}.", hint=f"Move away what stands there; {name} belongs there.")


def mode_of(path: Path) -> int | None:
    """The mode of what stands at a path, links not followed; None where nothing stands there.

    Raises `UnreadableError` where not even that can be told.
    """
    try:
        return path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnreadableError(f"{path.name} cannot be looked at: {error.strerror}.") from error


def read_bytes(path: Path, limit: int = READ_LIMIT) -> bytes | None:
    """At most `limit + 1` bytes of a plain file, so that more than `limit` can be told; None where there is none.

    Links and devices are refused, and nothing is waited for. Raises `LinkRefusedError`, `UnreadableError`.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        if mode_of(path) is not None:
            raise UnreadableError(f"{path.name} cannot be opened.") from None
        return None
    except OSError as error:
        mode = mode_of(path)
        if mode is not None and stat.S_ISLNK(mode):
            raise LinkRefusedError(f"{path.name} is a link; it is not followed.") from error
        raise UnreadableError(f"{path.name} cannot be read: {error.strerror}.") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnreadableError(f"{path.name} is not a file.", hint="Move away what stands there.")
        chunks: list[bytes] = []
        wanted = limit + 1
        while wanted > 0 and (chunk := os.read(descriptor, min(wanted, 1024 * 1024))):
            chunks.append(chunk)
            wanted -= len(chunk)
        return b"".join(chunks)
    except OSError as error:
        raise UnreadableError(f"{path.name} cannot be read: {error.strerror}.") from error
    finally:
        os.close(descriptor)
