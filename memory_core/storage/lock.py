"""The lock of everything that writes (S6): one file that is never unlinked and never broken by age.

The operating system lets it go when its holder dies. Two stores in one process keep each other out too.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from filelock import FileLock, Timeout

from memory_core.errors import LockedError, StateError, WriteError
from memory_core.storage.atomic import FileOps, failure
from memory_core.storage.layout import Layout, read_bytes

_POLL = 0.01
_WIDTH = 10


@contextlib.contextmanager
def locked(layout: Layout, ops: FileOps, wait: float) -> Iterator[None]:
    """Hold the lock, at most `wait` seconds long in coming.

    Raises `LockedError` naming the holder, `WriteError` where there can be no lock.
    """
    # A lock file that only exists would outlive a killed holder, so there is no falling back to one.
    lock = FileLock(layout.lock, timeout=wait, mode=0o600, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire(poll_interval=_POLL)
    except Timeout as error:
        holder = _holder(layout)
        who = f"process {holder}" if holder else "another process"
        raise LockedError(
            f"Memory is locked by {who}; waited {wait:g} s.", holder=holder, hint="Try again when it is done."
        ) from error
    except OSError as error:
        raise failure("The lock could not be taken", error) from error
    except NotImplementedError as error:
        raise WriteError("The lock could not be taken: the file system has none.") from error
    try:
        _sign(layout, ops)
        yield
    finally:
        lock.release()


def _sign(layout: Layout, ops: FileOps) -> None:
    """Write our pid beside the lock, in place and of one width: replacing a file costs as much as making it durable."""
    with contextlib.suppress(OSError):
        descriptor = ops.overwrite(layout.holder)
        try:
            ops.write(descriptor, f"{os.getpid():<{_WIDTH}}\n".encode())
        finally:
            os.close(descriptor)


def _holder(layout: Layout) -> int | None:
    with contextlib.suppress(StateError, ValueError):
        return int((read_bytes(layout.holder) or b"")[:_WIDTH])
    return None
