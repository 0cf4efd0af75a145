"""Putting what a backup holds into a store, in one step, whoever has the store open.

What is there is overwritten page by page in one transaction of SQLite, and not swapped for another
file: programs that have it open go on in the same file, read the old state until the new one is
committed, and write to nothing that has lost its name. A kill before that leaves what was.
"""

import os
import time
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import apsw

from winnow.errors import Conflict, DamagedStore, StoreError
from winnow.store.held import Copied, Held
from winnow.store.sqlite.connection import Connection, Target, require_sqlite
from winnow.store.sqlite.lock import WriteLock
from winnow.store.sqlite.migrate import look, make_folder, migrate, migrations
from winnow.store.sqlite.place import connect
from winnow.store.sqlite.upkeep.copies import (
    STEP_PAGES,
    check_copy,
    copy_store,
    fill,
    is_in_use,
    own_folder,
    read_held,
)
from winnow.store.sqlite.upkeep.files import (
    SIDES,
    beside_of,
    count_free,
    make_beside,
    put_in_place,
    sync_folder,
)

LOCK: Final = "lock"
"""The file in a store's own folder that its writers lock."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What a store holds now, where what it held before is kept, and which keys work again."""

    held: Held
    size: int
    kept: Path | None
    revived: tuple[str, ...] = ()
    oddities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Before:
    """What is known of what a store held: what comes after it must not be taken for it."""

    change: int = 0
    prunings: int = 0
    spaces: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """By the name of a namespace its changes, and the number of its last automatic id."""
    numbers: Mapping[str, int] = field(default_factory=dict[str, int])
    keys: frozenset[bytes] = frozenset()


def restore_store(backup: Path, store: Path, *, replace: bool = False) -> Restored:
    """Make a store hold what a backup holds; what it held before is kept in a file beside it.

    Raises StoreError if the backup is not whole, not ours or of a newer version, and Conflict if
    the store holds anything and `replace` is not said. Nothing has changed then.
    """
    require_sqlite()
    backup, store = _resolve(backup), _resolve(store)
    try:
        copied = _check_backup(backup, store)
        lock = WriteLock(own_folder(store) / LOCK)
        was_ours = lock.path.exists()
        _require_right(store, replace=replace, was_ours=was_ours)
        _require_room(copied, store)
        make_folder(own_folder(store))
        with _prepared(copied, store) as prepared, lock.hold():
            return _restore(copied, prepared, store, replace=replace)
    except OSError as error:
        raise StoreError(f"can't restore {store}: {error.strerror or error}") from error


def _restore(copied: Copied, prepared: Path, store: Path, *, replace: bool) -> Restored:
    damaged = _require_right(store, replace=replace, was_ours=True)
    before, kept = _Before(), None
    if _is_free(store):
        _separate(prepared, before)
        _put_new(prepared, store)
        return _finish(copied, store, None, ())
    if not damaged:
        before = _read_before(store)
    if damaged or before.change:
        kept = _name_kept(store)
        _keep(store, kept, damaged=damaged)
    try:
        _separate(prepared, before)
        _overwrite(store, prepared, damaged=damaged)
    except BaseException:
        _drop(kept)  # all is where it was
        raise
    revived = _find_revived(prepared, before) if before.change else ()
    return _finish(copied, store, kept, revived)


def _put_new(prepared: Path, store: Path) -> None:
    """Put a copy where no store is; what others have left beside the name is moved away."""
    kept = _name_kept(store)
    for side in SIDES:
        if beside_of(store, side).exists():
            os.replace(beside_of(store, side), beside_of(kept, side))
    put_in_place(prepared, store, replace=store.exists())  # an empty file is no store


def _finish(copied: Copied, store: Path, kept: Path | None, revived: tuple[str, ...]) -> Restored:
    with closing(connect(store)) as connection:
        held = read_held(connection)
    if held.namespaces != copied.held.namespaces:
        raise StoreError(f"{store} does not hold what the backup holds: restore it once more")
    return Restored(held, copied.size, kept, revived, copied.oddities)


