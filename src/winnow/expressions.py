"""Regular expressions that somebody else wrote: a match that takes too long is given up.

Python's own engine can't be stopped. The one that can is half as fast, so that what ships with
Winnow doesn't use it.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, Protocol, cast

from winnow.errors import PackError

MATCH_SECONDS: Final = 1.0
"""Seconds that one expression may take on one text; a thousandth of it is long."""


class Expression(Protocol):
    """What is used of an expression."""

    def finditer(self, string: str, /) -> "Iterator[re.Match[str]]":
        """Yield all matches."""
        ...

    def match(self, string: str, pos: int = 0, /) -> "re.Match[str] | None":
        """Match from a place on."""
        ...


@cache
def compile_own(expression: str) -> re.Pattern[str]:
    """Compile an expression of our own, whatever its letters' case, once."""
    return re.compile(expression, re.IGNORECASE)


@lru_cache(maxsize=4_096)
def compile_foreign(expression: str, source: str) -> Expression:
    """Compile an expression of a pack, whatever its letters' case; it raises PackError if slow."""
    return _Bounded(expression, source, ignore_case=True)


@lru_cache(maxsize=4_096)
def compile_id(expression: str) -> "Expression":
    """Compile the form of an id, which minds case."""
    return _Bounded(rf"(?:{expression})\Z", "the form of an id", ignore_case=False)


class _Bounded:
    """An expression whose matches are bounded in time."""

    def __init__(self, expression: str, source: str, *, ignore_case: bool) -> None:
        import regex  # takes a while to import

        flags = regex.VERSION0 | (regex.IGNORECASE if ignore_case else 0)
        self._pattern = cast("_Pattern", regex.compile(expression, flags))
        self._expression, self._source = expression, source

    def finditer(self, string: str, /) -> "Iterator[re.Match[str]]":
        """Find all matches at once: the time of whoever looks at them doesn't count."""
        try:
            return iter(list(self._pattern.finditer(string, timeout=MATCH_SECONDS)))
        except TimeoutError:
            raise self._too_slow() from None

    def match(self, string: str, pos: int = 0, /) -> "re.Match[str] | None":
        """Match from a place on."""
        try:
            return self._pattern.match(string, pos, timeout=MATCH_SECONDS)
        except TimeoutError:
            raise self._too_slow() from None

    def _too_slow(self) -> PackError:
        shown = self._expression if len(self._expression) <= _SHOWN else self._expression[:_SHOWN]
        detail = f"{shown!r} takes more than {MATCH_SECONDS:g} second on one text; make it simpler"
        return PackError(self._source, [(None, detail)])


_SHOWN = 200


class _Pattern(Protocol):
    def finditer(self, string: str, *, timeout: float) -> "Iterator[re.Match[str]]": ...
    def match(self, string: str, pos: int, *, timeout: float) -> "re.Match[str] | None": ...
