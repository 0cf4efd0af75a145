"""Ranking rows of a table: by the formula, within the selection alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from winnow.columns.inversion import build_postings
from winnow.columns.memories import MemoryChanges
from winnow.columns.postings import Postings
from winnow.columns.table import Table
from winnow.columns.terms import encode_terms
from winnow.columns.vectors import Vectors, build_vectors
from winnow.memories import RECORDS
from winnow.plan.gather import Selection
from winnow.plan.ranking import Fields, Ranked, Weighing, score
from winnow.rank.fusion import Fusion

FIELDS = Fields(
    RECORDS.fields["namespace"], RECORDS.fields["updatedAt"], RECORDS.fields["importance"]
)
SPACES = ("east", "west")
WEEK = 7 * 86_400_000
MODEL = "model"


@dataclass(frozen=True, slots=True)
class One:
    """A record: what ranking looks at. `changed` counts weeks."""

    id: str
    space: int
    terms: tuple[int, ...]
    vector: tuple[float, float] | None
    changed: int
    importance: float


@dataclass(frozen=True, slots=True)
class World:
    """Records in the order of their ids, as a table with what stands beside it."""

    records: Sequence[One]

    def rank(self, rows: Sequence[int], weighing: Weighing, limit: int = 100) -> list[Ranked]:
        if not self.records:
            return []  # a table without rows has no parts
        table = self._table()
        alive = table.alive
        packed = [
            None if one.vector is None else np.array(one.vector, "<f4").tobytes()
            for one in self.records
        ]
        models = [None if one is None else MODEL for one in packed]
        terms = [encode_terms(one.terms) for one in self.records]
        postings = Postings((build_postings(terms, [r.space for r in self.records]),), alive)
        vectors = Vectors((build_vectors(packed, models),), alive)
        selection = Selection("", table, {}, np.array(rows, np.int64))
        return score(selection, (postings, vectors), FIELDS, weighing).best(limit)

    def _table(self) -> Table:
        records = self.records
        return Table(RECORDS, UTC).changed(
            MemoryChanges(
                [],
                list(range(len(records))),
                [one.id for one in records],
                {
                    "namespace": [SPACES[one.space] for one in records],
                    "updatedAt": [one.changed * WEEK for one in records],
                    "importance": [one.importance for one in records],
                },
                [{} for _ in records],
            )
        )


directions = st.sampled_from([(1.0, 0.0), (0.0, 1.0), (0.6, 0.8), (-0.8, 0.6), (-1.0, 0.0)])
numbered = st.integers(1, 14).flatmap(
    lambda size: st.tuples(
        *(
            st.builds(
                One,
                id=st.just(f"r{number:02}"),
                space=st.integers(0, 1),
                terms=st.lists(st.integers(1, 4), max_size=5).map(tuple),
                vector=st.none() | directions,
                changed=st.integers(0, 3),
                importance=st.sampled_from([0.0, 0.25, 1.0]),
            )
            for number in range(size)
        )
    )
)
worlds = numbered.map(World)
choices = st.lists(st.booleans(), min_size=14, max_size=14)


def bm25(world: World, one: One, terms: Sequence[int], spaces: Sequence[int]) -> float:
    """Score a record as plainly as can be, by the statistics of the namespaces searched."""
    texts = [other.terms for other in world.records if other.space in spaces]
    average = sum(map(len, texts)) / len(texts) or 1.0
    total = 0.0
    for term in terms:
        having = sum(term in text for text in texts)
        rarity = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        count = one.terms.count(term)
        norm = 1.2 * (0.25 + 0.75 * len(one.terms) / average)
        total += rarity * count * 2.2 / (count + norm)
    return total


def expected(
    world: World, rows: Sequence[int], terms: Sequence[int], query: tuple[float, float]
) -> list[float]:
    """Return the scores of the rows by the formula."""
    chosen = [world.records[row] for row in rows]
    words = [bm25(world, one, terms, (0, 1)) for one in chosen]
    cosines = [
        None if one.vector is None else sum(map(float.__mul__, one.vector, query)) for one in chosen
    ]
    known = [cosine for cosine in cosines if cosine is not None]
    mean = sum(known) / len(known) if known else 0.0
    spread = max(known, default=0.0) - min(known, default=0.0)
    scores: list[float] = []
    for one, word, cosine in zip(chosen, words, cosines, strict=True):
        keyword = word / max(words) if max(words) else 0.0
        fusion = keyword
        if cosine is not None:
            scaled = (cosine - mean) / (max(known) - mean) if spread > 1e-6 else cosine
            fusion = 0.6 * keyword + 0.4 * max(scaled, 0.0)
        last = max(other.changed for other in world.records if other.space == one.space)
        recency = 0.5 ** (last - one.changed)
        scores.append(0.9 * fusion + 0.05 * recency + 0.05 * one.importance)
    return scores


@settings(max_examples=60)
@given(
    worlds, choices, st.lists(st.integers(1, 4), min_size=1, max_size=3, unique=True), directions
)
def test_scores_are_those_of_the_formula(
    world: World, chosen: list[bool], terms: list[int], query: tuple[float, float]
) -> None:
    rows = [row for row in range(len(world.records)) if chosen[row]]
    weighing = Weighing(terms, [(MODEL, np.array(query, np.float32))], (0, 1))
    ranked = world.rank(rows, weighing)
    assert sorted(one.row for one in ranked) == rows
    wanted = dict(zip(rows, expected(world, rows, terms, query), strict=True))
    assert all(math.isclose(one.score, wanted[one.row], abs_tol=2e-6) for one in ranked)
    order = [(-one.score, world.records[one.row].id) for one in ranked]
    assert order == sorted(order)


@settings(max_examples=30)
@given(
    worlds,
    choices,
    st.sampled_from(Fusion),
    st.none() | st.floats(0, 1),
    st.none() | st.floats(0, 1),
)
def test_all_above_the_minimum_come_up_to_the_limit(
    world: World, chosen: list[bool], fusion: Fusion, minimum: float | None, balance: float | None
) -> None:
    rows = [row for row in range(len(world.records)) if chosen[row]]
    query = [(MODEL, np.array([1, 0], np.float32))]
    everything = world.rank(rows, Weighing([1, 2], query, (0, 1), fusion))
    above = [one for one in everything if minimum is None or one.score >= minimum]
    for limit in (1, 3, 100):
        weighing = Weighing([1, 2], query, (0, 1), fusion, minimum, balance)
        ranked = world.rank(rows, weighing, limit)
        assert len(ranked) == min(limit, len(above))
        assert all(0 <= one.score <= 1 for one in ranked)
        if balance is None:
            assert ranked == above[:limit]
        elif limit == 100:
            assert {one.row for one in ranked} == {one.row for one in above}


@settings(max_examples=30)
@given(worlds, choices)
def test_other_namespaces_move_no_score(world: World, chosen: list[bool]) -> None:
    """The other namespace may hold anything."""
    rows = [row for row, one in enumerate(world.records) if one.space == 0 and chosen[row]]
    alone = World([one for one in world.records if one.space == 0])
    places = [
        row
        for row, one in enumerate(alone.records)
        if one.id in {world.records[row].id for row in rows}
    ]
    weighing = Weighing([1, 2], [(MODEL, np.array([1, 0], np.float32))], (0,))
    beside = {world.records[one.row].id: one.score for one in world.rank(rows, weighing)}
    by_itself = {alone.records[one.row].id: one.score for one in alone.rank(places, weighing)}
    assert beside == by_itself


def test_nothing_is_ranked_where_nothing_is_in_the_running() -> None:
    world = World([One("a", 0, (1,), None, 0, 0.5)])
    assert world.rank([], Weighing([1], [], (0,))) == []


def test_a_word_that_no_record_has_leaves_the_rest_of_the_order() -> None:
    world = World([One("a", 0, (1,), None, 0, 0.0), One("b", 0, (2,), None, 1, 1.0)])
    ranked = world.rank([0, 1], Weighing([None], [], (0,)))
    assert [(one.row, one.score) for one in ranked] == [(1, 0.1), (0, 0.025)]
