"""Calls of what may hang: each in a thread of its own, and waited for only so long.

The threads are daemons, since those of an executor keep a program from ending.
"""

from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from threading import BoundedSemaphore, Thread
from typing import Final, TypeVar

from winnow.errors import SourceError

T = TypeVar("T")

MOST_AT_ONCE: Final = 32  # calls of one thing; those that hang count, until they end


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call has no result; `error` is what it raised, if it raised anything."""

    reason: str
    error: BaseException | None = None


class Lane:
    """The calls of one thing, such as a server. Safe to use from several threads."""

    def __init__(self, name: str, most: int = MOST_AT_ONCE) -> None:
        self._name, self._most = name, most
        self._free = BoundedSemaphore(most)

    def start(self, call: Callable[[], T]) -> "Future[T]":
        """Begin a call; raises nothing, whatever the call does."""
        future: Future[T] = Future()
        if not self._free.acquire(blocking=False):
            future.set_exception(SourceError(f"{self._most} earlier calls are not done yet"))
            return future
        thread = Thread(target=self._run, args=(call, future), name=self._name, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # the system gives no more threads
            self._free.release()
            future.set_exception(error)
        return future

    def _run(self, call: Callable[[], T], future: "Future[T]") -> None:
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - told to the thread that waits
            self._free.release()
            future.set_exception(error)
        else:
            self._free.release()
            future.set_result(result)


def await_result(future: "Future[T]", seconds: float) -> "T | Failure":
    """Wait for a call, at most so long; raises nothing that the call raised."""
    wait([future], max(seconds, 0))
    if not future.done():
        return Failure("no answer in time")
    error = future.exception()
    if error is not None:
        return Failure(type(error).__name__, error)
    return future.result()
