"""The measures, by hand and by what has to hold of any order."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.evaluation.measures import ndcg_at, recall_at, reciprocal_rank

Order: TypeAlias = Sequence[str]
Grades: TypeAlias = Mapping[str, int]

NAMES = st.sampled_from("abcdefgh")
ORDERS = st.lists(NAMES, unique=True)
GRADES = st.dictionaries(NAMES, st.integers(1, 3), min_size=1)
COUNTS = st.integers(1, 10)


@pytest.mark.parametrize(
    ("found", "relevant", "share"),
    [
        ("abcde", "a", 1),
        ("abcde", "e", 1),
        ("abcdef", "f", 0),
        ("abcdef", "af", 0.5),
        ("", "ab", 0),
        ("abcdefg", "abcdefgxyz", 0.5),
    ],
)
def test_recall_is_the_share_of_the_relevant_that_are_found(
    found: str, relevant: str, share: float
) -> None:
    assert recall_at(5, list(found), dict.fromkeys(relevant, 1)) == share


@pytest.mark.parametrize(
    ("found", "rank"), [("abc", 1), ("bac", 1 / 2), ("bcdae", 1 / 4), ("bcdefa", 0), ("", 0)]
)
def test_the_reciprocal_rank_is_that_of_the_first_relevant_one(found: str, rank: float) -> None:
    assert reciprocal_rank(5, list(found), {"a": 1, "z": 1}) == rank


@pytest.mark.parametrize(
    ("found", "relevant", "gain"),
    [
        ("ab", {"a": 1}, 1),
        ("ba", {"a": 1}, 1 / math.log2(3)),
        ("xaxb", {"a": 1, "b": 1}, (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3))),
        # The better one comes second: 1 + 2/log2(3) of the best, 2 + 1/log2(3).
        ("ba", {"a": 2, "b": 1}, (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))),
        # More are relevant than are looked at: only so many count in the best order.
        ("abc", {"a": 1, "b": 1, "c": 1, "d": 1}, 1),
        ("xyz", {"a": 1}, 0),
    ],
)
def test_gains_are_discounted_by_place_and_a_share_of_the_best(
    found: str, relevant: Grades, gain: float
) -> None:
    assert ndcg_at(3 if len(found) == 3 else 10, list(found), relevant) == pytest.approx(gain)


@given(COUNTS, ORDERS, GRADES)
def test_every_measure_is_between_0_and_1(count: int, found: Order, relevant: Grades) -> None:
    for measure in (recall_at, reciprocal_rank, ndcg_at):
        assert 0 <= measure(count, found, relevant) <= 1


@given(COUNTS, GRADES)
def test_the_best_order_has_the_most_of_each(count: int, relevant: Grades) -> None:
    best = sorted(relevant, key=lambda name: -relevant[name])
    assert ndcg_at(count, best, relevant) == 1
    assert reciprocal_rank(count, best, relevant) == 1
    assert recall_at(count, best, relevant) == min(count, len(relevant)) / len(relevant)


@given(COUNTS, ORDERS, GRADES)
def test_what_stands_behind_the_first_ones_does_not_matter(
    count: int, found: Order, relevant: Grades
) -> None:
    for measure in (recall_at, reciprocal_rank, ndcg_at):
        assert measure(count, found, relevant) == measure(count, found[:count], relevant)


@given(ORDERS, GRADES)
def test_nothing_is_lost_by_looking_at_more(found: Order, relevant: Grades) -> None:
    for measure in (recall_at, reciprocal_rank):
        shares = [measure(count, found, relevant) for count in range(1, 10)]
        assert shares == sorted(shares)
