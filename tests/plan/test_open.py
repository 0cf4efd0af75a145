"""Filters on memories: whole columns at once give what the reference says of each memory."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.filter.test_unparse import arranged
from tests.plan.memories import KEYS, NUMBER_OF_WORLDS, SCALARS, remember
from tests.plan.recall import OPEN_OPERATORS, OWN_FIELDS, TAG_ITEM, Case, open_cases, own_cases

from winnow.columns.table import Table
from winnow.errors import InvalidRequest
from winnow.filter.ast import EVERYTHING, Expr, Not, Pred
from winnow.filter.check import Scope, check
from winnow.filter.decode import decode_filter
from winnow.filter.ops import LOOSE, OPERATORS, operators_of
from winnow.filter.parse import parse_where
from winnow.filter.rewrite import rewrite
from winnow.filter.unparse import to_json, to_text
from winnow.memories import AT_FIELDS, RECORDS
from winnow.plan.columnar import Evaluation
from winnow.plan.memories import judge_memory
from winnow.records import Confidence
from winnow.schema import Catalog
from winnow.values import Json

CASES = 300
OWN_OPERATORS = sorted({op for field in (*OWN_FIELDS, TAG_ITEM) for op in operators_of(field)})


def judged(case: Case) -> dict[str, bool]:
    memories = case.past.memories
    return {str(one["id"]): judge_memory(case.pred, one, case.past.zone) for one in memories}


def evaluated(pred: Pred, table: Table) -> dict[str, bool]:
    truth = Evaluation({}, Confidence.EXTRACTED).evaluate(rewrite(pred), table)
    assert truth.settled
    assert truth.match.dtype == np.bool_
    rows = np.flatnonzero(table.alive_rows).tolist()
    return {table.id_of(row): bool(truth.match[row]) for row in rows}


def agree(case: Case) -> None:
    in_parts = case.past.seed % 2 == 1
    table = case.past.table_in_parts if in_parts else case.past.table
    found = evaluated(case.pred, table)
    assert found == judged(case)
    others = evaluated(Not(case.pred), table)
    assert others == {name: not held for name, held in found.items()}


def test_every_operator_is_tried() -> None:
    assert {*OPEN_OPERATORS, *OWN_OPERATORS} == {*OPERATORS}
    assert {*OPEN_OPERATORS} > {*LOOSE}


@pytest.mark.parametrize("op", OPEN_OPERATORS)
def test_columns_of_metadata_say_what_the_reference_says(op: str) -> None:
    """What a filter finds and what its `not` finds are together all memories (F10)."""

    @given(open_cases(op))
    @settings(max_examples=CASES)
    def tried(case: Case) -> None:
        agree(case)

    tried()


@pytest.mark.parametrize("op", OWN_OPERATORS)
def test_columns_of_a_memory_s_own_fields_say_what_the_reference_says(op: str) -> None:
    @given(own_cases(op))
    @settings(max_examples=CASES)
    def tried(case: Case) -> None:
        agree(case)

    tried()


# --- from what is written, and back ---


def resolve(expr: Expr, case: Case) -> Pred:
    scope = Scope(Catalog([]), case.past.zone, datetime(2026, 3, 31, tzinfo=UTC))
    return check(expr, RECORDS, scope).pred


@pytest.mark.parametrize("op", OPEN_OPERATORS)
@settings(max_examples=60)
@given(data=st.data())
def test_what_is_echoed_is_read_back(op: str, data: st.DataObject) -> None:
    cases = open_cases(op) if op not in OWN_OPERATORS else open_cases(op) | own_cases(op)
    case = data.draw(cases)
    assert arranged(resolve(decode_filter(to_json(case.pred), ""), case)) == arranged(case.pred)
    assert arranged(resolve(parse_where(to_text(case.pred), ""), case)) == arranged(case.pred)


names = st.sampled_from([*KEYS, "metadata.a", "tags", "createdAt", "importance", *AT_FIELDS])
words = st.sampled_from([*OPERATORS, "and", "or", "not", "EQ", "field", "op", "value"])
written = st.recursive(
    st.none() | st.sampled_from(SCALARS) | st.sampled_from(["GTE", "in", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names | words, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=500)
@given(st.integers(0, NUMBER_OF_WORLDS - 1), st.dictionaries(names, written, max_size=2) | written)
def test_f14_whatever_is_written_is_evaluated_or_refused(seed: int, raw: Json) -> None:
    case = Case(remember(seed), EVERYTHING)
    try:
        pred = resolve(decode_filter(raw, "/filters"), case)
    except InvalidRequest as error:
        places = [fault.pointer for fault in error.faults]
    else:
        places = []
        agree(Case(case.past, pred))
    assert all(place.startswith("/filters") for place in places)
