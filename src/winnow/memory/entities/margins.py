"""The margins of an exact set: entities that are not certain, and those that just miss it."""

from collections.abc import Iterator, Sequence

from winnow.filter.ast import All, Any, Arg, Match, Not
from winnow.filter.ops import OPERATORS, Operand
from winnow.filter.rewrite import rewrite
from winnow.filter.unparse import to_text
from winnow.memory.engine import Engine
from winnow.memory.entities.questions import Asked, Matches, Question
from winnow.memory.entities.world import StoreWorld
from winnow.operations.answers import NearMiss, OpenEntity, OpenField, Undetermined
from winnow.plan.explain import open_fields, outline
from winnow.plan.gather import NO_ROWS, Selection, gather_one
from winnow.plan.near import Near, find_near
from winnow.plan.reference import Judge
from winnow.schema import Field
from winnow.values import TEMPORAL, Json, Moment, Value, as_json, read_moment

MAX_SAMPLE = 20
_MICROSECONDS_A_DAY = 86_400_000_000


def find_undetermined(engine: Engine, question: Question, matched: Matches) -> Undetermined:
    """Count the entities that are not certain, and show up to 20, ordered by id."""
    sample: list[OpenEntity] = []
    for asked, part in zip(question.asked, matched.parts, strict=True):
        table = asked.domain.table
        # In each part they are in the order of their ids.
        ordered = sorted(part.find_open(MAX_SAMPLE).tolist(), key=table.id_of)[:MAX_SAMPLE]
        sample.extend(_show_open(engine, question, asked, ordered))
    sample.sort(key=lambda one: (one.entity_id, one.namespace))
    return Undetermined(matched.open_count, sample[:MAX_SAMPLE])


def _show_open(
    engine: Engine, question: Question, asked: Asked, rows: Sequence[int]
) -> Iterator[OpenEntity]:
    world = StoreWorld(engine.store, asked)
    judge = Judge(world, question.minimum, engine.zone)
    table, taken_apart = asked.domain.table, outline(asked.pred)
    for entity in engine.store.read_entities([table.key_of(row) for row in rows]):
        world.keep([entity])
        explained = taken_apart.explain(judge, entity.id, entity.fields)
        found = dict.fromkeys(open_fields(explained))
        fields = [OpenField(field, reason.value) for field, reason in found]
        yield OpenEntity(entity.id, entity.namespace, explained.verdict.match, fields)


def find_near_misses(engine: Engine, question: Question, count: int) -> list[NearMiss] | None:
    """Return the entities that one test alone keeps out, nearest first; None if not asked for."""
    if not count:
        return None
    found: list[tuple[float, NearMiss]] = []
    for asked in question.asked:
        single = rewrite(asked.pred, joint=False)
        table = asked.domain.table
        nearest = find_near(single, asked.evaluation, table, count, asked.within)
        found.extend((near.distance, _show_near(engine, asked, near)) for near in nearest)
    found.sort(key=lambda one: (one[0], one[1].entity_id, one[1].namespace))
    return [miss for _, miss in found[:count]]


def _show_near(engine: Engine, asked: Asked, near: Near) -> NearMiss:
    test = near.leaf.matches[0]
    domain = asked.domain
    actual = _actual(asked, test, near.row)
    return NearMiss(
        entity_id=domain.table.id_of(near.row),
        namespace=domain.namespace,
        field=test.name,
        op=test.op,
        bound=show_bound(test),
        actual=as_json(actual),
        by=_gap(engine, test, actual),
    )


def _actual(asked: Asked, test: Match, row: int) -> Value | None:
    if not isinstance(test.field, Field):
        return None
    domain = asked.domain
    selection = Selection(domain.namespace, domain.table, domain.tables, NO_ROWS)
    return gather_one(selection, (*test.path, test.field), asked.evaluation.minimum, row)


def show_bound(test: Match) -> Json:
    """Show what a test compares with: a value, a list of values, or a filter as text."""
    shown = [_show_arg(arg) for arg in test.args]
    single = OPERATORS[test.op].operand not in (Operand.LIST, Operand.PAIR)
    return shown[0] if single and len(shown) == 1 else shown


def _show_arg(arg: Arg) -> Json:
    match arg:
        case Moment():
            return arg.text
        case Match() | Not() | All() | Any():
            return to_text(arg)
        case _:
            return arg


def _gap(engine: Engine, test: Match, actual: Value | None) -> int | float | None:
    """Return the exact gap to the nearest bound, in the field's unit; days for dates."""
    if isinstance(test.field, Field) and test.field.type in TEMPORAL and isinstance(actual, str):
        start = read_moment(actual, engine.zone).start
        days = [abs(arg.start - start) for arg in test.args if isinstance(arg, Moment)]
        return _rounded(min(days) / _MICROSECONDS_A_DAY) if days else None
    if isinstance(actual, bool) or not isinstance(actual, int | float):
        return None
    gaps = [abs(arg - actual) for arg in test.args if isinstance(arg, int | float)]
    return _rounded(min(gaps)) if gaps else None


def _rounded(gap: int | float) -> int | float:
    # 0.9, not 0.9000000000000004: the operands have fewer digits than that.
    return gap if isinstance(gap, int) else float(f"{gap:.12g}")
