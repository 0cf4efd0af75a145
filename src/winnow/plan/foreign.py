"""Counting rows by the model that has made their vector."""

from collections.abc import Collection

import numpy as np

from winnow.columns.arrays import Rows
from winnow.columns.postings import Postings
from winnow.columns.vectors import Vectors


def count_made_by(
    models: Collection[str], beside: tuple[Postings, Vectors], space: int, candidates: Rows
) -> int:
    """Count the candidates of a namespace that have a vector of one of some models.

    `candidates` are rows in ascending order, `space` is the number of the namespace.
    """
    postings, vectors = beside
    count = 0
    for number, (words, part) in enumerate(zip(postings.parts, vectors.parts, strict=True)):
        place = int(np.searchsorted(words.namespaces, space))
        if place == len(words.namespaces) or words.namespaces[place] != space:
            continue
        start, stop = vectors.starts[number : number + 2]
        first, last = np.searchsorted(candidates, (start, stop))
        local = candidates[first:last] - start
        for (model, _), held in part.spaces.items():
            if model in models:
                texts = words.texts_of(held.rows[held.select(local)])
                begin, end = np.searchsorted(texts, words.bounds[place : place + 2])
                count += int(end - begin)
    return count
