"""What a namespace keeps of itself: its settings, and the counter of its automatic ids."""

from winnow.store.memories import NamespaceRow
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.rows import decode_json, encode_json
from winnow.store.sqlite.transaction import Transaction


def put_namespace(transaction: Transaction, row: NamespaceRow) -> None:
    """Keep a namespace's settings; its counter never goes back."""
    transaction.keeps_settings = False
    transaction.connection.execute(
        """UPDATE namespace SET settings = ?2, counter = max(counter, ?3)
        WHERE key = ?1 AND (settings <> ?2 OR counter < ?3)""",
        (transaction.namespace(row.name), encode_json(row.settings), row.counter),
    )


def read_namespaces(connection: Connection) -> list[NamespaceRow]:
    """List all namespaces by name."""
    rows = connection.all(
        tuple[str, str, int], "SELECT name, settings, counter FROM namespace ORDER BY name"
    )
    return [NamespaceRow(name, decode_json(settings), counter) for name, settings, counter in rows]


def read_namespace(connection: Connection, name: str) -> NamespaceRow:
    """Read a namespace, which need not be there."""
    row = connection.first(
        tuple[str, int], "SELECT settings, counter FROM namespace WHERE name = ?", (name,)
    )
    return (
        NamespaceRow(name, {}) if row is None else NamespaceRow(name, decode_json(row[0]), row[1])
    )
