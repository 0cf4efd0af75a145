"""Random schemas, and random filters against them, for every test that needs some.

`catalogs()` draws a catalog of two schemas with a field of every type, lists, references and
reverses. `preds(catalog, schema)` draws resolved filters, `preds(..., op="between")` such with at
least that operator in each test. `resolve` looks names up in the most obvious way.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC
from functools import cache

from hypothesis import strategies as st

from winnow.filter.ast import All, Any, Arg, Expr, Match, Not, Pred, Test
from winnow.filter.check import ENTITY_ID
from winnow.filter.ops import OPERATORS, Operand, operators_of
from winnow.schema import Catalog, Field, IdRule, Pack, Reverse, Schema, spell
from winnow.values import NUMERIC, PACK_TYPES, TEMPORAL, Json, Moment, Scalar, Type, read_moment

THING, OWNER = "test.Thing", "test.Owner"

# What a field may be called: the usual, and what needs quotes or escapes in some spelling.
NAMES = [
    *("title", "status", "escrowPct", "openedDate", "tags", "client", "x1", "dueDate", "scores"),
    *("a.b", "deal value", "Größe", "हिन्दी", "5", 'say "so"', "it's", "or", "isNull", "null"),
    *("$in", "\\", "a\nb", "'", "x-y", "@note", "nothing", "-", "a/b~c", "2026-03"),
]

CHOICES = ("Active", "On Hold", "null", "5", "Über")

instants = st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.isoformat())
dates = st.dates().map(lambda day: day.isoformat())
partial_dates = dates.flatmap(lambda day: st.sampled_from([day[:4], day[:7]]))
moments = (dates | instants | partial_dates).map(lambda text: read_moment(text, UTC))

integers = st.integers(-(2**63), 2**63 - 1)
numbers = integers | st.floats(-1e300, 1e300) | st.integers(-20, 20)
texts = st.text(max_size=8)


# --- schemas ---


def catalogs() -> st.SearchStrategy[Catalog]:
    """Catalogs of THING, which refers to itself and to OWNER, and OWNER; names at random."""
    return st.builds(_make_catalog, st.integers(0, len(NAMES) - 1), st.integers(1, len(NAMES) - 1))


@cache
def _make_catalog(first: int, stride: int) -> Catalog:
    # NAMES has a prime length, so that every stride leads through all of them.
    take = iter(NAMES[(first + stride * index) % len(NAMES)] for index in range(len(NAMES)))
    thing = [Field(next(take), type) for type in PACK_TYPES if type not in (Type.ENUM, Type.REF)]
    thing += [Field(next(take), Type.ENUM, choices=CHOICES)]
    thing += [Field(next(take), Type.ENUM, is_list=True, choices=CHOICES)]
    thing += [
        Field(next(take), type, is_list=True) for type in (Type.STRING, Type.NUMBER, Type.DATE)
    ]
    parent = Field(next(take), Type.REF, target=THING)
    owner = Field(next(take), Type.REF, target=OWNER)
    related = Field(next(take), Type.REF, is_list=True, target=THING)
    children = Reverse(next(take), THING, parent.name)
    owned = Reverse(next(take), THING, owner.name)
    label, boss = Field(next(take), Type.STRING), Field(next(take), Type.REF, target=OWNER)
    schemas = (
        _schema(THING, [*thing, parent, owner, related], [children]),
        _schema(OWNER, [label, boss], [owned]),
    )
    by_name = {schema.name: schema for schema in schemas}
    return Catalog([Pack("test", "test.yaml", "", "", by_name)])


def _schema(name: str, fields: Iterable[Field], reverses: Iterable[Reverse]) -> Schema:
    by_name = {field.name: field for field in fields}
    back = {reverse.name: reverse for reverse in reverses}
    spellings = spell(dict.fromkeys((*by_name, *back), ()))
    return Schema(name, name, IdRule(""), by_name, back, spellings=spellings)


# --- filters ---


def preds(
    catalog: Catalog,
    schema: Schema,
    *,
    op: str | None = None,
    item: Field | None = None,
    depth: int = 2,
) -> st.SearchStrategy[Pred]:
    """Filters on a schema, or on an `item` of a list; `depth` bounds `any` inside `any`."""
    leaves = matches(catalog, schema, op=op, item=item, depth=depth)
    return st.recursive(leaves, _connected, max_leaves=6)


def _connected(parts: st.SearchStrategy[Pred]) -> st.SearchStrategy[Pred]:
    several = st.lists(parts, max_size=3).map(tuple)
    return st.one_of(parts.map(_negate), several.map(_conjoin), several.map(_disjoin))


def _negate(part: Pred) -> Pred:
    return Not(part)


def _conjoin(parts: tuple[Pred, ...]) -> Pred:
    return All(parts)


def _disjoin(parts: tuple[Pred, ...]) -> Pred:
    return Any(parts)


@st.composite
def matches(
    draw: st.DrawFn,
    catalog: Catalog,
    schema: Schema,
    *,
    op: str | None = None,
    item: Field | None = None,
    depth: int = 2,
) -> Match:
    """One test; with `op` on a field that takes it, else with any operator that fits."""
    path, found = ((), item) if item else draw(_fields(catalog, schema, op))
    fitting = [
        name
        for name in operators_of(found)
        if depth or OPERATORS[name].operand is not Operand.NESTED
    ]
    chosen = op if op in fitting else draw(st.sampled_from(fitting))
    return Match(path, found, chosen, draw(_arguments(catalog, found, chosen, depth)))


@st.composite
def _fields(
    draw: st.DrawFn, catalog: Catalog, schema: Schema, op: str | None
) -> tuple[tuple[Field, ...], Field | Reverse]:
    path: list[Field] = []
    for _ in range(draw(st.integers(0, 2))):
        references = [one for one in schema.fields.values() if one.target and not one.is_list]
        step = draw(st.sampled_from(references))
        path.append(step)
        schema = _target(catalog, step)
    known = [ENTITY_ID, *schema.fields.values(), *schema.reverses.values()]
    fitting = [one for one in known if op is None or op in operators_of(one)]
    return tuple(path), draw(st.sampled_from(fitting or known))


def values(field: Field) -> st.SearchStrategy[Scalar | Moment]:
    """Operands of a field's type."""
    if field.type in TEMPORAL:
        return moments
    if field.type in NUMERIC:
        return numbers
    if field.type is Type.BOOLEAN:
        return st.booleans()
    return st.sampled_from(field.choices) if field.choices else texts


