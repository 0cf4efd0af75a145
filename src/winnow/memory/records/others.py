"""What other systems find, beside what the store has found."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from typing import TypeAlias

from winnow.errors import Fault
from winnow.memory.engine import Engine
from winnow.memory.records.budget import Budget, count_tokens
from winnow.memory.records.snippets import find_snippet
from winnow.memory.records.sources import choose_sources
from winnow.operations.answers import RecallAnswer, SourceNote
from winnow.operations.memories import OtherHit
from winnow.operations.requests import RecallRequest
from winnow.providers.sources import Answers

Recall: TypeAlias = Callable[[Engine, RecallRequest, list[Fault]], RecallAnswer]


def with_others(recall: Recall) -> Recall:
    """Return a recall that asks other systems too, if it is to.

    They are asked when the store has answered, and its state is held no more: they may take long.
    """

    @wraps(recall)
    def answer(engine: Engine, request: RecallRequest, faults: list[Fault]) -> RecallAnswer:
        own = recall(engine, request, faults)
        others = choose_sources(request.sources, []).others
        return _ask(engine, request, own, others) if others and request.schema is None else own

    return answer


def _ask(
    engine: Engine, request: RecallRequest, own: RecallAnswer, others: tuple[str, ...]
) -> RecallAnswer:
    notes = list(own.source_notes or ())
    reason = _refuse(engine, request, own)
    if reason is not None:
        told = [SourceNote(name, f"not asked: {reason}") for name in others]
        return replace(own, source_notes=[*notes, *told])
    answers = engine.sources.ask(others, request.query, request.limit)
    budget = Budget(_left(request, own), list(own.dropped or ()))
    hits = [hit for hit in _show(request, answers) if budget.take(hit.path or hit.title, hit.text)]
    notes += [SourceNote(one.source, one.note) for one in answers.remarks]
    return replace(own, others=hits, source_notes=notes or None, dropped=budget.dropped or None)


def _refuse(engine: Engine, request: RecallRequest, own: RecallAnswer) -> str | None:
    """Say why no other system may be asked, None if it may."""
    if engine.access.namespaces is not None:
        return "the key is held to namespaces, which other systems don't have"
    if own.where or request.namespace is not None:
        return "no filter, kind, tag, time or namespace holds for what it finds"
    if request.min_score is not None:
        return "minScore is on this store's scores"
    if request.cursor is not None:
        return "what it finds stands on the first page"
    return None


def _show(request: RecallRequest, answers: Answers) -> Iterator[OtherHit]:
    for source, found in answers.found.items():
        for one in found:
            yield OtherHit(
                source=source,
                path=one.path,
                score=one.score,
                snippet=find_snippet(one.text, request.query),
                title=one.title,
                text=one.text,
                metadata=one.metadata,
            )


def _left(request: RecallRequest, own: RecallAnswer) -> int | None:
    """Return how much of the budget of tokens the store's hits have left."""
    if request.budget_tokens is None:
        return None
    return request.budget_tokens - sum(count_tokens(hit.text) for hit in own.memories)
