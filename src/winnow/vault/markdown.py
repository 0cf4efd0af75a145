"""Reading a note by the rules of Obsidian and Dataview: text in, values out, nothing else."""

import re
import unicodedata
from collections.abc import Iterator

from winnow.memories import distinct_tags
from winnow.vault.blocks import MOST_LINES, Blocks, find_blocks
from winnow.vault.frontmatter import (
    Frontmatter,
    normalize_tags,
    read_frontmatter,
    read_names,
    read_texts,
)
from winnow.vault.inline import read_wikilinks, scan_inline
from winnow.vault.note import Heading, InlineField, Link, Note, Problem

__all__ = [
    "Heading",
    "InlineField",
    "Link",
    "Note",
    "Problem",
    "normalize_tags",
    "read_note",
    "snippet",
]

SNIPPET_LENGTH = 280
"""Characters."""


def read_note(text: str) -> Note:
    """Read a note; any text is one, and what can't be read is among its problems."""
    text = _with_newlines(text.removeprefix("\ufeff"))
    front = read_frontmatter(text)
    head, content = text[: front.end], text[front.end :]
    first_line = head.count("\n") + 1
    starts = [0, *(found.end() for found in _NEWLINE.finditer(content))]
    blocks = find_blocks(content, len(starts), first_line)
    inline = scan_inline(content, blocks, starts, first_line)
    names = read_names(front)
    stays = "" if front.usable else head  # what could not be read can still be searched
    return Note(
        frontmatter=front.values,
        lines=front.lines,
        texts=front.texts,
        fields=inline.fields,
        tags=distinct_tags((*names.tags, *inline.tags)),
        aliases=names.aliases,
        links=(*_links(front), *inline.links) if "[[" in head else inline.links,
        headings=tuple(blocks.headings),
        title=names.title,
        body=stays + content,
        body_line=1 if stays else first_line,
        prose=stays + inline.prose,
        problems=(*front.problems, *names.problems, *_problems(blocks)),
        head="" if stays else head,
    )


def snippet(body: str, key_line: re.Pattern[str] | None, length: int = SNIPPET_LENGTH) -> str:
    """Give the first characters of a body as one line, less the lines that `key_line` finds."""
    taken: list[str] = []
    size = -1
    for word in _words(body, key_line):
        taken.append(word)
        size += len(word) + 1
        if size > length:
            break
    return _cut(" ".join(taken), length)


_NEWLINE = re.compile("\n")
_LINE = re.compile("[^\n]+")
_WORD = re.compile(r"\S+")
_JOINERS = "\u200d\ufe0e\ufe0f"


def _with_newlines(text: str) -> str:
    if "\r" not in text:
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _links(front: Frontmatter) -> Iterator[Link]:
    for line, text in read_texts(front):
        if "[[" in text:
            yield from read_wikilinks(text, line)


def _problems(blocks: Blocks) -> tuple[Problem, ...]:
    if blocks.exact:
        return ()
    detail = f"more than {MOST_LINES:,} lines: only fences and # headings were told from text"
    return (Problem(1, detail),)


def _words(body: str, key_line: re.Pattern[str] | None) -> Iterator[str]:
    for line in _LINE.finditer(body):
        if key_line is None or not key_line.search(line[0]):
            for word in _WORD.finditer(line[0]):
                yield word[0]


def _cut(text: str, length: int) -> str:
    """Cut a text, but not between a letter and its marks or inside a joined emoji."""
    end = length
    while 0 < end < len(text) and _continues(text, end):
        end -= 1
    return text[: end or length].rstrip()


def _continues(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    return before == "\u200d" or after in _JOINERS or unicodedata.category(after)[0] == "M"
