"""Random filters on the memories of `memories`, around one operator."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC

from hypothesis import strategies as st
from tests.plan.memories import (
    KEYS,
    NUMBER_OF_WORLDS,
    SCALARS,
    TAGS,
    TIMES,
    Past,
    remember,
)
from tests.plan.strategies import show
from tests.plan.worlds import TEXTS

from winnow.filter.ast import All, Any, Arg, Match, Not, Pred
from winnow.filter.loose import spell
from winnow.filter.ops import LOOSE, OPERATORS, Family, Operand, operators_of
from winnow.memories import AT_FIELDS, METADATA, RECORDS
from winnow.schema import Field
from winnow.values import LARGEST_NUMBER, TEMPORAL, Moment, Scalar, Type, find_moment, read_moment

Draw = st.DrawFn
OPEN_OPERATORS = [row.name for row in OPERATORS.values() if Family.OPEN in row.families]
ORDERED = frozenset({"gt", "gte", "lt", "lte", "between"})
OF_LISTS = frozenset({"has", "any", "all", "none"})
ITEM = Field("", Type.OPEN)
OWN_FIELDS = (*RECORDS.fields.values(), *AT_FIELDS.values())
TAG_ITEM = replace(RECORDS.fields["tags"], name="", is_list=False)


class Case:
    """A filter on the memories of a seed; no dataclass, for a short repr."""

    def __init__(self, past: Past, pred: Pred) -> None:
        self.past = past
        self.pred = pred

    def __repr__(self) -> str:
        return f"Case(seed={self.past.seed}, pred={show(self.pred)})"


@st.composite
def open_cases(draw: Draw, op: str) -> Case:
    """Draw a filter with a test of one operator on metadata, somewhere in it."""
    past = remember(draw(st.integers(0, NUMBER_OF_WORLDS - 1)))
    inside = draw(st.integers(0, 3)) == 0
    test = _quantified(draw, past, op) if inside else open_test(draw, past, op)
    return Case(past, _surround(draw, past, test))


@st.composite
def own_cases(draw: Draw, op: str) -> Case:
    """Draw a filter with a test of one operator on a memory's own field, somewhere in it."""
    past = remember(draw(st.integers(0, NUMBER_OF_WORLDS - 1)))
    fitting = [field for field in OWN_FIELDS if op in operators_of(field)]
    inside = op in operators_of(TAG_ITEM) and draw(st.booleans())
    test = _on_tags(draw, past, op) if inside else own_test(draw, past, op, fitting)
    return Case(past, _surround(draw, past, test))


def open_test(draw: Draw, past: Past, op: str, item: Field | None = None) -> Match:
    """Draw a test on metadata, on a name with `@`, or on an item."""
    if item is not None:
        path, field = (), item
    elif op in LOOSE and draw(st.integers(0, 3)) == 0:
        path, field = (), Field(draw(st.sampled_from(list(AT_FIELDS))), Type.OPEN)
    else:
        names = draw(st.lists(st.sampled_from((*KEYS, "never")), min_size=1, max_size=3))
        *steps, field = (Field(name, Type.OPEN) for name in names)
        path = (METADATA, *steps)
    as_set = op in ("eq", "ne") and draw(st.integers(0, 3)) == 0
    listed = Field(field.name, Type.OPEN, is_list=as_set or op in OF_LISTS)
    return Match(path, listed, op, _open_args(draw, past, op, as_set))


def own_test(draw: Draw, past: Past, op: str, fields: Sequence[Field]) -> Match:
    """Draw a test on one of some fields of a memory's own."""
    field = draw(st.sampled_from(fields))
    return Match((), field, op, _own_args(draw, past, op, field))


def _quantified(draw: Draw, past: Past, op: str) -> Match:
    outer = open_test(draw, past, draw(st.sampled_from(("any", "all", "none"))))
    return Match(outer.path, outer.field, outer.op, (_item_pred(draw, past, op),))


def _item_pred(draw: Draw, past: Past, op: str | None = None) -> Pred:
    op = op or draw(st.sampled_from([op for op in OPEN_OPERATORS if op not in OF_LISTS]))
    test = open_test(draw, past, op, ITEM)
    other = open_test(draw, past, draw(st.sampled_from(("gte", "contains", "~EQ", "eq"))), ITEM)
    shapes: tuple[Pred, ...] = (test, Not(test), All((test, other)), Any((other, test)))
    return draw(st.sampled_from(shapes))


def _on_tags(draw: Draw, past: Past, op: str) -> Match:
    test = Match((), TAG_ITEM, op, _own_args(draw, past, op, TAG_ITEM))
    inner = draw(st.sampled_from((test, Not(test), Any((test, Not(test))))))
    return Match(
        (), RECORDS.fields["tags"], draw(st.sampled_from(("any", "all", "none"))), (inner,)
    )


