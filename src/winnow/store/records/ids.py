"""Automatic ids: `m1`, `m2`, … by a counter for each namespace."""

import re
from collections.abc import Iterable

from winnow.store.connection import Connection
from winnow.store.reads import key_list
from winnow.store.transaction import Transaction

_AUTOMATIC = re.compile(r"m([1-9][0-9]{0,17})", re.ASCII)  # no counter will go further


def next_id(transaction: Transaction, namespace: int) -> str:
    """Take the next id of a namespace, passing over those that were ever given by hand."""
    connection = transaction.connection
    (number,) = connection.one(
        tuple[int], "SELECT counter FROM namespace WHERE key = ?", (namespace,)
    )
    number += 1
    while _is_used(connection, namespace, number):
        number += 1
    connection.execute("UPDATE namespace SET counter = ? WHERE key = ?", (number, namespace))
    return f"m{number}"


def keep_spent(transaction: Transaction, keys: list[int]) -> None:
    """Remember the ids of records that are about to be purged, if a counter may come to them."""
    rows = transaction.connection.all(
        tuple[int, str, int],
        """SELECT record.namespace, record.id, namespace.counter
        FROM record JOIN namespace ON namespace.key = record.namespace
        WHERE record.key IN (SELECT value FROM json_each(?)) AND typeof(record.id) = 'text'""",
        (key_list(keys),),
    )
    _keep(
        transaction,
        (
            (namespace, int(match[1]))
            for namespace, record, counter in rows
            if (match := _AUTOMATIC.fullmatch(record)) and int(match[1]) > counter
        ),
    )


def spend(transaction: Transaction, namespace: str, numbers: Iterable[int]) -> None:
    """Let the counter of a namespace pass over numbers."""
    key = transaction.namespace(namespace)
    _keep(transaction, ((key, int(number)) for number in numbers))


def list_spent(connection: Connection, namespace: str, now: int) -> list[int]:
    """Return the numbers that a counter must pass over and that no record shows by its id."""
    purged = connection.all(
        tuple[int],
        """SELECT number FROM spent JOIN namespace ON namespace.key = spent.namespace
        WHERE namespace.name = ? AND number > counter""",
        (namespace,),
    )
    expired = connection.all(
        tuple[str, int],
        """SELECT record.id, counter FROM record
        JOIN namespace ON namespace.key = record.namespace
        WHERE namespace.name = ? AND expires_at <= ? AND typeof(id) = 'text'""",
        (namespace, now),
    )
    found = {number for (number,) in purged}
    for record, counter in expired:
        match = _AUTOMATIC.fullmatch(record)
        if match and int(match[1]) > counter:
            found.add(int(match[1]))
    return sorted(found)


def _keep(transaction: Transaction, spent: Iterable[tuple[int, int]]) -> None:
    transaction.connection.execute_many(
        "INSERT INTO spent (namespace, number) VALUES (?, ?) ON CONFLICT DO NOTHING", spent
    )


def _is_used(connection: Connection, namespace: int, number: int) -> bool:
    row = connection.first(
        tuple[int],
        """SELECT 1 FROM record WHERE namespace = ?1 AND id = ?2
        UNION ALL SELECT 1 FROM spent WHERE namespace = ?1 AND number = ?3""",
        (namespace, f"m{number}", number),
    )
    return row is not None
