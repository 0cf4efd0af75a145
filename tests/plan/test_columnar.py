"""Whole columns at once give what the reference judge says of each entity."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from tests.plan.strategies import PAIRS, Case, any_cases, cases
from tests.plan.worlds import ROOT

from winnow.columns.table import Table
from winnow.filter.ast import Pred
from winnow.filter.ops import OPERATORS, TYPED, Family
from winnow.filter.rewrite import rewrite
from winnow.plan.columnar import Evaluation
from winnow.plan.reference import Judge
from winnow.records import Confidence

CASES_OF_AN_OPERATOR = 300
Answer = tuple[bool, bool, bool]


def judged(case: Case, minimum: Confidence) -> dict[str, Answer]:
    judge = Judge(case.realm, minimum, case.realm.zone)
    answers: dict[str, Answer] = {}
    for entity in case.realm.entities[ROOT]:
        verdict = judge.judge(case.pred, ROOT, entity)
        answers[entity] = (verdict.match, verdict.sure, verdict.possible)
    return answers


def evaluated(
    pred: Pred, tables: Mapping[str, Table], minimum: Confidence
) -> tuple[dict[str, Answer], int]:
    table = tables[ROOT]
    truth = Evaluation(tables, minimum).evaluate(rewrite(pred), table)
    rows = np.flatnonzero(table.alive_rows).tolist()
    columns = zip(truth.match.tolist(), truth.sure.tolist(), truth.possible.tolist(), strict=True)
    answers = list(columns)
    return (
        {table.id_of(row): answers[row] for row in rows},
        int(np.count_nonzero(truth.match & table.alive_rows)),
    )


def differences(
    left: Mapping[str, Answer], right: Mapping[str, Answer]
) -> dict[str, tuple[Answer | None, Answer | None]]:
    return {
        entity: (left.get(entity), right.get(entity))
        for entity in left.keys() | right.keys()
        if left.get(entity) != right.get(entity)
    }


def examples_of(op: str) -> int:
    families = sum(one == op for one, _ in PAIRS)
    return -(-CASES_OF_AN_OPERATOR // families)


def test_every_operator_is_tried_on_every_family_that_it_fits() -> None:
    """Those of metadata are tried in test_open.py."""
    tried = {op: [family for one, family in PAIRS if one == op] for op in TYPED}
    assert {op: frozenset(families) for op, families in tried.items()} == {
        op: OPERATORS[op].families - {Family.OPEN} for op in TYPED
    }
    assert min(len(families) * examples_of(op) for op, families in tried.items()) >= 300


@pytest.mark.parametrize(("op", "family"), PAIRS)
def test_columns_say_what_the_reference_says(op: str, family: Family) -> None:
    @given(cases(op, family))
    @settings(max_examples=examples_of(op))
    def agree(case: Case) -> None:
        in_parts = case.realm.seed % 2 == 1
        tables = case.realm.tables_in_parts if in_parts else case.realm.tables
        for minimum in Confidence:
            answers, count = evaluated(case.pred, tables, minimum)
            meant = judged(case, minimum)
            assert differences(answers, meant) == {}
            assert count == sum(match for match, _, _ in meant.values())

    agree()


@given(any_cases())
@settings(max_examples=300)
def test_a_history_of_changes_leaves_no_trace(case: Case) -> None:
    for minimum in Confidence:
        at_once = evaluated(case.pred, case.realm.tables, minimum)
        assert evaluated(case.pred, case.realm.tables_in_parts, minimum) == at_once
