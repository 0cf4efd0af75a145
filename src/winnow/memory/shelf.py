"""Stored memories and pieces of notes as they stand now, in columns, postings and vectors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import chain, repeat
from operator import attrgetter, itemgetter
from threading import RLock

from winnow.columns.inversion import PostingsPart, build_postings
from winnow.columns.memories import Entry as MemoryEntry
from winnow.columns.memories import MemoryChanges
from winnow.columns.postings import Postings
from winnow.columns.table import Part, Table
from winnow.columns.terms import Terms
from winnow.columns.vectors import Vectors, VectorsPart, build_vectors
from winnow.filter.keys import Key
from winnow.memories import RECORDS
from winnow.store.base import Store
from winnow.store.memories import RecordBatch
from winnow.values import Json


@dataclass(frozen=True, slots=True)
class Shelf:
    """All records in one state. Rows are numbered alike in its table, postings and vectors.

    `spaces` gives the numbers of the namespaces, `terms` those of the words. `keys` are the keys
    of metadata that some record has.
    """

    table: Table
    postings: Postings
    vectors: Vectors
    spaces: Mapping[str, int]
    terms: Terms
    keys: frozenset[Key]


@dataclass(frozen=True, slots=True)
class _Sides:
    """What stands beside a part of the table, row for row."""

    part: Part
    postings: PostingsPart
    vectors: VectorsPart


@dataclass(slots=True)
class _Rows:
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

    def changes(self) -> MemoryChanges:
        """Return what the columns are made from."""
        return MemoryChanges(self.gone, self.keys, self.ids, self.fields, self.metadata)


class Shelves:
    """Keeps the shelf fresh from the store. Safe to use from several threads."""

    def __init__(self, store: Store, zone: tzinfo) -> None:
        self._store = store
        self._lock = RLock()
        self._table = Table(RECORDS, zone)
        self._sides: dict[int, _Sides] = {}
        self._spaces: dict[str, int] = {}
        self._terms = Terms()
        self._keys: frozenset[Key] = frozenset()
        self._seen = -1

    def now(self) -> Shelf:
        """Return the records as this and other processes have last committed them."""
        with self._lock:
            self._store.states.advance()  # to no older a state than other threads have read
            self._refresh()
            sides = [self._sides[id(part)] for part in self._table.parts]
            alive = self._table.alive
            return Shelf(
                self._table,
                Postings(tuple(side.postings for side in sides), alive),
                Vectors(tuple(side.vectors for side in sides), alive),
                self._spaces,
                self._terms,
                self._keys,
            )

    def _refresh(self) -> None:
        number = self._store.last_change().number
        if number == self._seen:
            return
        rows = self._read(self._store.records.scan(max(self._seen, 0), vectors=True))
        if rows.keys or rows.gone:
            self._terms.learn(self._store.records.terms(self._terms.last))
            self._table = self._add(self._table, rows)
            self._merge()
            named = (part.metadata.named() for part in self._table.parts)
            self._keys = frozenset(chain.from_iterable(named))
        self._seen = number

    def _merge(self) -> None:
        count = self._table.parts_to_merge()
        if not count:
            return
        keys = self._table.keys_of_last(count)
        rows = self._read(self._store.records.rescan(keys, vectors=True))
        kept = Table(
            self._table.schema,
            self._table.zone,
            self._table.parts[:-count],
            self._table.alive[:-count],
        )
        self._table = self._add(kept, rows)

    def _add(self, table: Table, rows: _Rows) -> Table:
        """Return a table with these rows new or replaced, and those that are gone left out."""
        changed = table.changed(rows.changes())
        if rows.keys:
            part = changed.parts[-1]
            postings = build_postings(rows.terms, rows.spaces)
            vectors = build_vectors(rows.vectors, rows.models)
            self._sides[id(part)] = _Sides(part, postings, vectors)
        living = {id(part) for part in changed.parts}
        self._sides = {key: side for key, side in self._sides.items() if key in living}
        return changed

    def _read(self, batches: Iterable[RecordBatch]) -> _Rows:
        """Put all batches into one, in the order of the ids."""
        found: list[tuple[str, str, RecordBatch, int]] = []
        rows = _Rows()
        for batch in batches:
            rows.gone.extend(batch.dead)
            places = range(len(batch.keys))
            found.extend(zip(batch.ids, batch.namespaces, repeat(batch), places, strict=False))
        found.sort(key=itemgetter(0, 1))
        rows.ids = [one[0] for one in found]
        rows.spaces = [self._space(one[1]) for one in found]
        rows.keys = [batch.keys[row] for _, _, batch, row in found]
        rows.metadata = [batch.metadata[row] for _, _, batch, row in found]
        rows.terms = [batch.terms[row] for _, _, batch, row in found]
        rows.vectors = [batch.vectors[row] for _, _, batch, row in found]
        rows.models = [batch.models[row] for _, _, batch, row in found]
        for name, column in _COLUMNS.items():
            rows.fields[name] = [column(batch)[row] for _, _, batch, row in found]
        return rows

    def _space(self, name: str) -> int:
        return self._spaces.setdefault(name, len(self._spaces))


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
