"""Looking for damage in a store's file."""

from collections.abc import Iterator
from typing import LiteralString

from winnow.errors import StoreError
from winnow.store.connection import Connection

# What never holds in a whole store: a query that counts where it does, and how to say it.
_FAULTS: tuple[tuple[LiteralString, str], ...] = (
    (
        "SELECT count(*) <> 1 FROM meta",
        "row with the store's change number is missing",
    ),
    (
        """SELECT count(*) FROM entity WHERE noted <> EXISTS (
            SELECT 1 FROM contribution WHERE contribution.entity = entity.key)""",
        "entities don't know whether a note declares them",
    ),
    (
        "SELECT count(*) FROM entity WHERE imported IS NOT NULL AND NOT json_valid(imported)",
        "entities have imported fields that can't be read",
    ),
    (
        "SELECT count(*) FROM contribution WHERE NOT json_valid(fields)",
        "notes say something of an entity that can't be read",
    ),
    (
        "SELECT count(*) FROM entity WHERE change > (SELECT change FROM meta)",
        "entities have a change number that was never given",
    ),
    (
        "SELECT count(*) FROM note WHERE change > (SELECT change FROM meta)",
        "notes have a change number that was never given",
    ),
    (
        """SELECT count(*) FROM (SELECT change FROM record UNION ALL SELECT change FROM purged)
        WHERE change > (SELECT change FROM meta)""",
        "records have a change number that was never given",
    ),
    (
        "SELECT count(*) FROM purged WHERE key IN (SELECT key FROM record)",
        "records are there and purged at once",
    ),
    (
        """SELECT count(*) FROM record WHERE NOT json_valid(tags)
        OR (typeof(metadata) = 'text' AND NOT json_valid(metadata))""",
        "records have tags or metadata that can't be read",
    ),
    (
        "SELECT count(*) FROM record WHERE length(terms) % 4 <> 0",
        "records have terms that can't be read",
    ),
    (
        "SELECT count(*) FROM vector WHERE length(vector) % 4 <> 0",
        "records have a vector that can't be read",
    ),
    (
        """SELECT count(*) FROM access_key WHERE NOT json_valid(scopes)
        OR (namespaces IS NOT NULL AND NOT json_valid(namespaces))""",
        "keys have scopes or namespaces that can't be read",
    ),
    (
        "SELECT count(*) FROM past WHERE NOT json_valid(before)",
        "records have a history that can't be read",
    ),
)


def find_faults(connection: Connection) -> Iterator[str]:
    """Yield what is wrong, in words; reads the whole file."""
    try:
        for (line,) in connection.all(tuple[str], "PRAGMA integrity_check"):
            if line != "ok":
                yield f"damaged: {line}"
        for table, row, parent, _ in connection.all(
            tuple[str, int | None, str, int], "PRAGMA foreign_key_check"
        ):
            yield f"row {row} of {table} belongs to a {parent} that is missing"
        for sql, words in _FAULTS:
            (count,) = connection.one(tuple[int], sql)
            if count:
                yield f"{count} {words}"
    except StoreError as error:
        yield str(error)
