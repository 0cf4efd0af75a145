"""Vectors keep values exactly, texts in the order of their code points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.columns.vectors import VALUES, build, contents, vector

from winnow.columns import arrays
from winnow.columns.arrays import (
    BROKEN,
    NO_EDGES,
    Edges,
    ListValues,
    MomentValues,
    TextValues,
    build_texts,
    sort_words,
    text_array,
)
from winnow.records import Candidate, Confidence
from winnow.schema import Field
from winnow.values import PACK_TYPES, Type

EXTRACTED, INFERRED, AMBIGUOUS = Confidence.EXTRACTED, Confidence.INFERRED, Confidence.AMBIGUOUS
NUMBER = Field("n", Type.INTEGER)
texts = st.lists(st.text(max_size=4), max_size=30)


@pytest.mark.parametrize("kind", PACK_TYPES)
def test_a_vector_gives_back_what_it_was_made_of(kind: Type) -> None:
    values = VALUES[kind]
    found = contents(vector(Field("f", kind), values))
    assert found == list(values)
    assert [type(one) for one in found if kind is not Type.NUMBER] == [
        type(one) for one in values if kind is not Type.NUMBER
    ]


@pytest.mark.parametrize("kind", PACK_TYPES)
def test_lists_give_back_what_they_were_made_of(kind: Type) -> None:
    pool = VALUES[kind]
    lists = [(), pool[:1], pool, (), pool[::-1], pool[:2] * 2]
    assert contents(vector(Field("f", kind, is_list=True), lists)) == lists


@given(texts)
def test_words_are_sorted_by_code_point_and_each_stands_there_once(words: list[str]) -> None:
    for values in (words, words * 5):
        built = build_texts(values)
        assert [built.get(row) for row in range(len(built))] == values
        stored = built.words.tolist()
        assert stored == sorted(set(values)) or not values


@pytest.mark.parametrize("known", [0, 1_000])
def test_a_text_is_found_by_its_code_whether_or_not_the_words_are_few(
    known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "_FEW", known)
    built = build_texts(["b", "a", "b", "c\0"])
    assert [built.find(text) for text in ("a", "b", "c", "c\0", "")] == [0, 1, None, 2, None]


def test_texts_that_end_in_nul_stay_apart() -> None:
    built = build_texts(["a\0", "a", "a\0b"] * 4)
    assert built.words.tolist() == ["a", "a\0", "a\0b"]
    assert built.get(0) == "a\0"


@pytest.mark.parametrize("values", [["b", None, "a"], [None, *["b", "a"] * 9], [None, None], []])
def test_a_row_without_a_text_holds_a_filler(values: list[str | None]) -> None:
    built = build_texts(values)
    assert len(built) == len(values)
    for row, value in enumerate(values):
        if value is not None:
            assert built.get(row) == value
        assert built.codes[row] < len(built.words)


def test_equal_dates_keep_their_own_spellings() -> None:
    spellings = ["2015-07-24T05:44:08Z", "2015-07-23T22:44:08-07:00"]
    built = vector(Field("d", Type.DATETIME), spellings)
    assert isinstance(built, MomentValues)
    assert built.starts[0] == built.starts[1]
    assert contents(built) == spellings


def test_each_item_knows_its_row() -> None:
    built = vector(Field("l", Type.INTEGER, is_list=True), [(), (1, 2), (), (3,), ()])
    assert isinstance(built, ListValues)
    assert built.owners.tolist() == [1, 1, 3]


def test_a_column_knows_where_a_value_counts() -> None:
    low, torn = (Candidate(1, INFERRED),), (Candidate(1), Candidate(2))
    column = build(NUMBER, [5, low, torn, None])
    known = {minimum: column.known(minimum) for minimum in Confidence}
    assert {name: mask.tolist() for name, mask in known.items() if mask is not None} == {
        EXTRACTED: [True, False, False, False],
        INFERRED: [True, True, False, False],
        AMBIGUOUS: [True, True, True, False],
    }
    assert [column.get(row) for row in range(4)] == [5, 1, 1, None]


def test_a_column_in_which_every_value_counts_has_no_mask() -> None:
    column = build(NUMBER, [5, (Candidate(6, INFERRED),)])
    assert column.known(INFERRED) is None
    assert column.known(EXTRACTED) is not None


def test_edges_are_parted_by_whether_their_level_counts() -> None:
    edges = Edges(np.array([4, 5, 6]), np.array([1, 1, 2]), np.array([3, 1, 2], np.uint8))
    assert edges.at_least(AMBIGUOUS) is edges
    assert edges.at_least(INFERRED).sources.tolist() == [4, 6]
    assert edges.below(INFERRED).sources.tolist() == [5]
    assert edges.below(EXTRACTED).targets.tolist() == [1, 2]
    assert len(edges.below(AMBIGUOUS).sources) == 0
    assert len(NO_EDGES.below(EXTRACTED).sources) == len(NO_EDGES.at_least(EXTRACTED).sources) == 0


def test_a_broken_reference_is_no_row() -> None:
    """It is the last row of any mask that has one more row for it."""
    assert np.arange(3)[BROKEN] == 2


@given(texts)
def test_arrays_of_texts_sort_as_python_does(words: list[str]) -> None:
    assert np.sort(text_array(words)).tolist() == sorted(words)


def test_a_text_vector_of_ids_is_its_own_dictionary() -> None:
    built = TextValues(text_array(["A-1", "A-2"]), np.arange(2, dtype=np.int32))
    assert [built.get(0), built.get(1)] == ["A-1", "A-2"]


def slow_order(count: int) -> list[str]:
    """Texts in the order that makes a quicksort slow which takes the middle of three."""
    half = count // 2
    numbers = [0] * count
    for place in range(half):
        numbers[place] = place + (half if place % 2 else 1)
        numbers[half + place] = 2 * (place + 1)
    return [f"the text of number {number:06}" for number in numbers]


@given(st.lists(st.text(max_size=40), max_size=60))
def test_words_are_sorted_and_each_text_knows_its_place(some: list[str]) -> None:
    words, places = sort_words(text_array(some))
    assert words.tolist() == sorted(set(some))
    assert words[places].tolist() == some


@pytest.mark.parametrize("count", [1_024, 10_000])
def test_no_order_of_texts_brings_the_process_down(count: int) -> None:
    some = slow_order(count)
    assert contents(build_texts(some)) == some
    words, places = sort_words(text_array(some))
    assert words.tolist() == sorted(some)
    assert words[places].tolist() == some
