"""Recall: the exact set that a filter on a schema describes; without a schema, ranked memories."""

from winnow.errors import Fault, NotAvailable, settle, unknown
from winnow.memory.engine import Engine
from winnow.memory.margins import find_near_misses, find_undetermined
from winnow.memory.pages import turn
from winnow.memory.questions import ask, find_domains, match, sort_keys, warn
from winnow.memory.ranking import recall_ranked
from winnow.operations.answers import CountAnswer, ListAnswer, RecallAnswer, SourceNote
from winnow.operations.requests import CountRequest, ListRequest, RecallRequest
from winnow.schema import snake_case

SOURCES = ("vault", "memory", "vector", "codegraph", "pageindex", "onyx")


def recall(engine: Engine, request: RecallRequest, faults: list[Fault]) -> RecallAnswer:
    """Return exactly the entities that a filter describes, or the memories that a query finds."""
    _check_sources(request, faults)
    if request.schema is None:
        return recall_ranked(engine, request, faults)
    _check_path(request, faults)
    domains = find_domains(engine, request, faults)
    keys = sort_keys(request.order_by, domains, faults)
    question = ask(engine, request, domains, faults)
    page = turn(engine, question, keys, request, faults)
    settle(faults)
    matched = match(question)
    shown = page.show(matched, with_confidence=request.include_confidence_tags, with_ids=True)
    return RecallAnswer(
        hits=shown.hits,
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
        warnings=warn(question, matched),
        source_notes=_source_notes(request) or None,
        dropped=None,
        as_of=engine.as_of(),
    )


def count(engine: Engine, request: CountRequest, faults: list[Fault]) -> CountAnswer:
    """Count the entities that a filter describes."""
    domains = find_domains(engine, request, faults)
    question = ask(engine, request, domains, faults)
    settle(faults)
    matched = match(question)
    return CountAnswer(
        count=matched.count,
        undetermined=matched.open_count,
        filters=question.filters,
        where=question.where,
        warnings=warn(question, matched),
        as_of=engine.as_of(),
    )


def list_entities(engine: Engine, request: ListRequest, faults: list[Fault]) -> ListAnswer:
    """List the entities that a filter describes, page by page."""
    domains = find_domains(engine, request, faults)
    keys = sort_keys(request.order_by, domains, faults)
    question = ask(engine, request, domains, faults)
    page = turn(engine, question, keys, request, faults)
    settle(faults)
    matched = match(question)
    shown = page.show(matched, with_confidence=True)
    return ListAnswer(
        items=shown.hits,
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
    )


def _check_path(request: RecallRequest, faults: list[Fault]) -> None:
    """Refuse what has no meaning for an exact set, and what this version can't do with one."""
    for name in ("vector", "minScore", "budgetTokens", "mmr"):
        if getattr(request, snake_case(name)) is not None:
            detail = "an exact set is not ranked; leave it out, or leave out the schema"
            faults.append(Fault(f"/{name}", detail))
    given = [name for name in _OF_NOTES if getattr(request, snake_case(name)) is not None]
    if given:
        settle(faults)
        raise NotAvailable(f"{', '.join(given)} beside a schema is not available yet")
    if request.query.strip() and not _is_filtered(request):
        settle(faults)
        raise NotAvailable(
            "ranked recall inside a schema is not available yet; give filters or where with the"
            " query, leave the query out for all of the schema, or the schema for all memories"
        )


_OF_NOTES = ("kinds", "tags", "entity", "memoryType", "since", "until")


def _is_filtered(request: RecallRequest) -> bool:
    """Tell whether there is a filter; a blank text is none."""
    given = (request.filters, request.where)
    return any(one is not None and not (isinstance(one, str) and not one.strip()) for one in given)


def _check_sources(request: RecallRequest, faults: list[Fault]) -> None:
    for index, source in enumerate(request.sources or ()):
        if source not in SOURCES:
            faults.append(Fault(f"/sources/{index}", unknown("source", source, SOURCES)))


def _source_notes(request: RecallRequest) -> list[SourceNote]:
    reason = "not used: a filter on a schema is answered by entities alone"
    notes = [SourceNote(source, reason) for source in request.sources or () if source != "vault"]
    if request.max_depth:
        notes.append(SourceNote("links", f"maxDepth {reason}"))
    return notes
