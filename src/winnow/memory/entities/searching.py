"""The words of a question in the notes of entities: each entity by the best piece of its notes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from winnow.columns.vectors import Vector
from winnow.memory.engine import Engine
from winnow.memory.entities.inquiry import Backing, Inquiry
from winnow.memory.entities.questions import Matches, is_relevance
from winnow.memory.records.snippets import find_snippet
from winnow.memory.records.weighing import FIELDS, weigh
from winnow.memory.upkeep.models import warn_of_models
from winnow.operations.answers import EntityHit
from winnow.operations.memories import ScoreParts
from winnow.operations.requests import RecallRequest
from winnow.plan.bests import Best, Bests, find_bests, gather_entities
from winnow.plan.gather import Selection
from winnow.plan.order import SortKey
from winnow.plan.ranking import score
from winnow.rank.fusion import Components
from winnow.stages import stage


def search_notes(
    engine: Engine,
    request: RecallRequest,
    inquiry: Inquiry,
    matched: Matches,
    vector: Vector | None,
    warnings: list[str],
) -> Bests | None:
    """Score the entities that match by the words of a request; None if notes don't matter."""
    backing = inquiry.backing
    weighing = None
    if backing is not None:
        asked = (inquiry.namespaces, vector)
        with stage("query"):
            weighing = weigh(engine, request, asked, backing.shelf, warnings)
    if backing is None or weighing is None:
        return None
    shelf = backing.shelf
    entities = gather_entities(matched.selections, backing.noted)
    held = entities.hold(shelf.pieces)
    pieces = Selection("", shelf.table, {}, held.ascending)
    warnings += warn_of_models(engine, shelf, inquiry.namespaces, pieces.rows)
    scored = score(pieces, (shelf.postings, shelf.vectors), FIELDS, weighing)
    bests = find_bests(entities, held, scored)
    if bests.unscored:
        some = f"{bests.unscored} of {matched.count} {inquiry.question.schema.name}"
        place = "are left out by minScore" if request.min_score else "come last"
        warnings.append(f"{some} have no note to find words in, and {place}")
    return bests


def order_by_words(keys: Sequence[SortKey], bests: Bests | None) -> list[SortKey]:
    """Give the sort keys that are about relevance their values."""
    if bests is None:
        return list(keys)
    return [replace(key, given=bests.vector) if is_relevance(key) else key for key in keys]


def show_found(
    engine: Engine, backing: Backing, query: str, hits: Sequence[tuple[EntityHit, Best]]
) -> Iterator[EntityHit]:
    """Show of each entity its best piece; one without a piece stays as it is, with score 0."""
    table = backing.shelf.table
    pieces = [best.piece for _, best in hits if best.piece is not None]
    records = engine.store.records.read([table.key_of(row) for row in pieces])
    found = dict(zip(pieces, records, strict=True))
    for hit, best in hits:
        record = None if best.piece is None else found[best.piece]
        if record is None or record.piece is None:
            yield replace(hit, score=best.score)
            continue
        yield replace(
            hit,
            path=record.piece.path,
            vault=record.piece.vault,
            score=best.score,
            snippet=find_snippet(record.text, query),
            components=show_parts(best.components),
        )


def show_parts(parts: Components | None) -> ScoreParts | None:
    """Show what a score is made of."""
    if parts is None:
        return None
    return ScoreParts(parts.keyword, parts.vector, parts.recency, parts.importance)