def _arguments(
    catalog: Catalog, found: Field | Reverse, op: str, depth: int
) -> st.SearchStrategy[tuple[Arg, ...]]:
    operand = OPERATORS[op].operand
    if operand is Operand.NESTED:
        return _nested(catalog, found, depth - 1).map(lambda pred: (pred,))
    if operand is Operand.FLAG or isinstance(found, Reverse):
        return st.tuples(st.booleans())
    if operand is Operand.TEXT:
        return st.tuples(texts)
    one = values(found)
    if operand is Operand.PAIR:
        return st.tuples(one, one)
    if operand is Operand.LIST or (found.is_list and op in ("eq", "ne")):
        return st.lists(one, max_size=3).map(tuple)
    return st.tuples(one)


def _nested(catalog: Catalog, found: Field | Reverse, depth: int) -> st.SearchStrategy[Pred]:
    if isinstance(found, Reverse):
        return preds(catalog, _target(catalog, found), depth=depth)
    items = preds(catalog, _NO_SCHEMA, item=item_of(found), depth=depth)
    return items | preds(catalog, _target(catalog, found), depth=depth) if found.target else items


def item_of(field: Field) -> Field:
    """The field that stands for an item of a list field."""
    return replace(field, name="", is_list=False)


def _target(catalog: Catalog, found: Field | Reverse) -> Schema:
    name = found.source if isinstance(found, Reverse) else found.target
    schema = catalog.get(name or "")
    assert schema is not None
    return schema


_NO_SCHEMA = Schema("", "", IdRule(""), {})


# --- names ---


def resolve(expr: Expr, catalog: Catalog, schema: Schema, item: Field | None = None) -> Pred:
    """Resolve a filter whose names are all spelled as in the schema."""
    match expr:
        case Not(part):
            return Not(resolve(part, catalog, schema, item))
        case All(parts):
            return All(tuple(resolve(part, catalog, schema, item) for part in parts))
        case Any(parts):
            return Any(tuple(resolve(part, catalog, schema, item) for part in parts))
        case Test():
            return _resolve_test(expr, catalog, schema, item)


def _resolve_test(test: Test, catalog: Catalog, schema: Schema, item: Field | None) -> Match:
    path: list[Field] = []
    for part in test.name[:-1]:
        path.append(schema.fields[part])
        schema = _target(catalog, path[-1])
    found = _look_up(schema, test.name[-1]) if test.name else item
    assert found is not None
    if isinstance(test.operand, (Test, Not, All, Any)):
        is_entity = isinstance(found, Reverse) or found.target
        inner = _target(catalog, found) if is_entity else _NO_SCHEMA
        element = item_of(found) if isinstance(found, Field) else None
        return Match(tuple(path), found, test.op, (resolve(test.operand, catalog, inner, element),))
    raw = test.operand if isinstance(test.operand, list) else [test.operand]
    return Match(tuple(path), found, test.op, tuple(_read(found, test.op, one) for one in raw))


def _look_up(schema: Schema, name: str) -> Field | Reverse:
    if name == ENTITY_ID.name:
        return ENTITY_ID
    return schema.fields.get(name) or schema.reverses[name]


def _read(found: Field | Reverse, op: str, raw: Json) -> Scalar | Moment:
    assert isinstance(raw, (str, int, float))
    if isinstance(found, Field) and found.type in TEMPORAL and isinstance(raw, str):
        return read_moment(raw, UTC)
    return raw
