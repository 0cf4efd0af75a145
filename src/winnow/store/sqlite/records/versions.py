"""Reading records with all that the store keeps of them, deleted ones too."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from winnow.store.memories import Deleted, Past, Version
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.reads import BATCH_ROWS, key_list, text_list
from winnow.store.sqlite.records.history import Change, trace
from winnow.store.sqlite.records.reads import FULL, FullRow, split_full
from winnow.store.sqlite.records.rows import bind_text, decode_record, read_text


def scan_versions(connection: Connection, namespace: str) -> Iterator[list[Version]]:
    """Yield the memories of a namespace, live and deleted, by id."""
    for rows in connection.batches(
        FullRow,
        FULL
        + """WHERE record.namespace = (SELECT key FROM namespace WHERE name = ?)
        AND record.note IS NULL ORDER BY record.id""",
        (namespace,),
        BATCH_ROWS,
    ):
        yield _with_histories(connection, rows)


def put_in_order(connection: Connection, keys: Sequence[int]) -> list[int]:
    """Return the keys of records by namespace, then id."""
    rows = connection.all(
        tuple[int],
        """SELECT record.key FROM record JOIN namespace ON namespace.key = record.namespace
        WHERE record.key IN (SELECT value FROM json_each(?)) ORDER BY namespace.name, record.id""",
        (key_list(keys),),
    )
    return [key for (key,) in rows]


def find_versions(connection: Connection, namespace: str, ids: Iterable[str]) -> dict[str, Version]:
    """Return the records of these ids, as far as there are any."""
    left = iter(dict.fromkeys(ids))
    found: dict[str, Version] = {}
    while some := list(islice(left, _IDS_AT_ONCE)):
        marks, values = text_list([bind_text(one) for one in some])
        rows = connection.all(
            FullRow,
            FULL
            + "WHERE record.namespace = (SELECT key FROM namespace WHERE name = ?)"
            + f" AND record.id IN ({marks})",
            (namespace, *values),
        )
        found |= {one.record.id: one for one in _with_histories(connection, rows)}
    return found


def read_versions(connection: Connection, keys: Sequence[int]) -> list[Version | None]:
    """Return records in the order of the keys."""
    rows = connection.all(
        FullRow,
        FULL + "WHERE record.key IN (SELECT value FROM json_each(?))",
        (key_list(keys),),
    )
    found = {one.key: one for one in _with_histories(connection, rows)}
    return [found.get(key) for key in keys]


def list_deleted(
    connection: Connection, namespaces: Sequence[str], since: int, now: int
) -> list[Deleted]:
    """List the memories that were deleted since then and have not expired, the last first."""
    if not namespaces:
        return []
    marks, names = text_list(namespaces)
    rows = connection.all(
        tuple[str, str | bytes, int, int],
        """SELECT namespace.name, record.id, record.deleted_at, record.key
        FROM record JOIN namespace ON namespace.key = record.namespace
        WHERE record.deleted_at >= ? AND record.note IS NULL
        AND (record.expires_at IS NULL OR record.expires_at > ?)"""
        + f" AND namespace.name IN ({marks})",
        (int(since), int(now), *names),
    )
    found = [Deleted(namespace, read_text(id_), at, key) for namespace, id_, at, key in rows]
    return sorted(found, key=lambda one: (-one.at, one.namespace, one.id))


def read_history(connection: Connection, key: int) -> list[Past]:
    """Return the changes of a record, the last one first."""
    (version,) = read_versions(connection, [key])
    return [] if version is None else [*version.history]


def _with_histories(connection: Connection, rows: Sequence[FullRow]) -> list[Version]:
    changes: dict[int, list[Change]] = {}
    if not rows:
        return []
    for key, at, before in connection.all(
        tuple[int, int, str],
        """SELECT record, at, before FROM past
        WHERE record IN (SELECT value FROM json_each(?)) ORDER BY record, step DESC""",
        (key_list(row[0] for row in rows),),
    ):
        changes.setdefault(key, []).append((at, before))
    return [_version(row, changes.get(row[0], ())) for row in rows]


def _version(row: FullRow, changes: Sequence[Change]) -> Version:
    key, change, deleted_at, *_ = row
    place, own = split_full(row)
    history = tuple(trace(place, own, deleted_at, changes)) if changes else ()
    return Version(decode_record(place, own), deleted_at, history, key, change)


_IDS_AT_ONCE = 512
