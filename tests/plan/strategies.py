"""Random filters on the realms of `worlds`, around one operator on one family of fields."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

from hypothesis import strategies as st
from tests.plan.worlds import NUMBER_OF_WORLDS, ROOT, Realm, make_realm, values_of

from winnow.filter.ast import All, Any, Arg, Match, Not, Pred
from winnow.filter.check import ENTITY_ID
from winnow.filter.ops import OPERATORS, TYPED, Family, Operand, family_of
from winnow.schema import Field, Reverse, Schema
from winnow.values import TEMPORAL, Moment, Scalar, Type, read_moment

Draw = st.DrawFn
QUANTIFIERS = ("any", "all", "none")
MANY = frozenset({Family.LIST, Family.REVERSE})
SINGLE = tuple(family for family in Family if family not in MANY | {Family.OPEN})
PAIRS = [
    (name, family) for name in TYPED for family in sorted(OPERATORS[name].families - {Family.OPEN})
]


class Case:
    """A filter on the entities of a realm's root schema; no dataclass, for a short repr."""

    def __init__(self, realm: Realm, pred: Pred) -> None:
        self.realm = realm
        self.pred = pred

    def __repr__(self) -> str:
        return f"Case(seed={self.realm.seed}, pred={show(self.pred)})"


@st.composite
def cases(draw: Draw, op: str, family: Family, realm: Realm | None = None) -> Case:
    """Draw a filter with a test of one operator on a field of one family, somewhere in it."""
    realm = realm or make_realm(draw(st.integers(0, NUMBER_OF_WORLDS - 1)))
    root = realm.schemas[ROOT]
    place = draw(st.sampled_from([place for place in PLACES if _fits(place, op, family)]))
    test = PLACES[place](draw, realm, root, (op, family))
    surround = draw(st.sampled_from(SURROUNDINGS))
    return Case(realm, surround(draw, realm, root, test))


@st.composite
def any_cases(draw: Draw, realm: Realm | None = None) -> Case:
    """Draw a filter of any operator."""
    op, family = draw(st.sampled_from(PAIRS))
    return draw(cases(op, family, realm))


def preds(draw: Draw, realm: Realm, schema: Schema, depth: int = 2) -> Pred:
    """Draw a small filter on a schema."""
    kind = draw(st.sampled_from(["test", "test", "test", "not", "all", "any"]))
    if kind == "test" or depth == 0:
        return _direct(draw, realm, schema, draw(st.sampled_from(PAIRS)))
    if kind == "not":
        return Not(preds(draw, realm, schema, depth - 1))
    parts = tuple(preds(draw, realm, schema, depth - 1) for _ in range(draw(st.integers(0, 2))))
    return All(parts) if kind == "all" else Any(parts)


# --- where the test stands ---

Wanted = tuple[str, Family]
Place = Callable[[Draw, Realm, Schema, Wanted], Match]


def _fits(place: str, op: str, family: Family) -> bool:
    return family in SINGLE if place == "on items" else True


def _direct(draw: Draw, realm: Realm, schema: Schema, wanted: Wanted) -> Match:
    op, family = wanted
    field = draw(st.sampled_from(_fields(schema, family)))
    return Match((), field, op, _args(draw, realm, op, field))


def _behind_reference(draw: Draw, realm: Realm, schema: Schema, wanted: Wanted) -> Match:
    path: list[Field] = []
    for _ in range(draw(st.integers(1, 2))):
        path.append(schema.fields["one"])
        schema = _target(realm, path[-1])
    return replace(_direct(draw, realm, schema, wanted), path=tuple(path))


def _on_items(draw: Draw, realm: Realm, schema: Schema, wanted: Wanted) -> Match:
    op, family = wanted
    lists = [
        field for field in _lists(schema) if field.is_list and family_of(_item(field)) == family
    ]
    if not lists:
        return _direct(draw, realm, schema, wanted)
    field = draw(st.sampled_from(lists))
    surround = draw(st.sampled_from(ITEM_SURROUNDINGS))
    inner = surround(draw, realm, _item(field), _item_test(draw, realm, field, op))
    return Match((), field, draw(st.sampled_from(QUANTIFIERS)), (inner,))


def _in_list_of_references(draw: Draw, realm: Realm, schema: Schema, wanted: Wanted) -> Match:
    field = schema.fields["many"]
    return _quantified(draw, realm, field, _target(realm, field), wanted)


def _in_reverse(draw: Draw, realm: Realm, schema: Schema, wanted: Wanted) -> Match:
    reverse = draw(st.sampled_from(list(schema.reverses.values())))
    return _quantified(draw, realm, reverse, realm.schemas[reverse.source], wanted)


def _quantified(
    draw: Draw, realm: Realm, field: Field | Reverse, target: Schema, wanted: Wanted
) -> Match:
    inner: Pred = draw(st.sampled_from((_direct, _direct, _behind_reference)))(
        draw, realm, target, wanted
    )
    if draw(st.booleans()):
        inner = draw(st.sampled_from(SURROUNDINGS))(draw, realm, target, inner)
    return Match((), field, draw(st.sampled_from(QUANTIFIERS)), (inner,))


PLACES: dict[str, Place] = {
    "direct": _direct,
    "behind a reference": _behind_reference,
    "on items": _on_items,
    "in a list of references": _in_list_of_references,
    "in a reverse": _in_reverse,
}


# --- what stands around it ---


def _alone(draw: Draw, realm: Realm, schema: Schema, test: Pred) -> Pred:
    return test


