"""Counting and listing memories, and figures over them: the exact set that conditions describe."""

from collections.abc import Sequence
from dataclasses import fields

from winnow.errors import Fault, InvalidRequest, settle
from winnow.memories import RECORDS
from winnow.memory.changes.keeping import show_record
from winnow.memory.cursors import Fingerprint, bind, fingerprint, read_cursor, write_cursor
from winnow.memory.engine import Engine
from winnow.memory.figures import read_figures, warn_of_others
from winnow.memory.records.selecting import (
    Candidates,
    Wanted,
    doubt_steps,
    read_order,
    records_of,
    select,
    want,
    warn_of_emptiness,
)
from winnow.operations.answers import AggregateAnswer, CountAnswer, ListAnswer
from winnow.operations.requests import AggregateRequest, CountRequest, ListRequest
from winnow.plan.gather import gather_one
from winnow.plan.order import Bound, SortKey, order, refine
from winnow.records import Confidence
from winnow.values import Scalar

LATEST = SortKey((RECORDS.fields["updatedAt"],), descending=True)
_SURE = Confidence.EXTRACTED
_OF_PAGES = frozenset({"limit", "cursor", "order_by"})


def count_memories(engine: Engine, request: CountRequest, faults: list[Fault]) -> CountAnswer:
    """Count the memories and pieces of notes that match."""
    shelf = engine.shelf()
    wanted = want(engine, request, shelf.keys, faults)
    settle(faults)
    found = select(wanted, shelf)
    return CountAnswer(
        count=len(found.rows),
        undetermined=0,
        filters=wanted.filters,
        where=wanted.where,
        warnings=_warn(wanted, warn_of_emptiness(engine, request, found)),
        as_of=engine.as_of(),
    )


def list_memories(engine: Engine, request: ListRequest, faults: list[Fault]) -> ListAnswer:
    """List the memories and pieces of notes that match, the last changed first."""
    shelf = engine.shelf()
    wanted = want(engine, request, shelf.keys, faults)
    asked = read_order(request.order_by, shelf, faults)
    keys = asked or [LATEST]
    own = bind(_fingerprint(request, keys), engine.access)
    after = _read_cursor(engine, request, own, keys, faults)
    settle(faults)
    found = select(wanted, shelf)
    spots = order([found.selection], keys, _SURE, request.limit + 1, after)
    rows = [spot.row for spot in spots[: request.limit]]
    more = len(spots) > request.limit
    records = engine.store.records.read([shelf.table.key_of(row) for row in rows])
    shown = [show_record(record) for record in records if record is not None]
    doubts = doubt_steps(engine, request, (key.steps for key in asked), shelf)
    return ListAnswer(
        entities=(),
        memories=shown,
        filters=wanted.filters,
        where=wanted.where,
        filtered_entities=len(found.rows),
        undetermined=0,
        returned=len(shown),
        truncated=more,
        cursor=_write_cursor(own, keys, found, rows[-1]) if more else None,
        warnings=_warn(wanted, [*warn_of_emptiness(engine, request, found), *doubts]),
        as_of=engine.as_of(),
    )


def aggregate_memories(
    engine: Engine, request: AggregateRequest, faults: list[Fault]
) -> AggregateAnswer:
    """Compute figures over the memories and pieces of notes that match."""
    shelf = engine.shelf()
    wanted = want(engine, request, shelf.keys, faults)
    figures = read_figures(request, [records_of(shelf)], faults)
    settle(faults)
    found = select(wanted, shelf)
    doubts = doubt_steps(engine, request, figures.named(), shelf)
    doubts += warn_of_others(figures, found.selection)
    return AggregateAnswer(
        groups=figures.compute([found.selection], _SURE),
        filtered_entities=len(found.rows),
        undetermined=0,
        filters=wanted.filters,
        where=wanted.where,
        warnings=_warn(wanted, [*warn_of_emptiness(engine, request, found), *doubts]),
        as_of=engine.as_of(),
    )


def _warn(wanted: Wanted, doubts: Sequence[str] = ()) -> list[str] | None:
    """Return what the writer of a request should know, each once, None if that is nothing."""
    return [*dict.fromkeys([*wanted.warnings, *doubts])] or None


def _fingerprint(request: ListRequest, keys: Sequence[SortKey]) -> Fingerprint:
    asked = [getattr(request, one.name) for one in fields(request) if one.name not in _OF_PAGES]
    return fingerprint("memories", asked, [(key.name, key.descending) for key in keys])


def _read_cursor(
    engine: Engine,
    request: ListRequest,
    own: Fingerprint,
    keys: Sequence[SortKey],
    faults: list[Fault],
) -> Bound | None:
    if request.cursor is None:
        return None
    try:
        return read_cursor(request.cursor, own, refine(keys), engine.zone)
    except InvalidRequest as error:
        faults.extend(error.faults)
        return None


def _write_cursor(own: Fingerprint, keys: Sequence[SortKey], found: Candidates, row: int) -> str:
    """Spell the place behind a row, whatever becomes of it."""

    def value(key: SortKey) -> Scalar | None:
        one = gather_one(found.selection, key.steps, _SURE, row)
        return None if isinstance(one, tuple) else one

    namespace = value(SortKey((RECORDS.fields["namespace"],), descending=False))
    name = found.selection.table.id_of(row)
    return write_cursor(own, [value(key) for key in refine(keys)], name, str(namespace))
