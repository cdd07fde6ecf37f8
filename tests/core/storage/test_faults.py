"""A death or a failure at every single step that changes the disk leaves the old state or the new one (S5, S7b, S9)."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory_core.capacity import encode
from memory_core.document import MemoryDocument
from memory_core.errors import MemoryCoreError, OutcomeUnknownError, WriteError
from memory_core.review.verdict import TurnedDown
from memory_core.storage.history import DecisionRecord, QueueChange
from memory_core.storage.pending import PendingDelta
from memory_core.storage.store import MemoryStore
from tests.core.samples import AT, document, note, turn
from tests.core.storage.helpers import Crash, SteppedOps, entry, put, store

ONE = document(turns=(turn(1),))
TWO = document(turns=(turn(1), turn(2)))
NOTED = document(turns=(turn(1),), items=(note(1),))
THEIRS = encode(document(items=(note(7, summary="别人写的。"),)))
BROKEN = b'{"version": 1, "updated_at'
DECISION = DecisionRecord(at="long_term_operations[0]", decision="applied", verdict="accepted", code="accepted")
DOWN = TurnedDown("long_term", "project_note", "标签", "摘要", AT)
REST = entry(closed=("long_term_operations[0]",), applied=True)


def nothing(root: Path) -> None:
    root.mkdir()


def recorded(root: Path) -> None:
    """One turn, one waiting delta, one turn that failed once."""
    root.mkdir()
    with store(root, ops=SteppedOps()).transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
        transaction.enqueue(entry())
        transaction.set_attempts({turn(1).id: 1})


def over(data: bytes) -> Callable[[Path], None]:
    """The same, with a file that somebody else has put there since."""

    def prepare(root: Path) -> None:
        recorded(root)
        put(root, data)

    return prepare


def record(found: MemoryStore) -> None:
    with found.transaction(wait=1) as transaction:
        transaction.write_turn(TWO)


def commit(found: MemoryStore, queue: QueueChange, waiting: PendingDelta | None, cause: str = "apply") -> None:
    with found.transaction(wait=1) as transaction:
        transaction.commit(
            cause="apply" if cause == "apply" else "auto",
            summary="one",
            document=NOTED,
            decisions=(DECISION,),
            delta_id=entry().id,
            delta=waiting,
            queue=queue,
            turned_down=(DOWN,),
            refuse_corrupt=cause == "apply",
        )


def apply(found: MemoryStore) -> None:
    commit(found, QueueChange(remove=(entry().id,)), entry())


def apply_a_part(found: MemoryStore) -> None:
    commit(found, QueueChange(put=(REST,)), entry())


def apply_by_itself(found: MemoryStore) -> None:
    commit(found, QueueChange(put=(entry("delta_20260501_124500_002"),)), None, cause="auto")


def reset(found: MemoryStore) -> None:
    with found.transaction(wait=1) as transaction:
        transaction.reset(MemoryDocument(updated_at=AT), discard=(entry().id,))


def restore(found: MemoryStore) -> None:
    with found.transaction(wait=1) as transaction:
        transaction.commit(cause="restore", summary="", document=THEIRS, refuse_corrupt=False)


def recover(found: MemoryStore) -> None:
    with found.transaction(wait=1) as transaction:
        transaction.set_aside()


SCENES: dict[str, tuple[Callable[[Path], None], Callable[[MemoryStore], None]]] = {
    "the first turn": (nothing, record),
    "another turn": (recorded, record),
    "a turn over an edit": (over(THEIRS), record),
    "a turn over a damaged file": (over(BROKEN), record),
    "a turn over another version": (over(b'{"version": 3}'), record),
    "a turn over a bad entry": (over(encode(ONE).replace(b"general_chat", b"code_audit")), record),
    "an approval": (recorded, apply),
    "an approval over an edit": (over(THEIRS), apply),
    "a part of a delta": (recorded, apply_a_part),
    "by itself": (recorded, apply_by_itself),
    "by itself over a damaged file": (over(BROKEN), apply_by_itself),
    "a reset": (recorded, reset),
    "a reset over a damaged file": (over(BROKEN), reset),
    "a restore": (recorded, restore),
}


@dataclass(frozen=True)
class State:
    """All that counts, once the next writer has been there."""

    data: bytes | None
    queue: tuple[PendingDelta, ...]
    revisions: tuple[tuple[str, str], ...]
    turned_down: int
    attempts: tuple[tuple[str, int], ...]
    generation: str

    @property
    def counted(self) -> tuple[tuple[str, str], ...]:
        """Revisions but those that only keep what was there before."""
        return tuple(entry for entry in self.revisions if entry[0] not in {"recorded", "outside"})


def state(root: Path) -> State:
    """The state after recovery, which must leave nothing half done."""
    found = store(root, ops=SteppedOps())
    with found.transaction(wait=1):
        pass
    folder = root / ".autopatch-j"
    assert not list(folder.rglob(".tmp-*"))
    assert not list(folder.rglob("*.open"))
    assert found.history.verify() == ()
    return State(
        data=found.read_bytes(),
        queue=found.pending.list(),
        revisions=tuple((revision.cause, revision.sha256) for revision in found.history.list()),
        turned_down=len(found.turned_down()),
        attempts=tuple(found.attempts().items()),
        generation=found.generation(),
    )


@dataclass
class Scene:
    """A scene prepared once and copied for every run."""

    folder: Path
    prepare: Callable[[Path], None]
    act: Callable[[MemoryStore], None]

    def __post_init__(self) -> None:
        self.prepare(self.folder / "template")
        self.old = state(self.root("old"))
        ops = SteppedOps()
        done = self.root("done")
        self.act(store(done, ops=ops))
        self.steps = ops.steps
        self.new = state(done)
        assert self.new != self.old

    def root(self, name: str) -> Path:
        return Path(shutil.copytree(self.folder / "template", self.folder / name))

    def run(self, root: Path, ops: SteppedOps) -> BaseException | None:
        """What the action raises, if anything; only errors of ours, and the death."""
        try:
            self.act(store(root, ops=ops))
        except (MemoryCoreError, Crash) as error:
            return error
        return None

    @property
    def outcome(self) -> object:
        """Document, queue and what counts, as the action leaves them."""
        return self.new.data, self.new.queue, self.new.counted

    def is_old(self, found: State) -> bool:
        """Nothing happened, but that what was there before may have been kept in the history already."""
        return (found.data, found.queue, found.counted, found.turned_down, found.attempts, found.generation) == (
            self.old.data,
            self.old.queue,
            self.old.counted,
            self.old.turned_down,
            self.old.attempts,
            self.old.generation,
        )

    def nothing_is_lost(self, root: Path) -> bool:
        """Whether the file that was there is still somewhere, byte for byte."""
        was = self.old.data
        found = store(root)
        kept = {found.history.document_bytes(revision.seq) for revision in found.history.list()}
        kept |= {(found.layout.folder / backup.name).read_bytes() for backup in found.backups()}
        return was is None or was in kept or found.read_bytes() == was


@pytest.fixture(params=SCENES, ids=lambda name: name.replace(" ", "-"))
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Scene:
    prepare, act = SCENES[request.param]
    return Scene(tmp_path, prepare, act)


def test_a_death_at_every_step_leaves_the_old_or_the_new_state(scene: Scene) -> None:
    """The next writer finishes it or undoes it, and doing it again then leads where it would have led."""
    seen = set()
    for at, step in enumerate(scene.steps, 1):
        root = scene.root(f"death{at}")
        assert isinstance(scene.run(root, SteppedOps(crash_at=at)), Crash)
        before_recovery = store(root).read_bytes()
        found = state(root)
        is_new = found == scene.new
        assert is_new or scene.is_old(found), (at, step, found)
        assert found.data == before_recovery, (at, step)
        assert scene.act is record or scene.nothing_is_lost(root), (at, step)
        seen.add(is_new)
        if not is_new:
            scene.run(root, SteppedOps())
            found = state(root)
            assert (found.data, found.queue, found.counted) == scene.outcome, (at, step)
    assert seen == {False, True}


def judged(scene: Scene, at: int, code: int) -> None:
    """A failure at a step is told as what it was: nothing happened, or it counts."""
    root, step = scene.root(f"failure{at}-{code}"), scene.steps[at - 1]
    error = scene.run(root, SteppedOps(fail_at=at, code=code))
    now = store(root).read_bytes()
    if isinstance(error, WriteError):
        assert now == scene.old.data, (at, step)
        found = state(root)
        assert scene.is_old(found), (at, step, found)
    else:
        # Pid, log, hints and the thinning of old revisions are best effort; after the rename it counts, whatever fails.
        assert error is None or isinstance(error, OutcomeUnknownError), (at, step, error)
        assert now == scene.new.data, (at, step)
        found = state(root)
        assert (found.data, found.queue, found.counted) == scene.outcome
        assert found.generation == scene.new.generation
    assert scene.act is record or scene.nothing_is_lost(root), (at, step)


def test_a_failure_at_every_step_is_told_as_what_it_was(scene: Scene) -> None:
    for at in range(1, len(scene.steps) + 1):
        judged(scene, at, errno.ENOSPC)


@pytest.mark.parametrize("code", [errno.EIO, errno.EACCES])
def test_whatever_the_failure_is(tmp_path: Path, code: int) -> None:
    scene = Scene(tmp_path, *SCENES["by itself over a damaged file"])
    for at in range(1, len(scene.steps) + 1):
        judged(scene, at, code)


def test_fsync_is_never_tried_twice(tmp_path: Path) -> None:
    scene = Scene(tmp_path, *SCENES["another turn"])
    assert [step for step in scene.steps if step.startswith("fsync")] == ["fsync", "fsync_folder"]
    for at, step in enumerate(scene.steps, 1):
        if step.startswith("fsync"):
            ops = SteppedOps(fail_at=at, code=errno.EIO)
            scene.run(scene.root(f"sync{at}"), ops)
            assert step not in ops.steps[at:]


def test_a_damaged_file_stays_in_its_place_until_the_new_one_is_there(tmp_path: Path) -> None:
    scene = Scene(tmp_path, over(BROKEN), record)
    rename = max(at for at, step in enumerate(scene.steps, 1) if step == "rename")
    root = scene.root("late")
    assert isinstance(scene.run(root, SteppedOps(fail_at=rename)), WriteError)
    assert store(root).read_bytes() == BROKEN
    record(store(root))
    assert store(root).load().document == TWO
    assert [backup.name for backup in store(root).backups()] == ["memory.corrupt.json"]


def test_a_file_system_without_links_has_it_moved(tmp_path: Path) -> None:
    scene = Scene(tmp_path, over(BROKEN), record)
    link = 1 + scene.steps.index("link")
    root = scene.root("no links")
    assert scene.run(root, SteppedOps(fail_at=link, code=errno.EOPNOTSUPP)) is None
    assert (root / ".autopatch-j" / "memory.corrupt.json").read_bytes() == BROKEN
    assert store(root).load().document == TWO


def test_a_person_has_a_damaged_file_moved(tmp_path: Path) -> None:
    over(BROKEN)(tmp_path / "root")
    recover(store(tmp_path / "root"))
    folder = tmp_path / "root" / ".autopatch-j"
    assert (folder / "memory.corrupt.json").read_bytes() == BROKEN
    assert not (folder / "memory.json").exists()


def test_moving_it_after_a_death_in_between_leaves_one_backup(tmp_path: Path) -> None:
    scene = Scene(tmp_path, over(BROKEN), record)
    root = scene.root("between")
    scene.run(root, SteppedOps(crash_at=scene.steps.index("link") + 2))
    recover(store(root))
    folder = root / ".autopatch-j"
    assert [path.name for path in folder.glob("memory*.json")] == ["memory.corrupt.json"]
    assert (folder / "memory.corrupt.json").read_bytes() == BROKEN


# What somebody else does in between.


def rename_of(scene: Scene, which: int) -> int:
    return [at for at, step in enumerate(scene.steps, 1) if step == "rename"][which]


def test_a_commit_that_never_counted_and_was_written_over_is_taken_back_and_its_delta_stays(tmp_path: Path) -> None:
    scene = Scene(tmp_path, recorded, apply)
    root = scene.root("before")
    before_its_rename = [at for at, step in enumerate(scene.steps, 1) if step == "rename"][-3]
    scene.run(root, SteppedOps(crash_at=before_its_rename))
    assert store(root).load().document == ONE
    put(root, THEIRS)
    found = state(root)
    assert found.data == THEIRS
    assert found.queue == (entry(),)
    assert found.counted == ()


def test_a_commit_that_counted_and_was_settled_in_part_stands_though_it_was_written_over(tmp_path: Path) -> None:
    scene = Scene(tmp_path, recorded, apply)
    root = scene.root("after")
    scene.run(root, SteppedOps(crash_at=rename_of(scene, -1)))
    assert store(root).pending.ids() == ()
    put(root, THEIRS)
    found = state(root)
    assert found.data == THEIRS
    assert found.queue == ()
    assert [cause for cause, _ in found.counted] == ["apply"]


def test_a_part_of_a_delta_that_was_settled_stands_though_it_was_written_over(tmp_path: Path) -> None:
    scene = Scene(tmp_path, recorded, apply_a_part)
    root = scene.root("part")
    scene.run(root, SteppedOps(crash_at=rename_of(scene, -1)))
    put(root, THEIRS)
    found = state(root)
    assert found.queue == (REST,)
    assert [cause for cause, _ in found.counted] == ["apply"]


def test_a_reset_that_failed_lets_the_queue_be_decided_as_before(tmp_path: Path) -> None:
    scene = Scene(tmp_path, recorded, reset)
    for at in range(1, len(scene.steps) + 1):
        root = scene.root(f"reset{at}")
        if isinstance(scene.run(root, SteppedOps(fail_at=at)), WriteError):
            assert store(root).generation() == store(root).pending.get(entry().id).generation, at


def test_a_revision_with_ids_that_are_no_names_of_files_stops_nobody(tmp_path: Path) -> None:
    """A repository is not trusted: it may bring a folder of its own."""
    recorded(tmp_path / "root")
    found = store(tmp_path / "root")
    with found.transaction(wait=1) as transaction:
        revision = transaction.commit(cause="item", summary="", document=NOTED)
    stored = found.history.read(revision.seq)
    assert stored is not None
    found.history.path(revision.seq).unlink()
    hostile = stored.encoded().replace(b'"remove": []', b'"remove": ["../state"]')
    size = len(stored.details) + len('"../state"')
    hostile = hostile.replace(f"{len(stored.details)}]".encode(), f"{size}]".encode(), 1)
    found.history.path(revision.seq, ".open").write_bytes(hostile)
    assert found.history.read(revision.seq, ".open") is not None
    record(found)
    assert found.load().document == TWO
    assert (found.layout.state).exists()
    assert found.history.sequence(".open") == ()
