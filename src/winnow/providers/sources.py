"""Asking other sources, all at once, and what to say of those that did not answer."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock
from typing import Final, TypeAlias

from winnow.errors import SourceError
from winnow.providers.base import Found, Provider
from winnow.providers.lane import Failure, Lane, await_result
from winnow.providers.reading import Reading, read_answer
from winnow.providers.registry import find_provider, name_variable
from winnow.providers.variables import read_seconds

TIMEOUT: Final = 10.0  # seconds for all sources together, unless WINNOW_SOURCE_TIMEOUT says else
_GRACE: Final = 0.25  # seconds more, in which a provider may say itself that it is late
_LONGEST_NOTE: Final = 400  # characters

Finder: TypeAlias = Callable[[str, Mapping[str, str]], Provider | None]


@dataclass(frozen=True, slots=True)
class Remark:
    """What became of a source that was asked; for the answer's `sourceNotes`."""

    source: str
    note: str


@dataclass(frozen=True, slots=True)
class Answers:
    """What each source found, the best first, and what there is to say of them.

    `found` has the sources that answered, in the order in which they were named.
    """

    found: Mapping[str, tuple[Found, ...]]
    remarks: tuple[Remark, ...]


class Sources:
    """The other sources of recall. Nothing is imported or opened before a source is asked."""

    def __init__(
        self, settings: Mapping[str, str] = os.environ, find: Finder = find_provider
    ) -> None:
        self._settings, self._find = settings, find
        self._known: dict[str, _Source] = {}
        self._lock = Lock()

    def ask(
        self, names: Iterable[str], query: str, limit: int, timeout: float | None = None
    ) -> Answers:
        """Ask some sources at the same time; raises nothing.

        `timeout` is in seconds for all of them; without it, WINNOW_SOURCE_TIMEOUT.
        """
        wanted = list(dict.fromkeys(names))
        if not query.strip():
            return _refuse(wanted, "not asked: it needs a query")
        try:
            seconds = timeout or read_seconds(self._settings, "WINNOW_SOURCE_TIMEOUT", TIMEOUT)
        except SourceError as error:
            return _refuse(wanted, f"not asked: {error}")
        end = time.monotonic() + seconds + _GRACE
        calls = [(name, self._source(name).ask(query, limit, seconds)) for name in wanted]
        return self._gather(
            [(name, await_result(call, end - time.monotonic())) for name, call in calls]
        )

    def connected(self, names: Iterable[str], timeout: float = TIMEOUT) -> dict[str, bool]:
        """Tell of each source whether it has a provider, which is opened for that and not asked."""
        end = time.monotonic() + timeout
        calls = [(name, self._source(name).connect()) for name in dict.fromkeys(names)]
        results = [(name, await_result(call, end - time.monotonic())) for name, call in calls]
        return {name: result is True for name, result in results}

    def _source(self, name: str) -> "_Source":
        with self._lock:
            if name not in self._known:
                self._known[name] = _Source(name, lambda: self._find(name, self._settings))
            return self._known[name]

    def _gather(self, results: "Sequence[tuple[str, Reading | Failure]]") -> Answers:
        found: dict[str, tuple[Found, ...]] = {}
        remarks: list[Remark] = []
        for name, result in results:
            if isinstance(result, Reading):
                found[name] = result.found
            if told := _tell(result):
                remarks.append(Remark(name, self._shorten(told)))
        return Answers(found, tuple(remarks))

    def _shorten(self, told: str) -> str:
        """Bring a remark to one short line, without what a provider may have told of a key."""
        for name, value in self._settings.items():
            if name.endswith(_SECRET) and len(value) >= _SHORTEST_SECRET:
                told = told.replace(value, "***")
        line = " ".join(told.encode("utf-8", "replace").decode().split())
        return line if len(line) <= _LONGEST_NOTE else line[: _LONGEST_NOTE - 1] + "…"


_SECRET: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD")  # how the names of such variables end
_SHORTEST_SECRET: Final = 6  # characters; anything shorter stands in ordinary words


class _Source:
    """One source: its provider, opened when it is first asked, and its calls."""

    def __init__(self, name: str, find: Callable[[], Provider | None]) -> None:
        self._name, self._find = name, find
        self._provider: Provider | None = None
        self._opening = Lock()
        self._lane = Lane(f"winnow-{name}")

    def ask(self, query: str, limit: int, timeout: float) -> "Future[Reading]":
        # Importing, opening and reading the answer may hang too: all of it is in the call.
        return self._lane.start(
            lambda: read_answer(self._open().search(query, limit, timeout), limit)
        )

    def connect(self) -> "Future[bool]":
        """Open the provider; raises nothing."""
        return self._lane.start(lambda: bool(self._open()))

    def _open(self) -> Provider:
        with self._opening:
            if self._provider is None:
                self._provider = self._find()
            if self._provider is None:
                raise SourceError(f"no provider: {_ADVICE.get(self._name) or _advise(self._name)}")
            return self._provider


_ADVICE: Final[Mapping[str, str]] = {"onyx": "set WINNOW_ONYX_URL and WINNOW_ONYX_KEY"}


def _advise(name: str) -> str:
    return f"install a package that has one, or set {name_variable(name)}=module:attribute"


def _refuse(names: Sequence[str], note: str) -> Answers:
    return Answers({}, tuple(Remark(name, note) for name in names))


def _tell(result: "Reading | Failure") -> str | None:
    if isinstance(result, Reading):
        return result.complaint
    error = result.error
    if error is None or isinstance(error, SourceError):
        return str(error or result.reason)
    words = _quote(error)
    return f"failed: {result.reason}: {words}" if words else f"failed: {result.reason}"


def _quote(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - it is not ours, and even this may be broken
        return ""
