"""Notes that links lead to from the hits, or from which links lead to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from winnow.columns.arrays import Rows
from winnow.memory.engine import Engine
from winnow.memory.state.shelf import Shelf
from winnow.plan.linked import find_rings, notes_of
from winnow.plan.ranking import Ranked, Ranker


@dataclass(frozen=True, slots=True)
class Start:
    """The hits of a page and those of the pages before, by row; and what may be added.

    Nothing is added but `candidates`, which meet all conditions; `ranker` knows their order.
    """

    hits: Sequence[int]
    before: Sequence[int]
    candidates: Rows
    ranker: Ranker


@dataclass(frozen=True, slots=True)
class Reached:
    """The best piece of each note that is added, and by row how many links away that is.

    `left` counts the notes for which there was no place.
    """

    ranked: Sequence[Ranked] = ()
    depths: Mapping[int, int] = field(default_factory=dict[int, int])
    left: int = 0


def reach(engine: Engine, shelf: Shelf, start: Start, depth: int, limit: int) -> Reached:
    """Find up to `limit` notes, up to `depth` links away from the hits' own, the nearest first.

    A link counts both ways, and may lead through notes that meet no condition.
    """
    near = engine.links.neighbors(notes_of(shelf.pieces, start.hits), depth)
    if not near:
        return Reached()
    ranked: list[Ranked] = []
    depths: dict[int, int] = {}
    notes = 0
    for ring in find_rings(shelf.pieces, start.candidates, near, start.before):
        notes += len(ring)
        added = ring.best_of_notes(start.ranker, limit - len(ranked))
        ranked.extend(added)
        depths.update((one.row, ring.distance) for one in added)
    return Reached(ranked, depths, notes - len(ranked))
