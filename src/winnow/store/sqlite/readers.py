"""Connections for reading: each reader has one to itself, so none waits for another."""

import threading
from collections.abc import Generator
from contextlib import contextmanager

from winnow.errors import StoreError
from winnow.store.change import Change
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.place import Place


class Readers:
    """The connections that are free; more are opened when all are in use."""

    def __init__(self, place: Place) -> None:
        self._place = place
        # A forgotten iterator gives its connection back when the collector finds it, perhaps in a
        # thread that has the lock already.
        self._lock = threading.RLock()
        self._free: list[Connection] = []
        self._closed = False
        self._own = _Own()

    @contextmanager
    def hold(self) -> Generator[None]:
        """Let all that this thread reads in the block see one state."""
        if self._own.connection is not None:
            yield
            return
        with self.snapshot() as connection:
            self._own.connection = connection
            try:
                yield
            finally:
                self._own.connection = None

    def advance(self) -> None:
        """Move on to the state of now, if this thread holds one."""
        if self._own.connection is not None and not self._own.stays:
            self._own.connection.rollback()
            self._own.connection.execute("BEGIN")

    @contextmanager
    def stay(self) -> Generator[None]:
        """Let `advance` do nothing in the block."""
        before, self._own.stays = self._own.stays, True
        try:
            yield
        finally:
            self._own.stays = before

    @property
    def held(self) -> Connection | None:
        """The connection with the state that this thread holds, None if it holds none."""
        return self._own.connection

    @contextmanager
    def snapshot(self) -> Generator[Connection]:
        """Lend a connection whose reads in the block all see one state, that which is held."""
        if self._own.connection is not None:
            yield self._own.connection
            return
        connection = self._take()
        try:
            connection.execute("BEGIN")
            yield connection
        finally:
            connection.rollback()
            self._give_back(connection)

    @contextmanager
    def lend(self) -> Generator[Connection]:
        """Lend a connection for one statement, which sees one state by itself."""
        if self._own.connection is not None:
            yield self._own.connection
            return
        connection = self._take()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def close(self) -> None:
        """Close the free connections now, the others when they come back."""
        with self._lock:
            self._closed = True
            while self._free:
                self._free.pop().close()

    def _take(self) -> Connection:
        self._place.check()
        with self._lock:
            if self._closed:
                raise StoreError(f"{self._place.path}: the store is closed")
            if self._free:
                return self._free.pop()
        connection = self._place.connect()
        connection.execute("PRAGMA query_only = ON")
        # There are as many as there are readers at once, and the system keeps the pages, too.
        connection.execute("PRAGMA cache_size = -2048")  # KiB
        return connection

    def _give_back(self, connection: Connection) -> None:
        with self._lock:
            if not self._closed:
                self._free.append(connection)
                return
        connection.close()


class _Own(threading.local):
    """What each thread has for itself."""

    connection: Connection | None = None
    stays: bool = False


def read_change(connection: Connection) -> Change:
    """Return the last change in the state that a connection sees."""
    return Change(
        *connection.one(
            tuple[int, str, str],
            "SELECT change, changed_at, store_id FROM meta",
        )
    )


class ChangeWatch:
    """Sees the last change, cheaply while there is none."""

    def __init__(self, place: Place) -> None:
        self._lock = threading.Lock()
        self._place = place
        self._connection = place.connect()
        self._version = -1
        self._last = Change(0, "")

    def last_change(self) -> Change:
        """Return the last committed change.

        SQLite's own number for the state of the file takes microseconds to read. It means
        nothing but "moved" or "not", and that only on one connection that never writes.
        """
        self._place.check()
        with self._lock:
            (version,) = self._connection.one(tuple[int], "PRAGMA data_version")
            if version != self._version:
                self._last = read_change(self._connection)
                self._version = version
            return self._last

    def close(self) -> None:
        """Close the connection, once nobody uses it."""
        with self._lock:
            self._connection.close()
