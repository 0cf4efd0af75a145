"""The pieces of notes: they come, change and go with their note."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from winnow.errors import NotFound, StoreError
from winnow.store.memories import Record
from winnow.store.sqlite.records.puts import insert_row, model_key, put_vector, update_row
from winnow.store.sqlite.records.removal import bury
from winnow.store.sqlite.records.rows import Row, encode_row
from winnow.store.sqlite.transaction import Transaction

_Stored: TypeAlias = tuple[int, Row, bytes | None]


def put_pieces(transaction: Transaction, note: int, pieces: Sequence[Record]) -> None:
    """Make these the pieces of a note; those that are equal stay as they are."""
    found = transaction.connection.first(
        tuple[int],
        """SELECT vault.namespace FROM note JOIN vault ON vault.key = note.vault
        WHERE note.key = ?""",
        (note,),
    )
    if found is None:
        raise NotFound(f"no note has the key {note}")
    stored = _pieces_of(transaction, note)
    kept = {piece.id for piece in pieces}
    bury(transaction, [key for record, (key, _, _) in stored.items() if record not in kept])
    for piece in pieces:
        _put_piece(transaction, (found[0], note), piece, stored)


def touch_pieces(transaction: Transaction, notes: Iterable[int]) -> None:
    """Give the pieces of notes this change number: where they stand has changed."""
    transaction.connection.execute_many(
        "UPDATE record SET change = ? WHERE note = ?",
        [(transaction.change, note) for note in notes],
    )


def delete_pieces(transaction: Transaction, note: int) -> None:
    """Remove the pieces of a note that is about to go."""
    rows = transaction.connection.all(tuple[int], "SELECT key FROM record WHERE note = ?", (note,))
    bury(transaction, [key for (key,) in rows])


def _put_piece(
    transaction: Transaction,
    place: tuple[int, int],
    piece: Record,
    stored: Mapping[str, _Stored],
) -> None:
    namespace, note = place
    row = encode_row(piece, model_key(transaction, piece.model))
    if piece.id in stored:
        key, before, vector = stored[piece.id]
        if (before, vector) == (row, piece.vector):
            return
        update_row(transaction, key, row)
    else:
        inserted = insert_row(transaction, namespace, piece.id, row, note)
        if inserted is None:
            raise StoreError(_taken(transaction, namespace, piece.id))
        key = inserted
    put_vector(transaction.connection, key, piece.vector)


def _pieces_of(transaction: Transaction, note: int) -> dict[str, _Stored]:
    connection = transaction.connection
    # Most notes are new: to see that costs a tenth of asking for the pieces.
    if connection.first(tuple[int], "SELECT 1 FROM record WHERE note = ?", (note,)) is None:
        return {}
    rows = connection.all(
        tuple[str, int, bytes | None, *tuple[Any, ...]],
        """SELECT id, key, vector.vector,
            text, title, kind, kind_provenance, entity, memory_type, tags, importance, source,
            metadata, created_at, updated_at, expires_at, heading, line, model, terms
        FROM record LEFT JOIN vector ON vector.record = record.key
        WHERE note = ?""",
        (note,),
    )
    return {record: (key, Row(*row), vector) for record, key, vector, *row in rows}


def _taken(transaction: Transaction, namespace: int, record: str) -> str:
    row = transaction.connection.first(
        tuple[str | None],
        """SELECT note.path FROM record LEFT JOIN note ON note.key = record.note
        WHERE record.namespace = ? AND record.id = ?""",
        (namespace, record),
    )
    owner = "a memory" if row is None or row[0] is None else f"a piece of the note {row[0]!r}"
    return f"a piece can't have the id {record!r}: {owner} of its namespace has it"
