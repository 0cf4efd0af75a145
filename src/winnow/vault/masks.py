"""What of a note is not to be read: code, comments, math, escaped characters.

Every text made here is as long as the one it was made of, line by line, so that a place in one
is the same place in all.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from winnow.vault.blocks import Blocks

Span: TypeAlias = tuple[int, int]

FILLER = "\0"
"""Stands for text that is there but must not be read; no key, tag or link holds it."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A text as people see it, and what of that may hold fields, tags and links.

    In `prose` code blocks and comments are spaces; in `marked` code in lines, math and escaped
    characters are `FILLER` besides.
    """

    prose: str
    marked: str


def mask(text: str, blocks: Blocks, starts: Sequence[int]) -> Masked:
    """Mask a text whose lines begin at `starts`."""
    if blocks.code:
        code = ((starts[first], _end_of(text, starts, last)) for first, last in blocks.code)
        text = blank(text, code, " ")
    if _MARK.search(text) is None:
        return Masked(text, text)
    scanner = _Scanner(text, blocks, starts)
    scanner.run()
    prose = blank(text, scanner.comments, " ")
    return Masked(prose, blank(prose, scanner.literals, FILLER))


def blank(text: str, spans: Iterable[Span], filler: str) -> str:
    """Replace all but the line breaks in some spans, given in order."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts.append(text[at:start])
        parts.append("\n".join(filler * len(line) for line in text[start:end].split("\n")))
        at = end
    if not at:
        return text
    parts.append(text[at:])
    return "".join(parts)


def _end_of(text: str, starts: Sequence[int], line: int) -> int:
    return starts[line] - 1 if line < len(starts) else len(text)


_MARK = re.compile(r"\\[!-/:-@\[-`{-~]|`+|%%|<!--|\$\$?")
# Math in a line touches its dollars: "$45M and $30M" has none.
_INLINE_MATH = re.compile(r"\$(?![\s$])[^$\n]{1,500}(?<![\s\\])\$(?![\d$])")
_LEAD = re.compile(r"[ \t>*+-]*")
_LONGEST_LEAD = 200


class _Scanner:
    """One walk over the marks of a text, leftmost first; what is inside a span hides the rest."""

    def __init__(self, text: str, blocks: Blocks, starts: Sequence[int]) -> None:
        self.comments: list[Span] = []
        self.literals: list[Span] = []
        self._text = text
        self._lines = starts
        self._starts = [starts[first] for first, _ in blocks.paragraphs]
        self._ends = [_end_of(text, starts, last) for _, last in blocks.paragraphs]
        self._runs_until = -1
        self._runs: dict[int, list[int]] = {}
        self._closed_nowhere: set[str] = set()

    def run(self) -> None:
        at = 0
        while mark := _MARK.search(self._text, at):
            end_of, is_comment = _KINDS[mark[0][0]]
            end = end_of(self, mark)
            if end is not None:
                (self.comments if is_comment else self.literals).append((mark.start(), end))
            at = end or mark.end()

    def escape_end(self, mark: re.Match[str]) -> int | None:
        return mark.end()

    def code_end(self, mark: re.Match[str]) -> int | None:
        """Find the next run of as many backticks in the paragraph."""
        limit = self._limit(mark.start())
        if limit != self._runs_until:
            self._runs_until, self._runs = limit, {}
            for run in _BACKTICKS.finditer(self._text, mark.start(), limit):
                self._runs.setdefault(len(run[0]), []).append(run.start())
        length = len(mark[0])
        closers = self._runs.get(length, [])
        place = bisect_left(closers, mark.end())
        return closers[place] + length if place < len(closers) else None

    def percent_end(self, mark: re.Match[str]) -> int | None:
        return self._closing(mark, "%%", anywhere=self._begins_line(mark))

    def html_end(self, mark: re.Match[str]) -> int | None:
        return self._closing(mark, "-->", anywhere=True)

    def math_end(self, mark: re.Match[str]) -> int | None:
        if len(mark[0]) == 2:
            return self._closing(mark, "$$", anywhere=self._begins_line(mark))
        math = _INLINE_MATH.match(self._text, mark.start())
        return math.end() if math else None

    def _closing(self, mark: re.Match[str], closer: str, *, anywhere: bool) -> int | None:
        if closer in self._closed_nowhere:
            return None
        limit = len(self._text) if anywhere else self._limit(mark.start())
        found = self._text.find(closer, mark.end(), limit)
        if found >= 0:
            return found + len(closer)
        if anywhere:
            self._closed_nowhere.add(closer)
        return None

    def _begins_line(self, mark: re.Match[str]) -> bool:
        start = self._lines[bisect_right(self._lines, mark.start()) - 1]
        if mark.start() - start > _LONGEST_LEAD:
            return False
        return _LEAD.fullmatch(self._text, start, mark.start()) is not None

    def _limit(self, at: int) -> int:
        """Give the end of the paragraph that holds a place, or of the line if none does."""
        place = bisect_right(self._starts, at) - 1
        if place >= 0 and at < self._ends[place]:
            return self._ends[place]
        return _end_of(self._text, self._lines, bisect_right(self._lines, at))


_BACKTICKS = re.compile("`+")
_KINDS: Mapping[str, tuple[Callable[[_Scanner, re.Match[str]], int | None], bool]] = {
    "\\": (_Scanner.escape_end, False),
    "`": (_Scanner.code_end, False),
    "$": (_Scanner.math_end, False),
    "%": (_Scanner.percent_end, True),
    "<": (_Scanner.html_end, True),
}
