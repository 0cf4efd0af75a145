"""Opening the file of a store: made if missing, brought up to date if old, refused if not ours."""

from collections.abc import Sequence
from contextlib import closing
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from winnow.errors import StoreError
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.lock import WriteLock
from winnow.store.sqlite.place import Place, closed_on_failure, connect, connect_to_write

APPLICATION_ID = 0x574E4E57


def migrations() -> list[Traversable]:
    """List the files that bring a store from one version to the next; the nth makes version n."""
    scripts = (files("winnow.store.sqlite") / "sql").iterdir()
    return sorted((one for one in scripts if one.name.endswith(".sql")), key=lambda one: one.name)


def open_current(place: Place, lock: WriteLock, scripts: Sequence[Traversable]) -> Connection:
    """Open the file at the newest version, for writing; processes may do this at once."""
    return _prepare(_open_current(place, lock, scripts))


def open_again(path: Path) -> Connection:
    """Open a file for writing that is at the newest version and could only be read before."""
    return _prepare(connect_to_write(path))


def _prepare(connection: Connection) -> Connection:
    with closed_on_failure(connection):
        # Holds what undoes a step of a transaction: in a file it would double a record's time.
        connection.execute("PRAGMA temp_store = MEMORY")
        # Pages of the journal from which on it is moved into the file, for which the writer waits:
        # what many commits have written to one page is then moved once.
        connection.execute("PRAGMA wal_autocheckpoint = 4096")
    return connection


def _open_current(place: Place, lock: WriteLock, scripts: Sequence[Traversable]) -> Connection:
    path = place.path
    version = look(path, len(scripts))
    if version == len(scripts):
        connection = place.connect()
        if place.stamp is not None or _is_current(connection, len(scripts)):
            return connection
        connection.close()
    if place.stamp is not None and version:
        raise StoreError(
            f"{path} is of an older Winnow (version {version} of the store) and read-only here:"
            f" `winnow restore {path} --store FILE` makes a store of this version of it"
        )
    make_folder(path.parent)
    with lock.hold():
        connection = connect(path, mode_of=lock.path)
        with closed_on_failure(connection):
            migrate(connection, scripts)
        return connection


def look(path: Path, newest: int) -> int:
    """Return the version of the file, 0 if there is none, without touching what is not ours.

    As `immutable`, SQLite takes no lock, rolls nothing back and leaves no files beside it.
    """
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder, not a store")
        if not path.exists() or path.stat().st_size == 0:
            return 0
    except OSError as error:
        raise StoreError(f"the store can't be opened: {path}: {error.strerror}") from error
    with closing(Connection(path, "mode=ro", "immutable=1")) as connection:
        return identify(connection, newest)


def _is_current(connection: Connection, newest: int) -> bool:
    with closed_on_failure(connection):
        mode = connection.one(tuple[str], "PRAGMA journal_mode")
        return identify(connection, newest) == newest and mode == ("wal",)


def identify(connection: Connection, newest: int) -> int:
    """Return the version of a file; StoreError if it is not ours, or newer than we are."""
    (application,) = connection.one(tuple[int], "PRAGMA application_id")
    (version,) = connection.one(tuple[int], "PRAGMA user_version")
    if application != APPLICATION_ID or version < 1:
        raise StoreError(
            f"{connection.path} is an SQLite file of another program, not a Winnow store;"
            " nothing was changed"
        )
    if version > newest:
        raise StoreError(
            f"{connection.path} was written by a newer Winnow (version {version} of the store,"
            f" this one knows {newest}): upgrade Winnow, or let the newer one export it and import"
            " that into a new store here; nothing was changed"
        )
    return version


def make_folder(folder: Path) -> None:
    """Make a folder, and those that it is in, for nobody else to read."""
    try:
        missing = [one for one in (folder, *folder.parents) if not one.exists()]
        for one in reversed(missing):
            one.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the store can't be made: {error.filename}: {error.strerror}") from error


def migrate(connection: Connection, scripts: Sequence[Traversable]) -> None:
    """Bring a file up to date in one transaction.

    Only then is it switched to WAL, so that our mark is in the file itself from the first.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        (tables,) = connection.one(tuple[int], "SELECT count(*) FROM sqlite_schema")
        version = identify(connection, len(scripts)) if tables else 0
        for script in scripts[version:]:
            connection.execute_file(script)
        connection.execute("COMMIT")
    finally:
        connection.rollback()
    if connection.one(tuple[str], "PRAGMA journal_mode = WAL") != ("wal",):
        raise StoreError(f"{connection.path}: this file system can't hold a store (no WAL)")
