"""Pages of an exact answer: the hits in order, and the cursor behind the last one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from winnow.errors import Fault, InvalidRequest
from winnow.memory.cursors import Fingerprint, fingerprint, read_cursor, write_cursor
from winnow.memory.engine import Engine
from winnow.memory.hits import Showing
from winnow.memory.questions import FilterRequest, Matches, Question
from winnow.memory.world import StoreWorld
from winnow.operations.answers import EntityHit
from winnow.operations.arguments import OrderBy
from winnow.plan.gather import Selection, gather_one
from winnow.plan.order import Bound, SortKey, Spot, order
from winnow.records import Confidence
from winnow.store.base import FullEntity
from winnow.values import Scalar

MAX_ENTITY_IDS = 1_000


class PagedRequest(FilterRequest, Protocol):
    """A request whose answer has pages."""

    @property
    def limit(self) -> int: ...  # noqa: D102
    @property
    def cursor(self) -> str | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Shown:
    """The hits of a page, and the cursor of the next one, None if this is the last.

    `entity_ids` are those of all that match, in order, up to 1,000, whatever the page.
    """

    hits: Sequence[EntityHit]
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
        hits = self._hits(selections, spots[: self.limit], with_confidence)
        more = len(spots) > self.limit
        cursor = self._cursor(selections, spots[self.limit - 1]) if more else None
        return Shown(hits, cursor, [_id(selections, spot) for spot in first[:MAX_ENTITY_IDS]])

    def spell_keys(self) -> list[OrderBy]:
        """Return the sort keys as they were understood."""
        return spell_keys(self.keys)

    def _hits(
        self, selections: Sequence[Selection], spots: Sequence[Spot], with_confidence: bool
    ) -> list[EntityHit]:
        keys = [selections[spot.selection].table.key_of(spot.row) for spot in spots]
        entities = {one.key: one for one in self.engine.store.read_entities(keys)}
        showings = [
            self._showing(index, entities.values(), with_confidence)
            for index in range(len(selections))
        ]
        # One that another process has deleted meanwhile is not there any more.
        pairs = zip(spots, map(entities.get, keys), strict=True)
        return [showings[spot.selection].hit(one) for spot, one in pairs if one is not None]

    def _showing(
        self, index: int, entities: Iterable[FullEntity], with_confidence: bool
    ) -> Showing:
        asked = self.question.asked[index]
        world = StoreWorld(self.engine.store, asked)
        world.keep(one for one in entities if one.namespace == asked.domain.namespace)
        return Showing(asked, world, self.question.minimum, with_confidence)

    def _cursor(self, selections: Sequence[Selection], spot: Spot) -> str:
        selection = selections[spot.selection]
        values = [_sort_value(selection, key, self.question.minimum, spot) for key in self.keys]
        return write_cursor(self.request, values, _id(selections, spot), selection.namespace)


def turn(
    engine: Engine,
    question: Question,
    keys: Sequence[SortKey],
    request: PagedRequest,
    faults: list[Fault],
) -> Page:
    """Find the page that a request asks for."""
    spelled = [(key.name, key.descending) for key in keys]
    asked = (request.schema, request.filters, request.where, request.namespace)
    own = fingerprint(*asked, request.confidence_minimum, spelled)
    after = None
    if request.cursor is not None:
        try:
            after = read_cursor(request.cursor, own, keys, engine.zone)
        except InvalidRequest as error:
            faults.extend(error.faults)
    return Page(engine, question, keys, own, after, request.limit)


def spell_keys(keys: Sequence[SortKey]) -> list[OrderBy]:
    """Return sort keys as a request spells them."""
    return [OrderBy(field=key.name, direction="desc" if key.descending else "asc") for key in keys]


def _id(selections: Sequence[Selection], spot: Spot) -> str:
    return selections[spot.selection].table.id_of(spot.row)


def _sort_value(
    selection: Selection, key: SortKey, minimum: Confidence, spot: Spot
) -> Scalar | None:
    value = gather_one(selection, key.steps, minimum, spot.row)
    return None if isinstance(value, tuple) else value
