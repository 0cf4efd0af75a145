"""How calls are timed: in turns, so that what else the machine does falls on all alike."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = Sequence[int] | NDArray[np.int64]
Call: TypeAlias = Callable[[int], Rows]
"""Asks the query of a number; returns the rows that were found."""

WARM_UP: Final = 2
LEAST: Final = 10  # queries, however slow they are
SECONDS: Final = 1.0  # for one way at one selectivity; then no new query is begun


@dataclass(slots=True)
class Taken:
    """What the calls of one way took, in milliseconds, and what they found by query."""

    milliseconds: list[float] = field(default_factory=list[float])
    found: dict[int, Rows] = field(default_factory=dict[int, Rows])

    @property
    def p50(self) -> float:
        """The median."""
        return statistics.median(self.milliseconds)

    def ask(self, call: Call, query: int) -> None:
        """Time one call."""
        start = time.perf_counter()
        found = call(query)
        self.milliseconds.append((time.perf_counter() - start) * 1_000)
        self.found[query] = found


def time_queries(call: Call, queries: int, seconds: float = SECONDS) -> Taken:
    """Ask each query once, or as many as the time allows, at least ten of them."""
    for query in range(min(WARM_UP, queries)):
        call(query)
    taken, end = Taken(), time.perf_counter() + seconds
    for query in range(queries):
        if query >= LEAST and time.perf_counter() > end:
            break
        taken.ask(call, query)
    return taken


def time_in_turns(
    calls: Mapping[str, Call], queries: int, rounds: int = 5, seconds: float = SECONDS
) -> Mapping[str, Taken]:
    """Ask every query of each way in turn, in rounds, while there is time; one round at least."""
    taken = {name: Taken() for name in calls}
    for call in calls.values():
        for query in range(min(WARM_UP, queries)):
            call(query)
    end = time.perf_counter() + seconds * len(calls)
    for _ in range(rounds):
        for name, call in calls.items():
            for query in range(queries):
                taken[name].ask(call, query)
        if time.perf_counter() > end:
            break
    return taken
