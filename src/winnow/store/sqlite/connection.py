"""A connection to one SQLite file: statements with bound values, and errors in plain words."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from importlib.resources.abc import Traversable
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, LiteralString, Protocol, TypeAlias, TypeVar
from urllib.parse import quote

import apsw

from winnow.errors import DamagedStore, Fault, InvalidRequest, StoreError, WinnowError

OLDEST_SQLITE = (3, 51, 3)
BUSY_MILLISECONDS = 10_000

Value: TypeAlias = "bool | int | float | str | bytes | None"
Row = TypeVar("Row", bound=tuple[object, ...])


def sqlite_version() -> str:
    """Return the version of SQLite that is used."""
    return apsw.sqlite_lib_version()


def require_sqlite(version: str = apsw.sqlite_lib_version()) -> None:
    """Refuse an SQLite that can lose commits when two processes write to one file."""
    if tuple(int(part) for part in version.split(".")) < OLDEST_SQLITE:
        oldest = ".".join(str(part) for part in OLDEST_SQLITE)
        raise StoreError(
            f"SQLite {version} can lose writes when two processes share a store; Winnow needs"
            f" {oldest} or later: upgrade the package that brings it (pip install --upgrade apsw)"
        )


class Connection:
    """One connection; every error of SQLite comes out as a StoreError that names the file.

    Used by one thread at a time.
    """

    def __init__(self, path: Path, *options: LiteralString, mode_of: Path | None = None) -> None:
        """Open `path` with options of SQLite's file addresses.

        A file that is made gets the permissions of the file `mode_of`.
        """
        self.path = path
        self._edge = _Edge(path)
        self.syncs: bool | None = None
        """Whether commits wait until all is on the disk, once that was said."""
        modes = [f"modeof={quote(bytes(mode_of))}"] if mode_of is not None else []
        address = f"{path.as_uri()}?{'&'.join([*options, *modes])}"
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
        with self._edge:
            self._sqlite: _Sqlite = apsw.Connection(address, flags)
            self._sqlite.set_busy_timeout(BUSY_MILLISECONDS)

    def execute(self, sql: LiteralString, values: Sequence[Value] = ()) -> None:
        """Run a statement that gives no rows."""
        try:
            self._sqlite.execute(sql, values)
        except _TROUBLES as error:  # cheaper, where there is none, than the edge
            raise _translate(self.path, error) from error

    def execute_many(self, sql: LiteralString, rows: Iterable[Sequence[Value]]) -> None:
        """Run a statement once for each row of values."""
        try:
            self._sqlite.executemany(sql, rows)
        except _TROUBLES as error:
            raise _translate(self.path, error) from error

    def execute_file(self, script: Traversable) -> None:
        """Run the statements of a file of this package."""
        with self._edge:
            self._sqlite.execute(script.read_text(encoding="utf-8"), ())

    def first(
        self, shape: type[Row], sql: LiteralString, values: Sequence[Value] = ()
    ) -> Row | None:
        """Return the first row, None if there is none; `shape` is its type."""
        try:
            return next(self._sqlite.execute(sql, values), None)
        except _TROUBLES as error:
            raise _translate(self.path, error) from error

    def one(self, shape: type[Row], sql: LiteralString, values: Sequence[Value] = ()) -> Row:
        """Return the row that is sure to be there."""
        row = self.first(shape, sql, values)
        if row is None:
            raise StoreError(f"{self.path}: the store lacks a row that it must have")
        return row

    def all(self, shape: type[Row], sql: LiteralString, values: Sequence[Value] = ()) -> list[Row]:
        """Return all rows."""
        try:
            return list(self._sqlite.execute(sql, values))
        except _TROUBLES as error:
            raise _translate(self.path, error) from error

    def batches(
        self, shape: type[Row], sql: LiteralString, values: Sequence[Value], size: int
    ) -> Iterator[list[Row]]:
        """Yield all rows, `size` at a time."""
        with self._edge:
            cursor: Iterator[Row] = self._sqlite.execute(sql, values)
            batch = list(islice(cursor, size))
        while batch:
            yield batch
            with self._edge:
                batch = list(islice(cursor, size))

    @cached_property
    def is_read_only(self) -> bool:
        """Tell whether the file could be opened for nothing but reading."""
        with self._edge:
            return self._sqlite.readonly("main")

    @property
    def in_transaction(self) -> bool:
        """Tell whether a transaction is open."""
        try:
            return self._sqlite.in_transaction
        except _TROUBLES as error:
            raise _translate(self.path, error) from error

    def savepoint(self) -> AbstractContextManager[None]:
        """Undo what the block wrote if it fails; what was written before it stays."""
        return _Savepoint(self)

    def rollback(self) -> None:
        """End the transaction if one is open, undoing it."""
        if self.in_transaction:
            self.execute("ROLLBACK")

    def changed_rows(self) -> int:
        """Count the rows that this connection has ever changed."""
        try:
            return self._sqlite.total_changes()
        except _TROUBLES as error:
            raise _translate(self.path, error) from error

    def last_key(self) -> int:
        """Return the key of the row that this connection last inserted."""
        return self._sqlite.last_insert_rowid()

    def close(self) -> None:
        """Close; a second time is no error."""
        with self._edge:
            self._sqlite.close()


class Target(Connection):
    """A connection to a file whose content is replaced as a whole."""

    def copy_from(
        self, source: Connection, *, pages: int, whatever: bool = False
    ) -> Iterator[tuple[int, int]]:
        """Replace all content by that of another file; yield how many pages of how many are done.

        One transaction: before the last step nothing has changed. The transaction that the source
        has open decides which state is copied, and others may write meanwhile. With `whatever` what
        is too damaged to be read is overwritten, too.
        """
        with self._edge:
            self._sqlite.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, int(whatever))
            try:
                begun: _Copying = self._sqlite.backup("main", source._sqlite, "main")
                with begun as copy:
                    while not copy.done:
                        copy.step(pages)
                        yield copy.page_count - copy.remaining, copy.page_count
            finally:
                self._sqlite.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 0)


class _Sqlite(Protocol):
    """What is used of `apsw.Connection`, whose own types need Python 3.12."""

    @property
    def in_transaction(self) -> bool: ...
    def readonly(self, name: str, /) -> bool: ...
    def config(self, option: int, value: int, /) -> int: ...
    def backup(self, databasename: str, sourceconnection: Any, sourcedatabasename: str) -> Any: ...
    def execute(self, sql: str, values: Sequence[Value], /) -> Iterator[Any]: ...
    def executemany(self, sql: str, rows: Iterable[Sequence[Value]], /) -> Iterator[Any]: ...
    def set_busy_timeout(self, milliseconds: int, /) -> None: ...
    def total_changes(self) -> int: ...
    def last_insert_rowid(self) -> int: ...
    def close(self) -> None: ...


class _Copying(Protocol):
    """What is used of `apsw.Backup`."""

    @property
    def done(self) -> bool: ...
    @property
    def page_count(self) -> int: ...
    @property
    def remaining(self) -> int: ...
    def step(self, pages: int, /) -> bool: ...
    def __enter__(self) -> "_Copying": ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object, /
    ) -> bool | None: ...


class _Savepoint:
    """A step in a transaction."""

    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("SAVEPOINT step")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is None:
            self._connection.execute("RELEASE step")
        # Some errors, such as a full disk, have undone the whole transaction already.
        elif self._connection.in_transaction:
            self._connection.execute("ROLLBACK TO step")
            self._connection.execute("RELEASE step")


class _Edge:
    """Where errors of SQLite become our own; one serves every statement of a connection."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if isinstance(error, _TROUBLES):
            raise _translate(self._path, error) from error


