"""The lock that lets one writer at a time into a store, over threads and processes."""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from winnow.errors import StoreError

try:
    import fcntl
except ImportError:  # not on this platform
    fcntl = None


_FLAGS = os.O_RDWR | os.O_CREAT


class WriteLock:
    """One writer at a time: a lock for the threads, and a locked file for the processes.

    The kernel wakes the next waiter at once, and frees the lock of a process that was killed.
    Where files can't be locked so, SQLite's own waiting is all there is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._threads = threading.Lock()
        self._owner: int | None = None

    @contextmanager
    def hold(self) -> Generator[None]:
        """Wait for the lock and keep it; the file and its folder are made if missing."""
        with self.hold_threads():
            file = _open(self.path)
            try:
                _lock(file)
                yield
            finally:
                _unlock(file)
                os.close(file)

    @contextmanager
    def hold_threads(self) -> Generator[None]:
        """Wait until no other thread of this process holds the lock, and keep them out."""
        if self._owner == threading.get_ident():
            raise StoreError("a write transaction is already under way in this thread")
        with self._threads:
            self._owner = threading.get_ident()
            try:
                yield
            finally:
                self._owner = None


@contextmanager
def try_lock(path: Path) -> Generator[bool]:
    """Lock a file for the block, over threads and processes; False if another has it.

    Where files can't be locked, nobody ever has it.
    """
    file = _open(path)
    try:
        yield _try(file)
    finally:
        os.close(file)


def _open(path: Path) -> int:
    try:
        try:
            return os.open(path, _FLAGS, 0o600)
        except FileNotFoundError:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            return os.open(path, _FLAGS, 0o600)
    except OSError as error:
        raise StoreError(f"the store can't be written: {path}: {error.strerror}") from error


def _lock(file: int) -> None:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)


def _try(file: int) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unlock(file: int) -> None:
    # Closing alone would leave it locked if the process forked meanwhile.
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_UN)
