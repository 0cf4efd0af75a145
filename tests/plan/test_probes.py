"""One test on a vector: every value against every operand, for every type and operator."""

from collections.abc import Sequence
from datetime import UTC
from itertools import product
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plan.worlds import CHOICES, DATES, INTEGERS, NUMBERS, TEXTS

from winnow.columns.arrays import ItemValues, ListValues
from winnow.columns.entries import build_column
from winnow.filter.ast import Arg, Match
from winnow.filter.ops import OPERATORS, Operand, operators_of
from winnow.plan.probes import equals_exactly, probe
from winnow.plan.reference import Judge
from winnow.plan.verdicts import Reason
from winnow.records import Candidate, Confidence
from winnow.schema import Field, Reverse
from winnow.values import PACK_TYPES, TEMPORAL, Moment, Scalar, Type, fold, read_moment, same_value

ZONE = ZoneInfo("Europe/Berlin")
VALUES: dict[Type, tuple[Scalar, ...]] = {
    Type.STRING: TEXTS,
    Type.INTEGER: INTEGERS,
    Type.NUMBER: NUMBERS,
    Type.BOOLEAN: (True, False),
    Type.DATE: DATES,
    Type.DATETIME: DATES,
    Type.ENUM: CHOICES,
    Type.REF: ("A-1", "a-1", "A-10", ""),
}
MORE_OPERANDS: dict[Type, tuple[Scalar, ...]] = {
    Type.STRING: ("ss", "i", "σ", "\0", "\uffff", "FI", "Ǆ"),
    Type.INTEGER: (4.5, -0.0, 1.0, float(2**53), float(2**63), 2**63, -(2**63) - 1, 1e300),
    Type.NUMBER: (2**53 - 1, 2**53 + 2, 1e16, -0.0, 1e300),
    Type.DATE: ("2026-03-05T12:00:00+01:00", "2025", "2026-04"),
    Type.REF: ("A-", "X"),
    Type.ENUM: ("pen", "İ", "i̇"),
}


class Nobody:
    """A world without entities."""

    def read(self, schema: str, entity: str) -> None:
        return None

    def referrers(self, reverse: Reverse, entity: str) -> Sequence[str]:
        return ()


JUDGE = Judge(Nobody(), Confidence.EXTRACTED, ZONE)


def vector(kind: Type, values: Sequence[Scalar]) -> ItemValues:
    column = build_column(Field("f", kind), list(values), ZONE)
    assert column is not None
    assert not isinstance(column.values, ListValues)
    return column.values


def operands(kind: Type, op: str) -> list[tuple[Arg, ...]]:
    """Each operand alone, or the pairs of a few of them; for `in`, also none and many."""
    pool: list[Arg] = [*VALUES[kind], *MORE_OPERANDS.get(kind, ())]
    if kind in TEMPORAL:
        pool = [read_moment(str(one), ZONE) for one in pool]
    match OPERATORS[op].operand:
        case Operand.PAIR:
            return list(product(pool, pool))
        case Operand.LIST:
            return [(), *((one,) for one in pool), tuple(pool[:3]), tuple(pool[::2]), tuple(pool)]
        case _:
            return [(one,) for one in pool]


def positive_operators(kind: Type) -> list[str]:
    rows = (OPERATORS[op] for op in operators_of(Field("f", kind)))
    return [row.name for row in rows if row.negates is None and row.operand is not Operand.FLAG]


TESTS = [(kind, op) for kind in PACK_TYPES for op in positive_operators(kind)]


@pytest.mark.parametrize(("kind", "op"), TESTS)
def test_a_probe_says_of_each_value_what_the_meaning_says(kind: Type, op: str) -> None:
    values, field = VALUES[kind], Field("f", kind)
    numbers = vector(kind, values)
    for args in operands(kind, op):
        held = probe(numbers, op, args)
        verdicts = [
            JUDGE.judge_candidates(Match((), field, op, args), "e", {"f": (Candidate(value),)})
            for value in values
        ]
        assert held.match.tolist() == [verdict.match for verdict in verdicts], args
        assert held.possible.tolist() == [verdict.possible for verdict in verdicts], args


@pytest.mark.parametrize("kind", PACK_TYPES)
def test_exact_equality_is_that_of_lists_as_sets(kind: Type) -> None:
    values = VALUES[kind]
    built = vector(kind, values)
    for other in values:
        arg = read_moment(str(other), ZONE) if kind in TEMPORAL else other
        expected = [same_value(kind, value, other, ZONE) for value in values]
        assert equals_exactly(built, arg).tolist() == expected


