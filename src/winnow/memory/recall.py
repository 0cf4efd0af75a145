"""Recall: the exact set that a filter on a schema describes; with a query alone, what it finds."""

from collections.abc import Iterator
from dataclasses import replace

from winnow.errors import Fault, settle
from winnow.filter.plain import copy_plain
from winnow.memory.engine import Engine
from winnow.memory.entities.inquiry import inquire
from winnow.memory.entities.inside import recall_inside
from winnow.memory.entities.margins import find_near_misses, find_undetermined
from winnow.memory.entities.pages import Shown, turn
from winnow.memory.entities.questions import is_relevance, match, names_relevance, sort_keys, warn
from winnow.memory.entities.searching import order_by_words, search_notes, show_parts
from winnow.memory.records.deleted import list_deleted
from winnow.memory.records.listing import count_memories, list_memories
from winnow.memory.records.ranking import recall_ranked
from winnow.memory.records.sources import choose_sources
from winnow.operations.answers import CountAnswer, EntityHit, ListAnswer, RecallAnswer, SourceNote
from winnow.operations.requests import DEFAULT_FUSION, CountRequest, ListRequest, RecallRequest
from winnow.plan.bests import Bests
from winnow.stages import stage
from winnow.wire import camel_case


def recall(engine: Engine, request: RecallRequest, faults: list[Fault]) -> RecallAnswer:
    """Return exactly the entities that a filter describes, or what a query finds.

    A query finds memories and notes, or with a schema the entities whose notes answer it.
    """
    choose_sources(request.sources, faults)
    if request.schema is None:
        return recall_ranked(engine, request, faults)
    faults.extend(copy_plain(request.query, "/query")[1])
    if request.query.strip() and not _is_filtered(request):
        return recall_inside(engine, request, faults)
    return _recall_exact(engine, request, faults)


def _recall_exact(engine: Engine, request: RecallRequest, faults: list[Fault]) -> RecallAnswer:
    notes = _source_notes(request)
    by_words = bool(request.query.strip()) and names_relevance(request.order_by)
    with stage("columns"):
        inquiry = inquire(engine, request, faults, in_words=by_words)
    question = inquiry.question
    keys = sort_keys(request.order_by, inquiry.domains, faults, query=request.query)
    by_words = any(map(is_relevance, keys))
    _check_exact(request, faults, by_words=by_words)
    page = turn(engine, question, keys, request, faults)
    settle(faults)
    with stage("filter"):
        matched = match(question)
    warnings: list[str] = []
    asked = replace(request, sources=None)
    bests = None
    if by_words:
        with stage("ranking"):
            bests = search_notes(engine, asked, inquiry, matched, None, warnings)
    page = replace(page, keys=order_by_words(keys, bests))
    with stage("showing"):
        shown = page.show(matched, with_confidence=request.include_confidence_tags, with_ids=True)
    return RecallAnswer(
        entities=shown.hits if bests is None else list(_show_parts(shown, bests)),
        memories=(),
        query=request.query,
        query_type="structured_predicate",
        index_used="ontology",
        schema=question.schema.name,
        filters=question.filters,
        where=question.where,
        order_by=page.spell_keys() or None,
        confidence_minimum=request.confidence_minimum,
        scanned_entities=matched.scanned,
        filtered_entities=matched.count,
        returned=len(shown.hits),
        truncated=shown.cursor is not None,
        cursor=shown.cursor,
        entity_ids=shown.entity_ids,
        entity_ids_truncated=True if matched.count > len(shown.entity_ids) else None,
        undetermined=find_undetermined(engine, question, matched),
        near_misses=find_near_misses(engine, question, request.near_misses),
        warnings=[*(warn(question, matched) or ()), *warnings] or None,
        source_notes=notes or None,
        dropped=None,
        as_of=engine.as_of(),
        of_notes=question.of_notes,
    )


def count(engine: Engine, request: CountRequest, faults: list[Fault]) -> CountAnswer:
    """Count the entities, or the memories, that a filter describes."""
    if request.schema is None:
        return count_memories(engine, request, faults)
    inquiry = inquire(engine, request, faults)
    question = inquiry.question
    settle(faults)
    matched = match(question)
    return CountAnswer(
        count=matched.count,
        undetermined=matched.open_count,
        filters=question.filters,
        where=question.where,
        warnings=warn(question, matched),
        as_of=engine.as_of(),
        of_notes=question.of_notes,
    )


def list_entities(engine: Engine, request: ListRequest, faults: list[Fault]) -> ListAnswer:
    """List the entities, or the memories, that a filter describes, page by page."""
    if request.deleted:
        return list_deleted(engine, request, faults)
    if request.schema is None:
        return list_memories(engine, request, faults)
    inquiry = inquire(engine, request, faults)
    question = inquiry.question
    keys = sort_keys(request.order_by, inquiry.domains, faults)
    page = turn(engine, question, keys, request, faults)
    settle(faults)
    matched = match(question)
    shown = page.show(matched, with_confidence=True)
    return ListAnswer(
        entities=shown.hits,
        memories=None,
        filters=question.filters,
        where=question.where,
        filtered_entities=matched.count,
        undetermined=matched.open_count,
        returned=len(shown.hits),
        truncated=shown.cursor is not None,
        cursor=shown.cursor,
        warnings=warn(question, matched),
        as_of=engine.as_of(),
        of_notes=question.of_notes,
    )


def _check_exact(request: RecallRequest, faults: list[Fault], *, by_words: bool) -> None:
    """Refuse what has no meaning for an exact set."""
    given = [name for name in _OF_RANKING if getattr(request, name) is not None]
    if request.fusion != DEFAULT_FUSION and not by_words:
        given.append("fusion")
    for name in given:
        detail = "an exact set is not ranked; leave it out, or leave out the filter, or the schema"
        faults.append(Fault(f"/{camel_case(name)}", detail))


_OF_RANKING = ("vector", "min_score", "budget_tokens", "mmr")


def _is_filtered(request: RecallRequest) -> bool:
    """Tell whether there is a filter; a blank text is none."""
    given = (request.filters, request.where)
    return any(one is not None and not (isinstance(one, str) and not one.strip()) for one in given)


def _source_notes(request: RecallRequest) -> list[SourceNote]:
    reason = "not used: a filter on a schema is answered by entities alone"
    named = choose_sources(request.sources, []).named
    notes = [SourceNote(name, reason) for name in named if name != "vault"]
    if request.max_depth:
        notes.append(SourceNote("links", f"maxDepth {reason}"))
    return notes


def _show_parts(shown: Shown, bests: Bests) -> Iterator[EntityHit]:
    """Show what the order of hits by relevance comes from."""
    for hit, spot in zip(shown.hits, shown.spots, strict=True):
        yield replace(hit, components=show_parts(bests.find(spot).components))
