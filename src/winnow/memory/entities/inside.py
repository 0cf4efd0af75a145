"""Ranked recall inside a schema: the words of a query in the notes of its entities."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from winnow.errors import Fault, InvalidRequest, settle
from winnow.memory.cursors import Fingerprint, bind, fingerprint, read_seen, write_seen
from winnow.memory.engine import Engine
from winnow.memory.entities.inquiry import Inquiry, inquire
from winnow.memory.entities.margins import find_near_misses, find_undetermined
from winnow.memory.entities.pages import Page, show_entities, spell_keys, turn
from winnow.memory.entities.questions import Matches, Question, is_relevance, match, sort_keys, warn
from winnow.memory.entities.searching import order_by_words, search_notes, show_found
from winnow.memory.records.budget import Budget
from winnow.memory.records.sources import choose_sources
from winnow.memory.records.weighing import name_index, read_query_vector
from winnow.operations.answers import EntityHit, RecallAnswer, SourceNote
from winnow.operations.memories import Dropped
from winnow.operations.requests import RecallRequest
from winnow.plan.bests import Best, Bests
from winnow.plan.order import SortKey
from winnow.stages import stage
from winnow.wire import camel_case

_SEARCHED = ("vault", "vector")


def recall_inside(engine: Engine, request: RecallRequest, faults: list[Fault]) -> RecallAnswer:
    """Return the entities of a schema whose notes answer a query best."""
    with stage("columns"):
        inquiry = inquire(engine, request, faults, in_words=True)
    question = inquiry.question
    keys = sort_keys(request.order_by, inquiry.domains, faults, query=request.query)
    request, notes = _choose_sources(request)
    vector = read_query_vector(engine, request, inquiry.namespaces, faults)
    page = _turn(engine, request, question, keys, faults)
    settle(faults)
    with stage("filter"):
        matched = match(question)
    warnings: list[str] = []
    bests = None
    if not keys or any(map(is_relevance, keys)):
        with stage("ranking"):
            bests = search_notes(engine, request, inquiry, matched, vector, warnings)
    with stage("showing"):
        found = _Finder(engine, request, inquiry, matched, bests).find(page)
    return RecallAnswer(
        entities=found.hits,
        memories=(),
        query=request.query,
        query_type="schema_typed_semantic",
        index_used="ontology" if bests is None else name_index(bests.scored.weighing),
        schema=question.schema.name,
        filters=question.filters,
        where=question.where,
        order_by=spell_keys(keys) or None,
        confidence_minimum=request.confidence_minimum,
        scanned_entities=matched.scanned,
        filtered_entities=matched.count,
        returned=len(found.hits),
        truncated=found.cursor is not None,
        cursor=found.cursor,
        entity_ids=(),
        entity_ids_truncated=None,
        undetermined=find_undetermined(engine, question, matched),
        near_misses=find_near_misses(engine, question, request.near_misses),
        warnings=[*(warn(question, matched) or ()), *warnings] or None,
        source_notes=notes or None,
        dropped=found.dropped or None,
        as_of=engine.as_of(),
        of_notes=question.of_notes,
    )


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A page of a ranking: what was shown before it, by the keys of the store."""

    own: Fingerprint
    seen: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Found:
    """The hits of a page, those left out for the budget, and the cursor of the next page."""

    hits: Sequence[EntityHit]
    dropped: Sequence[Dropped]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds the hits of a page among the entities that match."""

    engine: Engine
    request: RecallRequest
    inquiry: Inquiry
    matched: Matches
    bests: Bests | None

    def find(self, page: Page | _Ranked) -> _Found:
        """Find the hits of a page."""
        if isinstance(page, Page):
            return self._find_ordered(page)
        return self._find_ranked(page)

    def _find_ordered(self, page: Page) -> _Found:
        page = replace(page, keys=order_by_words(page.keys, self.bests))
        tags = self.request.include_confidence_tags
        shown = page.show(self.matched, with_confidence=tags)
        bests = None if self.bests is None else [self.bests.find(spot) for spot in shown.spots]
        return self._fit(shown.hits, bests, shown.cursor)

    def _find_ranked(self, page: _Ranked) -> _Found:
        limit, selections = self.request.limit, self.matched.selections
        seen = set(page.seen)
        ranked = [] if self.bests is None else self.bests.rank(limit + 1 + len(seen))
        keyed = [(selections[one.spot.selection].table.key_of(one.spot.row), one) for one in ranked]
        left = [(key, one) for key, one in keyed if key not in seen]
        shown = [one for _, one in left[:limit]]
        cursor = None
        if len(left) > limit:
            cursor = write_seen(page.own, [*page.seen, *(key for key, _ in left[:limit])])
        tags, spots = self.request.include_confidence_tags, [one.spot for one in shown]
        hits = show_entities(self.engine, self.inquiry.question, selections, spots, tags)
        return self._fit(hits, shown, cursor)

    def _fit(
        self, hits: Sequence[EntityHit | None], bests: Sequence[Best] | None, cursor: str | None
    ) -> _Found:
        """Keep as many hits as the budget of tokens allows; whole ones only."""
        there = [hit for hit in hits if hit is not None]
        backing = self.inquiry.backing
        if bests is not None and backing is not None:
            pairs = [(hit, one) for hit, one in zip(hits, bests, strict=True) if hit is not None]
            there = list(show_found(self.engine, backing, self.request.query, pairs))
        budget = Budget(self.request.budget_tokens)
        kept = [hit for hit in there if budget.take(hit.entity_id, _tell(hit))]
        return _Found(kept, budget.dropped, cursor)


def _tell(hit: EntityHit) -> str:
    """Return what a hit says, for its length."""
    return hit.snippet + json.dumps(dict(hit.fields), ensure_ascii=False)


def _is_ranking(keys: Sequence[SortKey]) -> bool:
    """Tell whether the order is that of the ranking itself."""
    return not keys or (len(keys) == 1 and is_relevance(keys[0]) and keys[0].descending)


def _turn(
    engine: Engine,
    request: RecallRequest,
    question: Question,
    keys: Sequence[SortKey],
    faults: list[Fault],
) -> Page | _Ranked:
    """Find the page that a request asks for, of an order or of the ranking."""
    if _is_ranking(keys):
        return _turn_ranked(engine, request, faults)
    for name in ("min_score", "mmr"):
        if getattr(request, name) is not None:
            detail = "orderBy stands in place of ranking; leave one of them out"
            faults.append(Fault(f"/{camel_case(name)}", detail))
    return turn(engine, question, keys, request, faults)


def _turn_ranked(engine: Engine, request: RecallRequest, faults: list[Fault]) -> _Ranked:
    own = bind(fingerprint(repr(replace(request, cursor=None, limit=1))), engine.access)
    if request.cursor is None:
        return _Ranked(own, ())
    try:
        return _Ranked(own, read_seen(request.cursor, own))
    except InvalidRequest as error:
        faults.extend(error.faults)
        return _Ranked(own, ())


def _choose_sources(request: RecallRequest) -> tuple[RecallRequest, list[SourceNote]]:
    """Look in notes by those ways that are named, by all if none is; tell what is not used."""
    named = choose_sources(request.sources, []).named
    reason = "not used: only the notes of a schema's entities are searched"
    notes = [SourceNote(name, reason) for name in named if name not in _SEARCHED]
    if request.max_depth:
        notes.append(SourceNote("links", f"maxDepth {reason}"))
    used = [name for name in named if name in _SEARCHED]
    return replace(request, sources=used or None), notes
