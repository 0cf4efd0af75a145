"""Entities by the best piece of their notes, against the plain meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.arrays import Entry
from winnow.columns.memories import MemoryChanges
from winnow.columns.pieces import NOTHING_DECLARED, Pieces, build_pieces
from winnow.columns.table import Changes, Table
from winnow.columns.vectors import Vectors, build_vectors
from winnow.memories import RECORDS
from winnow.plan.bests import Bests, find_bests, gather_entities
from winnow.plan.gather import Selection
from winnow.plan.noted import find_noted
from winnow.plan.order import SortKey, Spot, order, sort_value
from winnow.plan.ranking import Fields, Scored, Weighing
from winnow.rank.fusion import Ranking
from winnow.records import Confidence
from winnow.schema import Field, IdRule, Schema
from winnow.values import Type

SCHEMA = Schema("t.A", "A", IdRule(""), {})
FIELDS = Fields(*(RECORDS.fields[name] for name in ("namespace", "updatedAt", "importance")))
SPACES = ("east", "west")
SURE = Confidence.EXTRACTED
RELEVANCE = Field("relevance", Type.NUMBER)


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity in one of two namespaces, the notes that it is in, and whether it matches."""

    space: int
    notes: frozenset[int]
    matches: bool


@dataclass(frozen=True, slots=True)
class World:
    """Entities, and the note and score of each piece; the number of each is its id and key."""

    entities: Sequence[Entity]
    pieces: Sequence[tuple[int, float]]

    def id(self, entity: int) -> str:
        return f"A-{entity}"

    def best(self, entity: int) -> tuple[float, int] | None:
        """The highest score of an entity's pieces, and the piece of the least id that has it."""
        notes = self.entities[entity].notes
        own = [(score, piece) for piece, (note, score) in enumerate(self.pieces) if note in notes]
        return min(own, key=lambda one: (-one[0], piece_id(one[1]))) if own else None

    def ranked(self, minimum: float | None = None) -> list[tuple[str, float, int | None]]:
        """The entities that match: those with a score by it, then those without, by id."""
        rows = [n for n, one in enumerate(self.entities) if one.matches]
        bests = {n: self.best(n) for n in rows}
        scored = [(n, best) for n, best in bests.items() if best is not None]
        scored = [(n, one) for n, one in scored if minimum is None or one[0] >= minimum]
        scored.sort(key=lambda one: (-one[1][0], self.id(one[0]), self.entities[one[0]].space))
        rest = [] if minimum else [n for n, best in bests.items() if best is None]
        rest.sort(key=lambda n: (self.id(n), self.entities[n].space))
        return [
            *((self.id(n), score, piece) for n, (score, piece) in scored),
            *((self.id(n), 0.0, None) for n in rest),
        ]

    def find(self, minimum: float | None = None, balance: float | None = None) -> Bests:
        """What the code makes of it."""
        selections = [self._select(space) for space in range(len(SPACES))]
        pairs = [(n, note) for n, one in enumerate(self.entities) for note in one.notes]
        declared = NOTHING_DECLARED.changed([], [n for n, _ in pairs], [note for _, note in pairs])
        noted = [find_noted(one.table, declared) for one in selections]
        entities = gather_entities(selections, noted)
        table = self._table_of_pieces()
        pieces = Pieces((build_pieces([note for note, _ in self.pieces]),), table.alive)
        held = entities.hold(pieces)
        rows = held.ascending
        scores = np.array([score for _, score in self.pieces], np.float64)[rows]
        ranking = Ranking(scores, scores, None, scores, scores)
        vectors = Vectors((build_vectors([None] * len(table), [None] * len(table)),), table.alive)
        weighing = Weighing([], [], [], minimum=minimum, balance=balance)
        scored = Scored(Selection("", table, {}, rows), vectors, FIELDS, weighing, ranking)
        return find_bests(entities, held, scored)

    def _select(self, space: int) -> Selection:
        keys = [n for n, one in enumerate(self.entities) if one.space == space]
        fields: list[Mapping[str, Entry]] = [{} for _ in keys]
        changes = Changes(keys, [self.id(n) for n in keys], [True] * len(keys), fields)
        table = Table(SCHEMA, UTC).changed(changes)
        rows = [row for row, n in enumerate(keys) if self.entities[n].matches]
        return Selection(SPACES[space], table, {}, np.array(rows, np.int64))

    def _table_of_pieces(self) -> Table:
        count = len(self.pieces)
        names = [piece_id(number) for number in range(count)]
        return Table(RECORDS, UTC).changed(
            MemoryChanges([], list(range(count)), names, {}, [{} for _ in names])
        )


def piece_id(piece: int) -> str:
    """An id: of pieces in rows of falling ids the last one is the least."""
    return f"p{99 - piece}"


def read(world: World, bests: Bests, limit: int) -> list[tuple[str, float, int | None]]:
    found = bests.rank(limit)
    return [(bests.entities.name(one.spot)[0], one.score, one.piece) for one in found]


ENTITIES = st.lists(
    st.builds(Entity, st.integers(0, 1), st.frozensets(st.integers(1, 5)), st.booleans()),
    min_size=1,
    max_size=8,
)
PIECES = st.lists(
    st.tuples(st.integers(1, 5), st.sampled_from([0.0, 0.25, 0.5, 1.0])), min_size=1, max_size=12
)
WORLDS = st.builds(World, ENTITIES, PIECES)


@given(WORLDS, st.integers(1, 10), st.sampled_from([None, 0.0, 0.3]))
def test_each_entity_comes_once_by_its_best_piece(
    world: World, limit: int, minimum: float | None
) -> None:
    """F21: what is too low is left out before the limit is applied."""
    assert read(world, world.find(minimum), limit) == world.ranked(minimum)[:limit]


@given(WORLDS, st.sampled_from([0.0, 0.7, 1.0]))
def test_spreading_hits_leaves_none_out(world: World, balance: float) -> None:
    bests = world.find(balance=balance)
    assert sorted(read(world, bests, 20), key=repr) == sorted(world.ranked(), key=repr)


@given(WORLDS, st.booleans())
def test_relevance_orders_as_the_ranking_does(world: World, turned: bool) -> None:
    bests = world.find()
    key = SortKey((RELEVANCE,), not turned, bests.vector)
    selections = bests.entities.selections
    spots = order(selections, [key], SURE, 20)
    scores = [score_of(bests, spot) for spot in spots]
    ranked = world.ranked()
    assert sorted(map(repr, scores)) == sorted(
        repr(s if p is not None else None) for _, s, p in ranked
    )
    known = [one for one in scores if one is not None]
    assert known == sorted(known, reverse=not turned)
    assert scores[len(known) :] == [None] * (len(scores) - len(known))
    assert scores == [sort_value(selections, key, SURE, spot) for spot in spots]
    if not turned:
        names = [bests.entities.name(spot)[0] for spot in spots]
        assert names == [name for name, _, _ in ranked]
    assert bests.unscored == len(scores) - len(known)


def score_of(bests: Bests, spot: Spot) -> float | None:
    best = bests.find(spot)
    return None if best.piece is None else best.score
