"""Writing records: adding, replacing, deleting and bringing back."""

from collections.abc import Iterable
from typing import Any

from winnow.errors import NotFound, ReadOnly
from winnow.store.memories import Record
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.reads import key_list
from winnow.store.sqlite.records.history import add_past, make_state
from winnow.store.sqlite.records.rows import (
    Row,
    bind_row,
    bind_text,
    digest_of,
    encode_row,
    read_row,
)
from winnow.store.sqlite.transaction import Transaction


def put_record(transaction: Transaction, record: Record) -> int:
    """Add a memory, or replace the one of that namespace and id; return its key."""
    refuse_piece(record)
    namespace = transaction.namespace(record.namespace)
    row = encode_row(record, model_key(transaction, record.model))
    # Most are new: a look before would cost more than an insertion that fails.
    key = insert_row(transaction, namespace, record.id, row)
    if key is None:
        return _replace(transaction, namespace, record, row)
    if record.vector is not None:
        put_vector(transaction.connection, key, record.vector)
    return key


def put_derived(
    transaction: Transaction, key: int, vector: bytes | None, model: str | None, terms: bytes
) -> None:
    """Replace what is made from a live record's text."""
    connection = transaction.connection
    made_by = model_key(transaction, model)
    row = connection.first(
        tuple[int | None, bytes],
        "SELECT model, terms FROM record WHERE key = ? AND deleted_at IS NULL",
        (key,),
    )
    if row is None:
        raise NotFound(f"no record has the key {key}")
    if row != (made_by, terms) or read_vector(connection, key) != vector:
        put_vector(connection, key, vector)
        connection.execute(
            "UPDATE record SET model = ?, terms = ?, change = ? WHERE key = ?",
            (made_by, terms, transaction.change, key),
        )


def delete_records(transaction: Transaction, keys: Iterable[int], at: int) -> int:
    """Delete live memories, so that they can be brought back; return how many there were."""
    named = key_list(keys)
    refuse_pieces(transaction, named)
    connection = transaction.connection
    connection.execute(
        """INSERT INTO past (record, step, at, before)
        SELECT key, 1 + (SELECT coalesce(max(step), 0) FROM past WHERE record = key), ?2,
            '{"deleted_at":null}'
        FROM record
        WHERE key IN (SELECT value FROM json_each(?1)) AND deleted_at IS NULL""",
        (named, at),
    )
    before = connection.changed_rows()
    connection.execute(
        """UPDATE record SET deleted_at = ?2, change = ?3
        WHERE key IN (SELECT value FROM json_each(?1)) AND deleted_at IS NULL""",
        (named, at, transaction.change),
    )
    return connection.changed_rows() - before


def undelete_records(transaction: Transaction, keys: Iterable[int], at: int) -> int:
    """Bring deleted records back as they were; return how many there were."""
    named = key_list(keys)
    connection = transaction.connection
    connection.execute(
        """INSERT INTO past (record, step, at, before)
        SELECT key, 1 + (SELECT coalesce(max(step), 0) FROM past WHERE record = key), ?2,
            json_object('deleted_at', deleted_at)
        FROM record
        WHERE key IN (SELECT value FROM json_each(?1)) AND deleted_at IS NOT NULL""",
        (named, at),
    )
    before = connection.changed_rows()
    connection.execute(
        """UPDATE record SET deleted_at = NULL, change = ?2
        WHERE key IN (SELECT value FROM json_each(?1)) AND deleted_at IS NOT NULL""",
        (named, transaction.change),
    )
    return connection.changed_rows() - before


# --- rows --------------------------------------------------------------------------------------


def model_key(transaction: Transaction, model: str | None) -> int | None:
    """Return the key of what made a vector."""
    return None if model is None else transaction.model(model)


def insert_row(
    transaction: Transaction, namespace: int, record: str, row: Row, note: int | None = None
) -> int | None:
    """Add a row and return its key; None, and nothing happens, if the namespace has the id."""
    connection = transaction.connection
    before = connection.changed_rows()
    connection.execute(
        """INSERT INTO record (
            namespace, id, change, note, digest,
            text, title, kind, kind_provenance, entity, memory_type, tags, importance, source,
            metadata, created_at, updated_at, expires_at, heading, line, model, terms
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (namespace, id) DO NOTHING""",
        (
            namespace,
            bind_text(record),
            transaction.change,
            note,
            digest_of(row.text),
            *bind_row(row),
        ),
    )
    return connection.last_key() if connection.changed_rows() > before else None


def update_row(transaction: Transaction, key: int, row: Row, deleted_at: int | None = None) -> None:
    """Replace what a row says; a deleted one is live again, unless a time is given."""
    transaction.connection.execute(
        """UPDATE record SET
            change = ?, digest = ?, deleted_at = ?,
            text = ?, title = ?, kind = ?, kind_provenance = ?, entity = ?, memory_type = ?,
            tags = ?, importance = ?, source = ?, metadata = ?, created_at = ?, updated_at = ?,
            expires_at = ?, heading = ?, line = ?, model = ?, terms = ?
        WHERE key = ?""",
        (transaction.change, digest_of(row.text), deleted_at, *bind_row(row), key),
    )


def read_vector(connection: Connection, key: int) -> bytes | None:
    """Read the vector of a record."""
    row = connection.first(tuple[bytes], "SELECT vector FROM vector WHERE record = ?", (key,))
    return None if row is None else row[0]


def put_vector(connection: Connection, key: int, vector: bytes | None) -> None:
    """Replace the vector of a record."""
    if vector is None:
        connection.execute("DELETE FROM vector WHERE record = ?", (key,))
    else:
        connection.execute(
            """INSERT INTO vector (record, vector) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET vector = excluded.vector""",
            (key, vector),
        )


def refuse_piece(record: Record) -> None:
    """Raise ReadOnly if a record is given as a piece of a note."""
    if record.piece is not None:
        raise ReadOnly(f"{record.id!r} is a piece of a note: change it there")


def refuse_pieces(transaction: Transaction, named: str) -> None:
    """Raise ReadOnly if one of the keys, a JSON list, is that of a piece of a note."""
    row = transaction.connection.first(
        tuple[str, str],
        """SELECT record.id, note.path FROM record JOIN note ON note.key = record.note
        WHERE record.key IN (SELECT value FROM json_each(?))""",
        (named,),
    )
    if row is not None:
        raise ReadOnly(f"{row[0]!r} is a piece of the note {row[1]!r}: change it there")


def _replace(transaction: Transaction, namespace: int, record: Record, row: Row) -> int:
    connection = transaction.connection
    key, deleted_at, *stored = connection.one(
        tuple[int, int | None, *tuple[Any, ...]],
        """SELECT key, deleted_at,
            text, title, kind, kind_provenance, entity, memory_type, tags, importance, source,
            metadata, created_at, updated_at, expires_at, heading, line, model, terms
        FROM record WHERE namespace = ? AND id = ?""",
        (namespace, bind_text(record.id)),
    )
    refuse_pieces(transaction, key_list([key]))
    before = read_row(stored)
    if before == row and deleted_at is None and read_vector(connection, key) == record.vector:
        return key
    add_past(
        transaction, key, record.updated_at, make_state(before, deleted_at), make_state(row, None)
    )
    update_row(transaction, key, row)
    put_vector(connection, key, record.vector)
    return key
