"""What is known of one note: plain values, made by `winnow.vault.markdown`."""

from collections.abc import Mapping
from dataclasses import dataclass

from winnow.values import Json


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a note that could not be read as meant; lines count from 1."""

    line: int
    detail: str


@dataclass(frozen=True, slots=True)
class InlineField:
    """A Dataview field; an empty value is "" and means absent."""

    key: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Link:
    """A wikilink, an embed or a Markdown link to a note; target "" is the note itself."""

    target: str
    heading: str | None
    block: str | None
    label: str | None
    embed: bool
    line: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Note:
    """A note as it was read.

    `lines` gives the line of each key and item of the frontmatter, `texts` the spelling of its
    numbers and booleans (`1.10`). `body` is the text after the frontmatter with line breaks as
    newlines, and begins at line `body_line`; a frontmatter that can't be used stays in it.
    `prose` is the body with code blocks and comments replaced by spaces. `head` is the text
    before the body, with its two rulers.
    """

    frontmatter: Mapping[str, Json]
    lines: Mapping[tuple[str | int, ...], int]
    texts: Mapping[tuple[str | int, ...], str]
    fields: tuple[InlineField, ...]
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    links: tuple[Link, ...]
    headings: tuple[Heading, ...]
    title: str | None
    body: str
    body_line: int
    prose: str
    problems: tuple[Problem, ...]
    head: str = ""

    def visible_lines(self) -> list[tuple[int, str]]:
        """List the lines of the prose that are not blank, each with its number."""
        numbered = enumerate(self.prose.split("\n"), self.body_line)
        return [(number, line) for number, line in numbered if line and not line.isspace()]
