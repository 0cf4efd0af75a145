"""`winnow bench`: how long a store of one's own takes to answer, at several selectivities."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Final, TypeAlias

from winnow.errors import Fault, InvalidRequest
from winnow.evaluation.report import BenchAnswer, Timed
from winnow.evaluation.sampling import (
    Filters,
    Query,
    Sampled,
    Values,
    choose,
    read_values,
    sample_filters,
    sample_queries,
    sample_records,
)
from winnow.memory import Memory
from winnow.operations.answers import CountAnswer
from winnow.stages import Progress
from winnow.wire import encode_text

Ask: TypeAlias = Callable[[Sampled, Query], object]

MEMORIES: Final = "memories"
_SAMPLED: Final = 60
_WARM_UP: Final = 2
_PAGE: Final = 500


def bench(
    memory: Memory, namespace: str | None, calls: int, progress: Progress | None = None
) -> BenchAnswer:
    """Time recall, list and count with filters and words that the store has; it stays as it is.

    Each is asked `calls` times at each selectivity.
    Raises InvalidRequest if there is nothing to ask about.
    """
    start = time.perf_counter()
    records = sample_records(memory, namespace, _SAMPLED)
    opened = (time.perf_counter() - start) * 1_000
    queries = sample_queries(memory, records, calls) or [Query("")]
    subjects = list(_list_subjects(memory, namespace, list(map(read_values, records))))
    if not subjects:
        place, where = ("/store", "the store") if namespace is None else ("/namespace", namespace)
        raise InvalidRequest([Fault(place, f"{where} has nothing to ask about yet")])
    cells = [cell for subject in subjects for cell in subject.cells()]
    figures: list[Timed] = []
    for number, cell in enumerate(cells):
        if progress is not None:
            progress(number, len(cells), f"{cell.subject.name}: {cell.operation}")
        figures.append(cell.time(queries, calls))
    return BenchAnswer(
        totals={one.name: one.total for one in subjects},
        queries=len(queries),
        first_ms=round(opened, _DIGITS),
        figures=figures,
    )


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is asked about: memories and pieces of notes, or the entities of a schema."""

    memory: Memory
    name: str
    total: int
    filters: Mapping[float, Sequence[Sampled]]
    namespace: str | None
    schema: str | None

    def cells(self) -> Iterator["_Cell"]:
        """Yield each operation at each selectivity."""
        for filters in self.filters.values():
            for operation, ask in _OPERATIONS.items():
                yield _Cell(self, operation, filters, partial(ask, self))


@dataclass(frozen=True, slots=True)
class _Cell:
    """An operation with filters of one selectivity, asked in turn."""

    subject: _Subject
    operation: str
    filters: Sequence[Sampled]
    ask: Ask

    def time(self, queries: Sequence[Query], calls: int) -> Timed:
        """Ask so often, and return what it took."""
        took: list[float] = []
        sizes: list[int] = []
        for turn in range(-_WARM_UP, calls):
            sampled = self.filters[turn % len(self.filters)]
            query = queries[turn % len(queries)]
            start = time.perf_counter()
            answer = self.ask(sampled, query)
            if turn >= 0:
                took.append((time.perf_counter() - start) * 1_000)
                sizes.append(len(encode_text(answer).encode("utf-8", "surrogatepass")))
        matched = int(median(one.matched for one in self.filters))
        return Timed(
            of=self.subject.name,
            operation=self.operation,
            share=float(f"{matched / self.subject.total:.3g}"),
            candidates=matched,
            where=[one.where for one in self.filters if one.where],
            calls=calls,
            p50_ms=round(median(took), _DIGITS),
            p95_ms=round(find_percentile(took, 95), _DIGITS),
            answer_bytes=int(median(sizes)),
        )


def find_percentile(values: Sequence[float], percent: int) -> float:
    """Return the least value that so many percent of all don't exceed."""
    return sorted(values)[max(math.ceil(len(values) * percent / 100), 1) - 1]


def _list_subjects(
    memory: Memory, namespace: str | None, records: Sequence[Values]
) -> Iterator[_Subject]:
    yield from _make_subject(memory, namespace, None, records)
    if not memory.engine.enabled:
        return
    for name in [one.name for one in memory.schema().schemas if one.entities]:
        hits = memory.list(schema=name, namespace=namespace, limit=_PAGE).entities
        step = max(len(hits) // _SAMPLED, 1)
        items = [_read_fields(hit.fields) for hit in hits[::step]]
        yield from _make_subject(memory, namespace, name, items)


def _make_subject(
    memory: Memory, namespace: str | None, schema: str | None, items: Sequence[Values]
) -> Iterator[_Subject]:
    def count(filters: Filters | None = None) -> CountAnswer:
        return memory.count(schema=schema, namespace=namespace, filters=filters)

    total = count().count
    if total:
        chosen = choose(sample_filters(items, count), total)
        yield _Subject(memory, schema or MEMORIES, total, chosen, namespace, schema)


def _read_fields(fields: Mapping[str, object]) -> Values:
    plain = ((name, value) for name, value in fields.items())
    return [(name, value) for name, value in plain if isinstance(value, str | int | float)]


def _recall(subject: _Subject, sampled: Sampled, query: Query) -> object:
    ask = subject.memory.recall
    filters, schema, namespace = sampled.filters, subject.schema, subject.namespace
    if schema is not None:
        return ask(filters=filters, schema=schema, namespace=namespace)
    return ask(query.text, filters=filters, vector=query.vector, namespace=namespace)


def _list(subject: _Subject, sampled: Sampled, _: Query) -> object:
    given = subject.schema, subject.namespace
    return subject.memory.list(filters=sampled.filters, schema=given[0], namespace=given[1])


def _count(subject: _Subject, sampled: Sampled, _: Query) -> object:
    given = subject.schema, subject.namespace
    return subject.memory.count(filters=sampled.filters, schema=given[0], namespace=given[1])


_OPERATIONS: Final[Mapping[str, Callable[[_Subject, Sampled, Query], object]]] = {
    "recall": _recall,
    "list": _list,
    "count": _count,
}
_DIGITS: Final = 3
