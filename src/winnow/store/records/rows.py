"""How a record stands in its row."""

from hashlib import blake2b
from typing import NamedTuple

from winnow.store.memories import Piece, Record
from winnow.store.rows import decode_json, decode_texts, encode_json


class Row(NamedTuple):
    """What a record's row says of it, in the order that every statement has.

    `tags` and `metadata` are JSON; `model` is a key.
    """

    text: str
    title: str
    kind: str
    kind_provenance: str | None
    entity: str | None
    memory_type: str | None
    tags: str
    importance: float
    source: str | None
    metadata: str
    created_at: int
    updated_at: int
    expires_at: int | None
    heading: str | None
    line: int | None
    model: int | None
    terms: bytes


def encode_row(record: Record, model: int | None) -> Row:
    """Return the row of a record; InvalidRequest if JSON can't hold its metadata."""
    piece = record.piece
    return Row(
        record.text,
        record.title,
        record.kind,
        record.kind_provenance,
        record.entity,
        record.memory_type,
        encode_json(record.tags) if record.tags else "[]",
        record.importance,
        record.source,
        encode_json(record.metadata) if record.metadata else "{}",
        record.created_at,
        record.updated_at,
        record.expires_at,
        None if piece is None else piece.heading,
        None if piece is None else piece.line,
        model,
        record.terms,
    )


class Place(NamedTuple):
    """What belongs to a record beside its row."""

    namespace: str
    id: str
    model: str | None
    vector: bytes | None
    note: int | None
    vault: str | None
    path: str | None


def decode_record(place: Place, row: Row) -> Record:
    """Return the record of a row."""
    return Record(
        namespace=place.namespace,
        id=place.id,
        text=row.text,
        title=row.title,
        kind=row.kind,
        kind_provenance=row.kind_provenance,
        entity=row.entity,
        memory_type=row.memory_type,
        tags=decode_texts(row.tags),
        importance=row.importance,
        source=row.source,
        metadata=decode_json(row.metadata),
        created_at=row.created_at,
        updated_at=row.updated_at,
        expires_at=row.expires_at,
        vector=place.vector,
        model=place.model,
        terms=row.terms,
        piece=_decode_piece(place, row),
    )


def digest_of(text: str) -> int:
    """Return a number of 64 bits that equal texts share."""
    content = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big", signed=True)


def _decode_piece(place: Place, row: Row) -> Piece | None:
    if place.note is None or place.vault is None or place.path is None:
        return None
    return Piece(place.vault, place.path, row.heading, row.line or 0, place.note)
