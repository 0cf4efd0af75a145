"""Scores of many rows at once are, to the last bit, those of a loop over the texts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.inversion import PostingsPart, build_postings
from winnow.columns.postings import Postings
from winnow.columns.terms import encode_terms
from winnow.rank.bm25 import Statistics


@dataclass(frozen=True)
class Text:
    terms: tuple[int, ...]
    namespace: int = 0
    alive: bool = True


Parts: TypeAlias = Sequence[Sequence[Text]]

TERM = st.integers(0, 5) | st.just(1_000_000)
TEXTS = st.builds(Text, st.lists(TERM, max_size=6).map(tuple), st.integers(0, 3), st.booleans())
PARTS = st.lists(st.lists(TEXTS, max_size=12), max_size=3)
QUERIES = st.lists(TERM | st.none() | st.just(77), max_size=4)
NAMESPACES = st.none() | st.sets(st.integers(0, 4))


def build(parts: Parts) -> Postings:
    return Postings(
        tuple(build_part(texts) for texts in parts),
        tuple(np.array([text.alive for text in texts], np.bool_) for texts in parts),
    )


def build_part(texts: Sequence[Text]) -> PostingsPart:
    blobs = [encode_terms(text.terms) for text in texts]
    return build_postings(blobs, [text.namespace for text in texts])


def expected_statistics(
    parts: Parts, query: Sequence[int | None], namespaces: set[int] | None
) -> Statistics:
    texts = [text for part in parts for text in part if is_searched(text, namespaces)]
    return Statistics(
        len(texts),
        sum(len(text.terms) for text in texts),
        tuple(sum(term in text.terms for text in texts) for term in query),
    )


def expected_scores(
    parts: Parts,
    query: Sequence[int | None],
    namespaces: set[int] | None,
    candidates: set[int] | None = None,
) -> dict[int, float]:
    known = expected_statistics(parts, query, namespaces)
    scores: dict[int, float] = {}
    for row, text in enumerate(text for part in parts for text in part):
        wanted = candidates is None or row in candidates
        if wanted and is_searched(text, namespaces):
            score = 0.0
            for term, frequency in zip(query, known.frequencies, strict=True):
                if term in text.terms:
                    score += weight(text, term, frequency, known)
            if score:
                scores[row] = score
    return scores


def is_searched(text: Text, namespaces: set[int] | None) -> bool:
    return text.alive and (namespaces is None or text.namespace in namespaces)


def weight(text: Text, term: int | None, frequency: int, known: Statistics) -> float:
    count, length, average = (
        text.terms.count(term or 0),
        len(text.terms),
        known.length / known.texts,
    )
    rarity = math.log(1 + (known.texts - frequency + 0.5) / (frequency + 0.5))
    return count * (rarity * (1.2 + 1)) / (length * (1.2 * 0.75 / average) + 1.2 * 0.25 + count)


def scored(
    postings: Postings,
    query: Sequence[int | None],
    namespaces: set[int] | None,
    candidates: "np.ndarray | None" = None,
) -> dict[int, float]:
    found = postings.score(query, candidates, namespaces)
    rows: list[int] = found.rows.tolist()
    assert rows == sorted(set(rows))
    return dict(zip(rows, found.scores.tolist(), strict=True))


@given(PARTS, QUERIES, NAMESPACES)
def test_statistics_are_of_the_living_texts_of_the_namespaces_alone(
    parts: Parts, query: list[int | None], namespaces: set[int] | None
) -> None:
    assert build(parts).statistics(query, namespaces) == expected_statistics(
        parts, query, namespaces
    )


@given(PARTS, QUERIES, NAMESPACES)
def test_every_text_gets_the_score_that_a_loop_gives_it(
    parts: Parts, query: list[int | None], namespaces: set[int] | None
) -> None:
    assert scored(build(parts), query, namespaces) == expected_scores(parts, query, namespaces)


@given(PARTS, QUERIES, NAMESPACES, st.data())
def test_candidates_are_scored_as_if_all_were_and_no_others(
    parts: Parts, query: list[int | None], namespaces: set[int] | None, data: st.DataObject
) -> None:
    size = sum(map(len, parts))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), np.bool_)
    rows = np.flatnonzero(mask)
    expected = expected_scores(parts, query, namespaces, set(rows.tolist()))
    postings = build(parts)
    assert scored(postings, query, namespaces, mask) == expected
    assert scored(postings, query, namespaces, rows) == expected


def zipf_texts(size: int, seed: int, namespaces: int) -> list[Text]:
    random = np.random.default_rng(seed)
    lists: list[list[int]] = (random.zipf(1.5, (size, 8)) % 200_000).tolist()
    lives: list[bool] = (random.random(size) < 0.9).tolist()
    homes: list[int] = random.integers(0, namespaces, size).tolist()
    return [
        Text(tuple(terms), home, alive)
        for terms, home, alive in zip(lists, homes, lives, strict=True)
    ]


@pytest.mark.parametrize("namespaces", [None, {1}, {0, 2}], ids=["all", "one", "two"])
@pytest.mark.parametrize("every", [1, 3, 100, 1_500])
def test_many_texts_get_the_scores_of_a_loop_whatever_share_is_searched(
    every: int, namespaces: set[int] | None
) -> None:
    """Few and many candidates take different ways through the postings, and so do rare terms."""
    parts = [zipf_texts(3_000, 1, 3), zipf_texts(50, 2, 3)]
    query = [1, 2, 5, 40, 150_000, None]
    mask = np.arange(3_050) % every == 0
    expected = expected_scores(parts, query, namespaces, set(np.flatnonzero(mask).tolist()))
    postings = build(parts)
    assert expected
    assert scored(postings, query, namespaces, mask) == expected
    assert scored(postings, query, namespaces, np.flatnonzero(mask)) == expected


def test_more_records_than_fit_in_one_step_of_building() -> None:
    texts = [Text((row % 3, 70_000 + row % 7, 3)) for row in range(70_000)]
    part = build_part(texts)
    for term in (0, 3, 70_001):
        start, end = part.span(term)
        expected = [row for row, text in enumerate(texts) if term in text.terms]
        assert part.texts[start:end].tolist() == expected


@given(PARTS, QUERIES, NAMESPACES)
def test_other_namespaces_never_move_a_score(
    parts: Parts, query: list[int | None], namespaces: set[int] | None
) -> None:
    searched = namespaces if namespaces is not None else {0, 1, 2, 3}
    alone = [[text for text in part if text.namespace in searched] for part in parts]
    mixed = scored(build(parts), query, searched)
    assert list(mixed.values()) == list(scored(build(alone), query, None).values())


@given(PARTS, QUERIES)
def test_scores_do_not_tell_how_the_rows_came_into_their_parts(
    parts: Parts, query: list[int | None]
) -> None:
    living = [text for part in parts for text in part if text.alive]
    parted = scored(build(parts), query, None)
    assert list(parted.values()) == list(scored(build([living]), query, None).values())


@given(PARTS, PARTS, QUERIES)
def test_several_tables_are_searched_as_one_with_their_statistics_added(
    some: Parts, others: Parts, query: list[int | None]
) -> None:
    first, second = build(some), build(others)
    both = first.statistics(query) + second.statistics(query)
    together = scored(build([*some, *others]), query, None)
    apart = [first.score(query, statistics=both), second.score(query, statistics=both)]
    assert [score for one in apart for score in one.scores.tolist()] == list(together.values())


@given(PARTS, QUERIES, st.none() | st.sets(st.integers(0, 40)))
def test_scores_are_looked_up_by_row(
    parts: Parts, query: list[int | None], some: set[int] | None
) -> None:
    found = build(parts).score(query)
    by_row = dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))
    rows = np.array(sorted(range(40) if some is None else some), np.int64)
    assert found.at(rows).tolist() == [by_row.get(row, 0.0) for row in rows.tolist()]


def test_a_rare_term_outweighs_a_common_one_and_a_short_text_a_long_one() -> None:
    """F89: higher is better."""
    texts = [Text((1, 2)), Text((1, 3)), Text((1, 3, 4, 5, 6)), Text((3,))]
    scores = scored(build([texts]), [2, 3], None)
    assert sorted(scores, key=lambda row: -scores[row]) == [0, 3, 1, 2]


def test_nothing_is_found_in_nothing() -> None:
    for postings in (Postings(), build([]), build([[]]), build([[Text(())]])):
        assert scored(postings, [1, None], None) == {}
        assert postings.score([]).rows.tolist() == []
    assert Postings().statistics([1]) == Statistics(0, 0, (0,))


def test_the_memory_is_about_five_bytes_a_posting() -> None:
    texts = [Text(tuple(range(row, row + 30))) for row in range(1_000)]
    assert build([texts]).nbytes < 30_000 * 6
