"""How many calls are carried out at once, and how many may wait for it."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from winnow.surfaces.http.limits import Limits
from winnow.surfaces.http.problems import Refusal
from winnow.surfaces.threads import Threads

R = TypeVar("R")
RETRY_SECONDS = 1


class Crowd:
    """The calls of a server. Used from its event loop alone."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.running + limits.waiting
        self.threads = Threads(limits.running)
        self._inside = 0

    @property
    def running(self) -> int:
        """How many calls are carried out, those that nobody waits for any more included."""
        return self.threads.running

    @property
    def inside(self) -> int:
        """How many calls are carried out or wait for it."""
        return self._inside

    @contextmanager
    def enter(self) -> Generator[None]:
        """Count a call in the block; raise Refusal if there are too many already."""
        if self._inside >= self._most:
            detail = "too many requests at once; try again"
            raise Refusal(503, "overloaded", detail, {"retry-after": str(RETRY_SECONDS)})
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    async def run(self, work: Callable[[], R]) -> R:
        """Work in a thread; if the one who waits for it is gone, the work ends at its next look."""
        return await self.threads.run(work)
