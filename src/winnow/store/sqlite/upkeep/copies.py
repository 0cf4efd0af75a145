"""Copying a store into one file while others write to it, and checking what was copied."""

import os
import stat
from contextlib import closing
from pathlib import Path
from typing import Final, LiteralString

from winnow.errors import Conflict, DamagedStore, Fault, InvalidRequest, StoreError
from winnow.store.held import Copied, Held, Report
from winnow.store.problems import DAMAGED
from winnow.store.sqlite.connection import Connection, Target
from winnow.store.sqlite.migrate import identify, migrations
from winnow.store.sqlite.upkeep.check import find_damage, find_problems, now_in_milliseconds
from winnow.store.sqlite.upkeep.files import SIDES, beside_of, make_beside, put_in_place

STEP_PAGES: Final = 1_024
"""Pages between two looks at what else is to be done; nobody waits for them."""


def copy_store(
    source: Connection, target: Path, *, replace: bool = False, report: Report | None = None
) -> Copied:
    """Copy the state that a connection holds in its transaction; others go on writing.

    The copy gets its name when it was read again and found whole. Raises Conflict if the name is
    taken and not to be replaced.
    """
    held = read_held(source)
    try:
        with make_beside(target) as beside:
            fill(beside, source, report)
            copied = check_copy(beside)
            if copied.held != held:
                raise StoreError(f"the copy of {source.path} is not what was copied: try again")
            put_in_place(beside, target, replace=replace)
    except FileExistsError:
        raise Conflict(describe_taken(target)) from None
    except OSError as error:
        raise StoreError(f"can't write {target}: {error.strerror or error}") from error
    return Copied(target, held, copied.size, copied.oddities)


def fill(target: Path, source: Connection, report: Report | None = None) -> None:
    """Make an empty file a copy, one that needs no other file beside it."""
    with closing(Target(target, "mode=rw")) as connection:
        connection.execute("PRAGMA synchronous = OFF")  # it is synced as a whole in the end
        for done, total in connection.copy_from(source, pages=STEP_PAGES):
            if report is not None:
                report(done, total)
        connection.execute("PRAGMA journal_mode = DELETE")


def check_copy(path: Path) -> Copied:
    """Read a file that nobody writes to, all of it; raise StoreError if it is not a whole store."""
    newest = len(migrations())
    with closing(Connection(path, "mode=ro", "immutable=1")) as connection:
        version = identify(connection, newest)
        whole = version == newest
        now = now_in_milliseconds()
        found = list(find_problems(connection, now) if whole else find_damage(connection))
        for problem in found:
            if problem.code == DAMAGED:
                raise DamagedStore(f"{path} is damaged: {problem.detail}")
        held = read_held(connection)
    oddities = tuple(f"{one.count} {one.detail}" for one in found if one.serious)
    return Copied(path, held, path.stat().st_size, oddities)


def read_held(connection: Connection) -> Held:
    """Return what a store holds, of any version."""
    (version,) = connection.one(tuple[int], "PRAGMA user_version")
    counts: dict[str, dict[str, int]] = {
        name: {"memories": 0, "deleted": 0, "pieces": 0, "entities": 0}
        for (name,) in connection.all(tuple[str], "SELECT name FROM namespace ORDER BY name")
    }
    if version >= _WITH_RECORDS:
        for name, *numbers in connection.all(tuple[str, int, int, int], _RECORDS):
            counts[name] |= zip(("memories", "deleted", "pieces"), numbers, strict=True)
    for name, entities in connection.all(tuple[str, int], _ENTITIES):
        counts[name]["entities"] = entities
    change, changed_at = connection.one(tuple[int, str], "SELECT change, changed_at FROM meta")
    return Held(change, changed_at, version, counts)


_WITH_RECORDS: Final = 2
"""The version from which on there are records."""
_RECORDS: LiteralString = """SELECT namespace.name, memories, deleted, pieces FROM (
    SELECT namespace AS home,
        sum(note IS NULL AND deleted_at IS NULL) AS memories,
        sum(note IS NULL AND deleted_at IS NOT NULL) AS deleted,
        sum(note IS NOT NULL) AS pieces
    FROM record GROUP BY namespace
) JOIN namespace ON namespace.key = home"""
_ENTITIES: LiteralString = """SELECT namespace.name, number FROM (
    SELECT namespace AS home, count(*) AS number FROM entity WHERE live GROUP BY namespace
) JOIN namespace ON namespace.key = home"""


# --- where a copy may go -------------------------------------------------------------------------


def check_target(store: Path, target: Path, *, replace: bool) -> None:
    """Refuse a place where no copy of a store may go; raises InvalidRequest, or Conflict."""
    place = Path(os.path.realpath(target))
    if detail := _find_fault(Path(os.path.realpath(store)), place):
        raise InvalidRequest([Fault("/path", detail)])
    if not os.path.lexists(place):
        return
    if not stat.S_ISREG(place.stat().st_mode):
        raise InvalidRequest([Fault("/path", f"{target} is no file")])
    if not replace:
        raise Conflict(describe_taken(target))
    if is_in_use(place):
        detail = (
            f"{target} is a store, or a backup that was opened as one: `winnow restore` replaces a"
            " store; take another name, or move it away"
        )
        raise InvalidRequest([Fault("/path", detail)])
    if place.stat().st_size:
        with closing(Connection(place, "mode=ro", "immutable=1")) as connection:
            identify(connection, len(migrations()))  # what is not ours is not replaced


def describe_taken(target: Path) -> str:
    """Say that there is a file already."""
    return f"there is a file {target} already; with replace (--replace) the backup takes its place"


def is_in_use(file: Path) -> bool:
    """Tell whether a file is a store that programs open, and not a copy of one."""
    return own_folder(file).is_dir() or any(beside_of(file, side).exists() for side in SIDES)


def own_folder(store: Path) -> Path:
    """Return the folder of what belongs to a store beside its file."""
    return store.with_name(store.name + ".d")


def _find_fault(store: Path, place: Path) -> str:
    """Return what is wrong with a place, whatever is there; "" if nothing is."""
    if place == store:
        return "this is the store itself"
    if place in [beside_of(store, side) for side in SIDES]:
        return "this is a file that belongs to the store"
    if own_folder(store) in (place, *place.parents):
        return f"{own_folder(store)} is the store's own folder; a backup lies elsewhere"
    if place.is_dir():
        return f"{place} is a folder; name a file in it"
    if not place.parent.is_dir():
        return f"there is no folder {place.parent}"
    return ""
