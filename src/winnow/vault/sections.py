"""A note's text in passages: its sections, and of a section that is too long, parts of it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from winnow.vault.note import Heading, Note

LONGEST = 1_500
"""Characters; a longer section is cut, so that no part is left that is hardly worth a search."""
USUAL = 1_200
"""Characters of a part, at most."""
LEAST = 300
"""Characters of a part, if there is any place to cut behind so many."""
LONGEST_CODE = 4_800
"""Characters of a part that ends in a block of code, which stays whole up to here."""
LONGEST_HEADING = 200
BETWEEN_HEADINGS = " > "


@dataclass(frozen=True, slots=True)
class Passage:
    """Some of a note's text as it stands, less blank lines around it; lines count from 1.

    `heading` is the path of headings that it stands under, None above all of them.
    """

    heading: str | None
    line: int
    text: str


def cut_note(note: Note, title: str) -> list[Passage]:
    """Cut a note called `title` into passages that hold all of its body.

    What has nothing under its heading, tags aside, stands before the next section, or behind the
    last one. A heading over all others that is the title is in no path. A note without text has
    one passage.
    """
    lines = note.body.split("\n")
    guide = _guide(lines, note.prose.split("\n")) if note.prose != note.body else lines
    found: list[Passage] = []
    for heading, first, end in _sections(note, title, lines):
        text = "\n".join(lines[first:end])
        marked = text if guide is lines else "".join(guide[first:end])[:-1]
        found += _passages(heading, note.body_line + first, text, marked)
    return found or [Passage(None, note.body_line, "")]


def cut_text(text: str) -> list[Passage]:
    """Cut a text of which nothing is known."""
    return [*_passages(None, 1, text, text)] or [Passage(None, 1, "")]


# --- sections --------------------------------------------------------------------------------

_Section: TypeAlias = tuple[str | None, int, int]
"""The heading of a section, and its lines: `first <= line < end`, counted from 0."""

_SAYS = re.compile(r"(?<!\S)(?!#\S)\S*\w")  # a word that is no tag


def _sections(note: Note, title: str, lines: Sequence[str]) -> list[_Section]:
    paths = [None, *_paths(note.headings, title)]
    starts = [0, *(heading.line - note.body_line for heading in note.headings)]
    found: list[_Section] = []
    bare: _Section | None = None
    for number, (path, start) in enumerate(zip(paths, starts, strict=True)):
        end = starts[number + 1] if number + 1 < len(starts) else len(lines)
        first = start if bare is None else bare[1]
        if any(map(_SAYS.search, lines[start + (number > 0) : end])):
            found.append((path, first, end))
            bare = None
        else:
            bare = (path if bare is None else bare[0] or path, first, end)
    if bare is not None and found:
        path, first, _ = found.pop()
        bare = (path, first, len(lines))
    return found if bare is None else [*found, bare]


def _paths(headings: Sequence[Heading], title: str) -> Iterator[str | None]:
    """Yield for each heading the path of those that it stands under, with itself."""
    over: list[tuple[int, str]] = []
    skipped = int(_is_title(headings, title))
    for heading in headings:
        while over and over[-1][0] >= heading.level:
            over.pop()
        over.append((heading.level, heading.text[:LONGEST_HEADING]))
        yield BETWEEN_HEADINGS.join(text for _, text in over[skipped:] if text) or None


def _is_title(headings: Sequence[Heading], title: str) -> bool:
    """Tell whether the first heading is the note's title and all others stand under it."""
    if not headings or headings[0].text != title:
        return False
    return all(heading.level > headings[0].level for heading in headings[1:])


def _guide(lines: Sequence[str], prose: Sequence[str]) -> list[str]:
    """Return the lines with their breaks, which are `_INSIDE` within code and comments."""
    marks = [None if not line.strip() else not prose[n].strip() for n, line in enumerate(lines)]
    inside = False
    breaks: list[str] = []
    for mark in reversed(marks):
        breaks.append(_INSIDE if inside else "\n")
        inside = inside if mark is None else mark
    inside = False
    for number, mark in enumerate(marks):
        inside = inside if mark is None else mark
        if not inside:
            breaks[-1 - number] = "\n"
    return [line + ending for line, ending in zip(lines, reversed(breaks), strict=True)]


# --- parts of a section ----------------------------------------------------------------------

_INSIDE = "\0"
_BLANK_LINES = re.compile(r"(?:[^\S\n]*+\n)*+")

_Finder: TypeAlias = Callable[[str, int], int | None]


def _passages(heading: str | None, line: int, text: str, guide: str) -> Iterator[Passage]:
    """Yield the parts of a section that begins at a line, less those that are blank."""
    counted = 0
    for start, end in _parts(guide, len(text)):
        blank = _BLANK_LINES.match(text, start, end)
        start = blank.end() if blank else start
        part = text[start:end].rstrip()
        if part:
            line += text.count("\n", counted, start)
            counted = start
            yield Passage(heading, line, part)


def _parts(guide: str, length: int) -> Iterator[tuple[int, int]]:
    start = 0
    while length - start > LONGEST:
        end = next(filter(None, (find(guide, start) for find in _FINDERS)), start + USUAL)
        yield start, end
        start = end
    yield start, length


def _last(pattern: re.Pattern[str], guide: str, start: int) -> int | None:
    """Return the end of the last match that is neither too near nor too far."""
    end = None
    for found in pattern.finditer(guide, start + LEAST, start + USUAL):
        end = found.end()
    return end


def _end_of_code(guide: str, start: int) -> int | None:
    """Return the end of a block of code that begins before the usual end of a part."""
    inside = guide.rfind(_INSIDE, start + LEAST, start + USUAL)
    if inside < 0:
        return None
    end = guide.find("\n", inside, start + LONGEST_CODE)
    if end >= 0:
        return end + 1
    return len(guide) if len(guide) - start <= LONGEST_CODE else None


_SENTENCE = re.compile(
    r"""(?<=[.!?…])["'”’»)\]*_]*\s+(?![a-z])  # "e. g. this" is one
    |(?<=[。！？])[”’」』）]*""",
    re.VERBOSE,
)

# Where to cut, the best place first.
_FINDERS: tuple[_Finder, ...] = (
    partial(_last, re.compile(r"\n(?:[^\S\n]*\n)+")),  # between paragraphs
    partial(_last, re.compile(r"\n(?=[ \t]*(?:[-*+>|]|\d{1,9}[.)][ \t]))")),  # items, rows, quotes
    partial(_last, re.compile(rf"\n(?=[^\n{_INSIDE}]*{_INSIDE})")),  # before code
    _end_of_code,
    partial(_last, re.compile(rf"(?={_INSIDE})")),  # lines of code
    partial(_last, _SENTENCE),
    partial(_last, re.compile(r"\n")),
    partial(_last, re.compile(r"\s+")),
)
