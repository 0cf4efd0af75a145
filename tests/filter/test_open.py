"""Operands on metadata: what is written says what it is compared with."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from winnow.errors import InvalidRequest
from winnow.filter.ast import Match, matches
from winnow.filter.check import Scope, check
from winnow.filter.decode import decode_filter
from winnow.filter.unparse import to_json, to_text
from winnow.memories import RECORDS
from winnow.schema import Catalog
from winnow.values import Json, read_moment

BERLIN = ZoneInfo("Europe/Berlin")
SCOPE = Scope(Catalog([]), BERLIN, datetime(2026, 3, 31, 22, 30, tzinfo=UTC))


def resolved(operators: Json) -> Match:
    (match,) = matches(check(decode_filter({"k": operators}, ""), RECORDS, SCOPE).pred)
    return match


def day(text: str) -> object:
    return read_moment(text, BERLIN)


@pytest.mark.parametrize(
    ("operators", "args", "is_list"),
    [
        ("x", ("x",), False),
        (5, (5,), False),
        (True, (True,), False),
        ("2026-03", (day("2026-03"),), False),
        ({"gte": "2026-03-05T12:00"}, (day("2026-03-05T12:00"),), False),
        ({"in": [1, "2026", "x", False]}, (1, day("2026"), "x", False), False),
        ({"between": ["2026-01", "2026-03"]}, (day("2026-01"), day("2026-03")), False),
        ({"between": ["2026-01", "x"]}, ("2026-01", "x"), False),
        ({"between": [1, 2.5]}, (1, 2.5), False),
        ({"contains": "2026"}, ("2026",), False),
        (["a", "2026", 1], ("a", day("2026"), 1), True),
        ([], (), True),
        ({"ne": ["a"]}, ("a",), True),
        ({"has": "2026"}, (day("2026"),), True),
        ({"isNull": True}, (True,), False),
    ],
)
def test_an_operand_is_of_the_type_that_it_looks_like(
    operators: Json, args: tuple[object, ...], is_list: bool
) -> None:
    match = resolved(operators)
    assert match.args == args
    assert [type(arg) for arg in match.args] == [type(arg) for arg in args]
    assert getattr(match.field, "is_list", None) is is_list
    again = decode_filter(to_json(match), "")
    assert check(again, RECORDS, SCOPE).pred == match
    assert to_text(match).startswith("metadata.k ")


@pytest.mark.parametrize("text", [" 2026", "2026 ", "2026-13", "2026-02-30", "26", "today", "-30d"])
def test_what_is_not_wholly_a_date_is_a_text(text: str) -> None:
    assert resolved(text).args == (text,)


@pytest.mark.parametrize(
    ("operators", "said"),
    [
        ({"gte": True}, "true and false have no order (write = for one of them)"),
        ({"between": [False, True]}, "true and false have no order"),
        ({"between": [1, "2"]}, "expected two numbers or two texts, not one of each"),
        ({"between": [1]}, "expected two values, got 1"),
        ({"gt": [1]}, "expected one value, got a list"),
        ({"gt": None}, "null is not a value here"),
        ({"in": "abc"}, "expected a list, got text 'abc'"),
        ({"in": [["a"]]}, "expected a text, number, true or false, got list ['a']"),
        ({"in": [None]}, "null is not a value here"),
        ({"eq": [["a"]]}, "expected a text, number, true or false, got list ['a']"),
        ({"contains": 5}, "expected text, got number 5"),
        ({"has": ["a"]}, "expected one value, got a list (write any in for several)"),
        ({"any": {"b": 1}}, "the items are plain values and have none"),
        ({"~EQ": ["a"]}, "expected a text, got list ['a']"),
        ({"b": 5}, "; a field of what it refers to is k.b"),
    ],
)
def test_a_wrong_operand_is_refused(operators: Json, said: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        resolved(operators)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("operators", "warning"),
    [
        ({"lt": "today"}, "k < 'today' compares texts; for a date write 2026-04-01"),
        ({"gte": "-30d"}, "k >= '-30d' compares texts; for a date write 2026-03-02"),
        ({"between": ["2026", " 2027 "]}, "k between ' 2027 ' compares texts; for a date write"),
        ({"between": [2, 1]}, "k between 2 and 1 holds for nothing"),
    ],
)
def test_what_looks_like_a_mistake_is_told(operators: Json, warning: str) -> None:
    told = check(decode_filter({"k": operators}, ""), RECORDS, SCOPE).warnings
    assert any(one.startswith(warning) for one in told)


def test_equal_to_null_is_missing() -> None:
    assert (resolved(None).op, resolved(None).args) == ("isNull", (True,))
    assert (resolved({"ne": None}).op, resolved({"ne": None}).args) == ("isNull", (False,))
    assert (resolved({"~NE": None}).op, resolved({"~NE": None}).args) == ("isNull", (False,))