def test_false_comes_before_true_where_an_order_is_asked_for() -> None:
    built = vector(Type.BOOLEAN, [True, False])
    assert probe(built, "gt", (False,)).match.tolist() == [True, False]
    assert probe(built, "gt", (True,)).match.tolist() == [False, False]
    assert probe(built, "lt", (True,)).match.tolist() == [False, True]
    assert probe(built, "lt", (False,)).match.tolist() == [False, False]


def test_numbers_compare_exactly_beyond_what_a_float_holds() -> None:
    """2^53 + 1 is not 2^53, in whichever type the two are written."""
    for kind in (Type.INTEGER, Type.NUMBER):
        built = vector(kind, [2**53, 2**53 + 1, 2**53 + 2])
        assert probe(built, "eq", (float(2**53),)).match.tolist() == [True, False, False]
        assert probe(built, "gt", (float(2**53),)).match.tolist() == [False, True, True]
        assert probe(built, "in", (2**53 + 1, 7)).match.tolist() == [False, True, False]
        assert probe(built, "lt", (2**53 + 1,)).match.tolist() == [True, False, False]


@pytest.mark.parametrize("text", ["%", "_", "*", "50%", "a_b", "[a]", "."])
@pytest.mark.parametrize("op", ["contains", "startsWith", "endsWith"])
def test_f34_signs_of_other_pattern_languages_are_plain_characters(op: str, text: str) -> None:
    built = vector(Type.STRING, ["a", "axb", "50 percent", text])
    assert probe(built, op, (text,)).match.tolist() == [False, False, False, True]


@given(
    st.lists(st.text(alphabet="aAß\n%ı\u0307e\u0301", max_size=5), min_size=1), st.text("a\nßSs")
)
def test_searches_are_those_of_folded_texts(texts: list[str], part: str) -> None:
    built = vector(Type.STRING, texts)
    folded, wanted = [fold(text) for text in texts], fold(part)
    searched = {op: probe(built, op, (part,)).match.tolist() for op in SEARCHES}
    assert searched["contains"] == [wanted in text for text in folded]
    assert searched["startsWith"] == [text.startswith(wanted) for text in folded]
    assert searched["endsWith"] == [text.endswith(wanted) for text in folded]


SEARCHES = ("contains", "startsWith", "endsWith")


def test_dates_of_one_precision_leave_nothing_open() -> None:
    """The very same array for both answers lets all that follows skip half its work."""
    built = vector(Type.DATE, ["2026-03-05", "2026-04-01"])
    held = probe(built, "lte", (read_moment("2026-03", ZONE),))
    assert held.possible is held.match


def test_a_month_is_open_for_a_day_in_it_and_decided_for_any_other() -> None:
    field = Field("f", Type.DATE)
    stored = {"f": (Candidate("2026-03"),)}

    def verdict(op: str, day: str) -> tuple[bool, bool, Reason | None]:
        moment = read_moment(day, ZONE)
        judged = JUDGE.judge_candidates(Match((), field, op, (moment,)), "e", stored)
        return judged.match, judged.decided, judged.reason

    assert verdict("eq", "2026-03-05") == (False, False, Reason.PARTIAL_DATE)
    assert verdict("eq", "2026-04-05") == (False, True, None)
    assert verdict("gte", "2026-03-05") == (False, False, Reason.PARTIAL_DATE)
    assert verdict("gte", "2026-03-01") == (True, True, None)
    assert verdict("lt", "2026-04-01") == (True, True, None)
    assert verdict("lte", "2026-03-31") == (True, True, None)
    assert verdict("lte", "2026-03-30") == (False, False, Reason.PARTIAL_DATE)


def test_f70_a_date_as_an_upper_bound_has_its_whole_day() -> None:
    built = vector(Type.DATETIME, ["2026-03-31T23:59:59.999999", "2026-04-01T00:00"])
    day = read_moment("2026-03-31", ZONE)
    assert probe(built, "lte", (day,)).match.tolist() == [True, False]
    assert probe(built, "gt", (day,)).match.tolist() == [False, True]
    assert probe(built, "eq", (day,)).match.tolist() == [True, False]


def test_f71_instants_compare_across_offsets() -> None:
    built = vector(Type.DATETIME, ["2015-07-23T22:44:08-07:00"])
    same = read_moment("2015-07-24T05:44:08Z", UTC)
    for op in ("eq", "gte", "lte"):
        assert probe(built, op, (same,)).match.tolist() == [True]
    assert probe(built, "lt", (Moment("", same.start + 1, same.end + 1),)).match.tolist() == [True]
