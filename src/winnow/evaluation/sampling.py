"""Questions like those that a store is asked: filters of values that it has, words of its texts."""

import math
import random
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from typing import Final, TypeAlias, cast

from winnow.embed.external import ExternalEmbedder
from winnow.errors import InvalidRequest
from winnow.filter.names import name_in_json
from winnow.memory import Memory
from winnow.memory.records.selecting import select, want
from winnow.operations.answers import CountAnswer
from winnow.operations.requests import CountRequest
from winnow.store.memories import Record
from winnow.values import Json

Filters: TypeAlias = dict[str, Json]
Values: TypeAlias = Sequence[tuple[str, Json]]
"""Names of fields as a filter in JSON spells them, each with a value that an item has."""

SHARES: Final = (1.0, 0.1, 0.01, 0.001, 0.0001)
"""The shares of all items that filters are looked for to leave."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A filter that something in the store meets, as text too, and how many meet it."""

    filters: Filters
    where: str
    matched: int


@dataclass(frozen=True, slots=True)
class Query:
    """Some words of a text; its vector too, where the caller gives vectors."""

    text: str
    vector: list[float] | None = None


def sample_records(memory: Memory, namespace: str | None, count: int) -> list[Record]:
    """Return some memories and pieces of notes, always the same of the same store."""
    engine = memory.engine
    shelf = engine.shelf()
    found = select(want(engine, CountRequest(namespace=namespace), shelf.keys, []), shelf)
    pick = random.Random(_SEED)
    places = sorted(pick.sample(range(len(found.rows)), min(count, len(found.rows))))
    keys = [shelf.table.key_of(int(found.rows[place])) for place in places]
    return [record for record in engine.store.records.read(keys) if record is not None]


def read_values(record: Record) -> Values:
    """Return what a filter may say of a record: its own fields, and its metadata."""
    own: dict[str, Json] = {
        "namespace": record.namespace,
        "kind": record.kind,
        "entity": record.entity,
        "memoryType": record.memory_type,
        "source": record.source,
        "importance": record.importance,
        "tags": [*record.tags],
        "createdAt": _spell_time(record.created_at),
    }
    loose = {name_in_json(("metadata", key)): value for key, value in record.metadata.items()}
    return list({**own, **loose}.items())


def sample_queries(memory: Memory, records: Iterable[Record], count: int) -> list[Query]:
    """Return a few words of each of some texts."""
    pick = random.Random(_SEED)
    queries: list[Query] = []
    for record in records:
        words = _WORD.findall(record.text)
        if words and len(queries) < count:
            start = pick.randrange(max(len(words) - _WORDS, 0) + 1)
            vector = _read_vector(memory, record)
            queries.append(Query(" ".join(words[start : start + _WORDS]), vector))
    return queries


def sample_filters(
    items: Iterable[Values], count: Callable[[Filters], CountAnswer]
) -> Iterator[Sampled]:
    """Yield filters that some items meet: a test each, then two together; each filter once."""
    pick = random.Random(_SEED)
    seen: set[str] = set()
    for values in items:
        tests = [test for name, value in values for test in _list_tests(name, value)]
        pairs = list(combinations(tests, 2))
        pick.shuffle(pairs)
        both: list[Filters] = [{"and": [*pair]} for pair in pairs[:_PAIRS]]
        for filters in (*tests, *both):
            if (key := repr(filters)) not in seen:
                seen.add(key)
                yield from _count(filters, count)


def choose(sampled: Iterable[Sampled], total: int) -> Mapping[float, Sequence[Sampled]]:
    """Return for each share the filters that come nearest to it, three at most; none far off."""
    left = [one for one in sampled if 0 < one.matched < total]
    chosen: dict[float, Sequence[Sampled]] = {1.0: [Sampled({}, "", total)]}
    for share in SHARES[1:]:
        gaps = [(abs(math.log10(one.matched / total / share)), one.where, one) for one in left]
        near = [one for gap, _, one in sorted(gaps, key=lambda gap: gap[:2]) if gap < _FAR]
        if near:
            chosen[share] = near[:_FILTERS]
    return chosen


def _count(filters: Filters, count: Callable[[Filters], CountAnswer]) -> Iterator[Sampled]:
    try:
        answer = count(filters)
    except InvalidRequest:  # a value that no filter can name
        return
    yield Sampled(filters, answer.where, answer.count)


def _list_tests(name: str, value: Json) -> Iterator[Filters]:
    """Yield what may be asked of a field, so that this value passes."""
    for op, operand in _list_operands(name, value):
        test: dict[str, Json] = {op: operand}
        yield {name: test}


def _list_operands(name: str, value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, list):
        yield from (("has", item) for item in value[:_ITEMS] if isinstance(item, str))
    elif name == "createdAt":
        yield "gte", value
    elif isinstance(value, bool) or (isinstance(value, str) and 0 < len(value) <= _LONGEST):
        yield "eq", value
    elif isinstance(value, int | float):
        yield from (("eq", value), ("gte", value), ("lte", value))


def _read_vector(memory: Memory, record: Record) -> list[float] | None:
    engine = memory.engine
    spec = engine.workshop.settings(record.namespace).embedder
    if record.vector is None or not isinstance(engine.workshop.embedder(spec), ExternalEmbedder):
        return None
    return list(
        cast("tuple[float, ...]", struct.unpack(f"<{len(record.vector) // 4}f", record.vector))
    )


def _spell_time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds // 1_000, UTC).isoformat()


_SEED: Final = 7
_WORD: Final = re.compile(r"\w+")
_WORDS: Final = 5  # of a query
_PAIRS: Final = 4  # filters of two tests, of each item
_ITEMS: Final = 3  # of a list
_LONGEST: Final = 100  # characters of a text that is compared
_FILTERS: Final = 3  # for each share
_FAR: Final = 0.5  # powers of ten between a filter's share and the one that is looked for
