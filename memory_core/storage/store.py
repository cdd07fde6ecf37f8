"""`MemoryStore`: the one way into the file.

Looking takes no lock and creates nothing; changing goes by `transaction`.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NoReturn

from pydantic import TypeAdapter, ValidationError

from memory_core import codec
from memory_core.clock import Clock, Ids, Marks, merge_marks
from memory_core.codec import LoadResult
from memory_core.codes import sentence
from memory_core.errors import LinkRefusedError, UnreadableError
from memory_core.policy import Policy
from memory_core.review.verdict import TurnedDown, marks_of_ids
from memory_core.storage.atomic import FileOps, make_folder, write_file
from memory_core.storage.backups import BACKUP_LIMIT, Backup, Backups
from memory_core.storage.forgetting import Wordings
from memory_core.storage.history import History, Stored
from memory_core.storage.jsonfile import numbers, read_json, read_object, write_json
from memory_core.storage.last_write import LastWrites
from memory_core.storage.layout import READ_LIMIT, Layout, mode_of, read_bytes
from memory_core.storage.log import EventLog
from memory_core.storage.pending import Draft, PendingDeltas, reserved_marks

if TYPE_CHECKING:
    from memory_core.storage.transaction import Transaction

__all__ = ["Backup", "MemoryStore"]


@cache
def _turned_down() -> TypeAdapter[tuple[TurnedDown, ...]]:
    return TypeAdapter(tuple[TurnedDown, ...])


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
        self.log = EventLog(layout, self.ops, clock)
        self.last_writes = LastWrites(layout.last_writes)

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
        """The generation: a counter with a random mark (U5); `0-` where nothing was ever written."""
        state = read_object(self.layout.state)
        count, mark = state.get("generation"), state.get("mark")
        return f"{count if type(count) is int else 0}-{mark if isinstance(mark, str) else ''}"

    def attempts(self) -> Mapping[str, int]:
        """Failed, refused or dismissed summaries in a row, by turn (T7)."""
        return numbers(read_object(self.layout.state).get("attempts"))

    def turn_marks(self) -> Marks:
        """The numbers that turns used, without looking at the queue, which makes none."""
        newest = self.history.newest()
        return merge_marks(self.last_writes.read().marks, newest.revision.marks if newest else {})

    def marks(self, newest: Stored | None = None) -> Marks:
        """Every number in use in history, queue and earlier writes (D4); `newest` saves looking for that revision."""
        waiting = self.pending.list()
        newest = newest or self.history.newest()
        spoken = [newest.revision.delta_id] if newest and newest.revision.delta_id else []
        ids = marks_of_ids([*spoken, *(entry.id for entry in waiting)])
        history = newest.revision.marks if newest else {}
        return merge_marks(self.last_writes.read().marks, history, reserved_marks(waiting), ids)

    def turned_down(self) -> tuple[TurnedDown, ...]:
        """The newest operations that a person turned down (R4c)."""
        try:
            return _turned_down().validate_python(read_json(self.layout.turned_down) or ())
        except ValidationError:
            return ()

    def draft(self, delta_id: str) -> Draft:
        """The decisions kept for a delta that are not applied yet."""
        return self.pending.draft(delta_id)

    def backups(self) -> tuple[Backup, ...]:
        """Files kept before something of them would have been lost, by name."""
        return Backups(self.layout, self.ops).list()

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
        from memory_core.storage.lock import locked
        from memory_core.storage.transaction import Transaction

        self.layout.guard()
        for folder in self.layout.folders:
            make_folder(self.ops, folder)
        with locked(self.layout, self.ops, wait):
            if mode_of(self.layout.gitignore) is None:
                write_file(self.ops, self.layout.gitignore, b"*\n", durable=False)
            yield Transaction(self)

    def write_state(self, **changes: object) -> None:
        """Change the state file; only under the lock."""
        write_json(self.ops, self.layout.state, read_object(self.layout.state) | changes)

    def raise_generation(self) -> None:
        """Begin a new generation; only under the lock (U5)."""
        count = read_object(self.layout.state).get("generation")
        self.write_state(generation=(count if type(count) is int else 0) + 1, mark=self.ids.token())

    def begin_generation(self) -> bool:
        """Give a folder without a generation its first mark; whether it had none. Only under the lock (U5)."""
        if not self.generation().endswith("-"):
            return False
        self.write_state(generation=int(self.generation()[:-1]), mark=self.ids.token())
        return True

    def put_generation_back(self, generation: str) -> None:
        """Undo the raising of a reset that never came to count; only under the lock (S9)."""
        count, _, mark = generation.partition("-")
        if generation != self.generation() and count.isdigit():
            self.write_state(generation=int(count), mark=mark)

    def write_turned_down(self, entries: tuple[TurnedDown, ...]) -> None:
        """Replace what was turned down; only under the lock."""
        write_json(self.ops, self.layout.turned_down, _turned_down().dump_python(entries, mode="json"))

    def save_draft(self, delta_id: str, draft: Draft, *, wait: float = 5.0) -> None:
        """Keep decisions that are not applied yet; an empty draft is removed."""
        path = self.layout.drafts / self.pending.path(delta_id).name
        with self.transaction(wait=wait):
            if self.pending.path(delta_id).exists():
                write_json(self.ops, path, self.pending.draft_to_json(draft), durable=False)
