"""Entities ranked by words: each by the best piece of its notes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from winnow.columns.arrays import NumberValues
from winnow.columns.pieces import NO_KEYS, Held, Pieces, starts_of
from winnow.plan.gather import Selection, Vector
from winnow.plan.noted import Noted
from winnow.plan.order import Spot, order
from winnow.plan.ranking import Scored, stack_vectors
from winnow.rank.fusion import Components, Floats, Places, select_best
from winnow.rank.mmr import SPREAD_OVER, diversify
from winnow.records import Confidence


@dataclass(frozen=True, slots=True)
class Entities:
    """Entities by namespace, and those of their notes that are searched."""

    selections: Sequence[Selection]
    noted: Sequence[Noted]

    def hold(self, pieces: Pieces) -> Held:
        """Return the pieces of all the notes."""
        return pieces.of(np.concatenate([NO_KEYS, *(one.notes for one in self.noted)]))

    def pairs(self) -> Iterator[tuple[Selection, Noted]]:
        """Yield the entities of each namespace with their notes."""
        yield from zip(self.selections, self.noted, strict=True)

    def spots(self, places: Places) -> list[Spot]:
        """Return the entities at some places, counted through all selections."""
        starts = [0, *accumulate(len(one.rows) for one in self.selections)]
        owners: list[int] = np.searchsorted(starts[1:], places, side="right").tolist()
        pairs = zip(owners, places.tolist(), strict=True)
        return [
            Spot(owner, int(self.selections[owner].rows[place - starts[owner]]))
            for owner, place in pairs
        ]

    def name(self, spot: Spot) -> tuple[str, str]:
        """Return the id and the namespace of an entity."""
        selection = self.selections[spot.selection]
        return selection.table.id_of(spot.row), selection.namespace


def gather_entities(selections: Sequence[Selection], noted: Sequence[Noted]) -> Entities:
    """Put selected entities together with what stands behind them."""
    pairs = zip(selections, noted, strict=True)
    return Entities(selections, [behind.within(one.rows) for one, behind in pairs])


@dataclass(frozen=True, slots=True)
class Best:
    """An entity, and the row, the score and its parts of its best piece; without one None and 0."""

    spot: Spot
    piece: int | None = None
    score: float = 0.0
    components: Components | None = None


@dataclass(frozen=True, slots=True)
class Bests:
    """The scores of entities, those of their best pieces, NaN where there is none."""

    entities: Entities
    held: Held
    scored: Scored
    scores: Floats

    @property
    def unscored(self) -> int:
        """How many entities have no score."""
        return int(np.count_nonzero(np.isnan(self.scores)))

    @property
    def vector(self) -> Vector:
        """The scores as values to order by."""
        known = ~np.isnan(self.scores)
        return Vector(known, NumberValues(self.scores[known], {}))

    def rank(self, limit: int) -> list[Best]:
        """Return the best entities, the highest score first; equal scores by id, then namespace.

        Those without a score come last, unless there is a least score.
        """
        weighing = self.scored.weighing
        known = np.flatnonzero(~np.isnan(self.scores))

        def name(places: Places) -> list[tuple[str, ...]]:
            return [self.entities.name(spot) for spot in self.entities.spots(known[places])]

        wanted = limit if weighing.balance is None else limit * SPREAD_OVER
        best = select_best(self.scores[known], wanted, name, weighing.minimum)
        found = [self.find(spot) for spot in self.entities.spots(known[best])]
        if weighing.balance is not None:
            found = self._spread(found, weighing.balance, limit)
        if len(found) < limit and not weighing.minimum:
            found += [Best(spot) for spot in self._rest(limit - len(found))]
        return found

    def find(self, spot: Spot) -> Best:
        """Return the best piece of an entity; of several that are equal, that of the least id."""
        rows = self._pieces_of(spot)
        if not len(rows):
            return Best(spot)
        candidates, ranking = self.scored.selection, self.scored.ranking
        scores = ranking.scores[np.searchsorted(candidates.rows, rows)]
        equal: list[int] = rows[scores == scores.max()].tolist()
        row = min(equal, key=candidates.table.id_of)
        place = int(np.searchsorted(candidates.rows, row))
        return Best(spot, row, float(ranking.scores[place]), ranking.components(place))

    def _pieces_of(self, spot: Spot) -> Places:
        notes = self.entities.noted[spot.selection].of(spot.row)
        firsts = np.searchsorted(self.held.notes, notes, side="left").tolist()
        ends = np.searchsorted(self.held.notes, notes, side="right").tolist()
        spans = [self.held.rows[first:end] for first, end in zip(firsts, ends, strict=True)]
        return np.concatenate([NO_KEYS, *spans])

    def _spread(self, found: Sequence[Best], balance: float, limit: int) -> list[Best]:
        """Choose hits that are good and unlike each other (maximal marginal relevance)."""
        rows = np.array([one.piece or 0 for one in found], np.int64)
        matrix = stack_vectors(self.scored.vectors, rows, self.scored.weighing.queries)
        relevance = np.array([one.score for one in found])
        return [found[place] for place in diversify(relevance, matrix, balance, limit)]

    def _rest(self, limit: int) -> list[Spot]:
        """Return entities without a score, by id."""
        selections: list[Selection] = []
        start = 0
        for one in self.entities.selections:
            end = start + len(one.rows)
            selections.append(replace(one, rows=one.rows[np.isnan(self.scores[start:end])]))
            start = end
        return order(selections, (), Confidence.EXTRACTED, limit)


def find_bests(entities: Entities, held: Held, scored: Scored) -> Bests:
    """Find the score of each entity's best piece; `held` are the pieces that were scored."""
    starts = starts_of(held.notes)
    scores = _scores_of(held, scored)
    highest = np.maximum.reduceat(scores, starts) if len(starts) else scores
    # A look into a table takes a tenth of the time of a search for each.
    last = max((int(one.notes.max(initial=0)) for one in (held, *entities.noted)), default=0)
    by_note = np.full(last + 1, -np.inf)
    by_note[held.notes[starts]] = highest
    found = [_best_of(one, noted, by_note) for one, noted in entities.pairs()]
    return Bests(entities, held, scored, np.concatenate([np.zeros(0), *found]))


def _scores_of(held: Held, scored: Scored) -> Floats:
    """Return the score of each piece, in the order of `held`."""
    rows = scored.selection.rows
    places = np.zeros(len(scored.selection.table), np.int32)
    places[rows] = np.arange(len(rows), dtype=np.int32)
    return scored.ranking.scores[places[held.rows]]


def _best_of(selection: Selection, noted: Noted, by_note: Floats) -> Floats:
    """Return the highest score of each entity's notes, NaN for one that has none."""
    best = np.full(len(selection.table), -np.inf)
    np.maximum.at(best, noted.rows, by_note[noted.notes])
    found = best[selection.rows]
    return np.where(np.isneginf(found), np.nan, found)
