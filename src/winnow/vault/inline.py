"""What stands inside the lines of a note: tags, links and Dataview fields."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from urllib.parse import unquote

from winnow.vault.blocks import Blocks
from winnow.vault.fields import line_fields
from winnow.vault.masks import FILLER, blank, mask
from winnow.vault.note import InlineField, Link


@dataclass(frozen=True, slots=True)
class Inline:
    """What was found, in the order of the text; `prose` is the text less code and comments."""

    fields: tuple[InlineField, ...]
    tags: tuple[str, ...]
    links: tuple[Link, ...]
    prose: str


def scan_inline(text: str, blocks: Blocks, starts: Sequence[int], first_line: int) -> Inline:
    """Find what stands in a text whose lines begin at `starts` and count from `first_line`."""
    masked = mask(text, blocks, starts)
    scan = _Scan(text, masked.prose, masked.marked, starts, first_line)
    links = tuple(scan.links())
    scan.hide_links()
    return Inline(tuple(scan.fields()), tuple(scan.tags()), links, masked.prose)


def read_wikilinks(text: str, line: int) -> Iterator[Link]:
    """Find the wikilinks in a text that stands outside the body, such as a frontmatter value."""
    for found in _WIKILINK.finditer(text):
        if link := _wikilink(found[1], _is_embed(text, found), line):
            yield link


_WIKILINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_BLOCK = re.compile(r"(.*?)#?\^([\w-]+)\s*", re.DOTALL)

_MARKDOWN_LINK = re.compile(
    r"(!?)\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]"
    r"\([ \t]*(?:<([^<>\n]*)>|([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*))"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
_DESTINATION = re.compile(r"\]\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

# A tag stands at the start of a line or cell, after a space, an opening bracket or emphasis, or
# right behind another tag. It ends as in Obsidian, but joined emoji stay whole. The `#` comes
# before the look back, since a pattern that begins with a plain character is found faster.
_TAG_CHARACTERS = (
    r"[^\s\0\u2000-\u200b\u200e-\u206f\u2e00-\u2e7f"
    r"'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]+"
)
_TAGS = re.compile(rf"#(?:(?<![^\s(*~|>]#)|(?<===#))({_TAG_CHARACTERS}(?:#{_TAG_CHARACTERS})*)")
_NO_TAG = re.compile(r"\d+|[-_/\ufe0f\u20e3]+")


@dataclass(slots=True)
class _Scan:
    """One text in its three forms, all of one length."""

    text: str
    prose: str
    marked: str
    starts: Sequence[int]
    first_line: int

    def links(self) -> Iterator[Link]:
        found: list[tuple[int, Link]] = []
        if "[[" in self.marked:
            found += self._wikilinks()
        if "](" in self.marked:
            found += self._markdown_links()
        return map(itemgetter(1), sorted(found, key=itemgetter(0)))

    def hide_links(self) -> None:
        """Hide wikilinks and destinations, whose `#`, `::` and brackets mean something else."""
        for opening, pattern in (("[[", _WIKILINK), ("](", _DESTINATION)):
            if opening in self.marked:
                spans = (found.span(1) for found in pattern.finditer(self.marked))
                self.marked = blank(self.marked, spans, FILLER)

    def tags(self) -> Iterator[str]:
        if "#" not in self.marked:
            return
        for found in _TAGS.finditer(self.marked):
            for tag in found[1].split("#"):
                if not _NO_TAG.fullmatch(tag):
                    yield tag

    def fields(self) -> Iterator[InlineField]:
        at = self.marked.find("::")
        while at >= 0:
            number = bisect_right(self.starts, at) - 1
            start = self.starts[number]
            end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
            for key, value in line_fields(self.marked[start:end], self.prose[start:end]):
                yield InlineField(key, value, number + self.first_line)
            at = self.marked.find("::", end)

    def _wikilinks(self) -> Iterator[tuple[int, Link]]:
        for found in _WIKILINK.finditer(self.marked):
            start, end = found.span(1)
            embed = _is_embed(self.marked, found)
            if link := _wikilink(self.text[start:end], embed, self._line(start)):
                yield start, link

    def _markdown_links(self) -> Iterator[tuple[int, Link]]:
        for found in _MARKDOWN_LINK.finditer(self.marked):
            place = found.span(3 if found[3] is not None else 4)
            target, _, part = self.text[slice(*place)].partition("#")
            target = unquote(target)
            if not target.casefold().endswith(".md") or _SCHEME.match(target):
                continue
            heading, block = _part(unquote(part))
            label = self.text[slice(*found.span(2))].strip() or None
            line = self._line(found.start())
            yield found.start(), Link(target, heading, block, label, bool(found[1]), line)

    def _line(self, at: int) -> int:
        return bisect_right(self.starts, at) - 1 + self.first_line


def _is_embed(text: str, found: re.Match[str]) -> bool:
    return found.start() > 0 and text[found.start() - 1] == "!"


def _wikilink(inner: str, embed: bool, line: int) -> Link | None:
    place, bar, label = inner.partition("|")
    # In a table the bar is written `\|`.
    target, _, part = place.removesuffix("\\" if bar else "").partition("#")
    heading, block = _part(part)
    target = target.strip()
    if not (target or heading or block):
        return None
    return Link(target, heading, block, label.strip() or None, embed, line)


def _part(text: str) -> tuple[str | None, str | None]:
    """Split what follows the `#` of a link into heading and block id."""
    found = _BLOCK.fullmatch(text)
    heading, block = (found[1], found[2]) if found else (text, None)
    return heading.strip() or None, block
