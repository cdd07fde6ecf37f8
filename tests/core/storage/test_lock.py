"""One writer at a time, across threads and processes, however one ends (S6)."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from memory_core.errors import LockedError, WriteError
from tests.core.samples import document, note, turn
from tests.core.storage.helpers import SteppedOps, store

ONE = document(turns=(turn(1),))
HOLD = """
import sys
from pathlib import Path
from tests.core.storage.helpers import store
with store(Path(sys.argv[1])).transaction(wait=5) as transaction:
    print("inside", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock until it is told, or killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "inside\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.communicate("\n")


def test_the_process_that_holds_it_is_named(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    try:
        with pytest.raises(LockedError, match=str(holder.pid)) as caught, store(tmp_path).transaction(wait=0.05):
            pass
        assert caught.value.holder == holder.pid
        assert store(tmp_path).load().status == "absent"
    finally:
        end(holder)
    with store(tmp_path).transaction(wait=0.05):
        pass


def test_a_killed_holder_lets_go_and_the_file_stays(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    lock = tmp_path / ".autopatch-j" / "memory" / "lock"
    inode = lock.stat().st_ino
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with store(tmp_path).transaction(wait=0.05) as transaction:
        transaction.write_turn(ONE)
    assert lock.stat().st_ino == inode


def test_a_transaction_that_breaks_lets_go(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), store(tmp_path).transaction(wait=1):
        raise ZeroDivisionError
    with store(tmp_path).transaction(wait=0.05):
        pass


def test_a_recovery_that_fails_lets_go(tmp_path: Path) -> None:
    with store(tmp_path).transaction(wait=1):
        pass
    (tmp_path / ".autopatch-j" / "memory" / ".tmp-left").write_bytes(b"")
    ops = SteppedOps(fail_at=3, code=errno.EIO)
    with pytest.raises(WriteError), store(tmp_path, ops=ops).transaction(wait=1):
        pass
    assert ops.steps == ["overwrite", "write", "unlink"]
    with store(tmp_path).transaction(wait=0.05):
        pass


def test_threads_with_one_store_or_many_lose_no_write(tmp_path: Path) -> None:
    shared = store(tmp_path, ops=SteppedOps())

    def write(number: int) -> None:
        found = shared if number % 2 else store(tmp_path, ops=SteppedOps())
        with found.transaction(wait=30) as transaction:
            items = (*transaction.loaded.document.items, note(number))
            transaction.write_turn(transaction.loaded.document.with_items(items))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(1, 13)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {item.id for item in shared.load().document.items} == {note(number).id for number in range(1, 13)}


class LateOps(SteppedOps):
    """Somebody else has the lock, and cleans up, just before a file is renamed into place."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root
        self.others: list[BaseException] = []

    def _step(self, name: str, arguments: tuple[Any, ...]) -> None:
        super()._step(name, arguments)
        if name == "rename":
            try:
                with store(self._root, ops=SteppedOps()).transaction(wait=0):
                    pass
            except LockedError as error:
                self.others.append(error)


def test_every_file_is_written_under_the_lock_the_first_time_too(tmp_path: Path) -> None:
    """A temporary file of another writer would be taken for a left-over."""
    ops = LateOps(tmp_path)
    with store(tmp_path, ops=ops).transaction(wait=1) as transaction:
        transaction.write_turn(ONE)
    assert len(ops.others) == ops.steps.count("rename") > 2
    assert store(tmp_path).load().document == ONE


def test_a_second_one_within_the_first_waits_in_vain_and_breaks_nothing(tmp_path: Path) -> None:
    with store(tmp_path).transaction(wait=1) as transaction:
        with pytest.raises(LockedError) as caught, store(tmp_path).transaction(wait=0.02):
            pass
        assert caught.value.holder == os.getpid()
        transaction.write_turn(ONE)
    assert store(tmp_path).load().document == ONE


@pytest.mark.parametrize("junk", [b"", b"junk", b"\xff" * 10, b"9" * 5000])
def test_an_unreadable_pid_names_nobody(tmp_path: Path, junk: bytes) -> None:
    with store(tmp_path).transaction(wait=1):
        (tmp_path / ".autopatch-j" / "memory" / "holder").write_bytes(junk)
        with pytest.raises(LockedError, match="process") as caught, store(tmp_path).transaction(wait=0.01):
            pass
    assert caught.value.holder in {None, 9999999999}


def test_a_shorter_pid_after_a_longer_one_is_read_whole(tmp_path: Path) -> None:
    with store(tmp_path).transaction(wait=1):
        pass
    (tmp_path / ".autopatch-j" / "memory" / "holder").write_bytes(b"9999999999\n")
    with store(tmp_path).transaction(wait=1):
        with pytest.raises(LockedError) as caught, store(tmp_path).transaction(wait=0.01):
            pass
        assert caught.value.holder == os.getpid()
