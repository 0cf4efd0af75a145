"""Where a store's file lies: among those who may write to it, or where nobody does."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString, TypeAlias

from winnow.errors import StoreError
from winnow.store.sqlite.connection import Connection

_SETTINGS: tuple[LiteralString, ...] = (
    "PRAGMA mmap_size = 0",  # a mapped file turns a disk error into a crash
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA secure_delete = ON",  # what is purged leaves no bytes in the file, nor in its backups
    "PRAGMA cache_size = -16384",  # KiB
    "PRAGMA journal_size_limit = 67108864",  # bytes; a great import leaves a long journal
)

_BESIDE = ("-wal", "-shm")
_OF_A_STORE = (*_BESIDE, "-journal", ".d")
_MODES = 18  # bytes before the two that say how a file is read and written: 1 with no log beside it

Stamp: TypeAlias = tuple[int, int, int]
"""What moves when a file is written to or replaced: its number, size and time."""


@dataclass(frozen=True, slots=True)
class Place:
    """The path of a store's file, and its stamp if it is at rest.

    A file at rest is read without locks and without the files that SQLite keeps beside one that
    is in use: they can't be made there.
    """

    path: Path
    stamp: Stamp | None = None

    def connect(self) -> Connection:
        """Open a connection to the file, which is there."""
        if self.stamp is None:
            _share_rights(self.path)
            return connect(self.path)
        return _set_up(Connection(self.path, "mode=ro", "immutable=1"))

    def check(self) -> None:
        """Refuse to go on if a file at rest was written to: answers could mix two states."""
        if self.stamp is not None and _stamp_at_rest(self.path) != self.stamp:
            raise StoreError(
                f"{self.path}: somebody else writes to this store, which was opened where it"
                " can only be read; open it again"
            )


def find_place(path: Path, *, untouched: bool = False) -> Place:
    """Look whether the file is at rest: nobody has it open, and its folder can't be written to.

    With `untouched` a backup that was never opened as a store is at rest, too, wherever it lies.
    """
    rests = not _may_write(path.parent) or (untouched and _is_backup(path))
    return Place(path, _stamp_at_rest(path) if rests else None)


def connect_to_write(path: Path) -> Connection:
    """Open a connection to a file that could not be written to before."""
    _share_rights(path)
    return connect(path)


def connect(path: Path, *, mode_of: Path | None = None) -> Connection:
    """Open a connection to a file that others may write to.

    A missing file is made only with `mode_of`: it gets the permissions of that file.
    """
    if mode_of is None:
        return _set_up(Connection(path, "mode=rw"))
    return _set_up(Connection(path, "mode=rwc", mode_of=mode_of))


@contextmanager
def closed_on_failure(connection: Connection) -> Generator[None]:
    """Close a connection if the block fails."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _set_up(connection: Connection) -> Connection:
    with closed_on_failure(connection):
        for setting in _SETTINGS:
            connection.execute(setting)
    return connection


def _share_rights(path: Path) -> None:
    """Let the files beside a store be written to if it may be.

    SQLite makes them with the rights of the store. Made while that was read-only they stay so as
    long as anybody reads, and every write would fail.
    """
    with suppress(OSError):
        rights = stat.S_IMODE(path.stat().st_mode)
        for name in _BESIDE:
            beside = path.with_name(path.name + name)
            if rights & stat.S_IWUSR and not beside.stat().st_mode & stat.S_IWUSR:
                beside.chmod(rights)


def _may_write(folder: Path) -> bool:
    own = os.access in os.supports_effective_ids
    return os.access(folder, os.W_OK, effective_ids=own)


def _is_backup(path: Path) -> bool:
    if any(path.with_name(path.name + name).exists() for name in _OF_A_STORE):
        return False
    try:
        with path.open("rb") as file:
            file.seek(_MODES)
            return file.read(2) == b"\1\1"
    except OSError:
        return False


def _stamp_at_rest(path: Path) -> Stamp | None:
    """Return the stamp of a file, None if there is none or a log of writes lies beside it."""
    try:
        found = path.stat()
    except OSError:
        return None
    try:
        if path.with_name(path.name + "-wal").stat().st_size:
            return None
    except FileNotFoundError:
        pass
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
