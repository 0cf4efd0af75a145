"""How a record stands in its row.

A text that stands for bytes which are not UTF-8 is a blob there. In the JSON of metadata a text
without a type is marked, under a key and in a list; one that begins as the mark does is marked too.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from json.encoder import encode_basestring as quote
from struct import unpack
from typing import Any, Final, NamedTuple

from winnow.filter.raw import Raw, Untyped, from_bytes, is_broken, to_bytes
from winnow.store.memories import Piece, Record
from winnow.store.sqlite.rows import decode_json, decode_texts, encode_json
from winnow.values import Json


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
        encode_tags(record.tags),
        record.importance,
        record.source,
        encode_metadata(record.metadata),
        record.created_at,
        record.updated_at,
        record.expires_at,
        None if piece is None else piece.heading,
        None if piece is None else piece.line,
        model,
        record.terms,
    )


def encode_tags(tags: Sequence[str]) -> str:
    """Return tags as they stand in a row."""
    return encode_json(tags) if tags else _NO_TAGS


def encode_metadata(metadata: Mapping[str, Json]) -> str:
    """Return metadata as they stand in a row; InvalidRequest if JSON can't hold them."""
    if not metadata:
        return _NO_METADATA
    if all(type(value) is Untyped for value in metadata.values()):
        pairs = [f"{quote(key)}:{quote(f'{_UNTYPED}{value}')}" for key, value in metadata.items()]
        text = f"{{{','.join(pairs)}}}"
        if not is_broken(text):  # quicker than a look at what each value is
            return text
    return encode_json({key: _mark(value) for key, value in metadata.items()})


def encode_untyped(metadata: Mapping[str, Sequence[str]], count: int) -> Sequence[str]:
    """Return the metadata of so many records as they stand in their rows.

    They come as a column of texts without a type for each key, all of it UTF-8.
    """
    if not metadata:
        return ["{}"] * count
    pattern = ",".join(f"{quote(key).replace('%', '%%')}:%s" for key in metadata)
    columns = [[quote(_UNTYPED + value) for value in values] for values in metadata.values()]
    return [f"{{{pattern % values}}}" for values in zip(*columns, strict=True)]


def bind_row(row: Row) -> tuple[Any, ...]:
    """Return the values of a row as SQLite takes them."""
    texts = (row.text, row.title, row.entity, row.source)
    if all(text is None or text.isascii() for text in texts):
        return row
    return tuple(bind_text(value) if isinstance(value, str) else value for value in row)


def bind_text(text: str) -> str | bytes:
    """Return a text as SQLite takes it."""
    return to_bytes(text) if is_broken(text) else text


def read_text(value: Any) -> Any:
    """Return a text, or what else stands in a column of texts, as SQLite gave it."""
    return from_bytes(value) if isinstance(value, bytes) else value


def read_row(values: Sequence[Any]) -> Row:
    """Return the row of values as SQLite gave them; `terms`, the last, are bytes in any case."""
    if bytes in map(type, values[:-1]):
        values = [*map(read_text, values[:-1]), values[-1]]
    return Row._make(values)


def decode_metadata(texts: Sequence[str]) -> list[Mapping[str, Json]]:
    """Decode the metadata of some records."""
    joined = ",".join(texts)
    found: list[dict[str, Json]] = decode_json(f"[{joined}]")
    if _ESCAPED in joined:
        found = [{_decode_key(key): value for key, value in one.items()} for one in found]
    if _MARKED not in joined:
        return [*found]
    return [{key: _unmark(value) for key, value in one.items()} for one in found]


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
        tags=() if row.tags == _NO_TAGS else decode_texts(row.tags),
        importance=row.importance,
        source=row.source,
        metadata={} if row.metadata == _NO_METADATA else decode_metadata([row.metadata])[0],
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
    (digest,) = digests_of([text])
    return digest


def digests_of(texts: Iterable[str]) -> tuple[int, ...]:
    """Return the numbers of some texts."""
    contents = [text.encode("utf-8", "surrogatepass") for text in texts]
    digests = [blake2b(content, digest_size=8).digest() for content in contents]
    return unpack(f">{len(digests)}q", b"".join(digests))


def _mark(value: Json) -> Json:
    if isinstance(value, list):
        return [_mark_text(item) for item in value]
    return _mark_text(value)


def _mark_text(value: Json) -> Json:
    if not isinstance(value, str):
        return value
    if isinstance(value, Untyped):
        return _UNTYPED + value
    return _TEXT + value if value.startswith(_MARK) else value


def _unmark(value: Json) -> Json:
    if isinstance(value, list):
        return [_unmark_text(item) for item in value]
    return _unmark_text(value)


def _unmark_text(value: Json) -> Json:
    if not isinstance(value, str) or value[:1] != _MARK:
        return value
    mark, text = value[: len(_UNTYPED)], value[len(_UNTYPED) :]
    if mark == _UNTYPED:
        return Untyped(text)
    return text if mark == _TEXT else value  # once the texts in a list were not marked


def _decode_key(key: str) -> str:
    return Raw(key) if is_broken(key) else key


_NO_TAGS: Final = "[]"
_NO_METADATA: Final = "{}"
_MARK: Final = "\0"
_UNTYPED: Final = "\0u"
_TEXT: Final = "\0t"
_ESCAPED: Final = "\\udc"  # as JSON spells a byte that is not UTF-8
_MARKED: Final = '"\\u0000'  # as JSON spells a text that begins with the mark


def _decode_piece(place: Place, row: Row) -> Piece | None:
    if place.note is None or place.vault is None or place.path is None:
        return None
    return Piece(place.vault, place.path, row.heading, row.line or 0, place.note)