def _surround(draw: Draw, past: Past, test: Match) -> Pred:
    twin = _twin(draw, past, test)
    other = open_test(draw, past, draw(st.sampled_from(OPEN_OPERATORS)))
    shapes: tuple[Pred, ...] = (
        *(test, Not(test), All((test, twin)), Not(All((twin, All((test,)))))),
        *(Any((test, other)), All((Not(test), Not(other)))),
    )
    return draw(st.sampled_from(shapes))


def _twin(draw: Draw, past: Past, test: Match) -> Match:
    """Draw another test of the same field."""
    field, name = test.field, test.field.name
    assert isinstance(field, Field)
    is_at = name in AT_FIELDS and not test.path
    if field.type is not Type.OPEN or (is_at and draw(st.booleans())):
        typed = AT_FIELDS[name] if is_at else field
        return own_test(draw, past, draw(st.sampled_from(operators_of(typed))), [typed])
    fitting = LOOSE if is_at else [op for op in operators_of(field) if op not in OF_LISTS]
    op = draw(st.sampled_from(fitting))
    return Match(test.path, Field(name, Type.OPEN), op, _open_args(draw, past, op, False))


# --- operands ---


def _open_args(draw: Draw, past: Past, op: str, as_set: bool) -> tuple[Arg, ...]:
    operand = OPERATORS[op].operand
    if operand is Operand.NESTED:
        return (_item_pred(draw, past),)
    if operand is Operand.FLAG:
        return (draw(st.booleans()),)
    if operand is Operand.TEXT:
        return (_part(draw, draw(st.sampled_from(TEXTS))),)
    if operand is Operand.WORD:
        return (_part(draw, spell(draw(st.sampled_from(SCALARS)))),)
    if operand is Operand.WORDS:
        return tuple(spell(draw(st.sampled_from(SCALARS))) for _ in range(draw(_SIZES)))
    if operand is Operand.PAIR:
        return _bounds(draw, past)
    count = draw(_SIZES) if as_set or operand is Operand.LIST else 1
    return tuple(_open_value(draw, past, op) for _ in range(count))


_OPERANDS = st.sampled_from(
    [one for one in SCALARS if isinstance(one, str) or abs(one) <= LARGEST_NUMBER]
)
_SIZES = st.sampled_from((0, 1, 2, 3, 12))


def _open_value(draw: Draw, past: Past, op: str) -> Scalar | Moment:
    value = draw(_OPERANDS)
    if isinstance(value, bool) and op in ORDERED:
        value = int(value)
    return find_moment(value, past.zone) or value if isinstance(value, str) else value


def _bounds(draw: Draw, past: Past) -> tuple[Scalar | Moment, ...]:
    values = _OPERANDS
    kind = draw(st.sampled_from((str, str, float)))
    fits: Callable[[Scalar], bool] = (
        (lambda value: isinstance(value, str))
        if kind is str
        else (lambda value: not isinstance(value, str | bool))
    )
    low, high = draw(values.filter(fits)), draw(values.filter(fits))
    if isinstance(low, str) and isinstance(high, str):
        dates = find_moment(low, past.zone), find_moment(high, past.zone)
        return (dates[0], dates[1]) if dates[0] and dates[1] else (low, high)
    return low, high


def _own_args(draw: Draw, past: Past, op: str, field: Field) -> tuple[Arg, ...]:
    operand = OPERATORS[op].operand
    if operand is Operand.NESTED:
        return (Match((), TAG_ITEM, "eq", (draw(st.sampled_from(TAGS)),)),)
    if operand is Operand.FLAG:
        return (draw(st.booleans()),)
    if operand is Operand.TEXT:
        return (_part(draw, str(draw(st.sampled_from(_pool(field))))),)
    many = operand is Operand.LIST or (field.is_list and op in ("eq", "ne"))
    count = draw(_SIZES) if many else 2 if operand is Operand.PAIR else 1
    return tuple(_own_value(draw, past, field) for _ in range(count))


def _own_value(draw: Draw, past: Past, field: Field) -> Scalar | Moment:
    value = draw(st.sampled_from(_pool(field)))
    return read_moment(str(value), past.zone) if field.type in TEMPORAL else value


def _pool(field: Field) -> tuple[Scalar, ...]:
    if field.type is Type.TAG:
        return (*TAGS, "LAW/IP", "la")
    if field.type in TEMPORAL:
        return (*TIMES, "2026-03", "2026-03-05", "2026-03-31", "2026-03-05T12:00:00.123456Z")
    if field.type is Type.INTEGER:
        return tuple(read_moment(time, UTC).start // 1000 for time in TIMES)
    if field.type is Type.NUMBER:
        return (0, 0.1, 0.5, 0.85, 1, 2, 0.3)
    return field.choices or ("m1", "m10", "default", "chopper", "Chopper", "mail", *TEXTS)


def _part(draw: Draw, text: str) -> str:
    """Draw a text or a part of it, perhaps in another case."""
    if draw(st.booleans()):
        start, length = draw(st.integers(0, 3)), draw(st.integers(0, 3))
        text = text[start : start + length]
    return draw(st.sampled_from((str, str.upper, str.swapcase)))(text)
