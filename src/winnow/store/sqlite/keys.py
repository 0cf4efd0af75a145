"""Keys and the changes of namespaces, in SQLite."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from winnow.store.change import Change
from winnow.store.keys import KeyRow
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.readers import Readers
from winnow.store.sqlite.rows import decode_texts, encode_json
from winnow.store.sqlite.transaction import Transaction


@dataclass(frozen=True, slots=True)
class _Seen:
    change: int
    keys: Sequence[KeyRow]


class SqliteAccessReader:
    """Reads keys once for each change of the store: every call of a server asks for them."""

    def __init__(self, readers: Readers, last_change: Callable[[], Change]) -> None:
        self._readers = readers
        self._last_change = last_change
        self._seen = _Seen(-1, ())
        self._secret = b""

    def read_keys(self) -> Sequence[KeyRow]:
        """List all keys by name, as other processes have last left them."""
        number = self._last_change().number
        seen = self._seen
        if seen.change != number:
            with self._readers.snapshot() as connection:
                seen = _Seen(number, _read_keys(connection))
            # Not an older state over a newer one that another thread has read meanwhile.
            if number > self._seen.change:
                self._seen = seen
        return seen.keys

    def secret(self) -> bytes:
        """Return what this store has for itself, and tells nobody."""
        if not self._secret:
            with self._readers.snapshot() as connection:
                (store_id,) = connection.one(tuple[str], "SELECT store_id FROM meta")
            self._secret = store_id.encode()
        return self._secret

    def last_change(self, namespaces: Collection[str]) -> Change:
        """Return the last change of some namespaces; its number counts theirs alone."""
        with self._readers.snapshot() as connection:
            return Change(
                *connection.one(
                    tuple[int, str],
                    """SELECT coalesce(sum(changes), 0), coalesce(
                        max(nullif(namespace.changed_at, '')), (SELECT created_at FROM meta)
                    ) FROM namespace WHERE name IN (SELECT value FROM json_each(?))""",
                    (encode_json(sorted(namespaces)),),
                )
            )


class SqliteKeyWriter:
    """Writes keys in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def put(self, key: KeyRow) -> bool:
        """Add a key; tell whether its name was free. One that is there stays as it is."""
        with self._transaction.step() as connection:
            before = connection.changed_rows()
            connection.execute(
                """INSERT INTO access_key (name, digest, scopes, namespaces, created_at)
                VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING""",
                (
                    key.name,
                    key.digest,
                    encode_json(key.scopes),
                    None if key.namespaces is None else encode_json(key.namespaces),
                    key.created_at,
                ),
            )
            return connection.changed_rows() > before

    def delete(self, name: str) -> bool:
        """Delete a key; tell whether there was one."""
        with self._transaction.step() as connection:
            before = connection.changed_rows()
            connection.execute("DELETE FROM access_key WHERE name = ?", (name,))
            return connection.changed_rows() > before


def _read_keys(connection: Connection) -> list[KeyRow]:
    rows = connection.all(
        tuple[str, bytes, str, str | None, str],
        "SELECT name, digest, scopes, namespaces, created_at FROM access_key ORDER BY name",
    )
    return [
        KeyRow(
            name,
            digest,
            decode_texts(scopes),
            None if namespaces is None else decode_texts(namespaces),
            created_at,
        )
        for name, digest, scopes, namespaces, created_at in rows
    ]
