"""Ranked recall: filters decide what is in the running, words and meaning only order it."""

import math
from collections.abc import Sequence
from dataclasses import replace

from winnow.errors import Fault, InvalidRequest, NotAvailable, settle
from winnow.memories import RECORDS
from winnow.memory.cursors import Fingerprint, fingerprint, read_seen, write_seen
from winnow.memory.engine import Engine
from winnow.memory.keeping import show_record
from winnow.memory.ontology import Domain
from winnow.memory.pages import spell_keys
from winnow.memory.questions import sort_keys
from winnow.memory.selecting import OWN_SOURCES, Candidates, select, want
from winnow.memory.shelf import Shelf
from winnow.memory.snippets import find_snippet
from winnow.memory.weighing import FIELDS, name_index, read_query_vector, weigh
from winnow.operations.answers import RecallAnswer, SourceNote, Undetermined
from winnow.operations.memories import Dropped, MemoryHit, ScoreParts
from winnow.operations.requests import RecallRequest
from winnow.plan.order import SortKey, order
from winnow.plan.ranking import Ranked, Weighing, rank
from winnow.rank.fusion import Components
from winnow.records import Confidence
from winnow.schema import Catalog
from winnow.store.memories import Record
from winnow.wire import camel_case

CHARACTERS_A_TOKEN = 4
_UNSCORED = Components(None, None, 0.0, 0.0)
_LATEST = SortKey((RECORDS.fields["updatedAt"],), descending=True)


def recall_ranked(engine: Engine, request: RecallRequest, faults: list[Fault]) -> RecallAnswer:
    """Return the memories and pieces of notes that answer a query best, of those that match."""
    shelf = engine.shelves.now()
    wanted = want(engine, request, shelf.keys, faults)
    own = _fingerprint(request)
    seen = _read_cursor(request, own, faults)
    vector = read_query_vector(engine, request, wanted.namespaces, faults)
    keys = _read_order(request, shelf, faults)
    settle(faults)
    _refuse_later(request)
    found = select(wanted, shelf)
    warnings = list(wanted.warnings)
    sought = (wanted.namespaces, vector)
    weighing = None if keys else weigh(engine, request, sought, shelf, warnings)
    ranked = _order(found, shelf, weighing or keys or [_LATEST], request, seen)
    more = len(ranked) > request.limit
    hits, dropped = _show(engine, request, shelf, ranked[: request.limit])
    shown = [shelf.table.key_of(one.row) for one in ranked[: request.limit]]
    return RecallAnswer(
        hits=(),
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
        truncated=more,
        cursor=write_seen(own, [*seen, *shown]) if more else None,
        entity_ids=(),
        entity_ids_truncated=None,
        undetermined=Undetermined(0, ()),
        near_misses=None,
        warnings=warnings or None,
        source_notes=_source_notes(request) or None,
        dropped=dropped or None,
        as_of=engine.as_of(),
    )


def _source_notes(request: RecallRequest) -> list[SourceNote]:
    notes = [
        SourceNote(source, "not asked: no provider of it is connected")
        for source in request.sources or ()
        if source not in OWN_SOURCES
    ]
    if request.max_depth:
        notes.append(SourceNote("links", "maxDepth is not used: links are not followed yet"))
    return notes


def _fingerprint(request: RecallRequest) -> Fingerprint:
    return fingerprint(repr(replace(request, cursor=None, limit=1)))


def _read_cursor(request: RecallRequest, own: Fingerprint, faults: list[Fault]) -> list[int]:
    if request.cursor is None:
        return []
    try:
        return read_seen(request.cursor, own)
    except InvalidRequest as error:
        faults.extend(error.faults)
        return []


def _read_order(request: RecallRequest, shelf: Shelf, faults: list[Fault]) -> list[SortKey]:
    """Read the keys that stand in place of ranking."""
    records = Domain("", Catalog(()), RECORDS, shelf.table, {})
    keys = sort_keys(request.order_by, [records], faults)
    for index, key in enumerate(keys):
        if RECORDS.fields.get(key.name) != key.steps[-1]:
            detail = "only a memory's own fields can order memories in this version"
            faults.append(Fault(f"/orderBy/{index}", detail))
    for name in ("min_score", "mmr") if keys else ():
        if getattr(request, name) is not None:
            detail = "orderBy stands in place of ranking; leave one of them out"
            faults.append(Fault(f"/{camel_case(name)}", detail))
    return keys


def _refuse_later(request: RecallRequest) -> None:
    """Refuse what this version can't do without a schema, rather than leave it out unsaid."""
    for name in ("near_misses", "max_depth"):
        if getattr(request, name):
            raise NotAvailable(f"{camel_case(name)} without a schema is not available yet")


def _order(
    found: Candidates,
    shelf: Shelf,
    by: Weighing | Sequence[SortKey],
    request: RecallRequest,
    seen: Sequence[int],
) -> list[Ranked]:
    """Return the best that were not shown yet, one more than the limit."""
    limit = request.limit + 1 + len(seen)
    if isinstance(by, Weighing):
        beside = (shelf.postings, shelf.vectors)
        ranked = rank(found.selection, beside, FIELDS, by, limit)
    else:
        spots = order([found.selection], by, Confidence.EXTRACTED, limit)
        ranked = [Ranked(spot.row, 1.0, _UNSCORED) for spot in spots]
    shown = set(seen)
    left = [one for one in ranked if shelf.table.key_of(one.row) not in shown]
    return left[: request.limit + 1]


def _show(
    engine: Engine, request: RecallRequest, shelf: Shelf, ranked: Sequence[Ranked]
) -> tuple[list[MemoryHit], list[Dropped]]:
    """Read the hits, as many as the budget of tokens allows; whole ones only."""
    records = engine.store.records.read([shelf.table.key_of(one.row) for one in ranked])
    left = request.budget_tokens
    hits: list[MemoryHit] = []
    dropped: list[Dropped] = []
    for one, record in zip(ranked, records, strict=True):
        if record is None:
            continue  # deleted meanwhile
        tokens = math.ceil(len(record.text) / CHARACTERS_A_TOKEN)
        if left is not None and tokens > left:
            dropped.append(Dropped(record.id, f"about {tokens} tokens, and {left} are left"))
            continue
        left = None if left is None else left - tokens
        hits.append(_show_hit(request, one, record))
    return hits, dropped


def _show_hit(request: RecallRequest, ranked: Ranked, record: Record) -> MemoryHit:
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
        if parts is _UNSCORED
        else ScoreParts(parts.keyword, parts.vector, parts.recency, parts.importance),
    )
