"""Ranked recall: filters decide what is in the running, words and meaning only order it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from winnow.columns.vectors import Vector
from winnow.errors import Fault, InvalidRequest, settle
from winnow.memories import RECORDS
from winnow.memory.changes.keeping import show_record
from winnow.memory.cursors import Fingerprint, bind, fingerprint, read_seen, write_seen
from winnow.memory.engine import Engine
from winnow.memory.entities.pages import spell_keys
from winnow.memory.entities.questions import RELEVANCE, names_relevance, sort_keys
from winnow.memory.records.budget import Budget
from winnow.memory.records.reaching import Reached, Start, reach
from winnow.memory.records.selecting import (
    Candidates,
    doubt_steps,
    read_order,
    readable,
    records_of,
    select,
    want,
    warn_of_emptiness,
)
from winnow.memory.records.snippets import find_snippet
from winnow.memory.records.weighing import FIELDS, name_index, read_query_vector, weigh
from winnow.memory.state.shelf import Shelf
from winnow.memory.upkeep.models import warn_of_models
from winnow.operations.answers import RecallAnswer, SourceNote, Undetermined
from winnow.operations.memories import Dropped, MemoryHit, ScoreParts
from winnow.operations.requests import RecallRequest
from winnow.plan.linked import rows_of
from winnow.plan.order import SortKey
from winnow.plan.ranking import UNSCORED, Ordered, Ranked, Ranker, Weighing
from winnow.plan.sifting import rank
from winnow.stages import stage
from winnow.store.memories import Record
from winnow.wire import camel_case

_LATEST = SortKey((RECORDS.fields["updatedAt"],), descending=True)


def recall_ranked(engine: Engine, request: RecallRequest, faults: list[Fault]) -> RecallAnswer:
    """Return the memories and pieces of notes that answer a query best, of those that match."""
    shelf = engine.shelf()
    wanted = want(engine, request, shelf.keys, faults)
    vector = read_query_vector(engine, request, wanted.namespaces, faults)
    own = bind(_fingerprint(request, vector), engine.access)
    seen = _read_cursor(request, own, faults)
    keys = _read_order(engine, request, shelf, faults)
    _check_near_misses(request, faults)
    settle(faults)
    with stage("filter"):
        found = select(wanted, shelf)
    warnings = [*wanted.warnings, *warn_of_emptiness(engine, request, found)]
    warnings += doubt_steps(engine, request, [key.steps for key in keys], shelf)
    sought = (wanted.namespaces, vector)
    with stage("query"):
        weighing = None if keys else weigh(engine, request, sought, shelf, warnings)
    if weighing is not None:
        warnings += warn_of_models(engine, shelf, wanted.namespaces, found.rows)
    with stage("ranking"):
        ranker = _find_ranker(found, shelf, weighing or keys or [_LATEST])
        page = _turn(engine, request, shelf, (found, ranker), seen)
    with stage("showing"):
        hits, dropped = _show(engine, request, page)
    return RecallAnswer(
        entities=(),
        memories=hits,
        query=request.query,
        query_type="semantic",
        index_used=name_index(weighing),
        schema="",
        filters=wanted.filters,
        where=wanted.where,
        order_by=spell_keys(keys) or None,
        confidence_minimum=request.confidence_minimum,
        scanned_entities=found.scanned,
        filtered_entities=len(found.rows),
        returned=len(hits),
        truncated=page.more,
        cursor=write_seen(own, [*seen, *page.keys]) if page.more else None,
        entity_ids=(),
        entity_ids_truncated=None,
        undetermined=Undetermined(0, ()),
        near_misses=None,
        warnings=warnings or None,
        source_notes=_note_links(request, page.reached) or None,
        dropped=dropped or None,
        as_of=engine.as_of(),
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """The hits of a page, then what their links lead to; the store's key of each.

    `more` tells whether there are hits that neither this page nor one before has shown.
    """

    ranked: Sequence[Ranked]
    reached: Reached
    keys: Sequence[int]
    more: bool

    @property
    def all(self) -> Sequence[Ranked]:
        """All that is shown."""
        return (*self.ranked, *self.reached.ranked)


def _turn(
    engine: Engine,
    request: RecallRequest,
    shelf: Shelf,
    among: tuple[Candidates, Ranker],
    seen: Sequence[int],
) -> _Page:
    """Return the first hits that were not shown yet, and the notes near to them."""
    found, ranker = among
    key_of = shelf.table.key_of
    left = _pick(shelf, ranker, request.limit + 1, seen)
    ranked = left[: request.limit]
    if not request.max_depth:
        keys = [key_of(one.row) for one in ranked]
        return _Page(ranked, Reached(), keys, len(left) > request.limit)
    rows = [one.row for one in ranked]
    start = Start(rows, rows_of(shelf.table, seen), found.rows, ranker)
    reached = reach(engine, shelf, start, request.max_depth, request.limit)
    keys = [key_of(one.row) for one in (*ranked, *reached.ranked)]
    return _Page(ranked, reached, keys, bool(_pick(shelf, ranker, 1, [*seen, *keys])))


def _pick(shelf: Shelf, ranker: Ranker, limit: int, seen: Sequence[int]) -> list[Ranked]:
    """Return the first of all but those that were seen, which are given by their keys."""
    shown = set(seen)
    ranked = ranker.best(limit + len(shown))
    return [one for one in ranked if shelf.table.key_of(one.row) not in shown][:limit]


def _find_ranker(found: Candidates, shelf: Shelf, by: Weighing | Sequence[SortKey]) -> Ranker:
    if isinstance(by, Weighing):
        return rank(found.selection, (shelf.postings, shelf.vectors), FIELDS, by)
    return Ordered(found.selection, by)


def _note_links(request: RecallRequest, reached: Reached) -> list[SourceNote]:
    if not reached.left:
        return []
    count = len(reached.ranked)
    near = f"{count + reached.left} notes that match are up to {request.max_depth} links away"
    reason = "limit" if request.min_score is None else "limit and minScore"
    return [SourceNote("links", f"{near}; {count} of them are added, by {reason}")]


def _check_near_misses(request: RecallRequest, faults: list[Fault]) -> None:
    if request.near_misses:
        detail = "near misses are entities that one test keeps out; name a schema, or leave it out"
        faults.append(Fault("/nearMisses", detail))


def _fingerprint(request: RecallRequest, vector: Vector | None) -> Fingerprint:
    # The numbers of a vector are not spelled: that takes longer than to find by them.
    numbers = None if vector is None else vector.tobytes().hex()
    return fingerprint(repr(replace(request, cursor=None, limit=1, vector=None)), numbers)


def _read_cursor(request: RecallRequest, own: Fingerprint, faults: list[Fault]) -> list[int]:
    if request.cursor is None:
        return []
    try:
        return read_seen(request.cursor, own)
    except InvalidRequest as error:
        faults.extend(error.faults)
        return []


def _read_order(
    engine: Engine, request: RecallRequest, shelf: Shelf, faults: list[Fault]
) -> list[SortKey]:
    """Read the keys that stand in place of ranking, which none do if it is asked for by name."""
    by_name = names_relevance(request.order_by)
    if by_name and (RELEVANCE.name,) not in readable(engine, shelf.keys, request.namespace):
        _check_relevance(request, shelf, faults)
        return []
    keys = read_order(request.order_by, shelf, faults)
    for name in ("min_score", "mmr") if keys else ():
        if getattr(request, name) is not None:
            detail = "orderBy stands in place of ranking; leave one of them out"
            faults.append(Fault(f"/{camel_case(name)}", detail))
    return keys


def _check_relevance(request: RecallRequest, shelf: Shelf, faults: list[Fault]) -> None:
    """Refuse relevance without a query, and any order by it that ranking is not."""
    query = request.query if request.vector is None else RELEVANCE.name
    keys = sort_keys(request.order_by, [records_of(shelf)], faults, query=query)
    if len(keys) > 1 or not all(key.descending for key in keys):
        detail = "without a schema relevance is the whole order, the best first; give it alone"
        faults.append(Fault("/orderBy", detail))


def _show(
    engine: Engine, request: RecallRequest, page: _Page
) -> tuple[list[MemoryHit], list[Dropped]]:
    """Read the hits, as many as the budget of tokens allows; whole ones only."""
    records = engine.store.records.read(page.keys)
    budget = Budget(request.budget_tokens)
    hits: list[MemoryHit] = []
    for one, record in zip(page.all, records, strict=True):
        # One may be None: it was deleted meanwhile.
        if record is not None and budget.take(record.id, record.text):
            hits.append(_show_hit(request, one, record, page.reached.depths.get(one.row)))
    return hits, budget.dropped


def _show_hit(
    request: RecallRequest, ranked: Ranked, record: Record, depth: int | None
) -> MemoryHit:
    shown = show_record(record)
    parts = ranked.components
    return MemoryHit(
        path=shown.path or f"winnow://{record.namespace}/{record.id}",
        vault=shown.vault,
        score=ranked.score,
        snippet=find_snippet(record.text, request.query),
        namespace=shown.namespace,
        id=shown.id,
        text=shown.text,
        title=shown.title,
        kind=shown.kind,
        kind_provenance=shown.kind_provenance,
        entity=shown.entity,
        memory_type=shown.memory_type,
        tags=shown.tags,
        importance=shown.importance,
        source=shown.source,
        metadata=shown.metadata,
        heading=shown.heading,
        created_at=shown.created_at,
        updated_at=shown.updated_at,
        expires_at=shown.expires_at,
        components=None
        if parts is UNSCORED
        else ScoreParts(parts.keyword, parts.vector, parts.recency, parts.importance),
        depth=depth,
    )
