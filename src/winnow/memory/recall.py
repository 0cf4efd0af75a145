"""Exact recall: the entities that a filter describes, and what could not be decided."""

from winnow.errors import Fault, NotAvailable, settle, unknown
from winnow.memory.engine import Engine
from winnow.memory.margins import find_near_misses, find_undetermined
from winnow.memory.pages import turn
from winnow.memory.questions import ask, find_domains, match, missing_warnings, sort_keys
from winnow.operations.answers import CountAnswer, ListAnswer, RecallAnswer, SourceNote
from winnow.operations.requests import CountRequest, ListRequest, RecallRequest

SOURCES = ("vault", "memory", "vector", "codegraph", "pageindex", "onyx")


def recall(engine: Engine, request: RecallRequest, faults: list[Fault]) -> RecallAnswer:
    """Return exactly the entities that a filter describes, and what could not be decided."""
    _check_sources(request, faults)
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
        warnings=[*question.warnings, *missing_warnings(question, matched)] or None,
        source_notes=_source_notes(request) or None,
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
        warnings=[*question.warnings, *missing_warnings(question, matched)] or None,
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
        filters=question.filters,
        where=question.where,
        filtered_entities=matched.count,
        returned=len(shown.hits),
        truncated=shown.cursor is not None,
        cursor=shown.cursor,
        warnings=list(question.warnings) or None,
        as_of=engine.as_of(),
    )


def _check_path(request: RecallRequest, faults: list[Fault]) -> None:
    """Refuse what needs ranking, which this version does not have."""
    filtered = request.filters is not None or request.where is not None
    if request.schema is None:
        settle(faults)
        raise NotAvailable("ranked recall is not available yet; name a schema (see `schema`)")
    if request.query.strip() and not filtered:
        settle(faults)
        raise NotAvailable(
            "ranked recall is not available yet; give filters or where with the query,"
            " or leave the query out for all of the schema"
        )


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
