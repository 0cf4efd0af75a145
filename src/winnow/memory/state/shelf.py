"""Stored memories and pieces of notes as they stand now, in columns, postings and vectors."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import cached_property
from threading import RLock

from winnow.columns.memories import VisibleKeys
from winnow.columns.pieces import Pieces
from winnow.columns.postings import Postings
from winnow.columns.recency import living_namespaces
from winnow.columns.table import Part, Table, parts_to_merge
from winnow.columns.terms import Terms
from winnow.columns.vectors import Vectors
from winnow.deadlines import uncounted
from winnow.memories import RECORDS
from winnow.memory.state.archive import Archive, Piece, State, stamp
from winnow.memory.state.books import Book, Books, Rows, read_rows
from winnow.memory.state.building import Building
from winnow.store.base import Store


@dataclass(frozen=True)
class Shelf:
    """All records in one state. Rows are numbered alike in its table, postings and vectors.

    What has expired is as dead there as what was deleted. `pieces` tells which rows are pieces of
    which notes. `names` gives the numbers of namespaces, `terms` those of the words. `keys`
    are the keys of metadata that some record has. `models` are the namespaces, by number, with
    each model that has made a vector there, perhaps of a record that is gone.
    """

    table: Table
    postings: Postings
    vectors: Vectors
    pieces: Pieces
    names: Mapping[str, int]
    terms: Terms
    keys: VisibleKeys
    models: frozenset[tuple[int, str]]

    @cached_property
    def spaces(self) -> Mapping[str, int]:
        """The numbers of the namespaces that have a living memory, or piece of a note."""
        return {name: self.names[name] for name in sorted(living_namespaces(self.table))}


class Shelves:
    """Keeps the shelf fresh from the store. Safe to use from several threads."""

    def __init__(self, store: Store, zone: tzinfo, release: str = "") -> None:
        """Begin with nothing; `release` is that of the program, of which files have to be."""
        self._store = store
        self._lock = RLock()
        self._table = Table(RECORDS, zone)
        self._books: dict[int, Book] = {}
        self._spaces: dict[str, int] = {}
        self._terms = Terms(store.records.find_terms)
        self._archive = Archive(store, "records", Books(store, zone), zone, stamp(zone, release))
        self._building = Building("memories")
        self._seen = -1
        self._expired: list[int] = []
        self._shelf = self._arrange()

    def finish(self) -> None:
        """Wait until nothing is being written beside the store."""
        self._archive.finish()

    def under_way(self) -> str | None:
        """Tell what is being made or written, None if nothing is."""
        told = "writing columns of memories" if self._archive.is_writing() else None
        return self._building.told() or told

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
        with self.current(), uncounted():
            moved = self._refresh()
            sides = [self._books[id(part)] for part in self._table.parts]
            expired = [side.expiry.count(at) for side in sides]
            if moved or expired != self._expired:
                self._expired = expired
                self._shelf = self._arrange()
            return self._shelf

    def _arrange(self) -> Shelf:
        sides = [self._books[id(part)] for part in self._table.parts]
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
        ready = self._seen < 0 or self._archive.is_ready()
        if number == self._seen and not ready:
            return False
        with self._building.under_way():
            return self._catch_up(number, ready=ready)

    def _catch_up(self, number: int, *, ready: bool) -> bool:
        loaded = ready and self._load()
        batches = self._store.records.scan(max(self._seen, 0), vectors=True)
        rows = read_rows(self._building.count(batches))
        if rows.keys or rows.gone:
            self._table = self._add(self._table, rows)
            self._merge()
        self._seen = number
        self._archive.offer(self._state(), self._count_fresh())
        return bool(loaded or rows.keys or rows.gone)

    def _load(self) -> bool:
        """Begin with what the files have, if they are of use."""
        state = self._archive.load()
        if state is None:
            return False
        books = [piece.part for piece in state.pieces]
        self._books = {id(book.part): book for book in books}
        self._table = Table(
            self._table.schema,
            self._table.zone,
            tuple(book.part for book in books),
            tuple(piece.alive for piece in state.pieces),
        )
        for book in books:
            self._spaces |= book.spaces
        self._seen = state.change
        return True

    def _state(self) -> State[Book]:
        pairs = zip(self._table.parts, self._table.alive, strict=True)
        pieces = [Piece("", self._books[id(part)], alive) for part, alive in pairs]
        return State(self._seen, pieces)

    def _count_fresh(self) -> int:
        return sum(len(part) for part in self._fresh())

    def _fresh(self) -> list[Part]:
        """Return the parts that stand in no file: the last ones."""
        return [
            one for one in self._table.parts if not self._archive.is_stored(self._books[id(one)])
        ]

    def _merge(self) -> None:
        count = parts_to_merge(self._table, len(self._fresh()))
        if not count:
            return
        keys = self._table.keys_of_last(count)
        rows = read_rows(self._store.records.rescan(keys, vectors=True))
        kept = Table(
            self._table.schema,
            self._table.zone,
            self._table.parts[:-count],
            self._table.alive[:-count],
        )
        self._table = self._add(kept, rows)

    def _add(self, table: Table, rows: Rows) -> Table:
        """Return a table with these rows new or replaced, and those that are gone left out."""
        changed = table.changed(rows.changes())
        self._spaces |= rows.names
        if rows.keys:
            part = changed.parts[-1]
            self._books[id(part)] = rows.bind(part)
        living = {id(part) for part in changed.parts}
        self._books = {key: book for key, book in self._books.items() if key in living}
        return changed
