"""The lock that lets one writer at a time into a store, over threads and processes."""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakSet

from winnow.errors import StoreError

try:
    import fcntl
except ImportError:  # not on this platform
    fcntl = None


_FLAGS = os.O_RDWR | os.O_CREAT


class WriteLock:
    """One writer at a time: a lock for the threads, and a locked file for the processes.

    The kernel wakes the next waiter at once, and frees the lock of a process that was killed.
    Where files can't be locked so, SQLite's own waiting is all there is. The file stays open, but
    not in a process that is forked off: there it would stay locked if this one was killed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._threads = threading.Lock()
        self._owner: int | None = None
        self._file: int | None = None
        _LOCKS.add(self)

    def __del__(self) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; nobody holds the lock then."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    @contextmanager
    def hold(self) -> Generator[None]:
        """Wait for the lock and keep it; the file and its folder are made if missing."""
        self._enter()
        try:
            file = self._open()
            try:
                _lock(file)
                yield
            finally:
                _unlock(file)
        finally:
            self._leave()

    @contextmanager
    def hold_threads(self) -> Generator[None]:
        """Wait until no other thread of this process holds the lock, and keep them out."""
        self._enter()
        try:
            yield
        finally:
            self._leave()

    def _enter(self) -> None:
        if self._owner == threading.get_ident():
            raise StoreError("a write transaction is already under way in this thread")
        self._threads.acquire()
        self._owner = threading.get_ident()

    def _leave(self) -> None:
        self._owner = None
        self._threads.release()

    def _open(self) -> int:
        """Return the file, opened anew if it was removed."""
        file = self._file
        if file is None or not os.fstat(file).st_nlink:
            self.close()
            file = self._file = _open(self.path)
        return file


_LOCKS: WeakSet[WriteLock] = WeakSet()


def _close_all() -> None:
    for lock in _LOCKS:
        lock.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_all)


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
    # Closing the file would leave it locked if the process forked meanwhile.
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_UN)
