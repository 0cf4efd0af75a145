"""The best of many candidates are the same, whether all are scored or only those that may be."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from winnow.columns import quantized, vectors
from winnow.columns.inversion import PostingsPart, build_postings
from winnow.columns.memories import MemoryChanges
from winnow.columns.postings import Postings
from winnow.columns.products import load_kernel
from winnow.columns.table import Table
from winnow.columns.terms import encode_terms
from winnow.columns.vectors import Vectors, VectorsPart, build_vectors
from winnow.memories import RECORDS
from winnow.plan import sifting
from winnow.plan.gather import Selection
from winnow.plan.ranking import Fields, Weighing, find_mean, score
from winnow.plan.sifting import Sifted, rank
from winnow.rank.fusion import FUSION_WEIGHT

FIELDS = Fields(
    RECORDS.fields["namespace"], RECORDS.fields["updatedAt"], RECORDS.fields["importance"]
)
MODEL = "model"
WEEK = 7 * 86_400_000
DAY = 86_400_000


@pytest.fixture(autouse=True)
def _of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few rows be sifted, too, and read in 8 bits."""
    monkeypatch.setattr(vectors, "_MANY", 2)
    monkeypatch.setattr(vectors, "_CODED", 1)
    monkeypatch.setattr(quantized, "_FEW", 0)
    monkeypatch.setattr(sifting, "_WORTH", 1)


@dataclass(frozen=True, slots=True)
class World:
    """Random records in several parts, some of them dead."""

    seed: int
    size: int
    dimension: int
    spread: float
    lacking: float

    def build(self) -> tuple[Selection, tuple[Postings, Vectors], NDArray[np.float32]]:
        """Return nearly all living rows, what stands beside them, and the vector of a query."""
        rng = np.random.default_rng(self.seed)
        table, postings, parts = Table(RECORDS, UTC), list[PostingsPart](), list[VectorsPart]()
        centers = rng.standard_normal((3, self.dimension))
        for first in range(0, self.size, 40):
            keys = list(range(first, min(first + 40, self.size)))
            near = centers[rng.integers(0, 3, len(keys))]
            rows = near + self.spread * rng.standard_normal((len(keys), self.dimension))
            rows[rng.random(len(keys)) < 0.2] = centers[0]  # some are equal
            packed = [
                None if rng.random() < self.lacking else row.astype("<f4").tobytes() for row in rows
            ]
            table = table.changed(_changes(keys, rng))
            terms = [encode_terms(rng.integers(1, 9, rng.integers(0, 6)).tolist()) for _ in keys]
            postings.append(build_postings(terms, [0] * len(keys)))
            parts.append(build_vectors(packed, [None if one is None else MODEL for one in packed]))
        alive = tuple(rng.random(len(part)) < 0.9 for part in table.parts)
        table = Table(RECORDS, UTC, table.parts, alive)
        rows = np.flatnonzero(table.alive_rows)
        kept = rows[rng.random(len(rows)) < 0.95]
        query = (centers[1] + 0.5 * rng.standard_normal(self.dimension)).astype(np.float32)
        query /= np.linalg.norm(query)
        beside = (Postings(tuple(postings), alive), Vectors(tuple(parts), alive))
        return Selection("", table, {}, kept), beside, query


def _changes(keys: Sequence[int], rng: np.random.Generator) -> MemoryChanges:
    return MemoryChanges(
        [],
        keys,
        [f"r{key:04}" for key in keys],
        {
            "namespace": ["east" for _ in keys],
            "updatedAt": [WEEK * 4 - DAY * int(rng.integers(0, 20)) for _ in keys],
            "importance": [float(rng.choice([0.0, 0.5, 1.0])) for _ in keys],
        },
        [{} for _ in keys],
    )


WORLDS = st.builds(
    World,
    seed=st.integers(0, 2**32 - 1),
    size=st.sampled_from([3, 60, 300]),
    dimension=st.sampled_from([3, 16, 64]),
    spread=st.sampled_from([0.0, 0.05, 0.7, 3.0]),
    lacking=st.sampled_from([0.0, 0.2]),
)
WORDS = st.none() | st.lists(st.integers(1, 9), max_size=3, unique=True)