def _negated(draw: Draw, realm: Realm, schema: Schema, test: Pred) -> Pred:
    return Not(test)


def _jointly(draw: Draw, realm: Realm, schema: Schema, test: Pred) -> Pred:
    """Draw a second test of the same field, under `and` or `not and`."""
    if not isinstance(test, Match):
        return Not(Not(test))
    schema = schema if not test.path else _target(realm, test.path[-1])
    op = draw(st.sampled_from(_operators(test.field)))
    other = Match(test.path, test.field, op, _args(draw, realm, op, test.field))
    pair = All((test, All((other,)))) if draw(st.booleans()) else All((other, test))
    return pair if draw(st.booleans()) else Not(pair)


def _beside_another(draw: Draw, realm: Realm, schema: Schema, test: Pred) -> Pred:
    parts = (test, preds(draw, realm, schema, 1))
    whole = All(parts) if draw(st.booleans()) else Any(parts)
    return whole if draw(st.booleans()) else Not(whole)


SURROUNDINGS = (_alone, _negated, _jointly, _beside_another)


def _with_item(draw: Draw, realm: Realm, item: Field, test: Match) -> Pred:
    """Draw a second test of the items, or a constant that swallows the first."""
    op = draw(st.sampled_from((*_operators(item), "nothing")))
    other = Match((), item, "in", ())
    if op != "nothing":
        other = Match((), item, op, _args(draw, realm, op, item))
    return draw(st.sampled_from((All, Any)))((test, other))


def _without_item(draw: Draw, realm: Realm, item: Field, test: Match) -> Pred:
    return Not(test)


def _only_item(draw: Draw, realm: Realm, item: Field, test: Match) -> Pred:
    return test


ITEM_SURROUNDINGS = (_only_item, _without_item, _with_item)


# --- fields and operands ---


def _operators(field: Field | Reverse) -> list[str]:
    return [op for op, family in PAIRS if family == family_of(field)]


def _fields(schema: Schema, family: Family) -> list[Field | Reverse]:
    own: list[Field | Reverse] = [ENTITY_ID, *schema.fields.values(), *schema.reverses.values()]
    return [field for field in own if family_of(field) == family]


def _target(realm: Realm, field: Field) -> Schema:
    return realm.schemas[field.target or ""]


def _item(field: Field) -> Field:
    return replace(field, name="", is_list=False)


def _lists(schema: Schema) -> list[Field]:
    return [field for field in schema.fields.values() if field.is_list]


def _item_test(draw: Draw, realm: Realm, field: Field, op: str) -> Match:
    item = _item(field)
    return Match((), item, op, _args(draw, realm, op, item))


def _args(draw: Draw, realm: Realm, op: str, field: Field | Reverse) -> tuple[Arg, ...]:
    operand = OPERATORS[op].operand
    if operand is Operand.FLAG:
        return (draw(st.booleans()),)
    if operand is Operand.NESTED:
        return (_inner(draw, realm, field),)
    assert isinstance(field, Field)
    if operand is Operand.TEXT:
        return (_part(draw, realm, field),)
    if operand is Operand.LIST or (field.is_list and op in ("eq", "ne")):
        size = draw(st.sampled_from((0, 1, 2, 3, 12)))
        return tuple(_value(draw, realm, field) for _ in range(size))
    return tuple(_value(draw, realm, field) for _ in range(2 if operand is Operand.PAIR else 1))


def _inner(draw: Draw, realm: Realm, field: Field | Reverse) -> Pred:
    """Draw the filter of `any`, `all` or `none`."""
    if isinstance(field, Reverse):
        return preds(draw, realm, realm.schemas[field.source], 1)
    if field.target is not None and draw(st.booleans()):
        return preds(draw, realm, _target(realm, field), 1)
    return _item_test(draw, realm, field, draw(st.sampled_from(_operators(_item(field)))))


def _value(draw: Draw, realm: Realm, field: Field) -> Arg:
    value: Scalar = draw(st.sampled_from(_pool(realm, field)))
    if field.type in TEMPORAL:
        return read_moment(str(value), realm.zone)
    return value


def _pool(realm: Realm, field: Field) -> tuple[Scalar, ...]:
    if field is ENTITY_ID:
        return (*chain.from_iterable(realm.entities.values()), "", "A")
    if field.type is Type.INTEGER:
        return (*values_of(field, realm.entities), 4.5, -(2**63) - 1, 2**63, 1e300, 5.0, -0.0)
    return values_of(field, realm.entities)


def _part(draw: Draw, realm: Realm, field: Field) -> str:
    """Draw a text that the field may have, or a part of one, perhaps in another case."""
    text = str(draw(st.sampled_from(_pool(realm, field))))
    if draw(st.booleans()):
        start, length = draw(st.integers(0, 3)), draw(st.integers(0, 3))
        text = text[start : start + length]
    return draw(st.sampled_from((str, str.upper, str.swapcase)))(text)


def show(pred: Pred) -> str:
    """Write a filter on one line, without the definitions of its fields."""
    match pred:
        case Match():
            args = ", ".join(_show_arg(arg) for arg in pred.args)
            return f"{pred.name or 'item'} {pred.op} ({args})"
        case Not(part):
            return f"not {show(part)}"
        case All(parts):
            return f"all[{', '.join(map(show, parts))}]"
        case Any(parts):
            return f"any[{', '.join(map(show, parts))}]"


def _show_arg(arg: Arg) -> str:
    if isinstance(arg, Match | Not | All | Any):
        return show(arg)
    return arg.text if isinstance(arg, Moment) else repr(arg)
