"""BM25 of a text on its own, and statistics that add up."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.rank.bm25 import Statistics, rarity, score_text, weigh


def known(texts: int, length: int, *frequencies: int) -> Statistics:
    return Statistics(texts, length, frequencies)


def test_a_term_counts_by_its_rarity_its_count_and_the_length_of_the_text() -> None:
    statistics = known(10, 200, 3)
    found = weigh(np.array([2.0]), np.array([30.0]), statistics, 0)
    norm = 1.2 * (1 - 0.75 + 0.75 * 30 / 20)
    assert found.tolist() == pytest.approx([math.log(1 + 7.5 / 3.5) * 2 * 2.2 / (2 + norm)])


@given(st.integers(0, 1_000), st.integers(0, 1_000))
def test_a_rarer_term_tells_more_and_every_one_tells_something(texts: int, frequency: int) -> None:
    frequency = min(frequency, texts)
    assert rarity(frequency, texts) > 0
    assert rarity(frequency, texts + 1) > rarity(frequency + 1, texts + 1)


def test_the_arrays_that_are_weighed_stay_as_they_are() -> None:
    counts, lengths = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    weigh(counts, lengths, known(5, 20, 2), 0)
    assert (counts.tolist(), lengths.tolist()) == ([1.0, 2.0], [3.0, 4.0])


def test_the_score_of_a_text_is_the_sum_over_the_terms_that_it_has() -> None:
    statistics = known(10, 200, 3, 0, 5)
    parts = [
        float(weigh(np.array([count]), np.array([6.0]), statistics, term)[0])
        for term, count in ((0, 2.0), (2, 1.0))
    ]
    assert score_text([2, 0, 1], 6, statistics) == sum(parts)


def test_a_text_can_be_scored_where_nothing_is_stored() -> None:
    """A topic is measured against itself, and its words may be new."""
    assert score_text([1, 1], 2, known(0, 0, 0, 0)) > 0
    assert score_text([0], 0, known(0, 0, 0)) == 0


def test_statistics_of_two_collections_are_those_of_both_together() -> None:
    assert known(2, 10, 1, 0) + known(3, 20, 2, 3) == known(5, 30, 3, 3)
    assert (known(2, 10) + known(3, 20)).average == 6.0
