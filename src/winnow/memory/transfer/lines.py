"""The lines of an import, from a file or from Python: objects, told apart by their keys."""

import json
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final, TextIO, TypeAlias

from winnow.errors import NotFound, unknown
from winnow.memory.transfer.archive import KEYS as MEMORY_KEYS
from winnow.memory.transfer.slots import Line, Spot, as_line
from winnow.operations.changes import ImportRequest
from winnow.schema import snake_case
from winnow.values import UnreadableValue, describe

Raw: TypeAlias = tuple[int, object]
"""The number of a line, from 1, and its object, or an UnreadableValue that says why it is none."""


class Sort(Enum):
    """What a line is about; the value is its keys."""

    NAMESPACE = ("namespace", "settings", "counter", "spent")
    PACK = ("namespace", "pack", "source", "content")
    MEMORY = MEMORY_KEYS
    ENTITY = ("schema", "id", "fields", "namespace")


@dataclass(frozen=True, slots=True)
class Sorted:
    """A line, what it is about, and where it stands."""

    sort: Sort
    line: Line
    spot: Spot


@contextmanager
def open_lines(request: ImportRequest) -> Generator[Iterator[Raw]]:
    """Open what a request names: a file, standard input, or objects of Python."""
    objects = request.entities if request.objects is None else request.objects
    if objects is not None:
        yield iter(enumerate(objects, 1))
    elif request.path == "-":
        yield _parse(sys.stdin)
    else:
        path = Path(request.path or "").expanduser()
        try:
            file = path.open(encoding="utf-8-sig", errors="surrogateescape")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise NotFound(f"can't read {path}: {reason}") from None
        with file:
            yield _parse(file)


def sort_line(given: object, spot: Spot) -> Sorted | None:
    """Tell what a line is about; None with a fault at its spot if it is none."""
    line = None if isinstance(given, UnreadableValue) else as_line(given)
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


def _parse(lines: Iterable[str] | TextIO) -> Iterator[Raw]:
    """Yield the number and the object of each line that is not blank, or why it is none."""
    for number, line in enumerate(lines, 1):
        if line.isspace():
            continue
        try:
            yield number, json.loads(line, object_pairs_hook=_no_repeats)
        except RecursionError:
            yield number, UnreadableValue("not a JSON object: it is nested too deep")
        except ValueError as error:
            yield number, UnreadableValue(f"not a JSON object: {error}")


def _no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice!r} stands twice")
    return found


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
