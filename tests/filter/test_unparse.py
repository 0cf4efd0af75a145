from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.filter.strategies import THING, catalogs, preds, resolve

from winnow.filter.ast import (
    EVERYTHING,
    MAX_DEPTH,
    NOTHING,
    All,
    Any,
    Arg,
    Expr,
    Match,
    Not,
    Pred,
)
from winnow.filter.ast import (
    Test as Written,
)
from winnow.filter.decode import decode_filter
from winnow.filter.ops import OPERATORS
from winnow.filter.parse import parse_where
from winnow.filter.unparse import flatten, to_json, to_text
from winnow.schema import Catalog, Field, Reverse, Schema
from winnow.values import Json, Moment, Type

PERCENT = Field("escrowPct", Type.NUMBER)
STATUS = Field("status", Type.ENUM, choices=("Active", "Closed"))
TITLE = Field("title", Type.STRING)
OPENED = Field("openedDate", Type.DATE)
TAGS = Field("tags", Type.STRING, is_list=True)
SCORES = Field("scores", Type.NUMBER, is_list=True)
CLIENT = Field("client", Type.REF, target="legal.Client")
TIER = Field("tier", Type.ENUM, choices=("Gold", "Platinum"))
MATTERS = Reverse("matters", "legal.Matter", "client")
TAG, SCORE = Field("", Type.STRING), Field("", Type.NUMBER)


def on(field: Field | Reverse, op: str, *args: Arg) -> Match:
    return Match((), field, op, args)


ACTIVE = on(STATUS, "eq", "Active")
AT_LEAST_10, BELOW_20 = on(PERCENT, "gte", 10), on(PERCENT, "lt", 20)
GOOD_CLIENT = Match((CLIENT,), TIER, "in", ("Gold", "Platinum"))

SPELLED: list[tuple[Pred, Json, str]] = [
    (ACTIVE, {"status": "Active"}, 'status = "Active"'),
    (on(STATUS, "ne", "Active"), {"status": {"ne": "Active"}}, 'status != "Active"'),
    (on(STATUS, "in", "Active"), {"status": {"in": ["Active"]}}, 'status in ("Active")'),
    (on(STATUS, "in"), {"status": {"in": []}}, "status in ()"),
    (on(STATUS, "nin", "Active"), {"status": {"nin": ["Active"]}}, 'status not in ("Active")'),
    (
        on(PERCENT, "between", 5, 7.5),
        {"escrowPct": {"between": [5, 7.5]}},
        "escrowPct between 5 and 7.5",
    ),
    (on(TITLE, "contains", 'a "b"'), {"title": {"contains": 'a "b"'}}, r'title contains "a \"b\""'),
    (on(STATUS, "isNull", True), {"status": {"isNull": True}}, "status is null"),
    (on(STATUS, "isNull", False), {"status": {"isNull": False}}, "status is not null"),
    (
        on(OPENED, "gte", Moment("2026-03", 0, 1)),
        {"openedDate": {"gte": "2026-03"}},
        'openedDate >= "2026-03"',
    ),
    (on(TAGS, "has", "law"), {"tags": {"has": "law"}}, 'tags has "law"'),
    (on(TAGS, "eq", "a", "b"), {"tags": ["a", "b"]}, 'tags = ("a", "b")'),
    (on(TAGS, "ne", "a"), {"tags": {"ne": ["a"]}}, 'tags != ("a")'),
    (on(TAGS, "any", on(TAG, "in", "a")), {"tags": {"any": {"in": ["a"]}}}, 'tags any in ("a")'),
    (on(TAGS, "none", on(TAG, "eq", "a")), {"tags": {"none": {"eq": "a"}}}, 'tags none = "a"'),
    (
        on(SCORES, "any", All((on(SCORE, "gte", 3), on(SCORE, "lt", 5)))),
        {"scores": {"any": {"gte": 3, "lt": 5}}},
        "scores any (>= 3 and < 5)",
    ),
    (
        on(MATTERS, "any", All((AT_LEAST_10, ACTIVE))),
        {"matters": {"any": {"escrowPct": {"gte": 10}, "status": "Active"}}},
        'matters any (escrowPct >= 10 and status = "Active")',
    ),
    (on(MATTERS, "any", EVERYTHING), {"matters": {"any": {}}}, "matters any (everything)"),
    (
        All((AT_LEAST_10, BELOW_20, Any((ACTIVE, GOOD_CLIENT)))),
        {
            "escrowPct": {"gte": 10, "lt": 20},
            "or": [{"status": "Active"}, {"client.tier": {"in": ["Gold", "Platinum"]}}],
        },
        "escrowPct >= 10 and escrowPct < 20"
        ' and (status = "Active" or client.tier in ("Gold", "Platinum"))',
    ),
    (
        Any((All((ACTIVE, BELOW_20)), AT_LEAST_10)),
        {"or": [{"status": "Active", "escrowPct": {"lt": 20}}, {"escrowPct": {"gte": 10}}]},
        '(status = "Active" and escrowPct < 20) or escrowPct >= 10',
    ),
    (
        Not(All((ACTIVE, BELOW_20))),
        {"not": {"status": "Active", "escrowPct": {"lt": 20}}},
        'not (status = "Active" and escrowPct < 20)',
    ),
    (
        All((Not(ACTIVE), Not(BELOW_20))),
        {"and": [{"not": {"status": "Active"}}, {"not": {"escrowPct": {"lt": 20}}}]},
        'not (status = "Active") and not (escrowPct < 20)',
    ),
    (NOTHING, {"or": []}, "nothing"),
    (Not(EVERYTHING), {"not": {}}, "not (everything)"),
]