@settings(deadline=None)
@given(WORLDS, WORDS, st.sampled_from([1, 5, 40]), st.sampled_from([None, 0.3]), st.booleans())
def test_sifting_gives_what_scoring_all_gives(
    world: World, words: list[int] | None, limit: int, minimum: float | None, mmr: bool
) -> None:
    selection, beside, query = world.build()
    weighing = Weighing(
        words, [(MODEL, query)], (0,), minimum=minimum, balance=0.5 if mmr else None
    )
    quick = rank(selection, beside, FIELDS, weighing)
    plain = score(selection, beside, FIELDS, weighing)
    assert quick.best(limit) == plain.best(limit)
    assert quick.sort(selection.rows[::3], limit) == plain.sort(selection.rows[::3], limit)


def test_few_of_many_candidates_are_scored() -> None:
    assert load_kernel() is not None
    selection, beside, query = World(7, 300, 64, 0.7, 0.0).build()
    quick = rank(selection, beside, FIELDS, Weighing([1, 2], [(MODEL, query)], (0,)))
    assert isinstance(quick, Sifted)
    sifted = quick._sift(3)
    assert sifted is not None
    assert 3 <= len(sifted.selection.rows) < len(selection.rows) / 3


@pytest.mark.parametrize("seed", range(4))
def test_where_cosines_are_near_each_other_what_is_measured_is_within_the_doubt(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A cosine weighs hundreds of times as much then, and so does what 32 bits leave out of it.
    monkeypatch.setattr(vectors, "_CODED", 10_000)
    rng = np.random.default_rng(seed)
    rows = np.eye(1, 16) + 0.001 * rng.standard_normal((2_000, 16))
    packed = [row.astype("<f4").tobytes() for row in rows]
    table = Table(RECORDS, UTC).changed(_changes(range(2_000), rng))
    postings = Postings((build_postings([b""] * 2_000, [0] * 2_000),), table.alive)
    beside = (postings, Vectors((build_vectors(packed, [MODEL] * 2_000),), table.alive))
    query = np.array([0.9, *[0.1125] * 15], np.float32)
    weighing = Weighing(None, [(MODEL, query)], (0,))
    quick = rank(Selection("", table, {}, np.arange(2_000)), beside, FIELDS, weighing)
    assert isinstance(quick, Sifted)
    scale = quick._scale
    assert scale is not None
    assert scale.top is not None
    assert quick._weight(scale.top) > 200
    exact = quick._cosines(np.arange(2_000)) - scale.mean
    exact = np.maximum(exact, 0) / (scale.top - scale.mean) * FUSION_WEIGHT
    assert np.abs(quick._measure(scale.top) - exact).max() <= quick._doubt(scale.top)


@settings(deadline=None)
@given(WORLDS)
def test_the_mean_of_many_is_the_mean_of_their_cosines(world: World) -> None:
    selection, beside, query = world.build()
    mean = find_mean(selection, beside[1], Weighing(None, [(MODEL, query)], (0,)))
    cosines = beside[1].similarity(query, MODEL, selection.rows).cosines
    if mean is not None:
        assert mean == pytest.approx(float(cosines.mean(dtype=np.float64)), abs=1e-6)
    elif world.size > 3:
        every = beside[1].similarity(query, MODEL).cosines
        assert (len(every) - len(cosines)) * 4 > len(cosines)


def test_few_of_the_rows_have_no_mean_from_sums() -> None:
    selection, beside, query = World(7, 300, 16, 0.7, 0.0).build()
    weighing = Weighing(None, [(MODEL, query)], (0,))
    half = Selection("", selection.table, {}, selection.rows[::2])
    assert find_mean(half, beside[1], weighing) is None


def test_the_mean_does_not_depend_on_how_rows_came_into_their_parts() -> None:
    world = World(11, 300, 16, 0.7, 0.0)
    selection, beside, query = world.build()
    weighing = Weighing(None, [(MODEL, query)], (0,))
    _, whole = selection.table, beside[1]
    matrix = [whole.take(np.array([row]), MODEL, 16)[0] for row in range(len(selection.table))]
    living = np.flatnonzero(selection.table.alive_rows)
    order = np.random.default_rng(3).permutation(living)
    packed = [matrix[row].astype("<f4").tobytes() for row in order]
    other = Vectors(
        (build_vectors(packed, [MODEL] * len(packed)),), (np.ones(len(order), np.bool_),)
    )
    chosen = np.flatnonzero(np.isin(order, selection.rows))
    anew = Selection("", selection.table, {}, chosen)
    assert find_mean(anew, other, weighing) == find_mean(selection, whole, weighing)
