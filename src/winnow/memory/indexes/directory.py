"""Which indexes there are, as the store says now."""

from collections.abc import Sequence
from threading import Lock

from winnow.access import Access
from winnow.memory.engine import Engine
from winnow.memory.indexes.settings import RESP, Index, read_index
from winnow.memory.times import milliseconds
from winnow.store.spaces import Space


class Directory:
    """Finds indexes by name. Safe to use from several threads.

    What was found is kept for as long as nothing in the store changes.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self._change = -1
        self._known: dict[str, Index | None] = {}

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

    def _look_up(self, name: str) -> Index | None:
        change = self._engine.store.last_change().number
        with self._lock:
            if change != self._change:
                self._known, self._change = {}, change
            if name in self._known:
                return self._known[name]
        index = find_index(self._engine.store.spaces.find(name))
        with self._lock:
            # What others have changed meanwhile may be in it, or not: it is not kept.
            if self._change == change == self._engine.store.last_change().number:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[name] = index
        return index


def find_index(space: Space) -> Index | None:
    """Return the index that a namespace is: one of our own, or one that holds memories."""
    if RESP in space.settings or space.has_memories:
        return read_index(space.name, space.settings)
    return None


def is_over(index: Index, now: int) -> bool:
    """Tell whether the time of an index is over."""
    return index.settings.expires_at is not None and index.settings.expires_at <= now


_MOST_KNOWN = 10_000