@pytest.mark.parametrize(("pred", "json", "text"), SPELLED)
def test_a_filter_is_echoed_in_both_spellings(pred: Pred, json: Json, text: str) -> None:
    assert to_json(pred) == json
    assert to_text(pred) == text


def test_what_holds_everywhere_is_an_empty_filter() -> None:
    assert to_json(EVERYTHING) == {}
    assert to_text(EVERYTHING) == ""
    assert parse_where("", "") == decode_filter({}, "") == EVERYTHING


def test_two_tests_with_one_operator_are_kept_apart_f04() -> None:
    pred = All((on(TITLE, "contains", "a"), ACTIVE, on(TITLE, "contains", "b")))
    assert to_json(pred) == {
        "and": [{"title": {"contains": "a"}}, {"status": "Active"}, {"title": {"contains": "b"}}]
    }


def test_fields_that_differ_only_in_spelling_are_kept_apart() -> None:
    pred = All(
        (
            on(Field("dueDate", Type.STRING), "eq", "a"),
            on(Field("due_date", Type.STRING), "eq", "b"),
        )
    )
    assert to_json(pred) == {"and": [{"dueDate": "a"}, {"due_date": "b"}]}


@pytest.mark.parametrize(
    ("name", "key", "text"),
    [
        ("or", '"or"', '"or"'),
        ("isNull", '"isNull"', '"isNull"'),
        ("a.b", '"a.b"', '"a.b"'),
        ("deal value", "deal value", '"deal value"'),
        ("$in", '"$in"', '"$in"'),
        ("x-y", "x-y", "x-y"),
        ("Größe", "Größe", "Größe"),
        ("2026", "2026", '"2026"'),
    ],
)
def test_a_name_is_quoted_where_it_would_be_misread(name: str, key: str, text: str) -> None:
    pred = on(Field(name, Type.STRING), "eq", "x")
    assert to_json(pred) == {key: "x"}
    assert to_text(pred) == f'{text} = "x"'


@pytest.mark.parametrize(
    "value",
    [
        "",
        "-30d",
        "true",
        "null",
        "5",
        "a\nb\tc",
        "C:\\new",
        "'",
        '"',
        "\\",
        "\x00\u2028",
        "or 1=1",
        "50%",
        "`|*:",
    ],
)
def test_no_value_is_read_as_syntax_f38(value: str) -> None:
    for op in ("eq", "contains"):
        pred = on(TITLE, op, value)
        text = to_text(pred)
        assert text.isprintable()
        assert operand_of(parse_where(text, "")) == value
        assert operand_of(decode_filter(to_json(pred), "")) == value


def operand_of(expr: Expr) -> object:
    assert isinstance(expr, Written)
    return expr.operand


# --- there and back ---


def arranged(pred: Pred) -> Pred:
    """The canonical tree: flat, and the tests of one field under one `and` side by side.

    JSON writes those into one object, so that their order there is that of the fields.
    """
    return _arrange(flatten(pred))


def _arrange(pred: Pred) -> Pred:
    match pred:
        case Match():
            inner = pred.args[0] if pred.args else None
            is_nested = isinstance(inner, (Match, Not, All, Any))
            args = (_arrange(inner),) if is_nested else pred.args
            return Match(pred.path, pred.field, pred.op, args)
        case Not(part):
            return Not(_arrange(part))
        case Any(parts):
            return Any(tuple(map(_arrange, parts)))
        case All(parts):
            groups: dict[object, list[Pred]] = {}
            for index, part in enumerate(map(_arrange, parts)):
                groups.setdefault(part.name if isinstance(part, Match) else index, []).append(part)
            return All(tuple(part for group in groups.values() for part in group))


def reread(pred: Pred, catalog: Catalog) -> None:
    from_json = resolve(decode_filter(to_json(pred), ""), catalog, thing(catalog))
    from_text = resolve(parse_where(to_text(pred), ""), catalog, thing(catalog))
    assert arranged(from_json) == arranged(pred)
    assert flatten(from_text) == flatten(pred)


def thing(catalog: Catalog) -> Schema:
    schema = catalog.get(THING)
    assert schema is not None
    return schema


@pytest.mark.parametrize("op", OPERATORS)
@settings(max_examples=40)
@given(data=st.data())
def test_what_is_echoed_is_read_back_for_each_operator(op: str, data: st.DataObject) -> None:
    catalog = data.draw(catalogs())
    reread(data.draw(preds(catalog, thing(catalog), op=op)), catalog)


@given(data=st.data())
def test_what_is_echoed_is_the_same_when_echoed_again(data: st.DataObject) -> None:
    catalog = data.draw(catalogs())
    pred = data.draw(preds(catalog, thing(catalog)))
    again = resolve(parse_where(to_text(pred), ""), catalog, thing(catalog))
    assert to_text(again) == to_text(pred)
    assert to_json(again) == to_json(pred)


STEPS: dict[str, Callable[[Pred], Pred]] = {
    "not": lambda pred: Not(pred),
    "and": lambda pred: All((pred, ACTIVE)),
    "or": lambda pred: Any((ACTIVE, pred)),
    "any": lambda pred: on(MATTERS, "any", pred),
}


@given(st.lists(st.sampled_from(list(STEPS)), min_size=MAX_DEPTH - 1, max_size=MAX_DEPTH - 1))
def test_the_echo_of_a_filter_as_deep_as_may_be_can_be_read(steps: list[str]) -> None:
    pred: Pred = on(TAGS, "eq", "a")
    for step in steps:
        pred = STEPS[step](pred)
    decode_filter(to_json(pred), "")
    parse_where(to_text(pred), "")
