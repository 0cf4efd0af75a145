"""Checking whether anything like a topic is remembered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from winnow.errors import Fault, settle
from winnow.filter.ast import EVERYTHING
from winnow.filter.plain import copy_plain
from winnow.memories import RECORDS
from winnow.memory.changes.keeping import show_record
from winnow.memory.changes.saying import read_tags
from winnow.memory.engine import Engine
from winnow.memory.records.selecting import select, want
from winnow.memory.records.snippets import find_snippet
from winnow.memory.records.topics import Sought, seek
from winnow.memory.state.shelf import Shelf
from winnow.memory.upkeep.models import warn_of_models
from winnow.operations.arguments import MemoryType
from winnow.operations.memories import CheckAnswer, CheckFilters, CheckHit, StoreCounts
from winnow.operations.requests import CheckRequest, Conditions
from winnow.plan.gather import Selection
from winnow.plan.likeness import choose, find_alike
from winnow.plan.matching import count_texts
from winnow.store.base import DEFAULT_NAMESPACE
from winnow.store.memories import Record

_TYPES: Mapping[str, MemoryType] = {one: one for one in get_args(MemoryType)}
_NAMESPACE, _TYPE = RECORDS.fields["namespace"], RECORDS.fields["memoryType"]
_FEWEST_DIGITS, _MOST_DIGITS = 2, 6


def check(engine: Engine, request: CheckRequest, faults: list[Fault]) -> CheckAnswer:
    """Tell whether anything like a topic is remembered, in memories or in notes.

    What the filters leave is judged, then cut at the threshold, then spread.
    """
    shelf = engine.shelf()
    faults.extend(copy_plain(request.topic, "/topic")[1])
    wanted = want(engine, _conditions(request, faults), shelf.keys, faults)
    settle(faults)
    given = None if request.min_similarity is None else float(request.min_similarity)
    sought = seek(engine, request.topic, shelf, wanted.namespaces, given)
    filters = _active(request)
    everything = select(replace(wanted, asked=EVERYTHING), shelf).selection
    found = select(wanted, shelf).selection if filters else everything
    hits = _find(engine, request, shelf, sought, found)
    models = warn_of_models(engine, shelf, wanted.namespaces, found.rows)
    doubts = [] if len(everything.rows) else engine.doubts(request.namespace)
    warnings = [*wanted.warnings, *sought.warnings, *models, *doubts]
    message = None
    if not hits:
        missed = filters and _is_any_alike(shelf, sought, everything)
        message = _tell(request, sought, "matched filters" if missed else "found")
    counts = _count(everything)
    header = _head(request, sought, counts, filters)
    return CheckAnswer(
        text="\n".join([header, message or _list(request, hits)]),
        header=header,
        message=message,
        topic=request.topic,
        min_similarity=sought.minimum,
        store_counts=counts,
        filters=filters,
        hits=hits,
        warnings=warnings or None,
        as_of=engine.as_of(),
    )


def _conditions(request: CheckRequest, faults: list[Fault]) -> Conditions:
    """Return the filters of a check as those of any question."""
    chosen = _TYPES.get(request.memory_type or "")
    if request.memory_type is not None and chosen is None:
        *some, last = _TYPES
        expected = f"{', '.join(some)}, or {last}"
        detail = f"invalid memory_type: {request.memory_type} (expected {expected})"
        faults.append(Fault("/memoryType", detail))
    return Conditions(
        namespace=request.namespace, tags=request.tags, entity=request.entity, memory_type=chosen
    )


def _active(request: CheckRequest) -> CheckFilters | None:
    """Return the filters that are there; no tags, or blank ones, are no filter."""
    tags = read_tags(request.tags, []) if request.tags is not None else ()
    if request.entity is None and request.memory_type is None and not tags:
        return None
    return CheckFilters(request.entity, request.memory_type, tags or None)


def _find(
    engine: Engine, request: CheckRequest, shelf: Shelf, sought: Sought, found: Selection
) -> list[CheckHit]:
    alike = find_alike(found, (shelf.postings, shelf.vectors), _NAMESPACE, sought.topic)
    chosen = choose(alike, shelf.vectors, _NAMESPACE, sought.topic, request.limit)
    records = engine.store.records.read([shelf.table.key_of(one.row) for one in chosen])
    pairs = zip(chosen, records, strict=True)
    return [_show(record, one.likeness) for one, record in pairs if record is not None]


def _is_any_alike(shelf: Shelf, sought: Sought, everything: Selection) -> bool:
    beside = (shelf.postings, shelf.vectors)
    return bool(len(find_alike(everything, beside, _NAMESPACE, sought.topic)[1]))


def _count(everything: Selection) -> StoreCounts:
    counts = count_texts(everything, _TYPE)
    return StoreCounts(**{name: counts.get(name, 0) for name in _TYPES})


def _show(record: Record, likeness: float) -> CheckHit:
    shown = show_record(record)
    return CheckHit(
        id=shown.id,
        namespace=shown.namespace,
        text=shown.text,
        title=shown.title,
        kind=shown.kind,
        entity=shown.entity,
        memory_type=shown.memory_type,
        tags=shown.tags,
        similarity=likeness,
        created_at=shown.created_at,
        updated_at=shown.updated_at,
        path=shown.path,
    )


# --- the answer as text ------------------------------------------------------------------------


def _head(
    request: CheckRequest, sought: Sought, counts: StoreCounts, filters: CheckFilters | None
) -> str:
    store = f"{counts.episodic} ep, {counts.semantic} sem, {counts.orientation} ori"
    parts = [
        f"Store: {store}",
        f'Topic: "{_flatten(request.topic)}"',
        f"Threshold: {_show_number(sought.minimum)}",
    ]
    if filters is not None:
        parts.append(f"Filters: {', '.join(_show_filters(filters))}")
    return " | ".join(parts)


def _show_filters(filters: CheckFilters) -> Iterator[str]:
    if filters.entity is not None:
        yield f"entity={_flatten(filters.entity)}"
    if filters.memory_type is not None:
        yield f"type={filters.memory_type}"
    if filters.tags:
        yield f"tags=[{','.join(map(_flatten, filters.tags))}]"


def _tell(request: CheckRequest, sought: Sought, what: str) -> str:
    threshold = _show_number(sought.minimum)
    return f'No memories {what} for topic: "{_flatten(request.topic)}" (threshold: {threshold})'


def _list(request: CheckRequest, hits: Sequence[CheckHit]) -> str:
    home = request.namespace or DEFAULT_NAMESPACE
    return "\n".join(_line(hit, home) for hit in hits)


def _line(hit: CheckHit, home: str) -> str:
    name = hit.id if hit.namespace == home else f"{hit.namespace}/{hit.id}"
    where = f" ({_flatten(hit.path)})" if hit.path else ""
    title = f"{_flatten(hit.title)}: " if hit.title else ""
    similarity = _show_number(hit.similarity, _FEWEST_DIGITS)
    return f"{similarity} {name}{where} {title}{find_snippet(hit.text, '')}".rstrip()


def _flatten(text: str) -> str:
    """Return a text in one line: nothing in it may look like a line of the answer."""
    return " ".join(text.split())


def _show_number(number: float, most: int = _MOST_DIGITS) -> str:
    """Spell a number with two digits behind the point, and with more where they tell more."""
    whole, _, digits = f"{number:.{most}f}".partition(".")
    return f"{whole}.{digits.rstrip('0').ljust(_FEWEST_DIGITS, '0')}"
