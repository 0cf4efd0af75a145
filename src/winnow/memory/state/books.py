"""Some records as columns, postings and vectors, row for row, and how files hold them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import Any, cast

from winnow.columns.encoding import Decoder, Encoder
from winnow.columns.expiry import ExpiryPart, build_expiry
from winnow.columns.inversion import PostingsPart, build_postings
from winnow.columns.masks import all_alive, keys_alive
from winnow.columns.memories import Entry as MemoryEntry
from winnow.columns.memories import MemoryChanges
from winnow.columns.parts import decode_memories, encode_part
from winnow.columns.pieces import PiecesPart, build_pieces
from winnow.columns.table import Part
from winnow.columns.vectors import VectorsPart, build_vectors
from winnow.memories import RECORDS
from winnow.memory.state.archive import Piece
from winnow.store.base import Store
from winnow.store.memories import RecordBatch
from winnow.values import Json


@dataclass(frozen=True, slots=True)
class Book:
    """A part of the table, and what stands beside it, row for row."""

    part: Part
    postings: PostingsPart
    vectors: VectorsPart
    pieces: PiecesPart
    expiry: ExpiryPart
    models: frozenset[tuple[int, str]]
    spaces: Mapping[str, int]


@dataclass(slots=True)
class Rows:
    """Records in parallel lists, in the order of their ids."""

    gone: list[int] = field(default_factory=list[int])
    keys: list[int] = field(default_factory=list[int])
    ids: list[str] = field(default_factory=list[str])
    fields: dict[str, list[MemoryEntry]] = field(default_factory=dict[str, list[MemoryEntry]])
    metadata: list[Mapping[str, Json]] = field(default_factory=list[Mapping[str, Json]])
    spaces: list[int] = field(default_factory=list[int])
    terms: list[bytes] = field(default_factory=list[bytes])
    vectors: list[bytes | None] = field(default_factory=list[bytes | None])
    models: list[str | None] = field(default_factory=list[str | None])
    notes: list[int] = field(default_factory=list[int])
    expiries: list[int | None] = field(default_factory=list[int | None])
    names: dict[str, int] = field(default_factory=dict[str, int])

    def changes(self) -> MemoryChanges:
        """Return what the columns are made from."""
        return MemoryChanges(self.gone, self.keys, self.ids, self.fields, self.metadata)

    def bind(self, part: Part) -> Book:
        """Return the part that was made of the changes, and what stands beside it."""
        return Book(
            part,
            build_postings(self.terms, self.spaces),
            build_vectors(self.vectors, self.models),
            build_pieces(self.notes),
            build_expiry(self.expiries),
            self._made_by(),
            self.names,
        )

    def _made_by(self) -> frozenset[tuple[int, str]]:
        """Return which models have made the vectors of which namespaces."""
        pairs = zip(self.spaces, self.models, self.vectors, strict=True)
        return frozenset((space, model) for space, model, vector in pairs if vector and model)


class Books:
    """What the files have of the shelf."""

    def __init__(self, store: Store, zone: tzinfo) -> None:
        self._store = store
        self._zone = zone

    def encode(self, encoder: Encoder, part: Book) -> Json:
        """Return a book as JSON."""
        beside = [encoder.encode(getattr(part, name)) for name in _BESIDE]
        return [encode_part(encoder, part.part), *beside]

    def decode(self, decoder: Decoder, value: Json) -> Book:
        """Return the book of some JSON."""
        part, *beside = cast(Sequence[Json], value)
        return Book(decode_memories(decoder, part, self._zone), *map(decoder.decode, beside))

    def merge(self, pieces: Sequence[Piece[Book]]) -> Piece[Book] | None:
        """Make one book of the living rows of some, from the store as it is now."""
        keys = [key for one in pieces for key in keys_alive(one.part.part.keys, one.alive)]
        rows = read_rows(self._store.records.rescan(keys, vectors=True))
        if not rows.keys:
            return None
        part = rows.changes().build(RECORDS, self._zone)
        return Piece("", rows.bind(part), all_alive(len(part)))


def read_rows(batches: Iterable[RecordBatch]) -> Rows:
    """Put all batches into one, in the order of the ids."""
    found: list[tuple[str, str, RecordBatch, int]] = []
    rows = Rows()
    for batch in batches:
        rows.gone.extend(batch.dead)
        rows.names.update(zip(batch.namespaces, batch.spaces, strict=True))
        places = range(len(batch.keys))
        found.extend(zip(batch.ids, batch.namespaces, repeat(batch), places, strict=False))
    found.sort(key=itemgetter(0, 1))
    rows.ids = [one[0] for one in found]
    for name, values in _ROWS.items():
        setattr(rows, name, [values(batch)[row] for _, _, batch, row in found])
    rows.notes = [note or 0 for note in rows.notes]
    for name, values in _COLUMNS.items():
        rows.fields[name] = [values(batch)[row] for _, _, batch, row in found]
    return rows


_BESIDE = ("postings", "vectors", "pieces", "expiry", "models", "spaces")
_ROWS: Mapping[str, Callable[[RecordBatch], Sequence[Any]]] = {
    "keys": attrgetter("keys"),
    "spaces": attrgetter("spaces"),
    "metadata": attrgetter("metadata"),
    "terms": attrgetter("terms"),
    "vectors": attrgetter("vectors"),
    "models": attrgetter("models"),
    "notes": attrgetter("notes"),
    "expiries": attrgetter("expires_at"),
}
_COLUMNS: Mapping[str, Callable[[RecordBatch], Sequence[MemoryEntry]]] = {
    "namespace": attrgetter("namespaces"),
    "text": attrgetter("texts"),
    "title": attrgetter("titles"),
    "kind": attrgetter("kinds"),
    "kindProvenance": attrgetter("kind_provenances"),
    "entity": attrgetter("entities"),
    "memoryType": attrgetter("memory_types"),
    "tags": attrgetter("tags"),
    "importance": attrgetter("importances"),
    "source": attrgetter("sources"),
    "createdAt": attrgetter("created_at"),
    "updatedAt": attrgetter("updated_at"),
    "expiresAt": attrgetter("expires_at"),
    "vault": attrgetter("vaults"),
    "path": attrgetter("paths"),
    "heading": attrgetter("headings"),
}
