"""Making records what they were elsewhere, many at a time."""

from collections.abc import Mapping, Sequence

from winnow.store.memories import Version
from winnow.store.sqlite.reads import key_list
from winnow.store.sqlite.records.history import make_state, put_history
from winnow.store.sqlite.records.puts import (
    model_key,
    put_vector,
    refuse_piece,
    refuse_pieces,
    update_row,
)
from winnow.store.sqlite.records.rows import Row, bind_row, bind_text, digest_of, encode_row
from winnow.store.sqlite.records.versions import find_versions
from winnow.store.sqlite.transaction import Transaction


def restore_records(transaction: Transaction, versions: Sequence[Version]) -> None:
    """Add memories, or replace those of their namespaces and ids, with their histories.

    All are inserted as if they were new, which most are; what is there already stays as it is
    and is then read and compared.
    """
    for version in versions:
        refuse_piece(version.record)
    rows = [_encode(transaction, version) for version in versions]
    keys = _insert(transaction, versions, rows)
    transaction.connection.execute_many(
        "INSERT INTO vector (record, vector) VALUES (?, ?)",
        [
            (keys[place], version.record.vector)
            for place, version in enumerate(versions)
            if place in keys and version.record.vector is not None
        ],
    )
    for place, (version, row) in enumerate(zip(versions, rows, strict=True)):
        if place not in keys:
            _overwrite(transaction, version, row)
        elif version.history:
            state = make_state(row, version.deleted_at)
            put_history(transaction, keys[place], state, version.history)


def _encode(transaction: Transaction, version: Version) -> Row:
    return encode_row(version.record, model_key(transaction, version.record.model))


def _insert(
    transaction: Transaction, versions: Sequence[Version], rows: Sequence[Row]
) -> Mapping[int, int]:
    """Insert what is new; return the keys by the places of the versions."""
    connection = transaction.connection
    (last,) = connection.one(
        tuple[int], "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'record'"
    )
    connection.execute_many(
        """INSERT INTO record (
            key, namespace, id, change, deleted_at, digest,
            text, title, kind, kind_provenance, entity, memory_type, tags, importance, source,
            metadata, created_at, updated_at, expires_at, heading, line, model, terms
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (namespace, id) DO NOTHING""",
        [
            (
                last + number,
                transaction.namespace(version.record.namespace),
                bind_text(version.record.id),
                transaction.change,
                version.deleted_at,
                digest_of(row.text),
                *bind_row(row),
            )
            for number, (version, row) in enumerate(zip(versions, rows, strict=True), 1)
        ],
    )
    new = connection.all(tuple[int], "SELECT key FROM record WHERE key > ?", (last,))
    return {key - last - 1: key for (key,) in new}


def _overwrite(transaction: Transaction, version: Version, row: Row) -> None:
    """Replace a record that is there, unless it is the same."""
    connection, record = transaction.connection, version.record
    stored = find_versions(connection, record.namespace, [record.id])[record.id]
    refuse_pieces(transaction, key_list([stored.key]))
    if repr(_told(stored)) == repr(_told(version)):
        return
    update_row(transaction, stored.key, row, version.deleted_at)
    put_vector(connection, stored.key, record.vector)
    state = make_state(row, version.deleted_at)
    put_history(transaction, stored.key, state, version.history)


def _told(version: Version) -> tuple[object, ...]:
    """Return what is compared; its text tells 1 from True and 1.0, as equality would not."""
    return version.record, version.deleted_at, version.history
