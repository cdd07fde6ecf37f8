"""`MemoryStore`: the one way into the file.

Looking takes no lock and creates nothing; changing goes by `transaction`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from memory_core import codec
from memory_core.clock import Clock, Ids, Marks, mark_of, merge_marks
from memory_core.codec import LoadResult
from memory_core.codes import sentence
from memory_core.errors import LinkRefusedError, LockedError, StateError, UnreadableError
from memory_core.policy import Policy
from memory_core.review.verdict import TurnedDown
from memory_core.storage.atomic import FileOps, failure, write_file
from memory_core.storage.forgetting import Wordings
from memory_core.storage.history import History
from memory_core.storage.jsonfile import numbers, read_json, read_object, write_json
from memory_core.storage.layout import READ_LIMIT, Layout, read_bytes
from memory_core.storage.log import EventLog
from memory_core.storage.pending import Draft, PendingDeltas, reserved_marks
from memory_core.storage.transaction import BACKUP_LIMIT, Transaction

_TURNED_DOWN: TypeAdapter[tuple[TurnedDown, ...]] = TypeAdapter(tuple[TurnedDown, ...])


@dataclass(frozen=True, slots=True)
class Backup:
    """A file that was kept before something of it would have been lost; size in bytes."""

    name: str
    size: int
    modified: float


class MemoryStore:
    """One repository's files."""

    def __init__(self, layout: Layout, *, policy: Policy, clock: Clock, ids: Ids, ops: FileOps | None = None) -> None:
        self.layout = layout
        self.policy = policy
        self.clock = clock
        self.ids = ids
        self.ops = ops or FileOps()
        self.pending = PendingDeltas(layout.pending, layout.drafts)
        self.history = History(layout.history, self.ops)
        self.log = EventLog(layout.log, self.ops, clock)

    # Looking.

    def load(self) -> LoadResult:
        """The document and what is wrong with its file; takes no lock, creates nothing (S1-S4)."""
        limits = self.policy.limits
        try:
            self.layout.guard()
            data = read_bytes(self.layout.document)
        except LinkRefusedError as error:
            return codec.failed("link", "link_refused", limits, message=error.message)
        except UnreadableError as error:
            return codec.failed("unreadable", "unreadable", limits, message=error.message)
        if data is None:
            return codec.absent(limits)
        if len(data) > READ_LIMIT:
            size = self.layout.document.lstat().st_size
            message = sentence("too_large", observed=size)
            sha = hashlib.sha256(data).hexdigest()
            return codec.failed("corrupt", "too_large", limits, message=message, size=size, sha256=sha, data=data)
        return codec.decode(data, limits, self.clock.now())

    @staticmethod
    def raise_unreadable(loaded: LoadResult) -> NoReturn:
        """Raise what stands against reading the file."""
        message = loaded.problems[0].message
        if loaded.status == "link":
            raise LinkRefusedError(message, hint="Put the real file or folder there.")
        raise UnreadableError(message, hint="Look at what stands there, and at its permissions.")

    def read_bytes(self) -> bytes | None:
        """The file's bytes, at most 4 MiB of them. Raises `LinkRefusedError`, `UnreadableError`."""
        self.layout.guard()
        return read_bytes(self.layout.document)

    def fingerprint(self) -> tuple[object, ...]:
        """A cheap value that changes whenever anything on disk does; for a watcher."""
        layout = self.layout
        paths = (
            layout.document,
            layout.folder,
            layout.state,
            layout.log,
            layout.pending,
            layout.history,
            layout.turned_down,
        )
        marks: list[object] = []
        for path in paths:
            try:
                status = path.lstat()
            except OSError as error:
                marks.append(error.errno)
            else:
                marks.append((status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode))
        return tuple(marks)

    def generation(self) -> str:
        """The generation: a counter with a random mark (U5)."""
        state = read_object(self.layout.state)
        count, mark = state.get("generation"), state.get("mark")
        return f"{count if type(count) is int else 0}-{mark if isinstance(mark, str) else ''}"

    def attempts(self) -> Mapping[str, int]:
        """Failed, refused or dismissed summaries in a row, by turn (T7)."""
        return numbers(read_object(self.layout.state).get("attempts"))

    def last_hashes(self) -> tuple[str, ...]:
        """The hashes before and after our last write; any other document is somebody else's (S9b)."""
        hashes = read_object(self.layout.last_write).get("hashes")
        return tuple(str(entry) for entry in hashes) if isinstance(hashes, list) else ()

    def last_marks(self) -> Marks:
        """The numbers in use as of our last write."""
        return numbers(read_object(self.layout.last_write).get("marks"))

    def turn_marks(self) -> Marks:
        """The numbers that turns used, without looking at the queue, which makes none."""
        newest = self.history.newest()
        return merge_marks(self.last_marks(), newest.marks if newest else {})

    def marks(self) -> Marks:
        """Every number in use in history, queue and earlier writes (D4)."""
        waiting = self.pending.list()
        own = [mark for entry in waiting if (mark := mark_of(entry.id)) is not None]
        newest = self.history.newest()
        spoken = mark_of(newest.delta_id) if newest and newest.delta_id else None
        ids = {key: max(number for other, number in own if other == key) for key, _ in own}
        return merge_marks(self.turn_marks(), reserved_marks(waiting), ids, dict([spoken] if spoken else []))

    def turned_down(self) -> tuple[TurnedDown, ...]:
        """The newest operations that a person turned down (R4c)."""
        try:
            return _TURNED_DOWN.validate_python(read_json(self.layout.turned_down) or ())
        except ValidationError:
            return ()

    def draft(self, delta_id: str) -> Draft:
        """The decisions kept for a delta that are not applied yet."""
        return self.pending.draft(delta_id)

    def backups(self) -> tuple[Backup, ...]:
        """Files kept before something of them would have been lost, by name."""
        found: list[Backup] = []
        for pattern in ("memory.corrupt*.json", "memory.v*.json"):
            for path in self.layout.folder.glob(pattern):
                with contextlib.suppress(OSError):
                    status = path.lstat()
                    found.append(Backup(path.name, status.st_size, status.st_mtime))
        return tuple(sorted(found, key=lambda backup: backup.name))

    def backup_text(self, name: str) -> tuple[str, int]:
        """A backup's text, at most 64 KiB of it, and how many bytes are left out; empty for an unknown name."""
        if all(backup.name != name for backup in self.backups()):
            return "", 0
        data = read_bytes(self.layout.folder / name, codec.RAW_LIMIT) or b""
        size = (self.layout.folder / name).lstat().st_size
        return data[: codec.RAW_LIMIT].decode("utf-8", errors="replace"), max(0, size - codec.RAW_LIMIT)

    def places_of(self, summary: str) -> tuple[str, ...]:
        """Where an item's text stands beside the item: document, history, queue, turned down, log, backups (R7)."""
        return self.places(Wordings([summary]))

    def places(self, wordings: Wordings) -> tuple[str, ...]:
        """Where one of these texts stands; long-term items are looked at by people, and left out."""
        document = self.load().document
        spoken = (*document.turns, *document.topics)
        places = [f"document:{entry.id}" for entry in spoken if wordings.stand_in(entry.model_dump_json().encode())]
        places += [f"history:{seq}" for seq in self.history.holding(wordings)]
        layout = self.layout
        named = [(f"pending:{name}", self.pending.path(name)) for name in self.pending.ids()]
        named += [(f"draft:{name}", layout.drafts / self.pending.path(name).name) for name in self.pending.ids()]
        named += [("turned_down", layout.turned_down), ("log", layout.log)]
        named += [(f"backup:{backup.name}", layout.folder / backup.name) for backup in self.backups()]
        for name, path in named:
            if wordings.stand_in(read_bytes(path, limit=BACKUP_LIMIT) or b""):
                places.append(name)
        return tuple(places)

    # Changing.

    @contextlib.contextmanager
    def transaction(self, *, wait: float) -> Iterator[Transaction]:
        """Hold the lock, at most `wait` seconds long in coming, and change things (S6).

        Raises `LockedError` naming the holder, `WriteError` for a folder that cannot be written, `LinkRefusedError`,
        `UnreadableError`.
        """
        self.layout.guard()
        self._make_folders()
        lock = FileLock(self.layout.lock, timeout=wait, mode=0o600, thread_local=False)
        try:
            lock.acquire(poll_interval=0.01)
        except Timeout as error:
            holder = self._holder()
            who = f"process {holder}" if holder else "another process"
            raise LockedError(
                f"Memory is locked by {who}; waited {wait:g} s.", holder=holder, hint="Try again when it is done."
            ) from error
        except OSError as error:
            raise failure("The lock could not be taken", error) from error
        try:
            with contextlib.suppress(StateError):
                write_file(self.ops, self.layout.holder, str(os.getpid()).encode(), durable=False)
            yield Transaction(self)
        finally:
            lock.release()

    def _make_folders(self) -> None:
        try:
            for folder in self.layout.folders:
                if not folder.is_dir():
                    with contextlib.suppress(FileExistsError):
                        self.ops.mkdir(folder)
        except OSError as error:
            raise failure(f"{folder.relative_to(self.layout.root)} could not be made", error) from error
        ignore = self.layout.private / ".gitignore"
        if not ignore.exists():
            write_file(self.ops, ignore, b"*\n", durable=False)

    def _holder(self) -> int | None:
        with contextlib.suppress(StateError, ValueError):
            return int(read_bytes(self.layout.holder) or b"")
        return None

    def write_state(self, **changes: object) -> None:
        """Change the state file; only under the lock."""
        write_json(self.ops, self.layout.state, read_object(self.layout.state) | changes)

    def raise_generation(self) -> None:
        """Begin a new generation; only under the lock (U5)."""
        count = read_object(self.layout.state).get("generation")
        self.write_state(generation=(count if type(count) is int else 0) + 1, mark=self.ids.token(), attempts={})

    def write_turned_down(self, entries: tuple[TurnedDown, ...]) -> None:
        """Replace what was turned down; only under the lock."""
        write_json(self.ops, self.layout.turned_down, _TURNED_DOWN.dump_python(entries, mode="json"))

    def save_draft(self, delta_id: str, draft: Draft, *, wait: float = 5.0) -> None:
        """Keep decisions that are not applied yet; an empty draft is removed."""
        path = self.layout.drafts / self.pending.path(delta_id).name
        with self.transaction(wait=wait):
            if self.pending.path(delta_id).exists():
                write_json(self.ops, path, self.pending.draft_to_json(draft), durable=False)
