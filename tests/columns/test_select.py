"""Some rows of a vector, and several vectors in one, hold the values that they were made of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.columns.vectors import VALUES, contents, vector

from winnow.columns.arrays import Rows
from winnow.columns.select import concat, take
from winnow.schema import Field
from winnow.values import PACK_TYPES, Type, Value

kinds = st.sampled_from(PACK_TYPES)


def values_of(field: Field, draw: st.DrawFn) -> list[Value]:
    single: st.SearchStrategy[Value] = st.sampled_from(VALUES[field.type])
    lists: st.SearchStrategy[Value] = st.lists(single, max_size=3).map(tuple)
    return draw(st.lists(lists if field.is_list else single, min_size=1, max_size=12))


@st.composite
def vectors(draw: st.DrawFn, count: int) -> tuple[Field, list[list[Value]]]:
    field = Field("f", draw(kinds), is_list=draw(st.booleans()))
    return field, [values_of(field, draw) for _ in range(count)]


def rows_of(places: list[int]) -> Rows:
    return np.array(places, np.int64)


@given(vectors(1), st.data())
def test_taken_rows_come_in_their_order_and_as_often_as_asked(
    drawn: tuple[Field, list[list[Value]]], data: st.DataObject
) -> None:
    field, (values,) = drawn
    places = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=20))
    taken = take(vector(field, values), rows_of(places))
    assert contents(taken) == [values[place] for place in places]


@given(vectors(3))
def test_vectors_come_one_after_the_other(drawn: tuple[Field, list[list[Value]]]) -> None:
    field, parts = drawn
    joined = concat([vector(field, values) for values in parts])
    assert contents(joined) == [value for values in parts for value in values]


@given(vectors(2), st.data())
def test_parts_of_what_was_joined_can_be_taken_and_joined_again(
    drawn: tuple[Field, list[list[Value]]], data: st.DataObject
) -> None:
    field, (left, right) = drawn
    whole = [*left, *right]
    joined = concat([vector(field, left), vector(field, right)])
    places = data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=9))
    taken = take(joined, rows_of(places))
    again = concat([taken, joined])
    assert contents(again) == [*(whole[place] for place in places), *whole]


def test_a_few_rows_of_many_words_bring_only_their_own_words() -> None:
    many = vector(Field("t", Type.STRING), [f"word {n:03}" for n in range(100)])
    few = take(many, rows_of([7, 3, 7]))
    assert contents(few) == ["word 007", "word 003", "word 007"]
    assert len(getattr(few, "words", ())) == 2


@pytest.mark.parametrize("kind", PACK_TYPES)
def test_no_rows_make_an_empty_vector(kind: Type) -> None:
    for is_list in (False, True):
        field = Field("f", kind, is_list=is_list)
        value: Value = VALUES[kind][0]
        full = vector(field, [(value,)] if is_list else [value])
        assert contents(take(full, rows_of([]))) == []
