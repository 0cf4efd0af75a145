"""Automatic ids: `m1`, `m2`, … by a counter for each namespace."""

import re
from collections.abc import Iterable

from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.reads import key_list, text_list
from winnow.store.sqlite.transaction import Transaction

_AUTOMATIC = re.compile(r"m([1-9][0-9]{0,17})", re.ASCII)  # no counter will go further


def next_id(transaction: Transaction, namespace: int) -> str:
    """Take the next id of a namespace, passing over those that were ever given by hand."""
    (found,) = free_ids(transaction, namespace, 1)
    take_ids(transaction, namespace, found)
    return found


def free_ids(transaction: Transaction, namespace: int, count: int) -> list[str]:
    """Return the next ids of a namespace, so many, passing over those that are or were in use."""
    connection = transaction.connection
    last, is_free = connection.one(
        tuple[int, bool],
        """SELECT counter,
            NOT EXISTS (SELECT 1 FROM record WHERE namespace = ?1 AND id = 'm' || (counter + 1))
            AND NOT EXISTS (SELECT 1 FROM spent WHERE namespace = ?1 AND number = counter + 1)
        FROM namespace WHERE key = ?1""",
        (namespace,),
    )
    if is_free and count == 1:
        return [f"m{last + 1}"]
    found: list[str] = []
    size = count
    while len(found) < count:
        numbers = range(last + 1, last + size + 1)
        used = _find_used(connection, namespace, numbers)
        found += [f"m{number}" for number in numbers if number not in used]
        last, size = last + size, min(2 * size, _MOST_AT_ONCE)
    return found[:count]


def take_ids(transaction: Transaction, namespace: int, last: str) -> None:
    """Let the counter of a namespace stand at an automatic id."""
    transaction.connection.execute(
        "UPDATE namespace SET counter = ? WHERE key = ?", (int(last[1:]), namespace)
    )


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


def _find_used(connection: Connection, namespace: int, numbers: range) -> set[int]:
    """Return those numbers whose ids are or were in use."""
    marks, values = text_list([f"m{number}" for number in numbers])
    rows = connection.all(
        tuple[int],
        "SELECT CAST(substr(id, 2) AS INTEGER) FROM record"
        + f" WHERE namespace = ? AND id IN ({marks})"
        + " UNION ALL SELECT number FROM spent WHERE namespace = ? AND number BETWEEN ? AND ?",
        (namespace, *values, namespace, numbers[0], numbers[-1]),
    )
    return {number for (number,) in rows}


_MOST_AT_ONCE = 512
