"""Entities as the store gives them, as parts of tables, and as files hold them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import tzinfo
from itertools import compress
from typing import TypeAlias, cast

from winnow.columns.arrays import Entry
from winnow.columns.encoding import Decoder, Encoder
from winnow.columns.masks import all_alive, keys_alive
from winnow.columns.parts import decode_part, encode_part
from winnow.columns.table import Changes, Part
from winnow.memory.state.archive import Piece
from winnow.schema import Schema
from winnow.store.base import EntityBatch, Store
from winnow.values import Json, Scalar

_Fields: TypeAlias = Sequence[Mapping[str, Entry]]


class Parts:
    """What the files have of the entities of one schema; labels are namespaces."""

    def __init__(
        self, store: Store, zone: tzinfo, schema_of: Callable[[str], Schema | None]
    ) -> None:
        self._store = store
        self._zone = zone
        self._schema_of = schema_of

    def encode(self, encoder: Encoder, part: Part) -> Json:
        """Return a part as JSON."""
        return encode_part(encoder, part)

    def decode(self, decoder: Decoder, value: Json) -> Part:
        """Return the part of some JSON."""
        return decode_part(decoder, value)

    def merge(self, pieces: Sequence[Piece[Part]]) -> Piece[Part] | None:
        """Make one part of the living rows of some, from the store as it is now."""
        namespace = pieces[0].label
        schema = self._schema_of(namespace)
        keys = [key for one in pieces for key in keys_alive(one.part.keys, one.alive)]
        found = [changes for _, changes in by_namespace(self._store.rescan_entities(keys))]
        if schema is None or not found:
            return None
        part = with_tuples(schema, found[0]).build(schema, self._zone)
        return Piece(namespace, part, all_alive(len(part))) if len(part) else None


def by_namespace(batches: Iterator[EntityBatch]) -> Iterator[tuple[str, Changes]]:
    """Sort the rows of all batches by namespace; each keeps the order of the ids."""
    gathered: dict[str, EntityBatch] = {}
    for batch in batches:
        for namespace in dict.fromkeys(batch.namespaces):
            known = gathered.setdefault(namespace, EntityBatch([], [], [], [], []))
            _append(known, batch, [one == namespace for one in batch.namespaces])
    for namespace, batch in gathered.items():
        yield namespace, Changes(batch.keys, batch.ids, batch.live, cast(_Fields, batch.fields))


def _append(known: EntityBatch, batch: EntityBatch, wanted: list[bool]) -> None:
    known.keys.extend(compress(batch.keys, wanted))
    known.ids.extend(compress(batch.ids, wanted))
    known.live.extend(compress(batch.live, wanted))
    known.fields.extend(compress(batch.fields, wanted))


def with_tuples(schema: Schema, changes: Changes) -> Changes:
    """Make the lists of values that JSON gave for list fields tuples, as values are."""
    names = [field.name for field in schema.fields.values() if field.is_list]
    for name in names:
        for fields in changes.fields:
            value = fields.get(name)
            if isinstance(value, list):
                cast(dict[str, Entry], fields)[name] = tuple(cast(list[Scalar], value))
    return changes
