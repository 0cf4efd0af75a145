"""How long a request may take: the work itself looks now and then, and stops between two steps.

Nothing is interrupted: a step that has begun ends, and a transaction is kept whole or not at all.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic
from typing import Final, TypeVar

from winnow.errors import Cancelled, Fault, InvalidRequest, TooSlow

T = TypeVar("T")

DEFAULT_SECONDS: Final = 30.0
"""Seconds that a request may take if nothing else is said."""
STRIDE: Final = 1_000
"""Items between two looks at the clock, where each takes some microseconds."""


@dataclass(slots=True)
class Stop:
    """Says that nobody waits for a request any more. Safe to use from several threads."""

    requested: bool = False

    def request(self) -> None:
        """Have the work end at its next look."""
        self.requested = True


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a request has to be done, by the monotonic clock, and who may end it before."""

    ends: float = inf
    seconds: float = inf
    stop: Stop = field(default_factory=Stop)


@contextmanager
def limit(seconds: float | None, stop: Stop | None = None) -> Generator[None]:
    """Give the work in the block so many seconds; None adds no bound to one that holds already.

    `stop` ends the work too. What bounds the work around the block goes on to hold in it.
    """
    outer = _CURRENT.get()
    mark = _CURRENT.set(_narrow(outer, seconds, stop))
    try:
        yield
    finally:
        _CURRENT.reset(mark)


@contextmanager
def uncounted() -> Generator[None]:
    """Add what the block takes to the time that is left: it is done once for all requests."""
    began = monotonic()
    try:
        yield
    finally:
        current = _CURRENT.get()
        if current is not None:
            _CURRENT.set(replace(current, ends=current.ends + monotonic() - began))


def find_stop() -> Stop:
    """Return what ends the work that is under way here; a new one if nothing does."""
    current = _CURRENT.get()
    return Stop() if current is None else current.stop


def check(doing: str) -> None:
    """Raise TooSlow if the time is over, Cancelled if nobody waits; `doing` says what took it."""
    current = _CURRENT.get()
    if current is None:
        return
    if current.stop.requested:
        raise Cancelled(f"nobody waits for this request any more; it ended while {doing}")
    if monotonic() > current.ends:
        raise TooSlow(
            f"the request took more than {current.seconds:g} seconds, and was ended while {doing};"
            " narrow it down, or give it more time (WINNOW_TIME_LIMIT)"
        )


def watch(items: Iterable[T], doing: str, stride: int = STRIDE) -> Iterator[T]:
    """Yield items, with a look at the clock before each `stride` of them."""
    for number, item in enumerate(items):
        if not number % stride:
            check(doing)
        yield item


def read_seconds(text: str, place: str) -> float | None:
    """Read a time limit in seconds; 0 is none. Raises InvalidRequest, which names the `place`."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < inf:
        detail = f"expected a number of seconds, 0 for no limit, got {text!r}"
        raise InvalidRequest([Fault(place, detail)])
    return seconds or None


_CURRENT: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def _narrow(outer: Deadline | None, seconds: float | None, stop: Stop | None) -> Deadline | None:
    """Return what holds in a block: the sooner of two ends."""
    if seconds is None and stop is None:
        return outer
    around = outer or Deadline()
    ends = inf if seconds is None else monotonic() + seconds
    handle = stop or around.stop
    if ends < around.ends:
        return Deadline(ends, inf if seconds is None else seconds, handle)
    return Deadline(around.ends, around.seconds, handle)
