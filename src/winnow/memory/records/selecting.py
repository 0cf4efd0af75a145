"""Which records are in the running: every condition of a request, as one filter."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from winnow.columns.arrays import Rows
from winnow.columns.memories import VisibleKeys
from winnow.errors import Fault, InvalidRequest
from winnow.filter.ast import NOTHING, All, Expr, Match, Pred, tests
from winnow.filter.check import Scope, check
from winnow.filter.keys import Found, doubt, find_key
from winnow.filter.ops import LOOSE
from winnow.filter.plain import copy_plain
from winnow.filter.rewrite import rewrite
from winnow.filter.unparse import flatten, to_json, to_text
from winnow.kinds import NoKind, OneOf, read_kinds
from winnow.memories import RECORDS
from winnow.memory.changes.saying import read_tags
from winnow.memory.engine import Engine
from winnow.memory.entities.questions import read_filters, sort_keys
from winnow.memory.records.doubts import doubt_kinds
from winnow.memory.records.sources import choose_sources
from winnow.memory.state.ontology import Domain
from winnow.memory.state.shelf import Shelf
from winnow.memory.times import resolve_past
from winnow.operations.arguments import OrderBy
from winnow.operations.requests import Conditions, RecallRequest
from winnow.plan.extents import Extent
from winnow.plan.gather import Selection, divide
from winnow.plan.order import SortKey
from winnow.schema import Catalog, Field
from winnow.values import Json, Moment, UnreadableValue

_NO_LEVELS = "confidenceMinimum is about values of entities: without a schema it changes nothing"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request asks for: its own conditions, the records it is about, and an echo.

    `unknown` are the keys of metadata that it names and that nothing has, as faults.
    """

    asked: Pred
    extent: Extent
    namespaces: Sequence[str]
    filters: Json
    where: str
    warnings: tuple[str, ...]
    unknown: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidates:
    """The records that meet everything, by row; `scanned` counts all that are in scope."""

    selection: Selection
    scanned: int

    @property
    def rows(self) -> Rows:
        """The rows, in ascending order."""
        return self.selection.rows


def want(engine: Engine, request: Conditions, keys: VisibleKeys, faults: list[Fault]) -> Wanted:
    """Read every condition of a request without a schema; what is wrong is added to `faults`.

    `keys` are those of metadata that there are; one that no memory has which the request may be
    about gets a warning.
    """
    warnings = [] if request.confidence_minimum == "EXTRACTED" else [_NO_LEVELS]
    namespaces = engine.namespaces(request.namespace, faults)
    seen = readable(engine, keys, request.namespace)
    expr = read_filters(request, faults)
    for name in ("query", "entity"):
        faults.extend(copy_plain(getattr(request, name, None), f"/{name}")[1])
    parts: list[Pred] = []
    unknown: tuple[Fault, ...] = ()
    try:
        checked = check(expr, RECORDS, Scope(Catalog(()), engine.zone, engine.clock(), seen))
        parts.append(checked.pred)
        warnings.extend(checked.warnings)
        if checked.warnings:
            warnings.extend(_name_schemas(engine, namespaces, expr, seen))
        warnings.extend(doubt_kinds(checked.pred, seen))
        unknown = checked.unknown
    except InvalidRequest as error:
        faults.extend(error.faults)
    parts.extend(read_conditions(engine, request, warnings, faults))
    asked = flatten(All(tuple(parts)))
    extent = _bound(request, namespaces)
    told = tuple(dict.fromkeys(warnings))
    return Wanted(asked, extent, namespaces, to_json(asked), to_text(asked), told, unknown)


def select(wanted: Wanted, shelf: Shelf) -> Candidates:
    """Find the records that meet everything, before anything is scored or cut."""
    table, extent = shelf.table, wanted.extent
    rows = extent.choose(table, rewrite(wanted.asked))
    return Candidates(Selection("", table, {}, rows), extent.find(table).count)


def warn_of_emptiness(engine: Engine, request: Conditions, found: Candidates) -> list[str]:
    """Say of a namespace that was named and holds nothing: its name may be a mistake."""
    if request.namespace is None or found.scanned:
        return []
    if doubt := engine.doubt_namespace(request.namespace):
        return [doubt]
    some_only = isinstance(request, RecallRequest) and request.sources
    return [] if some_only else [f"namespace {request.namespace!r} holds no memories"]