_TROUBLES = (apsw.Error, UnicodeEncodeError, OverflowError)


def _translate(path: Path, error: apsw.Error | UnicodeEncodeError | OverflowError) -> WinnowError:
    if isinstance(error, UnicodeEncodeError):
        return InvalidRequest([Fault("", _surrogate(error))])
    if isinstance(error, OverflowError):
        return InvalidRequest([Fault("", "a whole number does not fit 64 bits")])
    if isinstance(error, apsw.NotADBError | apsw.CorruptError):
        return DamagedStore(_explain(path, error))
    return StoreError(_explain(path, error))


def _surrogate(error: UnicodeEncodeError) -> str:
    code = ord(error.object[error.start])
    before = error.object[max(error.start - 20, 0) : error.start]
    return f"text holds the lone surrogate U+{code:04X} (after {before!r}), which is no character"


_CANT_OPEN = (
    "the store can't be opened: check that file and folder may be used; one that is in use, or was"
    " not closed, needs a folder that can be written to"
)
_REASONS: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.BusyError, "the store is busy: another program keeps it locked; try again"),
    (apsw.LockedError, "the store is busy: another program keeps it locked; try again"),
    (apsw.FullError, "the disk is full; the last write was undone"),
    (apsw.ReadOnlyError, "the store can't be written: the file or its folder is read-only"),
    (apsw.NotADBError, "not a Winnow store, or its first bytes are damaged; nothing was changed"),
    (apsw.CorruptError, "the store is damaged and was left as it is; restore it from a backup"),
    (apsw.CantOpenError, _CANT_OPEN),
    (apsw.IOError, "the store can't be read or written: the disk reports an error"),
    (apsw.ConnectionClosedError, "the store is closed"),
)


def _explain(path: Path, error: apsw.Error) -> str:
    reason = next((text for kind, text in _REASONS if isinstance(error, kind)), None)
    return f"{path}: {error}" if reason is None else f"{path}: {reason} ({error})"
