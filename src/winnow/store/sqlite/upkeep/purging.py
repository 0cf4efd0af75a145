"""Forgetting which records were purged, once nobody needs to be told any more."""

from contextlib import closing
from pathlib import Path

from winnow.errors import StoreError
from winnow.store.problems import Problem
from winnow.store.sqlite.lock import WriteLock
from winnow.store.sqlite.place import connect
from winnow.store.sqlite.upkeep.check import MANY_PURGED, MOST_PURGED
from winnow.store.sqlite.upkeep.copies import own_folder
from winnow.store.sqlite.upkeep.restoring import LOCK


def forget_purged(store: Path) -> Problem | None:
    """Empty the list of what was purged if it is long; return what was mended, None for nothing.

    Programs that have read a record learn from that list that it is gone, and so do the files of
    columns. So it is emptied only while no program has the store open, and those files go with it.
    """
    store = store.resolve()
    with WriteLock(own_folder(store) / LOCK).hold(), closing(connect(store)) as connection:
        (count,) = connection.one(tuple[int], "SELECT count(*) FROM purged")
        if count <= MOST_PURGED:
            return None
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            # SQLite lets the last one who has a file open change this, and nobody else.
            alone = connection.one(tuple[str], "PRAGMA journal_mode = DELETE") == ("delete",)
        except StoreError:
            return None
        try:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _STATEMENTS if alone else ():
                connection.execute(statement)
            connection.execute("COMMIT")
        finally:
            connection.rollback()
            connection.execute("PRAGMA journal_mode = WAL")
    detail = "keys of records that were purged were kept for programs that had read them"
    return Problem(MANY_PURGED, "purged", count, detail, "forget them", False) if alone else None


_STATEMENTS = ("DELETE FROM purged", "DELETE FROM segment", "DELETE FROM derived")
