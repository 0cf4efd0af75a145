"""Which indexes there are, as the store says now."""

from collections.abc import Sequence
from dataclasses import dataclass

from winnow.access import Access
from winnow.memory.engine import Engine
from winnow.memory.indexes.settings import RESP, Index, read_index
from winnow.memory.times import milliseconds
from winnow.store.spaces import Space


class Directory:
    """Finds indexes by name. Safe to use from several threads.

    What was found is kept for as long as nothing in the store changes, an index of our own for as
    long as no settings do.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[str, _Known] = {}

    def find(self, name: str) -> Index | None:
        """Return an index; None if there is none of that name, or its time is over."""
        index = self._look_up(name)
        return None if index is None or is_over(index, self.now()) else index

    def list(self, access: Access) -> Sequence[Index]:
        """List the indexes that may be seen, by name."""
        now = self.now()
        found = [find_index(space) for space in self._engine.store.spaces.list()]
        return [
            index
            for index in found
            if index is not None and not is_over(index, now) and access.visible([index.name])
        ]

    def overdue(self) -> Sequence[str]:
        """List the names of the indexes whose time is over, and that are not dropped yet."""
        now = self.now()
        found = [find_index(space) for space in self._engine.store.spaces.list()]
        return [index.name for index in found if index is not None and is_over(index, now)]

    def now(self) -> int:
        """Return the time in milliseconds."""
        return milliseconds(self._engine.clock())

    def find_own(self, name: str, settled: int) -> Index | None:
        """Return an index of our own as it is committed, even if its time is over.

        `settled` is what the store says of its settings.
        """
        known = self._known.get(name)
        known = known if known is not None and known.mark == settled else None
        index = self._look_up(name) if known is None else known.index
        return index if _is_own(index) else None

    def _look_up(self, name: str) -> Index | None:
        known = self._known.get(name)
        if known is not None and known.mark == self._mark(_is_own(known.index)):
            return known.index
        marks = {own: self._mark(own) for own in (False, True)}
        index = find_index(self._engine.store.spaces.find(name))
        mark = marks[_is_own(index)]
        # What others have changed meanwhile may be in it, or not: then it is not kept.
        if mark == self._mark(_is_own(index)):
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[name] = _Known(mark, index)
        return index

    def _mark(self, own: bool) -> int:
        """Return what moves before there can be another index, or none, of a name."""
        store = self._engine.store
        return store.spaces.settled() if own else store.last_change().number


@dataclass(frozen=True, slots=True)
class _Known:
    """What was found while the store said this number."""

    mark: int
    index: Index | None


def _is_own(index: Index | None) -> bool:
    return index is not None and index.own


def find_index(space: Space) -> Index | None:
    """Return the index that a namespace is: one of our own, or one that holds memories."""
    if RESP in space.settings or space.has_memories:
        return read_index(space.name, space.settings)
    return None


def is_over(index: Index, now: int) -> bool:
    """Tell whether the time of an index is over."""
    return index.settings.expires_at is not None and index.settings.expires_at <= now


_MOST_KNOWN = 10_000
