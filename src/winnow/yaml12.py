"""YAML 1.2 with the core schema: `yes`, `12:30` and dates are texts, `010` is ten.

The C parser of PyYAML gives the events; what they mean is decided here, so that hostile input
meets limits instead of the stack.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeAlias

import yaml
from yaml.reader import ReaderError

from winnow.errors import WinnowError
from winnow.values import Json

Path: TypeAlias = tuple[str | int, ...]

DEEPEST = 64
"""Levels of nesting; deeper is an error."""
MOST_ALIASED = 100_000
"""Nodes that the aliases of one document may stand for, all together."""
LONGEST_INTEGER = 3_500
"""Characters; a longer one stays text, since Python refuses to print an int of 4,300 digits."""


class YamlError(WinnowError, ValueError):
    """The text is not YAML that can be used; `line` counts from 1, `detail` is one short line."""

    code = "invalid_yaml"

    def __init__(self, line: int | None, detail: str) -> None:
        self.line = line
        self.detail = detail
        super().__init__(detail if line is None else f"line {line}: {detail}")


@dataclass(frozen=True, slots=True)
class Document:
    """What a text says and where.

    `lines` gives the line of each key and list item, counted from 1; what an alias stands for
    has only the alias's own line. `texts` keeps how numbers and booleans were written, so that
    `1.10` can still be read as a text.
    """

    value: Json
    lines: Mapping[Path, int]
    texts: Mapping[Path, str]


def load(text: str, *, first_line: int = 1) -> Document:
    """Read a text that holds at most one document; `first_line` is the number of its first line.

    Raises YamlError.
    """
    text = text.removeprefix("\ufeff")
    stand_ins = _stand_ins(text)
    builder = _Builder(text, {ord(new): old for old, new in stand_ins.items()}, first_line)
    try:
        for event in yaml.parse(text.translate(str.maketrans(stand_ins)), Loader=yaml.CSafeLoader):
            builder.take(event)
    except (UnicodeEncodeError, ReaderError) as error:
        raise _refused_character(text, first_line) from error
    except yaml.MarkedYAMLError as error:
        raise _explained(error, text, first_line) from error
    return Document(builder.root, builder.lines, builder.texts)


# What YAML 1.1 took for line breaks; 1.2 and every editor take them for characters of a line.
_OLD_BREAKS = re.compile("[\x85\u2028\u2029]")
_PRIVATE_USE = range(0xF0000, 0x10FFFE)


def _stand_ins(text: str) -> dict[str, str]:
    if text.isascii() or not _OLD_BREAKS.search(text):
        return {}
    unused = (chr(code) for code in _PRIVATE_USE if chr(code) not in text)
    return dict(zip("\x85\u2028\u2029", islice(unused, 3), strict=False))


_REFUSED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _refused_character(text: str, first_line: int) -> YamlError:
    found = _REFUSED.search(text)
    if found is None:
        return YamlError(None, "a character that YAML does not allow")
    line = first_line + _lines_before(text, found.start())
    return YamlError(line, f"character U+{ord(found[0]):04X} is not allowed in YAML")


def _lines_before(text: str, index: int) -> int:
    return text.replace("\r\n", " \n").replace("\r", "\n").count("\n", 0, index)


_IN_PLAIN_WORDS = {
    "mapping values are not allowed in this context": (
        "': ' where no key can begin; put a value that has one in quotes"
    ),
    "found character that cannot start any token": (
        "a value or key can't begin with this character; put it in quotes (no tabs for indentation)"
    ),
    "found unexpected end of stream": "a quoted text is never closed",
    "could not find expected ':'": "a line without ':' among the keys",
    "exceeded maximum nesting depth": f"nested deeper than {DEEPEST} levels",
}
_POINTS_BACK = ("found unexpected end of stream",)


def _explained(error: yaml.MarkedYAMLError, text: str, first_line: int) -> YamlError:
    problem = error.problem or "not YAML"
    mark = error.context_mark if problem in _POINTS_BACK else error.problem_mark
    detail = _IN_PLAIN_WORDS.get(problem)
    if detail is None:
        detail = f"{problem} {error.context}" if error.context else problem
    if mark is None:
        return YamlError(None, detail)
    last = _lines_before(text.rstrip(), len(text))
    return YamlError(first_line + min(mark.line, last), detail)


@dataclass(slots=True)
class _Open:
    """A list or mapping that has begun; `path` is None inside a mapping's key."""

    value: list[Json] | dict[str, Json]
    path: Path | None
    event: yaml.CollectionStartEvent
    nodes_before: int
    is_key: bool
    key: str | None = None
    height: int = 1


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an alias stands for; `text` is what it says as a key."""

    value: Json
    text: str
    nodes: int = 1
    height: int = 0


class _Builder:
    """Makes values of events, with a stack of its own."""

    def __init__(self, text: str, restore: dict[int, str], first_line: int) -> None:
        self.root: Json = None
        self.lines: dict[Path, int] = {}
        self.texts: dict[Path, str] = {}
        self._text = text
        self._restore = restore
        self._first_line = first_line
        self._stack: list[_Open] = []
        self._anchors: dict[str, _Anchored | None] = {}
        self._nodes = 0
        self._aliased = 0
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event)

    def document(self, event: yaml.DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            raise self._error(event, "a second document begins; only one is allowed")

    def scalar(self, event: yaml.ScalarEvent) -> None:
        text = event.value.translate(self._restore) if self._restore else event.value
        self._nodes += 1
        if event.anchor is not None:
            value = self._resolved(event, text)
            self._anchors[event.anchor] = _Anchored(value, text)
        top = self._stack[-1] if self._stack else None
        if top is not None and top.key is None and type(top.value) is dict:
            self._open_key(top, text, event)
            return
        value = self._resolved(event, text)
        path = self._put(value, event)
        if path is not None and value is not text and value is not None:
            self.texts[path] = text

    def start(self, event: yaml.CollectionStartEvent) -> None:
        if len(self._stack) >= DEEPEST:
            raise self._error(event, f"nested deeper than {DEEPEST} levels")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        value: list[Json] | dict[str, Json] = {} if type(event) is yaml.MappingStartEvent else []
        nodes_before = self._nodes
        self._nodes += 1
        top = self._stack[-1] if self._stack else None
        if top is not None and top.key is None and type(top.value) is dict:
            self._stack.append(_Open(value, None, event, nodes_before, is_key=True))
        else:
            path = self._put(value, event)
            self._stack.append(_Open(value, path, event, nodes_before, is_key=False))

    def end(self, event: yaml.CollectionEndEvent) -> None:
        done = self._stack.pop()
        written = self._text[_index(done.event.start_mark) : _index(event.end_mark)].strip()
        if done.event.anchor is not None:
            nodes = self._nodes - done.nodes_before
            self._anchors[done.event.anchor] = _Anchored(done.value, written, nodes, done.height)
        if self._stack:
            top = self._stack[-1]
            top.height = max(top.height, done.height + 1)
            if done.is_key:
                self._open_key(top, written, done.event)

    def alias(self, event: yaml.AliasEvent) -> None:
        name = event.anchor or ""
        if name not in self._anchors:
            raise self._error(event, f"alias *{name} has no anchor before it")
        target = self._anchors[name]
        if target is None:
            raise self._error(event, f"alias *{name} stands inside its own anchor")
        self._nodes += target.nodes
        self._aliased += target.nodes
        if self._aliased > MOST_ALIASED:
            raise self._error(event, f"aliases stand for more than {MOST_ALIASED:,} nodes")
        if len(self._stack) + target.height > DEEPEST:
            raise self._error(event, f"nested deeper than {DEEPEST} levels")
        top = self._stack[-1]
        top.height = max(top.height, target.height + 1)
        if top.key is None and type(top.value) is dict:
            self._open_key(top, target.text, event)
        else:
            self._put(target.value, event)

    def _open_key(self, top: _Open, key: str, event: yaml.Event) -> None:
        top.key = key
        if top.path is None:
            return
        path = (*top.path, key)
        line = self._line(event)
        first = self.lines.setdefault(path, line)
        if key in top.value:
            raise YamlError(line, f"key {_shortened(key)} stands twice, first in line {first}")

    def _put(self, value: Json, event: yaml.Event) -> Path | None:
        if not self._stack:
            self.root = value
            return ()
        top = self._stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
            if top.path is None:
                return None
            path = (*top.path, len(top.value) - 1)
            self.lines[path] = self._line(event)
            return path
        key, top.key = top.key or "", None
        top.value[key] = value
        return None if top.path is None else (*top.path, key)

    def _resolved(self, event: yaml.ScalarEvent, text: str) -> Json:
        tag = event.tag or ""
        reader = _TAGGED.get(tag)
        if reader is None:
            return text if event.style or tag == "!" else _core(text)
        try:
            return reader(text)
        except (ValueError, OverflowError) as error:
            kind = tag.rpartition(":")[2]
            raise self._error(event, f"{_shortened(text)} is not a !!{kind}") from error

    def _line(self, event: yaml.Event) -> int:
        return self._first_line + (event.start_mark.line if event.start_mark else 0)

    def _error(self, event: yaml.Event, detail: str) -> YamlError:
        return YamlError(self._line(event), detail)


class _Mark(Protocol):
    @property
    def index(self) -> int: ...


def _index(mark: _Mark | None) -> int:
    return mark.index if mark else 0


# The table pairs each class of event with the method that takes it, which no type can say.
_HANDLERS: Mapping[type[yaml.Event], Callable[[_Builder, Any], None]] = {
    yaml.ScalarEvent: _Builder.scalar,
    yaml.MappingStartEvent: _Builder.start,
    yaml.SequenceStartEvent: _Builder.start,
    yaml.MappingEndEvent: _Builder.end,
    yaml.SequenceEndEvent: _Builder.end,
    yaml.AliasEvent: _Builder.alias,
    yaml.DocumentStartEvent: _Builder.document,
}


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")


_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_INTEGERS = (
    (re.compile(r"[-+]?[0-9]+"), 10),
    (re.compile(r"0o[0-7]+"), 8),
    (re.compile(r"0x[0-9a-fA-F]+"), 16),
)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL_FLOAT = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def _core(text: str) -> Json:
    """Read a plain scalar by the core schema; a number too large for its type stays text."""
    if text[:1] not in _NUMBER_STARTS:
        return _WORDS.get(text, text)
    for form, base in _INTEGERS:
        if form.fullmatch(text):
            return int(text, base) if len(text) <= LONGEST_INTEGER else text
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return float(text.replace(".", "")) if _SPECIAL_FLOAT.fullmatch(text) else text


def _null(text: str) -> None:
    if _core(text) is not None:
        raise ValueError


def _boolean(text: str) -> bool:
    value = _core(text)
    if not isinstance(value, bool):
        raise ValueError
    return value


def _integer(text: str) -> int:
    value = _core(text)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError
    return value


def _float(text: str) -> float:
    value = _core(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError
    return float(value)


_TAGGED: Mapping[str, Callable[[str], Json]] = {
    "tag:yaml.org,2002:str": str,
    "tag:yaml.org,2002:null": _null,
    "tag:yaml.org,2002:bool": _boolean,
    "tag:yaml.org,2002:int": _integer,
    "tag:yaml.org,2002:float": _float,
}
