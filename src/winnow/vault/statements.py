"""What a note says in a form for machines: frontmatter keys, Dataview fields, key lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from winnow.schema import Field, plain
from winnow.values import Json, Type
from winnow.vault.note import Note
from winnow.vault.rules import BEFORE_KEY, Rules

QUOTE_LENGTH = 200
"""Characters of a line that evidence quotes at most."""


class Form(IntEnum):
    """Where a statement stands."""

    FRONTMATTER = 1
    INLINE = 2
    KEY_LINE = 3


@dataclass(frozen=True, slots=True)
class Statement:
    """A name with a value; `key` is the plain spelling of `name`, `written` keeps `1.10`.

    The `bare_name` of a key line is the part of its name after the prefix.
    """

    form: Form
    key: str
    name: str
    value: Json
    written: Json
    line: int
    quote: str
    bare_name: str = ""

    def raw(self, field: Field) -> Json:
        """Return the value as a field of its type should read it."""
        return self.written if field.type in _AS_WRITTEN else self.value


class Lines:
    """The text of a note by the numbers that an editor shows, counted from 1."""

    def __init__(self, note: Note) -> None:
        self._lines = [*note.head.split("\n")[:-1], *note.body.split("\n")]

    def quote(self, line: int) -> str:
        """Return a line, without its margins and no longer than a quote may be."""
        if not 1 <= line <= len(self._lines):
            return ""
        return self._lines[line - 1].strip()[:QUOTE_LENGTH].rstrip()


def read_statements(note: Note, lines: Lines) -> list[Statement]:
    """List the frontmatter keys and inline fields of a note, in the order of its lines."""
    statements = [
        Statement(
            Form.FRONTMATTER,
            _plain(name),
            name,
            value,
            _as_written(note, value, (name,)),
            note.lines.get((name,), 1),
            lines.quote(note.lines.get((name,), 1)),
        )
        for name, value in note.frontmatter.items()
    ]
    for field in note.fields:
        quote = lines.quote(field.line)
        key, value = _plain(field.key), field.value
        statements.append(Statement(Form.INLINE, key, field.key, value, value, field.line, quote))
    return statements


def read_key_lines(rules: Rules, note: Note, lines: Lines) -> Iterator[Statement]:
    """Yield the key lines of a pack in a note, whatever block they stand in."""
    body, counted, number = note.body, 0, note.body_line
    if rules.key_value is None or not any(needle in body for needle in rules.needles):
        return
    for found in rules.key_value.finditer(body):
        start = body.rfind("\n", 0, found.start()) + 1
        if start != found.start() and not BEFORE_KEY.fullmatch(body, start, found.start()):
            continue
        number, counted = number + body.count("\n", counted, start), start
        name, value = found["name"], _without_quotes(found["value"].rstrip(" \t`"))
        full = f"{found['prefix']}_{name}"
        quote = lines.quote(number)
        yield Statement(Form.KEY_LINE, _plain(name), full, value, value, number, quote, name)


_plain = lru_cache(maxsize=4096)(plain)  # the same names stand in note after note
_AS_WRITTEN = frozenset({Type.STRING, Type.ENUM, Type.REF, Type.DATE, Type.DATETIME})


def _as_written(note: Note, value: Json, path: tuple[str | int, ...]) -> Json:
    if isinstance(value, list):
        return [_as_written(note, item, (*path, step)) for step, item in enumerate(value)]
    return value if isinstance(value, str) else note.texts.get(path, value)


def _without_quotes(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1].strip()
    return text


def by_line(statements: Sequence[Statement]) -> list[Statement]:
    """Sort statements by their line, those of one line as they stand."""
    return sorted(statements, key=lambda statement: statement.line)
