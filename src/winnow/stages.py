"""The stages of long work: how far it has come, and where its time went.

Nothing is measured unless somebody asks; a stage then costs a look at a variable.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final, TypeAlias

Progress: TypeAlias = Callable[[int, int, str], None]
"""Is told how many of how many are done, and the stage."""
OTHER: Final = "other"


@dataclass(slots=True)
class Record:
    """What was measured: the seconds of each stage without those within it, and sums by name."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    current: str = OTHER
    since: float = field(default_factory=perf_counter)

    def turn(self, name: str) -> str:
        """Go over to a stage; return the one before."""
        now, before = perf_counter(), self.current
        self.seconds[before] = self.seconds.get(before, 0.0) + now - self.since
        self.current, self.since = name, now
        return before


@contextmanager
def measured() -> Generator[Record]:
    """Measure what happens in the block; it is whole once the block has ended."""
    record = Record()
    mark = _CURRENT.set(record)
    try:
        yield record
    finally:
        _CURRENT.reset(mark)
        record.turn(OTHER)


@contextmanager
def stage(name: str) -> Generator[None]:
    """Count the time of the block for a stage."""
    record = _CURRENT.get()
    if record is None:
        yield
        return
    before = record.turn(name)
    try:
        yield
    finally:
        record.turn(before)


def tally(name: str, number: int) -> None:
    """Add a number to a sum."""
    record = _CURRENT.get()
    if record is not None:
        record.counts[name] = record.counts.get(name, 0) + number


_CURRENT: ContextVar[Record | None] = ContextVar("stages", default=None)