# --- what there is -------------------------------------------------------------------------------


def _resolve(path: Path) -> Path:
    try:
        return path.expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise StoreError(f"{str(path)!r} can't be the path of a file: {error}") from error


def _check_backup(backup: Path, store: Path) -> Copied:
    if backup == store:
        raise StoreError(f"{backup} is the store itself, and no backup of it")
    if backup.is_dir():
        raise StoreError(f"{backup} is a folder, not a backup")
    if not backup.is_file():
        raise StoreError(f"there is no backup {backup}")
    if not backup.stat().st_size:
        raise StoreError(f"{backup} is empty, and no backup")
    if is_in_use(backup):
        raise StoreError(
            f"{backup} is a store that was opened, not only a backup: make one of it"
            f" (`winnow backup FILE --store {backup}`), and restore that"
        )
    return check_copy(backup)


def _require_right(store: Path, *, replace: bool, was_ours: bool) -> bool:
    """Refuse to overwrite what is not ours, or not meant to be; tell whether it is damaged."""
    change = 0
    try:
        look(store, len(migrations()))
        if not _is_free(store):
            with closing(connect(store)) as connection:
                change = read_held(connection).change
        damaged = False
    except DamagedStore:
        if not was_ours:
            raise
        damaged = True
    if not replace and (damaged or change):
        told = "a damaged store" if damaged else "a store that is not empty"
        raise Conflict(
            f"there is {told} at {store}; with replace (--replace) what the backup holds takes its"
            " place, and what is there is kept in a file beside it"
        )
    return damaged


def _is_free(store: Path) -> bool:
    return not store.exists() or not store.stat().st_size


def _read_before(store: Path) -> _Before:
    with closing(connect(store)) as connection:
        migrate(connection, migrations())  # as any opening does
        change, prunings = _read_numbers(connection)
        rows = connection.all(tuple[str, int, int], "SELECT name, changes, counter FROM namespace")
        names = {name: (changes, counter) for name, changes, counter in rows}
        keys = connection.all(tuple[bytes], "SELECT digest FROM access_key")
        numbers = _read_sequences(connection)
    return _Before(change, prunings, names, numbers, frozenset(key for (key,) in keys))


def _read_numbers(connection: Connection) -> tuple[int, int]:
    return connection.one(tuple[int, int], "SELECT change, prunings FROM meta")


def _read_sequences(connection: Connection) -> dict[str, int]:
    """Return the last number that each table with numbers of its own has given."""
    return dict(connection.all(tuple[str, int], "SELECT name, seq FROM sqlite_sequence"))


def _find_revived(prepared: Path, before: _Before) -> tuple[str, ...]:
    """Return the names of keys that the backup has, and the store had not any more."""
    with closing(Connection(prepared, "mode=ro", "immutable=1")) as connection:
        rows = connection.all(
            tuple[str, bytes], "SELECT name, digest FROM access_key ORDER BY name"
        )
    return tuple(name for name, digest in rows if digest not in before.keys)


def _require_room(copied: Copied, store: Path) -> None:
    """Refuse to begin if a second and a third copy, and what is kept, may find no room."""
    size = 2 * copied.size + (0 if _is_free(store) else store.stat().st_size)
    free = count_free(store)
    if free is not None and free < size:
        raise StoreError(
            f"{store.parent} has room for {free:,} bytes, and this may need {size:,}: make room"
            " first; nothing was changed"
        )


# --- the steps -----------------------------------------------------------------------------------


@contextmanager
def _prepared(copied: Copied, store: Path) -> Generator[Path]:
    """Copy a backup to where the store is, and bring the copy up to date."""
    with make_beside(own_folder(store) / store.name) as path:
        with closing(Connection(copied.path, "mode=ro", "immutable=1")) as source:
            fill(path, source)
        with closing(connect(path)) as connection:
            connection.execute("PRAGMA synchronous = OFF")  # it is synced as a whole in the end
            migrate(connection, migrations())
        yield path


