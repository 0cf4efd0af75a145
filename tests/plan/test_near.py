"""Near misses: who would match if one decided test came out otherwise, the nearest first."""

from collections.abc import Iterator, Mapping
from datetime import UTC

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plan.strategies import Case, any_cases
from tests.plan.worlds import ROOT

from winnow.columns.table import Changes, Table
from winnow.filter.ast import All, Any, Arg, Match, Not, Pred
from winnow.filter.rewrite import Conjunction, Leaf, Plan, rewrite
from winnow.plan.columnar import Evaluation
from winnow.plan.near import find_near
from winnow.records import Confidence
from winnow.schema import Field, IdRule, Schema
from winnow.values import Type, read_moment

minimums = st.sampled_from(list(Confidence))


def leaves(plan: Plan, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Leaf]]:
    if isinstance(plan, Leaf):
        yield path, plan
    else:
        for place, part in enumerate(plan.parts):
            yield from leaves(part, (*path, place))


def holds(plan: Plan, facts: Mapping[tuple[int, ...], bool], path: tuple[int, ...] = ()) -> bool:
    if isinstance(plan, Leaf):
        return facts[path]
    parts = [holds(part, facts, (*path, place)) for place, part in enumerate(plan.parts)]
    return all(parts) if isinstance(plan, Conjunction) else any(parts)


@given(any_cases(), minimums, st.sampled_from([1, 3, 50]))
@settings(max_examples=200)
def test_near_are_the_rows_that_one_decided_test_keeps_out(
    case: Case, minimum: Confidence, count: int
) -> None:
    tables = case.realm.tables_in_parts if case.realm.seed % 2 else case.realm.tables
    table = tables[ROOT]
    evaluation = Evaluation(tables, minimum)
    plan = rewrite(case.pred, joint=False)
    truths = {path: evaluation.evaluate_leaf(leaf, table) for path, leaf in leaves(plan)}
    kept_out: set[str] = set()
    for row in np.flatnonzero(table.alive_rows).tolist():
        facts = {path: bool(truth.match[row]) for path, truth in truths.items()}
        decided = [path for path, one in truths.items() if one.sure[row] == one.possible[row]]
        flips = any(holds(plan, {**facts, path: not facts[path]}) for path in decided)
        if flips and not holds(plan, facts):
            kept_out.add(table.id_of(row))
    near = find_near(plan, evaluation, table, count)
    found = [table.id_of(one.row) for one in near]
    assert len(found) == len(set(found)) == min(count, len(kept_out))
    assert set(found) <= kept_out
    assert [(one.distance, table.id_of(one.row)) for one in near] == sorted(
        (one.distance, table.id_of(one.row)) for one in near
    )
    everyone = find_near(plan, evaluation, table, 1000)
    assert [one.row for one in everyone[:count]] == [one.row for one in near]


PERCENT = Field("pct", Type.NUMBER, minimum=0, maximum=100)
COUNT, DAY, TEXT = Field("n", Type.INTEGER), Field("d", Type.DATE), Field("t", Type.STRING)
HUGE = Field("huge", Type.NUMBER)
FIELDS = (PERCENT, COUNT, DAY, TEXT, HUGE)
SCHEMA = Schema("t.A", "A", IdRule(""), {one.name: one for one in FIELDS})
ROWS: tuple[dict[str, str | int | float], ...] = (
    {"pct": 9, "n": 10, "d": "2026-03-01", "t": "a", "huge": 1.5e308},
    {"pct": 5.5, "n": 20, "d": "2026-03-11", "t": "b", "huge": -1.5e308},
    {"pct": 30, "n": 60, "d": "2026-03-21", "t": "c", "huge": 0},
    {"t": "d"},
)
TABLE = Table(SCHEMA, UTC).changed(
    Changes(range(4), [f"A-{n}" for n in range(4)], [True] * 4, ROWS)
)


def distances(pred: Pred) -> dict[str, object]:
    evaluation = Evaluation({"t.A": TABLE}, Confidence.EXTRACTED)
    near = find_near(rewrite(pred, joint=False), evaluation, TABLE, 10)
    return {TABLE.id_of(one.row): pytest.approx(one.distance) for one in near}


def on(field: Field, op: str, *args: Arg) -> Match:
    return Match((), field, op, args)


def test_the_distance_is_the_gap_over_the_declared_range() -> None:
    assert distances(on(PERCENT, "gte", 10)) == {"A-0": 0.01, "A-1": 0.045}
    assert distances(on(PERCENT, "lt", 5.5)) == {"A-1": 0, "A-0": 0.035, "A-2": 0.245}


def test_without_a_declared_range_it_is_over_the_one_seen() -> None:
    assert distances(on(COUNT, "gt", 60)) == {"A-2": 0, "A-1": 0.8, "A-0": 1}
    assert distances(on(COUNT, "in", 12, 25)) == {"A-0": 0.04, "A-1": 0.1, "A-2": 0.7}
    assert distances(on(COUNT, "between", 25, 50)) == {"A-1": 0.1, "A-2": 0.2, "A-0": 0.3}


def test_dates_are_as_far_apart_as_they_begin() -> None:
    pred = on(DAY, "gte", read_moment("2026-03-21", UTC))
    assert distances(pred) == {"A-1": 0.5, "A-0": 1}


def test_where_all_values_are_the_same_the_distance_is_the_gap_itself() -> None:
    table = Table(SCHEMA, UTC).changed(Changes([1], ["A-1"], [True], [{"n": 4}]))
    evaluation = Evaluation({"t.A": table}, Confidence.EXTRACTED)
    (near,) = find_near(rewrite(on(COUNT, "gt", 7)), evaluation, table, 1)
    assert near.distance == 3


def test_texts_know_no_distance() -> None:
    assert distances(on(TEXT, "eq", "b")) == {"A-0": 1, "A-2": 1, "A-3": 1}


def test_what_is_missing_is_never_near() -> None:
    assert "A-3" not in distances(on(PERCENT, "gte", 10))
    assert "A-3" not in distances(Not(on(PERCENT, "gte", 10)))


def test_the_smaller_of_two_distances_counts() -> None:
    either = Any((on(PERCENT, "gte", 50), on(COUNT, "gt", 60)))
    assert distances(either) == {"A-2": 0, "A-0": 0.41, "A-1": 0.445}


def test_a_row_that_two_tests_keep_out_is_not_near() -> None:
    assert distances(All((on(PERCENT, "gte", 10), on(COUNT, "gt", 15)))) == {"A-1": 0.045}


def test_numbers_too_far_apart_for_a_float_have_a_distance_too() -> None:
    found = distances(on(HUGE, "gt", 1.5e308))
    assert list(found) == ["A-0", "A-2", "A-1"]
