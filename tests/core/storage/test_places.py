"""What may stand where: links, pipes and folders in place of any file of ours (S2, S8)."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_core.capacity import encode
from memory_core.errors import LinkRefusedError, UnknownIdError, UnreadableError, WriteError
from memory_core.storage.atomic import FileOps
from memory_core.storage.layout import Layout
from memory_core.storage.store import MemoryStore
from tests.core.samples import document, note, turn
from tests.core.storage.helpers import SteppedOps, entry, put, store, tree

ONE = document(turns=(turn(1),))
TWO = document(turns=(turn(1), turn(2)))

SAMPLE = Layout(Path())
FOLDERS = [str(path) for path in SAMPLE.folders]
FILES = [str(path) for path in SAMPLE.files]


def used(root: Path) -> None:
    """A folder with everything in it."""
    root.mkdir()
    found = store(root)
    with found.transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
        transaction.enqueue(entry())
        transaction.commit(cause="item", summary="", document=document(items=(note(1),)))
    found.log.append("test", "Something.")


@pytest.mark.parametrize("dangling", [False, True])
@pytest.mark.parametrize("place", [*FOLDERS, *FILES])
def test_a_link_in_place_of_anything_of_ours_is_refused(tmp_path: Path, place: str, *, dangling: bool) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    used(root)
    link = root / place
    if link.exists():
        link.rename(outside)
    elif place in FILES:
        outside.write_bytes(b"{}")
    if dangling:
        outside.rename(tmp_path / "away")
    link.symlink_to(outside)
    kept = tmp_path / ("away" if dangling else "outside")
    before = tree(kept) if kept.is_dir() else kept.read_bytes()
    found = store(root)
    assert found.load().status == "link"
    with pytest.raises(LinkRefusedError, match=link.name):
        found.read_bytes()
    with pytest.raises(LinkRefusedError, match=link.name), found.transaction(wait=1) as transaction:
        transaction.write_turn(TWO)
    found.log.append("test", "This goes nowhere.")
    assert link.is_symlink()
    assert (tree(kept) if kept.is_dir() else kept.read_bytes()) == before
    assert outside.exists() is not dangling


@pytest.mark.parametrize("place", FILES)
def test_a_folder_or_a_pipe_in_place_of_a_file_is_told_and_left(tmp_path: Path, place: str) -> None:
    root = tmp_path / "root"
    used(root)
    path = root / place
    if path.exists():
        path.unlink()
    path.mkdir()
    for _ in range(2):
        found = store(root)
        assert found.load().status == "unreadable"
        with pytest.raises(UnreadableError, match=path.name), found.transaction(wait=1) as transaction:
            transaction.write_turn(TWO)
        found.log.append("test", "Nobody reads the pipe, nobody waits for it.")
        assert found.log.tail() == () or place != str(SAMPLE.log)
        if path.is_dir():
            path.rmdir()
            os.mkfifo(path)
    assert path.is_fifo()


@pytest.mark.parametrize("place", FOLDERS)
def test_a_file_in_place_of_a_folder_is_told_and_left(tmp_path: Path, place: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"mine")
    assert store(tmp_path).load().status == "unreadable"
    with pytest.raises(UnreadableError), store(tmp_path).transaction(wait=1):
        pass
    assert path.read_bytes() == b"mine"


@pytest.mark.parametrize("pipe", [False, True])
def test_a_link_or_a_pipe_among_revisions_and_deltas_is_never_followed(tmp_path: Path, *, pipe: bool) -> None:
    root, secret = tmp_path / "root", tmp_path / "secret"
    used(root)
    secret.write_bytes((root / ".autopatch-j/memory/history/00000001.rev").read_bytes())
    (root / ".autopatch-j/memory/pending" / f"{entry().id}.json").rename(tmp_path / "entry")
    for place, target in (("history/00000003.rev", secret), ("pending/" + entry().id + ".json", tmp_path / "entry")):
        path = root / ".autopatch-j/memory" / place
        if pipe:
            os.mkfifo(path)
        else:
            path.symlink_to(target)
    found = store(root)
    assert [revision.seq for revision in found.history.list()] == [1, 2]
    assert found.history.verify() == (3,)
    (delta,) = found.pending.list()
    assert delta.refused is not None
    assert delta.refused.code == "damaged_entry"
    with found.transaction(wait=1) as transaction:
        transaction.remove(delta.id)
        transaction.write_turn(TWO)
    assert secret.exists()
    assert (tmp_path / "entry").exists()


def test_a_link_that_is_named_as_a_backup_is_not_written_to(tmp_path: Path) -> None:
    put(tmp_path, b"{broken")
    (tmp_path / "elsewhere").write_bytes(b"mine")
    (tmp_path / ".autopatch-j/memory.corrupt.json").symlink_to(tmp_path / "elsewhere")
    with store(tmp_path).transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
    assert (tmp_path / "elsewhere").read_bytes() == b"mine"
    kept = list((tmp_path / ".autopatch-j").glob("memory.corrupt.2*.json"))
    assert [path.read_bytes() for path in kept] == [b"{broken"]


def test_looking_at_a_folder_that_cannot_be_written_creates_nothing(tmp_path: Path) -> None:
    put(tmp_path, encode(ONE))
    found = store(tmp_path)
    found.load()
    found.pending.list()
    found.history.list()
    found.history.verify()
    found.log.append("test", "Looking logs nothing where there is no folder.")
    found.log.tail()
    found.backups()
    found.marks()
    found.fingerprint()
    found.places_of("一")
    assert tree(tmp_path) == {".autopatch-j/memory.json": encode(ONE)}
    assert sorted(path.name for path in (tmp_path / ".autopatch-j").iterdir()) == ["memory.json"]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission is denied"),
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "quota"),
        (errno.EIO, "disk reports an error"),
    ],
)
def test_what_stands_against_writing_is_told_in_words(tmp_path: Path, code: int, words: str) -> None:
    found = store(tmp_path, ops=SteppedOps(fail_at=1, code=code))
    with pytest.raises(WriteError, match=words) as caught, found.transaction(wait=1):
        pass
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_new_folders_are_durable_before_anything_stands_in_them(tmp_path: Path) -> None:
    ops = SteppedOps()
    with store(tmp_path, ops=ops).transaction(wait=1):
        pass
    made = [at for at, step in enumerate(ops.steps) if step == "mkdir"]
    assert len(made) == len(FOLDERS)
    assert all(ops.steps[at + 1] == "fsync_folder" for at in made)


def test_everything_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        used(tmp_path / "root")
    finally:
        os.umask(old)
    for path in (tmp_path / "root" / ".autopatch-j").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_it_opens_files_where_the_system_has_neither_of_the_flags(tmp_path: Path) -> None:
    """Windows has no O_NOFOLLOW, O_NONBLOCK, O_CLOEXEC, fchmod (S11); a link is refused there too."""
    script = (
        "import os, sys\n"
        "for name in ('O_NOFOLLOW', 'O_NONBLOCK', 'O_CLOEXEC', 'fchmod'):\n"
        "    delattr(os, name)\n"
        "from pathlib import Path\n"
        "from memory_core.storage import layout\n"
        "from memory_core.storage.atomic import FileOps, write_file\n"
        "from memory_core.errors import LinkRefusedError\n"
        "root = Path(sys.argv[1])\n"
        "FileOps.fsync_folder = lambda self, folder: None\n"
        "(root / 'a').touch(0o640)\n"
        "write_file(FileOps(), root / 'a', b'one')\n"
        "assert layout.read_bytes(root / 'a') == b'one'\n"
        "(root / 'b').symlink_to(root / 'a')\n"
        "try:\n"
        "    layout.read_bytes(root / 'b')\n"
        "except LinkRefusedError:\n"
        "    print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"


class BlockedError(PermissionError):
    """How Windows tells that another program has the file open."""

    def __init__(self, winerror: int) -> None:
        super().__init__(errno.EACCES, "blocked")
        self.winerror = winerror


class Blocked(FileOps):
    """A rename that another program blocks a few times."""

    def __init__(self, times: int, winerror: int) -> None:
        self.tried = 0
        self._times = times
        self._winerror = winerror

    def rename(self, source: Path, target: Path) -> None:
        self.tried += 1
        if self.tried <= self._times:
            raise BlockedError(self._winerror)
        super().rename(source, target)


@pytest.mark.parametrize(("winerror", "works"), [(5, True), (32, True), (33, True), (17, False)])
def test_a_rename_is_tried_again_for_a_sharing_violation_alone(tmp_path: Path, winerror: int, *, works: bool) -> None:
    with store(tmp_path).transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
    ops = Blocked(2, winerror)
    try:
        with store(tmp_path, ops=ops).transaction(wait=1) as transaction:
            transaction.write_turn(TWO)
    except WriteError:
        assert not works
        assert ops.tried == 1
    else:
        assert works
        assert ops.tried == 3
    assert store(tmp_path).load().document == (TWO if works else ONE)


@pytest.mark.parametrize("name", ["../state", "", ".", "a/b", "a\\b", "x" * 300, "a\0b", "\ud800", "c:d"])
def test_no_name_leads_out_of_the_queue(tmp_path: Path, name: str) -> None:
    used(tmp_path / "root")
    found = store(tmp_path / "root")
    before = tree(tmp_path)
    for look in (found.pending.get, found.pending.draft):
        with pytest.raises(UnknownIdError):
            look(name)
    with pytest.raises(UnknownIdError), found.transaction(wait=1) as transaction:
        transaction.remove(name)
    assert {path: data for path, data in tree(tmp_path).items() if "holder" not in path} == {
        path: data for path, data in before.items() if "holder" not in path
    }


def test_a_store_can_look_while_everything_vanishes(tmp_path: Path) -> None:
    """Files that go between the listing and the reading are passed over."""
    used(tmp_path / "root")
    found: MemoryStore = store(tmp_path / "root")
    numbers, ids = found.history.sequence(), found.pending.ids()
    for number in numbers:
        found.history.path(number).unlink()
    for name in ids:
        found.pending.path(name).unlink()
    assert [found.history.read(number) for number in numbers] == [None] * len(numbers)
    assert found.history.list() == ()
    assert found.history.verify() == ()
    assert found.pending.list() == ()
    with pytest.raises(UnknownIdError):
        found.history.document_bytes(1)
    with pytest.raises(UnknownIdError):
        found.pending.get(ids[0])
