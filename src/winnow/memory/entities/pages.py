"""Pages of an exact answer: the hits in order, and the cursor behind the last one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from winnow.errors import Fault, InvalidRequest
from winnow.memory.cursors import Fingerprint, bind, fingerprint, read_cursor, write_cursor
from winnow.memory.engine import Engine
from winnow.memory.entities.hits import Showing
from winnow.memory.entities.questions import Asked, Matches, Question, is_relevance
from winnow.memory.entities.world import StoreWorld
from winnow.operations.answers import EntityHit
from winnow.operations.arguments import OrderBy
from winnow.operations.requests import Conditions, ListRequest, RecallRequest
from winnow.plan.gather import Selection
from winnow.plan.order import Bound, SortKey, Spot, order, sort_value
from winnow.store.base import FullEntity

MAX_ENTITY_IDS = 1_000


@dataclass(frozen=True, slots=True)
class Shown:
    """The hits of a page, where they stand, and the cursor of the next page, None for the last.

    `entity_ids` are those of all that match, in order, up to 1,000, whatever the page.
    """

    hits: Sequence[EntityHit]
    spots: Sequence[Spot]
    cursor: str | None
    entity_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a question's answer."""

    engine: Engine
    question: Question
    keys: Sequence[SortKey]
    request: Fingerprint
    after: Bound | None
    limit: int

    def show(self, matched: Matches, *, with_confidence: bool, with_ids: bool = False) -> Shown:
        """Read the hits of this page, and the ids of all that match if they are asked for."""
        selections, minimum = matched.selections, self.question.minimum
        spots: list[Spot] = []
        first: list[Spot] = []
        if with_ids:
            most = max(MAX_ENTITY_IDS, self.limit + 1)
            first = spots = order(selections, self.keys, minimum, most)
        if self.after is not None or not with_ids:
            spots = order(selections, self.keys, minimum, self.limit + 1, self.after)
        shown = spots[: self.limit]
        found = show_entities(self.engine, self.question, selections, shown, with_confidence)
        there = [(hit, spot) for hit, spot in zip(found, shown, strict=True) if hit is not None]
        more = len(spots) > self.limit
        cursor = self._cursor(selections, spots[self.limit - 1]) if more else None
        return Shown(
            [hit for hit, _ in there],
            [spot for _, spot in there],
            cursor,
            [_id(selections, spot) for spot in first[:MAX_ENTITY_IDS]],
        )

    def spell_keys(self) -> list[OrderBy]:
        """Return the sort keys as they were understood."""
        return spell_keys(self.keys)

    def _cursor(self, selections: Sequence[Selection], spot: Spot) -> str:
        minimum, namespace = self.question.minimum, selections[spot.selection].namespace
        values = [sort_value(selections, key, minimum, spot) for key in self.keys]
        return write_cursor(self.request, values, _id(selections, spot), namespace)


def turn(
    engine: Engine,
    question: Question,
    keys: Sequence[SortKey],
    request: RecallRequest | ListRequest,
    faults: list[Fault],
) -> Page:
    """Find the page that a request asks for."""
    asked = [getattr(request, one.name) for one in fields(Conditions)]
    spelled = [(key.name, key.descending) for key in keys]
    words = _words(request) if any(map(is_relevance, keys)) else None
    own = bind(fingerprint(asked, spelled, words), engine.access)
    after = None
    if request.cursor is not None:
        try:
            after = read_cursor(request.cursor, own, keys, engine.zone)
        except InvalidRequest as error:
            faults.extend(error.faults)
    return Page(engine, question, keys, own, after, request.limit)


def show_entities(
    engine: Engine,
    question: Question,
    selections: Sequence[Selection],
    spots: Sequence[Spot],
    with_confidence: bool,
) -> list[EntityHit | None]:
    """Show entities in the order of their spots; None for one that another process has deleted."""
    keys = [selections[spot.selection].table.key_of(spot.row) for spot in spots]
    entities = {one.key: one for one in engine.store.read_entities(keys)}
    showings = [
        _showing(engine, question, asked, entities.values(), with_confidence)
        for asked in question.asked
    ]
    pairs = zip(spots, map(entities.get, keys), strict=True)
    return [None if one is None else showings[spot.selection].hit(one) for spot, one in pairs]


def _showing(
    engine: Engine,
    question: Question,
    asked: Asked,
    entities: Iterable[FullEntity],
    with_confidence: bool,
) -> Showing:
    world = StoreWorld(engine.store, asked)
    world.keep(one for one in entities if one.namespace == asked.domain.namespace)
    return Showing(asked, world, question.minimum, with_confidence)


def spell_keys(keys: Sequence[SortKey]) -> list[OrderBy]:
    """Return sort keys as a request spells them."""
    return [OrderBy(field=key.name, direction="desc" if key.descending else "asc") for key in keys]


def _words(request: RecallRequest | ListRequest) -> object:
    """Return what the relevance of a hit depends on."""
    return (request.query, request.fusion) if isinstance(request, RecallRequest) else None


def _id(selections: Sequence[Selection], spot: Spot) -> str:
    return selections[spot.selection].table.id_of(spot.row)