def read_conditions(
    engine: Engine, request: Conditions, warnings: list[str], faults: list[Fault]
) -> Iterator[Pred]:
    """Yield the conditions of memories and notes that stand in arguments of their own."""
    yield from _kinds(request, warnings, faults)
    tags = read_tags(request.tags, faults) if request.tags is not None else ()
    if tags:
        item = replace(RECORDS.fields["tags"], name="", is_list=False)
        yield Match((), RECORDS.fields["tags"], "any", (Match((), item, "in", tags),))
    if request.entity is not None:
        yield _own("entity", "eq", request.entity)
    if request.memory_type is not None:
        yield _own("memoryType", "eq", request.memory_type)
    for name, op in (("since", "gte"), ("until", "lte")):
        text: str | None = getattr(request, name)
        if text is None:
            continue
        try:
            yield _own("createdAt", op, resolve_past(text, engine.zone, engine.clock()))
        except UnreadableValue as error:
            faults.append(Fault(f"/{name}", str(error)))


def split(found: Candidates) -> tuple[list[int], int]:
    """Return the store's keys of the memories among some records, and how many are not.

    Those are pieces of notes, which are read-only.
    """
    pieces, memories = divide(found.selection, RECORDS.fields["path"])
    return memories.table.keys_of(memories.rows), len(pieces.rows)


def readable(engine: Engine, keys: VisibleKeys, asked: str | None) -> VisibleKeys:
    """Return the keys of metadata in the namespace that is asked for, or all that may be seen."""
    namespaces = engine.access.namespaces if asked is None else (asked,)
    return keys if namespaces is None else keys.within(namespaces)


def records_of(shelf: Shelf) -> Domain:
    """Return all records as a schema and its table."""
    return Domain("", Catalog(()), RECORDS, shelf.table, {})


def read_order(
    orders: str | Sequence[OrderBy | str] | None, shelf: Shelf, faults: list[Fault]
) -> list[SortKey]:
    """Read the sort keys of a request: own fields of records, and keys of their metadata."""
    return sort_keys(orders, [records_of(shelf)], faults)


def doubt_steps(
    engine: Engine, request: Conditions, every: Iterable[Sequence[Field]], shelf: Shelf
) -> list[str]:
    """Say what is doubtful about the fields that records are ordered or grouped by."""
    keys = readable(engine, shelf.keys, request.namespace)
    told: list[str] = []
    for *path, field in every:
        found = Found(tuple(path), field)
        detail = doubt(found.key or (field.name,), found, keys, loose=False)
        told.extend([detail] if detail else [])
    return told


def _name_schemas(
    engine: Engine, namespaces: Iterable[str], expr: Expr, keys: VisibleKeys
) -> Iterator[str]:
    """Say of names that no memory has which schemas have them: one may be left out by mistake."""
    catalogs = map(engine.ontology.catalog, namespaces if engine.enabled else ())
    schemas = {one.name: one for catalog in catalogs for one in catalog}
    for test in tests(expr):
        key = None if test.op in LOOSE else find_key(test.name).key
        if key is None or key in keys:
            continue
        names = [name for name, schema in schemas.items() if schema.find(key[0])]
        if names:
            yield f"{key[0]} is a field of {', '.join(names)}; give the schema to filter by it"


def _own(name: str, op: str, *args: str | Moment) -> Match:
    return Match((), RECORDS.fields[name], op, args)


def _bound(request: Conditions, namespaces: Sequence[str]) -> Extent:
    """Return the records of some namespaces from the sources that are asked for."""
    if not isinstance(request, RecallRequest):
        return Extent(tuple(namespaces))
    sources = choose_sources(request.sources, [])
    return Extent(tuple(namespaces), sources.has_notes, sources.has_memories)


def _kinds(request: Conditions, warnings: list[str], faults: list[Fault]) -> Iterator[Pred]:
    if request.kinds is None:
        return
    given: Json = request.kinds if isinstance(request.kinds, str) else [*request.kinds]
    try:
        chosen, told = read_kinds(given)
    except InvalidRequest as error:
        faults.extend(error.faults)
        return
    warnings.extend(told)
    if isinstance(chosen, NoKind):
        yield NOTHING
    elif isinstance(chosen, OneOf):
        yield _own("kind", "in", *chosen.kinds)
