"""Counting rows by the model of their vector, against counting them one by one."""

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.inversion import build_postings
from winnow.columns.postings import Postings
from winnow.columns.vectors import Vectors, build_vectors
from winnow.plan.foreign import count_made_by

MODELS = ("one", "two", "three")
VECTOR = np.ones(3, "<f4").tobytes()
rows = st.tuples(st.integers(0, 3), st.sampled_from([None, *MODELS]), st.booleans())


@given(
    st.lists(st.lists(rows, max_size=8), max_size=3),
    st.sets(st.sampled_from(MODELS)),
    st.integers(0, 4),
)
def test_as_many_are_counted_as_have_a_vector_of_one_of_them(
    parts: list[list[tuple[int, str | None, bool]]], models: set[str], space: int
) -> None:
    postings = [build_postings([b""] * len(part), [row[0] for row in part]) for part in parts]
    vectors = [
        build_vectors([VECTOR if row[1] else None for row in part], [row[1] for row in part])
        for part in parts
    ]
    alive = tuple(np.ones(len(part), np.bool_) for part in parts)
    everything = list(chain.from_iterable(parts))
    candidates = np.array([n for n, row in enumerate(everything) if row[2]], np.int64)
    expected = sum(
        chosen and where == space and model in models for where, model, chosen in everything
    )
    beside = (Postings(tuple(postings), alive), Vectors(tuple(vectors), alive))
    assert count_made_by(models, beside, space, candidates) == expected
