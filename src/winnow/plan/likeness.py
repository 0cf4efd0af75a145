"""How like a topic records are: by their meaning, or by their words where there is no vector."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from winnow.columns.arrays import Rows, TextValues
from winnow.columns.postings import Postings
from winnow.columns.vectors import Vector, Vectors
from winnow.plan.gather import Selection, gather
from winnow.plan.ranking import name_rows, stack_vectors
from winnow.rank.fusion import DIGITS, Floats, Places, select_best
from winnow.rank.mmr import diversify
from winnow.records import Confidence
from winnow.schema import Field

BALANCE: Final = 0.7
"""What being like the topic weighs, beside being unlike what is chosen already."""
POOL: Final = 1_000
"""As many of the most like ones are chosen from, or five times the limit if that is more."""


@dataclass(frozen=True, slots=True)
class View:
    """A topic as namespaces with one model and one language see it.

    `vector` is the model and the topic's unit vector, None if it has none. `terms` are the
    numbers of its words, and `own` is its own bm25, 0 if it has no words. What is at least
    `minimum` alike is like the topic.
    """

    namespaces: Collection[str]
    vector: tuple[str, Vector] | None
    terms: Sequence[int | None]
    own: float
    minimum: float


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic; each namespace is in one of the views. `spaces` are the numbers of them all."""

    views: Sequence[View]
    spaces: Collection[int]

    @property
    def vectors(self) -> list[tuple[str, Vector]]:
        """The topic's vector by each model."""
        return list(dict(view.vector for view in self.views if view.vector).items())


@dataclass(frozen=True, slots=True)
class Alike:
    """A row, and how like the topic it is: from -1 to 1, higher is more alike."""

    row: int
    likeness: float


def find_alike(
    selection: Selection, beside: tuple[Postings, Vectors], namespace: Field, topic: Topic
) -> tuple[Selection, Floats]:
    """Return the candidates that are like the topic, and how like each of them is."""
    rows = selection.rows
    likeness = np.full(len(rows), -np.inf)
    for view, places in _share(selection, namespace, topic.views):
        found = np.round(_judge(rows[places], beside, view, topic.spaces), DIGITS)
        likeness[places] = np.where(found >= view.minimum, found, -np.inf)
    passed = np.flatnonzero(likeness > -np.inf)
    return replace(selection, rows=rows[passed]), likeness[passed]


def choose(
    alike: tuple[Selection, Floats], vectors: Vectors, namespace: Field, topic: Topic, limit: int
) -> list[Alike]:
    """Return rows that are like the topic and unlike each other, the most like one first."""
    selection, likeness = alike

    def name(places: Places) -> list[tuple[str, ...]]:
        return name_rows(selection, selection.rows[places], namespace)

    best = select_best(likeness, max(limit * 5, POOL), name)
    matrix = stack_vectors(vectors, selection.rows[best], topic.vectors)
    order = np.array(diversify(likeness[best], matrix, BALANCE, limit), np.int64)
    chosen: list[int] = best[order].tolist()
    return [Alike(int(selection.rows[place]), float(likeness[place])) for place in chosen]


def _share(
    selection: Selection, namespace: Field, views: Sequence[View]
) -> Iterator[tuple[View, Places]]:
    """Yield each view with the places of the candidates that are in its namespaces."""
    if len(views) == 1:
        yield views[0], np.arange(len(selection.rows))
        return
    values = gather([selection], (namespace,), Confidence.EXTRACTED).values
    if isinstance(values, TextValues):
        words: list[str] = values.words.tolist()
        for view in views:
            codes = [code for code, word in enumerate(words) if word in view.namespaces]
            yield view, np.flatnonzero(np.isin(values.codes, codes))


def _judge(
    rows: Rows, beside: tuple[Postings, Vectors], view: View, spaces: Collection[int]
) -> Floats:
    """Return the cosine of each row, or the share of the topic's own bm25; NaN for neither."""
    postings, vectors = beside
    likeness = np.full(len(rows), np.nan)
    if view.vector is not None:
        model, vector = view.vector
        found = vectors.similarity(vector, model, rows)
        likeness[np.searchsorted(rows, found.rows)] = found.cosines
    bare = np.flatnonzero(np.isnan(likeness))
    if len(bare) and view.own:
        scores = postings.score(view.terms, rows[bare], spaces).at(rows[bare])
        likeness[bare] = np.minimum(scores / view.own, 1)
    return likeness
