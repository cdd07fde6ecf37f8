"""The revisions, one file each (R5, S9, S10).

A revision is written before the document that it tells of, as `N.open`, and becomes `N.rev` once it counts.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from memory_core.clock import instant, parse_time
from memory_core.codec import EMPTY_SHA256
from memory_core.errors import StateError, UnknownIdError
from memory_core.storage.atomic import FileOps, remove, sync_folder, write_file
from memory_core.storage.forgetting import Wordings
from memory_core.storage.layout import names_in, open_plain, read_bytes
from memory_core.storage.revision import (
    Cause,
    DecisionRecord,
    QueueChange,
    Revision,
    Stored,
    decode_header,
    decode_revision,
    encode_revision,
)

__all__ = ["Cause", "DecisionRecord", "History", "QueueChange", "Revision", "Stored"]

HEADER_LIMIT = 4 * 1024 * 1024
FILE_LIMIT = 32 * 1024 * 1024
_LOOK_BACK = 200
"""Revisions that are searched for an earlier application of a delta."""

Key = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A header that was read, and which state of its file it came from."""

    key: Key
    revision: Revision | None
    header_sha256: str


class History:
    """Reads the revisions; the transaction alone writes them."""

    def __init__(self, folder: Path, ops: FileOps) -> None:
        self._folder = folder
        self._ops = ops
        self._seen: dict[int, _Seen] = {}
        self._fitting: dict[int, tuple[Key, bool]] = {}

    def sequence(self, suffix: str = ".rev") -> tuple[int, ...]:
        """The numbers of the revisions that count, or with `.open` of those that do not yet."""
        cut = -len(suffix)
        stems = [name[:cut] for name in names_in(self._folder) if name.endswith(suffix) and len(name) < 24]
        return tuple(sorted(int(stem) for stem in stems if stem.isdigit() and stem.isascii()))

    def path(self, seq: int, suffix: str = ".rev") -> Path:
        """The file of a revision."""
        return self._folder / f"{seq:08d}{suffix}"

    def list(self) -> tuple[Revision, ...]:
        """Every revision that can be read, oldest first; headers only, each read again only where it changed."""
        found = [self._look(seq) for seq in self.sequence()]
        return tuple(seen.revision for seen in found if seen is not None and seen.revision is not None)

    def newest(self) -> Stored | None:
        """The newest revision that can be read."""
        return self.head()[1]

    def head(self) -> tuple[int, Stored | None]:
        """The highest number that is taken, and the newest revision that can be read."""
        numbers = self.sequence()
        newest = next((stored for seq in reversed(numbers) if (stored := self.read(seq)) is not None), None)
        return max(numbers, default=0), newest

    def get(self, seq: int) -> Revision:
        """One revision with its details. Raises `UnknownIdError`."""
        return self._whole(seq).revision

    def document_bytes(self, seq: int) -> bytes:
        """The document that a revision left, byte for byte. Raises `UnknownIdError`, `StateError`."""
        stored = self._whole(seq)
        if not stored.revision.kept:
            raise StateError(f"Revision {seq} is old; only what, when and why is kept.", code="not_kept")
        return stored.body

    def base_bytes(self, seq: int) -> bytes:
        """The document before a revision; nothing where none could be read then. Raises as `document_bytes`."""
        base = self.get(seq).base
        earlier = [number for number in self.sequence() if number < seq]
        if not earlier or base == EMPTY_SHA256 or self.get(earlier[-1]).sha256 != base:
            return b""
        return self.document_bytes(earlier[-1])

    def _whole(self, seq: int) -> Stored:
        stored = self.read(seq)
        if stored is None:
            raise UnknownIdError(f"There is no revision {seq}.", hint="memory-inspector history lists them.")
        return stored

    def applied_before(self, delta_id: str, since: str) -> frozenset[str]:
        """Places of a delta that revisions of `since` or later applied already (S9)."""
        start = parse_time(since)
        places: set[str] = set()
        for seq in self.sequence()[: -_LOOK_BACK - 1 : -1]:
            seen = self._look(seq)
            if seen is None or seen.revision is None:
                continue
            if start is not None and instant(seen.revision.at, start) < start:
                break
            if seen.revision.delta_id == delta_id:
                places |= {record.at for record in seen.revision.decisions if record.decision == "applied"}
        return frozenset(places)

    def verify(self) -> tuple[int, ...]:
        """The revisions whose content or place in the chain does not fit its hash, or that cannot be read."""
        broken: list[int] = []
        previous = ""
        for seq in self.sequence():
            seen = self._look(seq)
            if seen is None:
                continue
            if seen.revision is None:
                broken.append(seq)
                continue
            if seen.revision.previous != previous or not self._fits(seq, seen.key):
                broken.append(seq)
            previous = seen.header_sha256
        return tuple(broken)

    def _fits(self, seq: int, key: Key) -> bool:
        known = self._fitting.get(seq)
        if known is None or known[0] != key:
            stored = self.read(seq)
            known = self._fitting[seq] = key, stored is not None and stored.fits()
        return known[1]

    def read(self, seq: int, suffix: str = ".rev") -> Stored | None:
        """A revision with its document, or None where the file is gone or damaged."""
        try:
            data = read_bytes(self.path(seq, suffix), limit=FILE_LIMIT)
        except StateError:
            return None
        stored = None if data is None else decode_revision(data)
        return stored if stored is not None and stored.revision.seq == seq else None

    def _look(self, seq: int) -> _Seen | None:
        """A revision's header; one that is damaged has no revision, None where the file is gone."""
        try:
            status = os.lstat(f"{self._folder}{os.sep}{seq:08d}.rev")
        except OSError:
            return None
        key = status.st_ino, status.st_mtime_ns, status.st_size
        seen = self._seen.get(seq)
        if seen is None or seen.key != key:
            header = _first_line(self.path(seq))
            revision = decode_header(header, status.st_size) if header else None
            if revision is not None and revision.seq != seq:
                revision = None
            seen = self._seen[seq] = _Seen(key, revision, hashlib.sha256(header or b"").hexdigest())
        return seen

    def write(self, revision: Revision, document: bytes, suffix: str) -> None:
        """Make a revision durable. Raises `WriteError`, `OutcomeUnknownError`."""
        write_file(self._ops, self.path(revision.seq, suffix), encode_revision(revision, document))

    def take_back(self, seq: int) -> None:
        """Remove a revision that never came to count, durably. Raises `WriteError`, `OutcomeUnknownError`."""
        if remove(self._ops, self.path(seq, ".open")):
            sync_folder(self._ops, self._folder, "the history")

    def strip(self, keep: int) -> None:
        """Take documents and details out of all but the newest `keep` revisions (S10). Raises as `write`."""
        for seq in reversed(self.sequence()[:-keep]):
            stored = self.read(seq)
            if stored is None:
                continue
            if not stored.details and not stored.body:
                break
            write_file(self._ops, self.path(seq), stored.header)

    def purge(self) -> int:
        """Remove every revision; how many there were."""
        numbers = self.sequence()
        for seq in numbers:
            remove(self._ops, self.path(seq))
        for seq in self.sequence(".open"):
            remove(self._ops, self.path(seq, ".open"))
        return len(numbers)

    def holding(self, wordings: Wordings) -> tuple[int, ...]:
        """The revisions whose file holds one of the texts."""
        found: list[int] = []
        for seq in self.sequence():
            stored = self.read(seq)
            if stored is not None and wordings.stand_in(stored.encoded()):
                found.append(seq)
        return tuple(found)

    def forget(self, wordings: Wordings, item_id: str) -> None:
        """Take a text out of every revision: documents that hold it, and decisions about it; then chain anew."""
        affected = self.holding(wordings)
        previous = ""
        for seq in self.sequence() if affected else ():
            stored = self.read(seq)
            if stored is None:
                continue
            if seq >= affected[0]:
                texts, item = (wordings, item_id) if seq in affected else (Wordings(()), "")
                stored = stored.forgotten(texts, item, previous)
                write_file(self._ops, self.path(seq), stored.encoded())
            previous = stored.header_sha256


def _first_line(path: Path) -> bytes | None:
    """A file's first line, read in pieces; None where there is no whole one within the limit."""
    try:
        descriptor = open_plain(path)
    except StateError:
        return None
    if descriptor is None:
        return None
    line = b""
    try:
        while len(line) < HEADER_LIMIT and (piece := os.read(descriptor, 16 * 1024)):
            start, newline, _ = piece.partition(b"\n")
            line += start + newline
            if newline:
                return line
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None
