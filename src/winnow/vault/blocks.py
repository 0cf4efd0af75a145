"""The blocks of a Markdown text: which lines are code, where headings and paragraphs are."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from winnow.vault.note import Heading

MOST_LINES = 20_000
"""Lines that the block parser is given; it takes up to 25 µs for each, so longer texts get the
plain scanner."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Line ranges of a text, `start <= line < end` counted from 0, in the order of the text.

    Paragraphs are left out where nothing in them could reach over a line. `exact` is False if
    only fences and `#` headings were looked for.
    """

    code: Sequence[tuple[int, int]]
    paragraphs: Sequence[tuple[int, int]]
    headings: Sequence[Heading]
    exact: bool = True


def find_blocks(text: str, lines: int, first_line: int) -> Blocks:
    """Find the blocks of a text of so many lines, the first one numbered `first_line`."""
    if is_plain(text):
        return _scan(text, first_line)
    if lines <= MOST_LINES:
        return _collect(_PARSER.parse(text), first_line)
    return replace(_scan(text, first_line), exact=False)


def is_plain(text: str) -> bool:
    """Tell whether the plain scanner sees in a text all that the parser would.

    So it is without code, HTML, comments over lines, underlined headings and headings inside
    lists and quotes; most short notes are, and the parser would take most of their time.
    """
    return not any(mark in text for mark in _HARD_MARKS) and not _HARD_LINE.search(text)


_HARD_MARKS = ("`", "~~~", "    ", "\t", "<", "%%", "$$")
_HARD_LINE = re.compile(
    r"^[ 0-9>*+.)=-]*[=-] *$|^[ 0-9]*[>*+.)-][ 0-9>*+.)-]*#",
    re.MULTILINE,
)


def _block_parser() -> MarkdownIt:
    """Make a parser that stops after blocks; link definitions would only be lost from the text."""
    parser = MarkdownIt("commonmark", {"maxNesting": 30}).disable("reference")
    parser.core.ruler.enableOnly(["block"])
    return parser


_PARSER = _block_parser()


def _collect(tokens: Sequence[Token], first_line: int) -> Blocks:
    code: list[tuple[int, int]] = []
    paragraphs: list[tuple[int, int]] = []
    headings: list[Heading] = []
    level = 0
    for token in tokens:
        kind, place = token.type, token.map
        if kind == "heading_open":
            level = int(token.tag[1])
        elif kind == "inline" and place is not None:
            paragraphs.append((place[0], place[1]))
            if level:
                heading = " ".join(token.content.split())
                headings.append(Heading(level, heading, place[0] + first_line))
                level = 0
        elif kind in ("fence", "code_block") and place is not None:
            code.append((place[0], place[1]))
    return Blocks(code, paragraphs, headings)


# Marks of quotes and lists before the fence, then the fence; a run of backticks with another
# backtick behind it is code in a line. The possessive count keeps a long run linear.
_FENCE = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(`{3,}+(?![^`]*`)|~{3,})")


def _scan(text: str, first_line: int) -> Blocks:
    """Find fences and `#` headings in one pass, by their own line alone."""
    code: list[tuple[int, int]] = []
    headings: list[Heading] = []
    lines = text.split("\n")
    fence, opened = "", 0
    for number, line in enumerate(lines):
        if fence:
            if _closes(line, fence):
                code.append((opened, number + 1))
                fence = ""
        elif "```" in line or "~~~" in line:
            found = _FENCE.match(line)
            fence, opened = (found[1], number) if found else ("", 0)
        elif "#" in line[:4] and (heading := _heading(line, number + first_line)):
            headings.append(heading)
    if fence:
        code.append((opened, len(lines)))
    return Blocks(code, (), headings)


def _closes(line: str, fence: str) -> bool:
    run = line.strip(" \t>")
    return run.startswith(fence) and not run.strip(fence[0])


def _heading(line: str, number: int) -> Heading | None:
    text = line.lstrip(" ").rstrip(" \t")
    after = text.lstrip("#")
    level = len(text) - len(after)
    if not 1 <= level <= 6 or (after and after[0] not in " \t"):
        return None
    content = after.strip(" \t")
    unclosed = content.rstrip("#")
    if not unclosed or unclosed[-1] in " \t":
        content = unclosed
    return Heading(level, " ".join(content.split()), number)
