"""The memories of a whole namespace, moved, copied or removed; pieces of notes stay."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from winnow.store.change import Change
from winnow.store.memories import NamespaceRow
from winnow.store.spaces import Space
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.readers import Readers
from winnow.store.sqlite.records.namespaces import put_namespace
from winnow.store.sqlite.records.removal import bury
from winnow.store.sqlite.rows import decode_json
from winnow.store.sqlite.settled import Settled
from winnow.store.sqlite.transaction import Transaction
from winnow.values import Json


class SqliteSpaceReader:
    """Reads namespaces from any thread."""

    def __init__(
        self, readers: Readers, settled: Settled, last_change: Callable[[], Change]
    ) -> None:
        self._readers = readers
        self._settled = settled
        self._last_change = last_change

    def list(self) -> Sequence[Space]:
        """List the namespaces that were ever written to, by name."""
        with self._readers.snapshot() as connection:
            return list_spaces(connection)

    def find(self, name: str) -> Space:
        """Return a namespace, which need not be there."""
        with self._readers.snapshot() as connection:
            return find_space(connection, name)

    def settled(self) -> int:
        """Return a number that has moved if the settings of a namespace may have changed."""
        return self._settled.since(self._last_change().number)


class SqliteSpaceWriter:
    """What one transaction does to whole namespaces; it sees what it has written."""

    def __init__(self, transaction: Transaction, settled: int) -> None:
        self._transaction = transaction
        self._settled = settled

    def list(self) -> Sequence[Space]:
        """List the namespaces that were ever written to, by name."""
        return list_spaces(self._transaction.reading())

    def find(self, name: str) -> Space:
        """Return a namespace, which need not be there."""
        return find_space(self._transaction.reading(), name)

    def settled(self) -> int:
        """Return the number of the state that the transaction began with."""
        return self._settled

    def clear(self, name: str) -> int:
        """Remove all memories for good, deleted ones too, and begin the automatic ids anew."""
        with self._transaction.step():
            return clear_space(self._transaction, name)

    def move(self, name: str, target: str) -> None:
        """Give all memories, and the counter, to another namespace, which has no memories."""
        with self._transaction.step():
            move_space(self._transaction, name, target)

    def copy(self, name: str, target: str) -> None:
        """Copy the live memories, and the counter, to another namespace, which has none."""
        with self._transaction.step():
            copy_space(self._transaction, name, target)

    def put_settings(self, name: str, settings: Mapping[str, Json]) -> None:
        """Replace the settings of a namespace."""
        with self._transaction.step(named=True):
            put_namespace(self._transaction, NamespaceRow(name, settings))


def list_spaces(connection: Connection) -> list[Space]:
    """List the namespaces that were ever written to, by name."""
    rows = connection.all(_SpaceRow, _SPACES + "ORDER BY name")
    return [_decode(row) for row in rows]


def find_space(connection: Connection, name: str) -> Space:
    """Return what there is of a namespace, which need not be there."""
    row = connection.first(_SpaceRow, _SPACES + "WHERE name = ?", (name,))
    return Space(name, {}) if row is None else _decode(row)


def clear_space(transaction: Transaction, name: str) -> int:
    """Remove all memories for good, and begin the automatic ids anew; return how many there were.

    Deleted ones go too, but do not count.
    """
    namespace = transaction.namespace(name)
    connection = transaction.connection
    rows = connection.all(
        tuple[int, bool],
        "SELECT key, deleted_at IS NULL FROM record WHERE namespace = ? AND note IS NULL",
        (namespace,),
    )
    bury(transaction, [key for key, _ in rows])
    connection.execute("DELETE FROM spent WHERE namespace = ?", (namespace,))
    connection.execute("UPDATE namespace SET counter = 0 WHERE key = ?", (namespace,))
    return sum(live for _, live in rows)


def move_space(transaction: Transaction, name: str, target: str) -> None:
    """Give all memories, live and deleted, another namespace, and it their counter.

    The other one has no memories. Raises StoreError if a piece of a note there has an id of them.
    """
    source, into = transaction.namespace(name), transaction.namespace(target)
    connection = transaction.connection
    _carry_counter(connection, source, into)
    connection.execute(
        "UPDATE record SET namespace = ?, change = ? WHERE namespace = ? AND note IS NULL",
        (into, transaction.change, source),
    )
    connection.execute("DELETE FROM spent WHERE namespace = ?", (source,))
    connection.execute("UPDATE namespace SET counter = 0 WHERE key = ?", (source,))


def copy_space(transaction: Transaction, name: str, target: str) -> None:
    """Copy the live memories to another namespace, which has none, without their history.

    Raises StoreError if a piece of a note there has an id of them.
    """
    source, into = transaction.namespace(name), transaction.namespace(target)
    connection = transaction.connection
    _carry_counter(connection, source, into)
    (last,) = connection.one(
        tuple[int], "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'record'"
    )
    connection.execute(
        """INSERT INTO record (
            namespace, id, change, digest,
            text, title, kind, kind_provenance, entity, memory_type, tags, importance, source,
            metadata, created_at, updated_at, expires_at, model, terms
        ) SELECT ?2, id, ?3, digest,
            text, title, kind, kind_provenance, entity, memory_type, tags, importance, source,
            metadata, created_at, updated_at, expires_at, model, terms
        FROM record WHERE namespace = ?1 AND note IS NULL AND deleted_at IS NULL ORDER BY key""",
        (source, into, transaction.change),
    )
    connection.execute(
        """INSERT INTO vector (record, vector)
        SELECT made.key, vector.vector FROM record AS made
        JOIN record AS old ON old.namespace = ?1 AND old.id = made.id
        JOIN vector ON vector.record = old.key
        WHERE made.key > ?2""",
        (source, last),
    )


def _carry_counter(connection: Connection, source: int, into: int) -> None:
    connection.execute(
        """UPDATE namespace SET counter = (SELECT counter FROM namespace WHERE key = ?1)
        WHERE key = ?2""",
        (source, into),
    )
    connection.execute(
        """INSERT INTO spent (namespace, number) SELECT ?2, number FROM spent WHERE namespace = ?1
        ON CONFLICT DO NOTHING""",
        (source, into),
    )


_SpaceRow: TypeAlias = tuple[str, str, bool, bool]
_SPACES = """SELECT name, settings,
    EXISTS (
        SELECT 1 FROM record
        WHERE namespace = namespace.key AND note IS NULL AND deleted_at IS NULL
    ),
    EXISTS (SELECT 1 FROM vault WHERE namespace = namespace.key)
FROM namespace """


def _decode(row: _SpaceRow) -> Space:
    name, settings, memories, notes = row
    return Space(name, decode_json(settings), bool(memories), bool(notes))