def _separate(prepared: Path, before: _Before) -> None:
    """Let nobody take what is in a copy for what was in the store that it comes to.

    It gets an id of its own, and all numbers go on above those that were given here before.
    """
    with closing(connect(prepared)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE meta SET store_id = lower(hex(randomblob(16)))")
        connection.execute("DELETE FROM segment")
        connection.execute("DELETE FROM derived")
        if before.change:
            _go_on_above(connection, before)
        connection.execute("COMMIT")


def _go_on_above(connection: Connection, before: _Before) -> None:
    change, prunings = _read_numbers(connection)
    connection.execute(
        """UPDATE meta SET change = ?, prunings = ?,
        changed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')""",
        (max(change, before.change) + 1, max(prunings, before.prunings) + 1),
    )
    connection.execute_many(
        """UPDATE namespace SET changes = max(changes, ?) + 1, counter = max(counter, ?),
        changed_at = (SELECT changed_at FROM meta) WHERE name = ?""",
        [(*numbers, name) for name, numbers in before.spaces.items()],
    )
    own = _read_sequences(connection)
    highest = {**own, **{name: max(n, own.get(name, 0)) for name, n in before.numbers.items()}}
    connection.execute("DELETE FROM sqlite_sequence")
    connection.execute_many(
        "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", highest.items()
    )


def _name_kept(store: Path) -> Path:
    """Return a new name for what a store held until now."""
    now = datetime.now(UTC)
    for _ in range(1_000):
        kept = store.with_name(f"{store.name}.{now:%Y%m%dT%H%M%S}{now.microsecond // 1000:03}Z")
        if not any(one.exists() for one in (kept, *(beside_of(kept, side) for side in SIDES))):
            return kept
        time.sleep(0.001)
        now = datetime.now(UTC)
    raise StoreError(f"there is no free name beside {store} for what it holds")


def _keep(store: Path, kept: Path, *, damaged: bool) -> None:
    """Copy what a store holds: as a backup, or if it is damaged byte by byte."""
    if not damaged:
        try:
            with closing(connect(store)) as connection:
                connection.execute("BEGIN")
                copy_store(connection, kept)
            return
        except DamagedStore:
            pass  # what no check of the few pages above has seen
    # The log first: what moves from it into the file meanwhile is then in both.
    for side in ("-wal", ""):
        if beside_of(store, side).exists():
            _copy_bytes(beside_of(store, side), beside_of(kept, side))
    sync_folder(kept.parent)


def _drop(kept: Path | None) -> None:
    if kept is not None:
        for side in ("", "-wal"):
            with suppress(OSError):
                beside_of(kept, side).unlink()


def _copy_bytes(source: Path, target: Path) -> None:
    """Copy a file through SQLite: if Python closed it, this process would lose its locks on it."""
    flags = [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0]
    opened = apsw.VFSFile("", str(source), flags)
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            for start in range(0, size := opened.xFileSize(), _CHUNK):
                file.write(opened.xRead(min(_CHUNK, size - start), start))
            file.flush()
            os.fsync(descriptor)
    finally:
        opened.xClose()


_CHUNK = 1 << 20  # bytes


def _overwrite(store: Path, prepared: Path, *, damaged: bool) -> None:
    """Copy a file into a store in one transaction, which is on the disk when this returns."""
    with (
        closing(Connection(prepared, "mode=ro", "immutable=1")) as source,
        closing(Target(store, "mode=rw")) as connection,
    ):
        with suppress(DamagedStore):  # then it is what SQLite does by itself
            connection.execute("PRAGMA synchronous = FULL")
        for _ in connection.copy_from(source, pages=STEP_PAGES, whatever=damaged):
            pass
        if not damaged:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
