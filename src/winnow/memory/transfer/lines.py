"""The lines of an import, from a file or from Python: objects, told apart by their keys."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from types import NoneType
from typing import Final, NamedTuple, TypeAlias

from winnow.errors import unknown
from winnow.memory.transfer.archive import KEYS as MEMORY_KEYS
from winnow.memory.transfer.slots import Line, Spot, as_line
from winnow.schema import snake_case
from winnow.values import UnreadableValue, describe
from winnow.wire.parsing import Undecided, parse_json

Raw: TypeAlias = tuple[int | str, object]
"""The number of a line, from 1, and its object, or an UnreadableValue that says why it is none.

What doesn't come from a line has a place instead: a pointer into a file, or the path of one.
"""


class Sort(Enum):
    """What a line is about; the value is its keys."""

    NAMESPACE = ("namespace", "settings", "counter", "spent")
    PACK = ("namespace", "pack", "source", "content")
    MEMORY = MEMORY_KEYS
    ENTITY = ("schema", "id", "fields", "namespace")


class Sorted(NamedTuple):
    """A line, what it is about, and where it stands."""

    sort: Sort
    line: Mapping[str, object]
    spot: Spot


def parse_lines(lines: Iterable[str]) -> Iterator[Raw]:
    """Yield the number and the object of each line that is not blank, or why it is none."""
    for number, line in enumerate(lines, 1):
        if not line.isspace():
            yield number, read_json(line)


def read_json(text: str) -> object:
    """Read a text of JSON in which no key stands twice, or return why it is none."""
    # Numbers the codec reads many times as fast; of other lines there is little to gain.
    if len(text) > _LONG and _has_numbers(text):
        with suppress(Undecided):
            return parse_json(text)
    try:
        return _DECODER.decode(text)
    except RecursionError:
        return UnreadableValue("not a JSON object: it is nested too deep")
    except ValueError as error:
        return UnreadableValue(f"not a JSON object: {error}")


def sort_line(given: object, spot: Spot) -> Sorted | None:
    """Tell what a line is about; None with a fault at its spot if it is none."""
    line = None if isinstance(given, UnreadableValue) else as_line(given)
    if line is not None and NoneType not in map(type, line.values()):
        sort = _sort_keys(tuple(line))
        if sort is not None:
            return Sorted(sort, line, spot)
    if line is None:
        wrong = f"expected an object, got {describe(given)}"
        spot.refuse("", str(given) if isinstance(given, UnreadableValue) else wrong)
        return None
    spelled = _respell(line, spot)
    sort = next((sort for key, sort in _TELLING.items() if key in spelled), None)
    if sort is None:
        spot.refuse("", f"expected a memory, which has text, or an entity: {_KEYS_OF_ENTITY}")
        return None
    if sort is not Sort.MEMORY:  # a memory's are looked at as they are read
        for key in (key for key in spelled if key not in sort.value):
            spot.refuse(key, unknown("key", key, sort.value))
    return Sorted(sort, spelled, spot)


def _has_numbers(text: str) -> bool:
    """Tell whether the first list of a line, or the last, is most likely one of numbers."""
    first, last = text.find("[") + 1, text.rfind("[") + 1
    return first > 0 and (text[first : first + 1] in _NUMERIC or text[last : last + 1] in _NUMERIC)


@lru_cache(maxsize=1_024)
def _sort_keys(keys: tuple[object, ...]) -> Sort | None:
    """Tell what a line with these keys is about; None if they are to be looked at one by one."""
    sort = next((sort for key, sort in _TELLING.items() if key in keys), None)
    return sort if sort is not None and set(keys) <= set(sort.value) else None


def _respell(line: Line, spot: Spot) -> dict[str, object]:
    """Return a line with the names that its keys have in an export, without what is null."""
    found: dict[str, object] = {}
    for key, value in line.items():
        name = _SPELLINGS.get(key, str(key))
        if value is None:
            continue
        if name in found:
            spot.refuse(name, f"{name} stands twice")
        found[name] = value
    return found


def _no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice!r} stands twice")
    return found


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_no_repeats)
_LONG: Final = 512  # characters
_NUMERIC: Final = frozenset("-0123456789")


_TELLING: Final[Mapping[str, Sort]] = {
    "text": Sort.MEMORY,
    "schema": Sort.ENTITY,
    "fields": Sort.ENTITY,
    "pack": Sort.PACK,
    "settings": Sort.NAMESPACE,
}
_KEYS_OF_ENTITY: Final = "schema, id, fields"
_SPELLINGS: Final[Mapping[object, str]] = {
    spelling: name for sort in Sort for name in sort.value for spelling in (name, snake_case(name))
}
