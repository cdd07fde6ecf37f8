"""Values with their source, notes, and bounded reading inside the repository (P3)."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memory_core.document import RepoProfile

FILE_LIMIT = 1024 * 1024
"""Bytes of a build file that are read at most."""


@dataclass(frozen=True, slots=True)
class ProfileSource:
    """Where a value is stated; lines count from 1."""

    file: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ProfileNote:
    """Why something was skipped."""

    code: str
    message: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """A value and every place that it was put together from."""

    value: str
    sources: tuple[ProfileSource, ...]


@dataclass(frozen=True, slots=True)
class CollectedProfile:
    """The profile, where each field is stated, and what was skipped."""

    profile: RepoProfile
    stated_by: Mapping[str, tuple[ProfileSource, ...]]
    notes: tuple[ProfileNote, ...]


@dataclass(slots=True)
class Facts:
    """What one build says, as it is gathered."""

    build_tool: Stated | None = None
    project_name: Stated | None = None
    java_version: Stated | None = None
    modules: list[Stated] = field(default_factory=list)
    frameworks: list[Stated] = field(default_factory=list)
    notes: list[ProfileNote] = field(default_factory=list)

    def note(self, code: str, message: str, file: str | None = None, line: int | None = None) -> None:
        """Say why something was skipped."""
        note = ProfileNote(code, message, file, line)
        if note not in self.notes:
            self.notes.append(note)

    def add(self, to: list[Stated], stated: Stated) -> None:
        """Add a value once, where it was stated first."""
        if all(stated.value != known.value for known in to):
            to.append(stated)


class Files:
    """Reads plain files inside one folder, never through a link, never more than a limit."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, name: str, facts: Facts) -> bytes | None:
        """A file's bytes, or None with a note that says why not; absent files give no note."""
        parts = Path(name).parts
        if not parts or Path(name).is_absolute() or ".." in parts:
            facts.note("outside", f"{name} lies outside the repository.", name)
            return None
        path = self.root
        for part in parts[:-1]:
            path = path / part
            if path.is_symlink():
                facts.note("link", f"{name} is reached by a link; it is not followed.", name)
                return None
        try:
            descriptor = os.open(self.root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError):
            facts.note("unreadable", f"{name} cannot be read, or is a link.", name)
            return None
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                facts.note("not_a_file", f"{name} is not a file.", name)
                return None
            try:
                data = file.read(FILE_LIMIT + 1)
            except OSError:
                facts.note("unreadable", f"{name} cannot be read.", name)
                return None
        if len(data) > FILE_LIMIT:
            facts.note("too_large", f"{name} is over {FILE_LIMIT // 1024} KiB; it is not read.", name)
            return None
        return data

    def exists(self, name: str) -> bool:
        """Whether a plain file stands there; links do not count."""
        try:
            return stat.S_ISREG((self.root / name).lstat().st_mode)
        except (OSError, ValueError):
            return False

    def text(self, name: str, facts: Facts) -> str | None:
        """A file's text as UTF-8; a byte that fits no character becomes a mark."""
        data = self.read(name, facts)
        return None if data is None else data.decode("utf-8-sig", errors="replace")
