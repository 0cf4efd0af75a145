"""Texts that are more, or less, than text: bytes that are not UTF-8, and values without a type.

Bytes are kept as Python does it with file names: each that is no part of a character is half of a
surrogate pair. Columns, whose texts are UTF-8, have characters of a private plane in place of
those, so that such texts come after all others.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias

from winnow.filter.loose import read_float
from winnow.values import LARGEST_NUMBER, Json


class Raw(str):
    """A text that stands for bytes which are not UTF-8."""

    __slots__ = ()


class MaybeBytes:
    """Said of a text of an answer that may be bytes: then JSON has an object in its place."""


AnyText: TypeAlias = Annotated[str, MaybeBytes()]


class Untyped(str):
    """A text that nobody gave a type: it answers tests on numbers, too, if it is a number.

    It may stand for bytes which are not UTF-8.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Untyped({super().__repr__()})"


def from_bytes(data: bytes) -> str:
    """Return the text of bytes, which is Raw if they are not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return Raw(data.decode("utf-8", "surrogateescape"))


def to_bytes(text: str) -> bytes:
    """Return the bytes that a text stands for."""
    return text.encode("utf-8", "surrogateescape")


def is_broken(text: str) -> bool:
    """Tell whether a text stands for bytes which are not UTF-8; no other half pair may be in it."""
    return not text.isascii() and _BYTE.search(text) is not None and not _OTHER.search(text)


def make_legible(text: str) -> str:
    """Return a text with a sign in place of each byte that is no part of a character."""
    return text if text.isascii() else _BYTE.sub("�", text)


def stand_in(text: str) -> str:
    """Return a text as columns have it."""
    return text if text.isascii() else text.translate(_TO_PRIVATE)


def stand_back(text: str) -> str:
    """Return what a text in a column stands for."""
    if text.isascii() or not _PRIVATE.search(text):
        return text
    return Raw(text.translate(_FROM_PRIVATE))


def show_raw(text: str) -> Json:
    """Return a text as JSON has it: an object with base64 if it is not UTF-8."""
    if not is_broken(text):
        return str.__str__(text)
    return {"base64": b64encode(to_bytes(text)).decode()}


def show_key(key: str) -> str:
    """Return a key of an object as JSON has it: `base64:` and the bytes if they are not UTF-8."""
    return KEY_MARK + b64encode(to_bytes(key)).decode() if is_broken(key) else key


def read_number(text: str) -> int | float | None:
    """Return the number that an untyped text is, None if JSON has no such number."""
    if len(text) <= _MOST_DIGITS and _WHOLE.fullmatch(text):
        return int(text)
    number = read_float(text)
    return None if number is None or abs(number) > LARGEST_NUMBER else number


KEY_MARK: Final = "base64:"
_MOST_DIGITS: Final = 300
_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
_BYTE = re.compile("[\udc80-\udcff]")
_OTHER = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_PRIVATE = re.compile("[\U0010ff80-\U0010ffff]")
_TO_PRIVATE: Mapping[int, int] = {0xDC00 + byte: 0x10FF00 + byte for byte in range(0x80, 0x100)}
_FROM_PRIVATE: Mapping[int, int] = {private: half for half, private in _TO_PRIVATE.items()}
