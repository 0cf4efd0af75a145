from collections.abc import Sequence

import numpy as np
import pytest

from winnow.embed.base import Matrix
from winnow.embed.threshold import SUBJECTS, measure_threshold


def embed_with(likeness: float) -> float:
    """The threshold of a model whose unrelated texts all have this cosine."""

    def embed(texts: Sequence[str]) -> Matrix:
        subjects = {text: number for number, pair in enumerate(SUBJECTS) for text in pair}
        vectors = np.zeros((len(texts), len(SUBJECTS) + 1), np.float32)
        for row, text in enumerate(texts):
            vectors[row, subjects[text]] = np.sqrt(1 - likeness)
        vectors[:, -1] = np.sqrt(likeness)
        return vectors

    return measure_threshold(embed)


@pytest.mark.parametrize(
    ("likeness", "threshold"), [(0.0, 0.0), (0.12, 0.15), (0.34, 0.35), (0.72, 0.75), (0.99, 0.95)]
)
def test_the_threshold_is_what_no_unrelated_pair_reaches_in_twentieths(
    likeness: float, threshold: float
) -> None:
    assert embed_with(likeness) == threshold


def test_each_subject_comes_once() -> None:
    texts = [text for pair in SUBJECTS for text in pair]
    assert len(set(texts)) == len(texts)
