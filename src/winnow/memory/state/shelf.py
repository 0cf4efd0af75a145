"""Stored memories and pieces of notes as they stand now, in columns, postings and vectors."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from itertools import repeat
from operator import attrgetter, itemgetter
from threading import RLock

from winnow.columns.expiry import ExpiryPart, build_expiry
from winnow.columns.inversion import PostingsPart, build_postings
from winnow.columns.memories import Entry as MemoryEntry
from winnow.columns.memories import MemoryChanges, VisibleKeys
from winnow.columns.pieces import Pieces, PiecesPart, build_pieces
from winnow.columns.postings import Postings
from winnow.columns.table import Part, Table
from winnow.columns.terms import Terms
from winnow.columns.vectors import Vectors, VectorsPart, build_vectors
from winnow.memories import RECORDS
from winnow.store.base import Store
from winnow.store.memories import RecordBatch
from winnow.values import Json


@dataclass(frozen=True, slots=True)
class Shelf:
    """All records in one state. Rows are numbered alike in its table, postings and vectors.

    What has expired is as dead there as what was deleted. `pieces` tells which rows are pieces of
    which notes. `spaces` gives the numbers of the namespaces, `terms` those of the words. `keys`
    are the keys of metadata that some record has. `models` are the namespaces, by number, with
    each model that has made a vector there, perhaps of a record that is gone.
    """

    table: Table
    postings: Postings
    vectors: Vectors
    pieces: Pieces
    spaces: Mapping[str, int]
    terms: Terms
    keys: VisibleKeys
    models: frozenset[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class _Sides:
    """What stands beside a part of the table, row for row."""

    part: Part
    postings: PostingsPart
    vectors: VectorsPart
    pieces: PiecesPart
    expiry: ExpiryPart
    models: frozenset[tuple[int, str]]


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
    notes: list[int] = field(default_factory=list[int])
    expiries: list[int | None] = field(default_factory=list[int | None])

    def changes(self) -> MemoryChanges:
        """Return what the columns are made from."""
        return MemoryChanges(self.gone, self.keys, self.ids, self.fields, self.metadata)

    def made_by(self) -> frozenset[tuple[int, str]]:
        """Return which models have made the vectors of which namespaces."""
        pairs = zip(self.spaces, self.models, self.vectors, strict=True)
        return frozenset((space, model) for space, model, vector in pairs if vector and model)


class Shelves:
    """Keeps the shelf fresh from the store. Safe to use from several threads."""

    def __init__(self, store: Store, zone: tzinfo) -> None:
        self._store = store
        self._lock = RLock()
        self._table = Table(RECORDS, zone)
        self._sides: dict[int, _Sides] = {}
        self._spaces: dict[str, int] = {}
        self._terms = Terms()
        self._seen = -1
        self._expired: list[int] = []
        self._shelf = self._arrange()

    @contextmanager
    def current(self) -> Generator[None]:
        """Keep other threads out, and read a state no older than what they have read."""
        with self._lock:
            self._store.states.advance()
            yield

    def now(self, at: int) -> Shelf:
        """Return the records as this and other processes have last committed them.

        Those that have expired at that time, in milliseconds, are not alive in it.
        """
        with self.current():
            moved = self._refresh()
            sides = [self._sides[id(part)] for part in self._table.parts]
            expired = [side.expiry.count(at) for side in sides]
            if moved or expired != self._expired:
                self._expired = expired
                self._shelf = self._arrange()
            return self._shelf

    def _arrange(self) -> Shelf:
        sides = [self._sides[id(part)] for part in self._table.parts]
        alive = tuple(
            side.expiry.hide(mask, count)
            for side, mask, count in zip(sides, self._table.alive, self._expired, strict=True)
        )
        table = self._table if not any(self._expired) else replace(self._table, alive=alive)
        return Shelf(
            table,
            Postings(tuple(side.postings for side in sides), alive),
            Vectors(tuple(side.vectors for side in sides), alive),
            Pieces(tuple(side.pieces for side in sides), alive),
            self._spaces,
            self._terms,
            VisibleKeys(table, table.alive_rows),
            frozenset[tuple[int, str]]().union(*(side.models for side in sides)),
        )

    def _refresh(self) -> bool:
        """Read what has changed; tell whether there was anything."""
        number = self._store.last_change().number
        if number == self._seen:
            return False
        rows = self._read(self._store.records.scan(max(self._seen, 0), vectors=True))
        if rows.keys or rows.gone:
            self._terms.learn(self._store.records.terms(self._terms.last))
            self._table = self._add(self._table, rows)
            self._merge()
        self._seen = number
        return bool(rows.keys or rows.gone)

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
            pieces, expiry = build_pieces(rows.notes), build_expiry(rows.expiries)
            models = rows.made_by()
            self._sides[id(part)] = _Sides(part, postings, vectors, pieces, expiry, models)
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
        rows.notes = [batch.notes[row] or 0 for _, _, batch, row in found]
        rows.expiries = [batch.expires_at[row] for _, _, batch, row in found]
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
