"""Whatever a caller passes as JSON, as plain JSON: bounded, finite, and free of broken text."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import cast

from winnow.errors import Fault, InvalidRequest
from winnow.filter.ast import MAX_DEPTH, MAX_NODES
from winnow.filter.limits import TOO_DEEP, TOO_LARGE
from winnow.filter.native import PLAIN, spell
from winnow.values import LARGEST_NUMBER, Json, UnreadableValue, describe


def copy_plain(raw: object, pointer: str) -> tuple[Json, list[Fault]]:
    """Copy a value as plain JSON, and list what in it isn't; an empty text stands for that.

    Raises InvalidRequest at once if there is more of it than a filter may have.
    """
    if type(raw) is str and raw.isascii():  # what is most often asked about
        return raw, []
    if type(raw) is dict:
        container = cast("dict[object, object]", raw)
        if _is_simple(container):
            return cast(Json, container.copy()), []
    copier = _Copier(pointer)
    return copier.copy(cast(object, raw)), copier.faults


def _is_simple(container: dict[object, object]) -> bool:
    """Tell quickly of most objects with nothing inside of others that they are plain."""
    return all(
        type(key) is str
        and key.isascii()
        and (
            (type(value) is str and value.isascii())
            or (type(value) is int and abs(value) <= LARGEST_NUMBER)
            or value is None
            or type(value) is bool
        )
        for key, value in container.items()
    )


def children(container: object, at: str) -> Iterator[tuple[object, str]]:
    """Yield what a container of JSON holds, each with its pointer."""
    if isinstance(container, dict):
        for key, value in cast("dict[str, object]", container).items():
            yield value, pointer_to(at, key)
    elif isinstance(container, (list, tuple)):
        for index, value in enumerate(cast("list[object]", container)):
            yield value, f"{at}/{index}"


def pointer_to(at: str, key: str) -> str:
    """Extend a JSON pointer by a key."""
    return f"{at}/{key.replace('~', '~0').replace('/', '~1')}"


def read_scalar(raw: object) -> Json:
    """Return a scalar as JSON has it, a date as ISO text; raise UnreadableValue if it is none."""
    match raw:
        case None | bool():
            return raw
        case str():
            return _read_text(str.__str__(raw))
        case int():
            return _bounded(int(raw))
        case float():
            return _bounded(float(raw))
        case Decimal():
            return _read_decimal(raw)
        case date():
            return cast(str, spell(raw))
        case _:
            raise UnreadableValue(
                f"expected JSON, got a Python object of type {type(raw).__name__}"
            )


def find_surrogate(text: str) -> int | None:
    """Return where a text has half a surrogate pair, which no encoding can write."""
    match = None if text.isascii() else _SURROGATE.search(text)
    return match.start() if match else None


# A level of a filter is at most two containers of JSON, a test at most three with its list.
_MAX_LEVELS = 2 * MAX_DEPTH + 2
_MAX_CONTAINERS = 4 * MAX_NODES
_SURROGATE = re.compile("[\ud800-\udfff]")
_LARGEST_EXPONENT = 308


@dataclass(slots=True)
class _Copier:
    """Copies level by level, without recursion: input may be nested a million deep."""

    pointer: str
    faults: list[Fault] = field(default_factory=list[Fault])
    queue: list[tuple[object, str, Json]] = field(default_factory=list[tuple[object, str, Json]])

    def copy(self, raw: object) -> Json:
        """Copy a value with all that is in it."""
        root = self._copy_part(raw, self.pointer)
        level, done, depth = self.queue[:], 0, 0
        while level:
            depth, done = depth + 1, len(self.queue)
            if depth > _MAX_LEVELS:
                raise InvalidRequest([Fault(self.pointer, TOO_DEEP)])
            for container, at, copied in level:
                self._fill(container, at, copied)
            level = self.queue[done:]
        return root

    def _fill(self, container: object, at: str, copied: Json) -> None:
        if isinstance(copied, dict):
            for key, value in cast("dict[object, object]", container).items():
                if isinstance(key, str) and find_surrogate(key) is None:
                    copied[str.__str__(key)] = self._copy_part(value, pointer_to(at, key))
                else:
                    self.faults.append(Fault(at, _refuse_key(key)))
        elif isinstance(copied, list):
            copied += [self._copy_part(part, here) for part, here in children(container, at)]

    def _copy_part(self, raw: object, at: str) -> Json:
        if type(raw) not in PLAIN:
            raw = spell(raw)
        if isinstance(raw, (dict, list, tuple)):
            copied: Json = {} if isinstance(raw, dict) else []
            self.queue.append((cast("object", raw), at, copied))
            if len(self.queue) > _MAX_CONTAINERS:
                raise InvalidRequest([Fault(self.pointer, TOO_LARGE)])
            return copied
        try:
            return read_scalar(raw)
        except UnreadableValue as error:
            self.faults.append(Fault(at, str(error)))
            return ""


def _refuse_key(key: object) -> str:
    if isinstance(key, str):
        return f"the key {key!r} has half a surrogate pair, which is not text"
    return f"a key of an object is text, not {type(key).__name__}"


def _read_text(text: str) -> str:
    if find_surrogate(text) is not None:
        raise UnreadableValue(f"{describe(text)} has half a surrogate pair, which is not text")
    return text


def _read_decimal(number: Decimal) -> int | float:
    if not number.is_finite():
        raise UnreadableValue(f"{number} is not a number of JSON")
    if number.adjusted() > _LARGEST_EXPONENT:  # int() of 1e999999999 would take all memory
        raise UnreadableValue("the number is too large")
    return _bounded(int(number) if number == number.to_integral_value() else float(number))


def _bounded(number: int | float) -> int | float:
    if isinstance(number, float) and not math.isfinite(number):
        raise UnreadableValue(f"{number} is not a number of JSON")
    if abs(number) > LARGEST_NUMBER:
        raise UnreadableValue("the number is too large")
    return number
