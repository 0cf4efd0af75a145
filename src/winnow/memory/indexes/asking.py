"""Asking an index: what it holds, and what in it answers a query."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TypeAlias

from winnow.columns.arrays import Rows
from winnow.columns.lexicon import Analysis, Lexicon, describe_words
from winnow.columns.postings import Postings
from winnow.embed.floats import unpack
from winnow.filter.ast import Pred
from winnow.filter.check import Scope, check
from winnow.filter.raw import stand_in, to_bytes
from winnow.filter.triples import read_triples
from winnow.memories import RECORDS
from winnow.memory.engine import Engine
from winnow.memory.indexes.settings import Index
from winnow.memory.state.shelf import Shelf
from winnow.plan import holdings as plan
from winnow.plan.holdings import Asked, Found, Fused, Holdings
from winnow.rank.klyro.words import find_words, is_word, split_text
from winnow.schema import Catalog
from winnow.store.memories import Record

Filter: TypeAlias = tuple[str, str, str]
"""A field, an operator and a value."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for: words and a vector, of which one may be missing, among what matches.

    What is found is `brief` where nobody looks at its metadata and vector.
    """

    text: bytes | None
    vector: bytes | None
    filters: Sequence[Filter]
    limit: int
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found, and its scores."""

    record: Record
    found: Found


@dataclass(frozen=True, slots=True)
class Contents:
    """What an index holds; `words` are different ones, `length` is that of an average text."""

    records: int
    vectors: int
    words: int
    length: float


class TooManyVectors(Exception):
    """More vectors are to be compared than is allowed."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(f"{count} vectors")


class Asking:
    """Answers from the shelf. Safe to use from several threads.

    `most_words` tells how many words of a text count.
    """

    def __init__(self, engine: Engine, most_words: Callable[[], int]) -> None:
        self._engine = engine
        self._lexicon = Lexicon(
            Analysis(lambda text: split_text(to_bytes(text)), is_word, most_words)
        )
        self._lock = Lock()
        self._shelf: Shelf | None = None
        self._known: dict[str, Holdings] = {}
        self._described: dict[str, tuple[Holdings, Contents]] = {}

    def holdings(self, index: Index) -> Holdings:
        """Return the memories of an index as they stand now."""
        shelf = self._engine.shelf()
        with self._lock:
            if shelf is not self._shelf:
                self._shelf, self._known, self._described = shelf, {}, {}
            known = self._known.get(index.name)
            if known is None:
                known = Holdings(shelf.table, shelf.pieces, shelf.vectors, index.name)
                self._known[index.name] = known
            return known

    def describe(self, index: Index) -> Contents:
        """Count what an index holds."""
        held, settings = self.holdings(index), index.settings
        with self._lock:
            known = self._described.get(index.name)
        if known is not None and known[0] is held:
            return known[1]
        vectors = words = length = 0
        if settings.mode.has_vectors:
            vectors = held.count_vectors(settings.model, settings.dimension, held.rows)
        if settings.mode.has_words:
            words, length = describe_words(*self._postings(held))
        found = Contents(len(held), vectors, words, length / len(held) if len(held) else 0.0)
        with self._lock:
            self._described[index.name] = held, found
        return found

    def search_words(self, index: Index, query: Query) -> list[Hit]:
        """Return the memories that have the words of a query, the best first."""
        held = self.holdings(index)
        postings = self._postings(held)  # first: it numbers the words
        asked, rows = self._ask(index, query), self._choose(held, query.filters)
        return self._read(held, query, plan.search_words(held, postings, asked, rows, query.limit))

    def search_vectors(self, index: Index, query: Query, most: int) -> list[Hit]:
        """Return the memories whose vectors are nearest; TooManyVectors if they are over `most`."""
        held = self.holdings(index)
        asked, rows = self._ask(index, query), self._choose(held, query.filters)
        _check_count(held, index, rows, most)
        return self._read(held, query, plan.search_vectors(held, asked, rows, query.limit))

    def search_both(self, index: Index, query: Query, fused: Fused, most: int) -> list[Hit]:
        """Return the best by words, vectors, recency and importance together."""
        held = self.holdings(index)
        postings = None if query.text is None else self._postings(held)
        asked, rows = self._ask(index, query), self._choose(held, query.filters)
        if query.vector is not None:
            _check_count(held, index, rows, most)
        if query.limit > fused.limit:
            fused = replace(fused, limit=query.limit)
        found = plan.search_both(held, postings, asked, rows, fused, query.limit)
        return self._read(held, query, found)

    def walk(
        self, index: Index, filters: Sequence[Filter], after: str | None, skipped: int
    ) -> Iterator[tuple[str, bool]]:
        """Yield the ids behind one, in order, and whether each matches; some may be skipped."""
        held = self.holdings(index)
        matching = set(self._choose(held, filters).tolist()) if filters else None
        for name, row in held.walk(after, skipped):
            yield name, matching is None or row in matching

    def _ask(self, index: Index, query: Query) -> Asked:
        words = None if query.text is None else self._lexicon.find(find_words(query.text))
        vector = None if query.vector is None else unpack(query.vector)
        return Asked(words, vector, index.settings.model, index.settings.metric)

    def _choose(self, held: Holdings, filters: Sequence[Filter]) -> Rows:
        return held.choose(self._check(filters)) if filters else held.rows

    def _check(self, filters: Sequence[Filter]) -> Pred:
        named = [(field, op, stand_in(value)) for field, op, value in filters]
        scope = Scope(Catalog(()), self._engine.zone, self._engine.clock())
        return check(read_triples(named, "/filter"), RECORDS, scope).pred

    def _postings(self, held: Holdings) -> tuple[Postings, int]:
        postings = self._lexicon.postings(held.table, held.pieces)
        return postings, self._lexicon.space(held.namespace)

    def _read(self, held: Holdings, query: Query, found: Sequence[Found]) -> list[Hit]:
        keys = [held.table.key_of(one.row) for one in found]
        records = self._engine.store.records.read(keys, brief=query.brief)
        pairs = zip(records, found, strict=True)
        # One may be None: it was deleted meanwhile.
        return [Hit(record, one) for record, one in pairs if record is not None]


def _check_count(held: Holdings, index: Index, rows: Rows, most: int) -> None:
    count = held.count_vectors(index.settings.model, index.settings.dimension, rows)
    if count > most:
        raise TooManyVectors(count)
