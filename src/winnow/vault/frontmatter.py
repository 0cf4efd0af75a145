"""The YAML at the head of a note: where it ends, what it says, and the names it gives the note."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from winnow.memories import distinct_tags
from winnow.values import Json, describe
from winnow.vault.note import Problem
from winnow.yaml12 import Path, YamlError, load

LARGEST = 1_000_000
"""Characters; what is longer is hardly a frontmatter, and is left unread."""


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The head of a note, which ends at character `end` (0 if there is none).

    With `usable` False nothing could be read from it. `lines` and `texts` are those of
    `winnow.yaml12.Document`, with lines counted from the top of the note.
    """

    end: int = 0
    usable: bool = True
    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    lines: Mapping[Path, int] = field(default_factory=dict[Path, int])
    texts: Mapping[Path, str] = field(default_factory=dict[Path, str])
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Names:
    """What a frontmatter calls its note."""

    title: str | None
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    problems: tuple[Problem, ...]


def read_frontmatter(text: str) -> Frontmatter:
    """Read the head of a note, whose line breaks are newlines; it never raises."""
    opening = _OPENING.match(text)
    if opening is None:
        return Frontmatter()
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return Frontmatter(problems=_never_closed(text, opening.end()))
    end = closing.end()
    inside = text[opening.end() : closing.start()]
    if len(inside) > LARGEST:
        return _unusable(end, 1, f"the frontmatter has more than {LARGEST:,} characters")
    try:
        document = load(inside, first_line=2)
    except YamlError as error:
        return _unusable(end, error.line or 1, f"broken frontmatter: {error.detail}")
    values = {} if document.value is None else document.value
    if not isinstance(values, dict):
        detail = f"the frontmatter must be keys with values, not {describe(values)}"
        return _unusable(end, 2, detail)
    return Frontmatter(end, True, values, document.lines, document.texts)


def read_names(front: Frontmatter) -> Names:
    """Find the title, tags and aliases of a note in its frontmatter."""
    found: dict[str, list[Json]] = {"title": [], "tags": [], "aliases": []}
    problems: list[Problem] = []
    for key, value in front.values.items():
        name = _NAME_KEYS.get(key.casefold())
        if name is None or value is None:
            continue
        if isinstance(value, dict) or (name == "title" and isinstance(value, list)):
            detail = f"{key} must be {_EXPECTED[name]}, not {describe(value)}"
            problems.append(Problem(front.lines[key,], detail))
        else:
            found[name].append(_as_written(front, value, (key,)))
            problems.extend(_odd_items(front, key, value))
    titles = (" ".join(title.split()) for title in _scalars(found["title"]))
    return Names(
        title=next(filter(None, titles), None),
        tags=distinct_tags(tag for value in found["tags"] for tag in normalize_tags(value)),
        aliases=tuple(dict.fromkeys(_aliases(found["aliases"]))),
        problems=tuple(problems),
    )


def read_texts(front: Frontmatter) -> Iterator[tuple[int, str]]:
    """Walk the texts of a frontmatter, each with the line where it or its list begins."""
    pending: list[tuple[Json, Path, int]] = [(dict(front.values), (), 1)]
    while pending:
        value, path, line = pending.pop()
        if isinstance(value, str):
            yield line, value
        elif isinstance(value, dict | list):
            steps = value.items() if isinstance(value, dict) else enumerate(value)
            below = [(item, (*path, step)) for step, item in steps]
            pending.extend((item, at, front.lines.get(at, line)) for item, at in reversed(below))


def normalize_tags(value: Json) -> tuple[str, ...]:
    """Read tags in any spelling that a person may give them.

    A text is split at commas and spaces; an item of a list is one tag, whatever it holds. The
    `#` goes, blank ones too, and of tags that differ only in case the first stays.
    """
    texts = _WORD_BREAK.split(value) if isinstance(value, str) else _scalars([value])
    return distinct_tags(texts)


_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_LOOKS_LIKE_KEY = re.compile(r"[\w-]+:(?:\s|\Z)")
_WORD_BREAK = re.compile(r"[,\s]+")

_NAME_KEYS = {
    "title": "title",
    "tag": "tags",
    "tags": "tags",
    "alias": "aliases",
    "aliases": "aliases",
}
_EXPECTED = {"title": "a text", "tags": "a text or a list", "aliases": "a text or a list"}


def _never_closed(text: str, start: int) -> tuple[Problem, ...]:
    if not _LOOKS_LIKE_KEY.match(text, start):
        return ()  # a ruler, not a head
    return (Problem(1, "the frontmatter that begins here is never closed by ---"),)


def _unusable(end: int, line: int, detail: str) -> Frontmatter:
    return Frontmatter(end, usable=False, problems=(Problem(line, detail),))


def _as_written(front: Frontmatter, value: Json, path: Path) -> Json:
    """Put back the spelling of numbers and booleans, so that `007` stays what it was."""
    if isinstance(value, list):
        return [_as_written(front, item, (*path, step)) for step, item in enumerate(value)]
    return front.texts.get(path, value)


def _odd_items(front: Frontmatter, key: str, value: Json) -> Iterator[Problem]:
    """Yield a problem for each item of a list that is no text, as `- area: law` is an object."""
    for step, item in enumerate(value) if isinstance(value, list) else ():
        if isinstance(item, dict):
            detail = f"an item of {key} must be a text, not {describe(item)}"
            yield Problem(front.lines.get((key, step), front.lines[key,]), detail)


def _scalars(values: Iterable[Json]) -> Iterator[str]:
    for value in values:
        if isinstance(value, list):
            yield from _scalars(value)
        elif isinstance(value, bool):
            yield "true" if value else "false"
        elif value is not None and not isinstance(value, dict):
            yield str(value)


def _aliases(values: Iterable[Json]) -> Iterator[str]:
    for value in values:
        for text in value.split(",") if isinstance(value, str) else _scalars([value]):
            if alias := text.strip():
                yield alias
