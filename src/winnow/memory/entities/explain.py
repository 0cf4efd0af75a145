"""Why one entity is in an answer or not."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo

from winnow.errors import Fault, NotFound, nearest, settle
from winnow.filter.ast import All, Any, Match, Not
from winnow.filter.ops import OPERATORS, Operand
from winnow.filter.unparse import to_text
from winnow.memory.engine import Engine
from winnow.memory.entities.hits import show_source
from winnow.memory.entities.margins import show_bound
from winnow.memory.entities.questions import Asked, ask, find_domains
from winnow.memory.entities.world import StoreWorld
from winnow.operations.answers import ExplainAnswer, ExplainedPart
from winnow.operations.requests import ExplainRequest
from winnow.plan.explain import Explained, explain
from winnow.plan.reference import Judge
from winnow.plan.verdicts import Verdict
from winnow.records import Resolved
from winnow.schema import Field
from winnow.store.base import FullEntity
from winnow.values import Json, as_json

# How a test that does not hold is told: 9 < 10.
_OPPOSITES: Mapping[str, str] = {
    "eq": "!=",
    "ne": "=",
    "gt": "<=",
    "gte": "<",
    "lt": ">=",
    "lte": ">",
    "in": "not in",
    "nin": "in",
}


def explain_entity(engine: Engine, request: ExplainRequest, faults: list[Fault]) -> ExplainAnswer:
    """Judge a filter, part by part, on one entity."""
    domains = find_domains(engine, request, faults)
    question = ask(engine, request, domains, faults)
    settle(faults)
    found = _find(engine, request, question.asked)
    asked, world, entity = found[0]
    judge = Judge(world, question.minimum, engine.zone)
    explained = explain(asked.pred, judge, entity.id, entity.fields)
    return ExplainAnswer(
        entity_id=entity.id,
        namespace=entity.namespace,
        schema=question.schema.name,
        matched=explained.verdict.match,
        undetermined=not explained.verdict.decided,
        filters=question.filters,
        where=question.where,
        explanation=_Teller(world, entity, engine.zone).tell(explained),
        warnings=[*question.warnings, *_warn_of_others([one for *_, one in found])] or None,
        as_of=engine.as_of(),
    )


def _find(
    engine: Engine, request: ExplainRequest, questions: Sequence[Asked]
) -> list[tuple[Asked, StoreWorld, FullEntity]]:
    """Find the entity in each namespace that has one of that id; in some there is one."""
    worlds = [(asked, StoreWorld(engine.store, asked)) for asked in questions]
    found = [
        (asked, world, entity)
        for asked, world in worlds
        if (entity := world.find(asked.domain.schema.name, request.entity_id)) is not None
    ]
    if found:
        return found
    ids = [one for asked in questions for one in asked.domain.table.ids_near(request.entity_id)]
    guess = nearest(request.entity_id, ids)
    hint = f"; did you mean {guess!r}?" if guess else ""
    raise NotFound(f"no {request.schema} has the id {request.entity_id!r}{hint}")


def _warn_of_others(entities: Sequence[FullEntity]) -> Iterator[str]:
    if len(entities) > 1:
        first, *others = (entity.namespace for entity in entities)
        names = " and ".join(map(repr, others))
        yield f"this is {entities[0].id} of namespace {first!r}; there is one in {names}, too"


class _Teller:
    """Tells the parts of an explanation for one entity."""

    def __init__(self, world: StoreWorld, entity: FullEntity, zone: tzinfo) -> None:
        self._world = world
        self._entity = entity
        self._zone = zone

    def tell(self, explained: Explained) -> ExplainedPart:
        """Tell a part and the parts of it."""
        pred = explained.pred
        if isinstance(pred, Match):
            return self._tell_test(pred, explained.verdict)
        kind = {Not: "not", All: "and", Any: "or"}[type(pred)]
        parts = [self.tell(part) for part in explained.parts]
        return ExplainedPart(kind, _truth(explained.verdict), to_text(pred), parts=parts)

    def _tell_test(self, test: Match, verdict: Verdict) -> ExplainedPart:
        resolved = self._resolve(test)
        value: Json = None
        evidence = None
        if resolved is not None:
            values = [as_json(candidate.value) for candidate in resolved.best]
            value = values if resolved.conflict else values[0]
            evidence = resolved.best[0].evidence
        return ExplainedPart(
            kind="test",
            truth=_truth(verdict),
            text=_sentence(test, verdict, value),
            field=test.name,
            value=value,
            confidence=resolved.level if resolved else None,
            method=resolved.best[0].method.value if resolved else None,
            evidence=show_source(evidence) if evidence else None,
            reason=verdict.reason.value if verdict.reason and not verdict.decided else None,
        )

    def _resolve(self, test: Match) -> Resolved | None:
        current: FullEntity | None = self._entity
        for step in (*test.path, test.field):
            if current is None or not isinstance(step, Field) or step.name == "id":
                return None
            resolved = step.weigh(current.fields.get(step.name, ()), self._zone)
            if step is test.field or resolved is None:
                return resolved
            current = self._world.find(step.target or "", str(resolved.best[0].value))
        return None


def _sentence(test: Match, verdict: Verdict, value: Json) -> str:
    """Say what a value came to: `escrowPct 9 < 10`, `escrowPct unknown >= 10`."""
    operator = OPERATORS[test.op]
    if value is None or operator.operand in (Operand.NESTED, Operand.FLAG):
        asked = to_text(test)
        return asked if verdict.decided else f"{asked}: unknown"
    held = verdict.match or not verdict.decided
    symbol = operator.symbol if held else _OPPOSITES.get(test.op, f"not {operator.symbol}")
    return f"{test.name} {_words(value)} {symbol} {_words(show_bound(test))}"


def _words(value: Json) -> str:
    if isinstance(value, list):
        return "(" + ", ".join(_words(item) for item in value) + ")"
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _truth(verdict: Verdict) -> str:
    if not verdict.decided:
        return "unknown"
    return "true" if verdict.match else "false"
