"""Removing records for good."""

from collections.abc import Iterable

from winnow.store.sqlite.reads import key_list
from winnow.store.sqlite.records.ids import keep_spent
from winnow.store.sqlite.records.puts import refuse_pieces
from winnow.store.sqlite.transaction import Transaction


def purge_records(transaction: Transaction, keys: Iterable[int]) -> int:
    """Remove memories, live or deleted; return how many there were."""
    named = key_list(keys)
    refuse_pieces(transaction, named)
    rows = transaction.connection.all(
        tuple[int],
        "SELECT key FROM record WHERE key IN (SELECT value FROM json_each(?))",
        (named,),
    )
    return bury(transaction, [key for (key,) in rows])


def sweep_records(transaction: Transaction, now: int, retention: int, limit: int) -> int:
    """Purge what has expired or was deleted long ago; return how many there were."""
    rows = transaction.connection.all(
        tuple[int],
        """SELECT DISTINCT key FROM (
            SELECT key FROM record WHERE expires_at <= ?1
            UNION ALL SELECT key FROM record WHERE deleted_at <= ?2
        ) LIMIT ?3""",
        (int(now), int(now) - int(retention), int(limit)),
    )
    return bury(transaction, [key for (key,) in rows])


def bury(transaction: Transaction, keys: list[int]) -> int:
    """Remove rows that are there, whatever they are, and leave their keys for others to see."""
    if not keys:
        return 0
    keep_spent(transaction, keys)
    _touch_namespaces(transaction, keys)
    transaction.connection.execute_many(
        "INSERT INTO purged (change, key) VALUES (?, ?)",
        [(transaction.change, key) for key in keys],
    )
    transaction.connection.execute_many(
        "DELETE FROM record WHERE key = ?", [(key,) for key in keys]
    )
    return len(keys)


def _touch_namespaces(transaction: Transaction, keys: list[int]) -> None:
    rows = transaction.connection.all(
        tuple[int],
        "SELECT DISTINCT namespace FROM record WHERE key IN (SELECT value FROM json_each(?))",
        (key_list(keys),),
    )
    transaction.touch(namespace for (namespace,) in rows)
