"""Scores of whole arrays are those of a plain reading of the formula."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.rank.fusion import Components, Fusion, Places, Signals, judge, select_best

WEEK = 7 * 86_400.0


@dataclass(frozen=True)
class Candidate:
    keyword: float = 0.0
    cosine: float | None = None
    age: float = 0.0
    importance: float = 0.5


KEYWORDS = st.just(0.0) | st.floats(0.001, 40)
COSINES = st.none() | st.integers(-1_000, 1_000).map(lambda number: number / 1_000)
AGES = st.floats(0, 5e8)
CANDIDATES = st.lists(
    st.builds(Candidate, KEYWORDS, COSINES, AGES, st.floats(0, 1)), min_size=1, max_size=12
)
FUSIONS = st.sampled_from(Fusion)
PARTS = st.booleans()


def signals(
    candidates: Sequence[Candidate], with_keyword: bool = True, with_vector: bool = True
) -> Signals:
    keyword = np.array([one.keyword for one in candidates])
    cosine = np.array([math.nan if one.cosine is None else one.cosine for one in candidates])
    return Signals(
        keyword if with_keyword else None,
        cosine if with_vector else None,
        np.array([one.age for one in candidates]),
        np.array([one.importance for one in candidates]),
    )


def judged(candidates: Sequence[Candidate], fusion: Fusion = Fusion.LINEAR) -> list[float]:
    return judge(signals(candidates), fusion).scores.tolist()


def expected_keyword(candidates: Sequence[Candidate], one: Candidate, fusion: Fusion) -> float:
    if not one.keyword:
        return 0.0
    if fusion is Fusion.LINEAR:
        return one.keyword / max(other.keyword for other in candidates)
    return rank_share(one.keyword, [other.keyword for other in candidates])


def expected_vector(candidates: Sequence[Candidate], cosine: float, fusion: Fusion) -> float:
    cosines = [other.cosine for other in candidates if other.cosine is not None]
    if fusion is Fusion.RRF:
        return rank_share(cosine, cosines)
    if max(cosines) - min(cosines) < 1e-6:
        return max(cosine, 0)
    mean = math.fsum(cosines) / len(cosines)
    return max(cosine - mean, 0) / (max(cosines) - mean)


def rank_share(value: float, values: Sequence[float]) -> float:
    """One over 60 and the rank, as a share of what the first rank gives."""
    rank = 1 + sum(other > value for other in values)
    return (1 / (60 + rank)) / (1 / (60 + 1))


def expected_score(
    candidates: Sequence[Candidate],
    one: Candidate,
    fusion: Fusion,
    with_keyword: bool,
    with_vector: bool,
) -> float:
    keyword = expected_keyword(candidates, one, fusion) if with_keyword else None
    vector = None
    if with_vector and one.cosine is not None:
        vector = expected_vector(candidates, one.cosine, fusion)
    recency = 0.5 ** (one.age / WEEK)
    return 0.9 * mixed(keyword, vector, fusion) + 0.05 * recency + 0.05 * one.importance


def mixed(keyword: float | None, vector: float | None, fusion: Fusion) -> float:
    if keyword is None or vector is None:
        return next((part for part in (keyword, vector) if part is not None), 0.0)
    share = 0.6 if fusion is Fusion.LINEAR else 0.5
    return share * keyword + (1 - share) * vector


@given(CANDIDATES, FUSIONS, PARTS, PARTS)
def test_a_score_is_what_the_formula_says(
    candidates: list[Candidate], fusion: Fusion, with_keyword: bool, with_vector: bool
) -> None:
    ranking = judge(signals(candidates, with_keyword, with_vector), fusion)
    expected = [
        expected_score(candidates, one, fusion, with_keyword, with_vector) for one in candidates
    ]
    assert ranking.scores.tolist() == pytest.approx(expected, abs=6e-7)


@given(CANDIDATES, FUSIONS, PARTS, PARTS)
def test_scores_and_components_are_between_0_and_1_with_six_digits(
    candidates: list[Candidate], fusion: Fusion, with_keyword: bool, with_vector: bool
) -> None:
    """F89: higher is better, and never a distance nor below 0."""
    ranking = judge(signals(candidates, with_keyword, with_vector), fusion)
    for place, score in enumerate(ranking.scores.tolist()):
        for value in (score, *known_parts(ranking.components(place))):
            assert 0 <= value <= 1
            assert value == round(value, 6)


def known_parts(components: Components) -> list[float]:
    parts = (components.keyword, components.vector, components.recency, components.importance)
    return [part for part in parts if part is not None]


@given(CANDIDATES, FUSIONS, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_moves_no_score(
    candidates: list[Candidate], fusion: Fusion, order: random.Random
) -> None:
    shuffled = order.sample(candidates, len(candidates))
    pairs = zip(candidates, judged(candidates, fusion), strict=True)
    others = zip(shuffled, judged(shuffled, fusion), strict=True)
    assert sorted(pairs, key=repr) == sorted(others, key=repr)


def test_words_count_six_tenths_and_meaning_four() -> None:
    words = Candidate(keyword=3.0, cosine=0.1, importance=0)
    meaning = Candidate(keyword=0.0, cosine=0.9, importance=0)
    assert judged([words, meaning]) == [0.59, 0.41]


def test_a_candidate_without_a_vector_is_judged_by_its_words_alone() -> None:
    near = Candidate(keyword=4.0, cosine=0.9)
    far = Candidate(keyword=4.0, cosine=0.1)
    silent = Candidate(keyword=2.0, cosine=None)
    ranking = judge(signals([near, far, silent]))
    assert ranking.scores.tolist() == [0.975, 0.615, 0.525]
    assert [ranking.components(place).vector for place in range(3)] == [1.0, 0.0, None]


def test_a_query_without_words_or_vector_ranks_by_what_is_left() -> None:
    candidates = [Candidate(keyword=2.0, cosine=0.1), Candidate(keyword=1.0, cosine=0.3)]
    assert judge(signals(candidates, with_vector=False)).scores.tolist() == [0.975, 0.525]
    assert judge(signals(candidates, with_keyword=False)).scores.tolist() == [0.075, 0.975]
    neither = judge(signals(candidates, with_keyword=False, with_vector=False))
    assert neither.scores.tolist() == [0.075, 0.075]
    assert neither.components(0) == Components(None, None, 1.0, 0.5)


@pytest.mark.parametrize(("cosine", "value"), [(0.8, 0.8), (-0.3, 0.0), (1.000_000_1, 1.0)])
@pytest.mark.parametrize("copies", [1, 3])
def test_without_a_spread_the_cosine_itself_counts(
    cosine: float, value: float, copies: int
) -> None:
    ranking = judge(signals([Candidate(cosine=cosine)] * copies))
    assert [ranking.components(place).vector for place in range(copies)] == [value] * copies


def test_cosines_that_differ_by_the_error_of_32_bits_are_equal() -> None:
    ranking = judge(signals([Candidate(cosine=0.8), Candidate(cosine=0.8 - 1e-7)]))
    assert ranking.scores.tolist() == judged([Candidate(cosine=0.8)]) * 2


def test_words_that_nobody_has_add_nothing() -> None:
    assert judged([Candidate(cosine=0.2), Candidate(cosine=0.6)]) == [0.075, 0.435]


def test_a_week_halves_recency_and_nothing_is_newer_than_new() -> None:
    ages = [0, WEEK, 2 * WEEK, -WEEK, 1e12]
    ranking = judge(signals([Candidate(age=age) for age in ages]))
    recencies = [ranking.components(place).recency for place in range(len(ages))]
    assert recencies == [1.0, 0.5, 0.25, 1.0, 0.0]


def test_ranks_count_by_one_over_sixty_and_the_rank_and_ties_share_one() -> None:
    candidates = [Candidate(keyword=value) for value in (5.0, 9.0, 5.0, 1.0, 0.0)]
    ranking = judge(signals(candidates), Fusion.RRF)
    shares = [ranking.components(place).keyword for place in range(len(candidates))]
    assert shares == [0.983871, 1.0, 0.983871, 0.953125, 0.0]


def test_nothing_is_judged_when_there_is_nobody() -> None:
    for fusion in Fusion:
        assert judge(signals([]), fusion).scores.tolist() == []


def test_many_cosines_have_the_same_mean_in_any_order() -> None:
    """More of them than a sum of 64 bits holds at once."""
    cosines = np.random.default_rng(3).uniform(-1, 1, 200_001)
    order = np.random.default_rng(4).permutation(len(cosines))
    ages = importance = np.zeros(len(cosines))
    there = judge(Signals(None, cosines, ages, importance)).vector
    again = judge(Signals(None, cosines[order], ages, importance)).vector
    assert there is not None
    assert again is not None
    assert there[order].tobytes() == again.tobytes()
    mean = math.fsum(cosines) / len(cosines)
    expected = np.maximum((cosines - mean) / (cosines.max() - mean), 0)
    assert np.abs(there - expected).max() < 1e-9


# --- the best of them ------------------------------------------------------------------------


def namer(ids: Sequence[str]) -> Callable[[Places], list[tuple[str, ...]]]:
    def name(places: Places) -> list[tuple[str, ...]]:
        numbers: list[int] = places.tolist()
        return [(ids[number],) for number in numbers]

    return name


SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.500001, 1.0]), max_size=12)


@given(SCORES, st.integers(0, 14), st.none() | st.sampled_from([0.25, 0.5, 2.0]), st.data())
def test_the_best_come_first_and_equal_ones_by_name(
    scores: list[float], limit: int, minimum: float | None, data: st.DataObject
) -> None:
    """F89: a stable order with the id to decide."""
    ids = data.draw(st.permutations([f"m{number}" for number in range(len(scores))]))
    kept = [place for place, score in enumerate(scores) if minimum is None or score >= minimum]
    expected = sorted(kept, key=lambda place: (-scores[place], ids[place]))[:limit]
    found = select_best(
        np.array(scores, np.float64),
        limit,
        namer(ids),
        minimum,
    )
    assert found.tolist() == expected


@given(st.integers(0, 2**32), st.integers(0, 400), st.integers(1, 30), st.sampled_from([3, 1_000]))
def test_the_best_of_many_are_the_best(seed: int, size: int, limit: int, values: int) -> None:
    """Among many, the best are looked for where the highest of some stretches are."""
    scores = np.round(np.random.default_rng(seed).integers(0, values, size) / values, 6)
    ids = [f"m{number:03}" for number in range(size)]
    expected = sorted(range(size), key=lambda place: (-scores[place], ids[place]))[:limit]
    assert select_best(scores, limit, namer(ids)).tolist() == expected


def test_names_are_asked_only_of_those_that_may_be_among_the_best() -> None:
    asked: list[int] = []

    def name(places: Places) -> list[tuple[str, ...]]:
        asked.extend(places.tolist())
        return [(str(place),) for place in places.tolist()]

    scores = np.array([0.1, 0.9, 0.5, 0.5, 0.3])
    assert select_best(scores, 2, name).tolist() == [1, 2]
    assert asked == [1, 2, 3]


def test_a_minimum_is_on_the_rounded_score() -> None:
    scores = judge(
        replace(signals([Candidate()] * 2), importance=np.array([0.499_999_9, 0.499_98]))
    ).scores
    assert select_best(scores, 5, namer(["a", "b"]), 0.075).tolist() == [0]
