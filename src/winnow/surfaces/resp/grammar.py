"""The words of a command, read one after the other: numbers, vectors, and options by their name."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from winnow.embed.floats import SIZE, is_finite, pack_numbers
from winnow.filter.ops import TRIPLES
from winnow.filter.raw import from_bytes
from winnow.memories import AT_FIELDS
from winnow.surfaces.resp.config import Config
from winnow.surfaces.resp.replies import Refusal
from winnow.surfaces.resp.runs import Words

SYNTAX: Final = "ERR syntax error"
NO_INTEGER: Final = "ERR value is not an integer or out of range"
NO_FLOAT: Final = "ERR value is not a valid float"

Given: TypeAlias = dict[str, object]
"""What a command was given, by the names of its arguments."""


class Reader:
    """Reads the words of a command from left to right; what is wrong raises Refusal.

    `config` has the limits that are looked at meanwhile.
    """

    __slots__ = ("_at", "_words", "config")

    def __init__(self, words: Words, config: Config) -> None:
        self._words = words
        self._at = 1
        self.config = config

    @property
    def left(self) -> int:
        """How many words are left."""
        return len(self._words) - self._at

    def take(self) -> bytes:
        """Take the next word."""
        at = self._at
        self._at = at + 1
        try:
            return self._words[at]
        except IndexError:
            raise Refusal(SYNTAX) from None

    def take_text(self) -> str:
        """Take a word as a text, whatever bytes it has."""
        return from_bytes(self.take())

    def take_integer(self) -> int:
        """Take a whole number of 64 bits."""
        return read_integer(self.take())

    def take_float(self) -> float:
        """Take a number, which may be infinite."""
        return read_float(self.take())


ReadOption: TypeAlias = Callable[[Reader, object], object]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command: what it takes, in words for help, and how that is read.

    `read` gets the value that the option has so far, None at first, and returns the new one,
    which may be the same object.
    """

    takes: tuple[tuple[str, str], ...]
    read: ReadOption
    name: str = ""
    multiple: bool = False


Named: TypeAlias = Mapping[bytes, tuple[str, ReadOption]]
"""Options by their tokens in capitals: under which name their value is given, and its reader."""


def name_options(options: Mapping[str, Option]) -> Named:
    """Return options as they are looked up while a command is read."""
    return {
        token.encode(): (option.name or token.lower(), option.read)
        for token, option in options.items()
    }


def read_options(reader: Reader, options: Named, given: Given) -> None:
    """Read all options that are left; the last of several counts, unless they add up."""
    while reader.left > 0:
        word = reader.take()
        found = options.get(word) or options.get(word.upper())
        if found is None:
            raise Refusal(f"ERR unexpected argument '{show(word)}'")
        name, read = found
        given[name] = read(reader, given.get(name))


def show(word: bytes) -> str:
    """Return a word as an error shows it."""
    return word.decode("utf-8", "replace")


def read_integer(word: bytes) -> int:
    """Read a whole number of 64 bits."""
    if len(word) > _MOST_DIGITS or not _INTEGER.fullmatch(word):
        raise Refusal(NO_INTEGER)
    number = int(word)
    if not -(2**63) <= number < 2**63:
        raise Refusal(NO_INTEGER)
    return number


def read_float(word: bytes) -> float:
    """Read a number, which may be infinite."""
    if not _FLOAT.fullmatch(word):
        raise Refusal(NO_FLOAT)
    return float(word)


def read_floats(words: Sequence[bytes]) -> list[float]:
    """Read numbers; most have nothing in them but digits and a point."""
    if b"".join(words).strip(b"0123456789."):
        return [*map(read_float, words)]
    try:
        return [*map(float, words)]
    except ValueError:
        raise Refusal(NO_FLOAT) from None


_MOST_DIGITS: Final = 64
_INTEGER = re.compile(rb"[+-]?[0-9]+")
_FLOAT = re.compile(
    rb"[+-]?(?:inf|infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)", re.IGNORECASE
)


# --- options of several commands --------------------------------------------------------------


def _read_blob(reader: Reader, before: object) -> bytes:
    word = reader.take()
    if len(word) % SIZE:
        raise Refusal("ERR vector is not float32 bytes; its length must be a multiple of 4")
    return _check_vector(word)


def _read_numbers(reader: Reader, before: object) -> bytes:
    count = reader.take_integer()
    if not 0 <= count <= reader.left:
        raise Refusal(SYNTAX)
    return _check_vector(pack_numbers([reader.take_float() for _ in range(count)]))


def _check_vector(data: bytes) -> bytes:
    if not is_finite(data):
        raise Refusal("ERR vector contains NaN or infinity")
    return data


def read_weights(reader: Reader, before: object) -> tuple[float, ...]:
    """Read the weights of words, vectors, recency and importance."""
    if reader.left < len(WEIGHTS):
        raise Refusal(SYNTAX)
    weights = tuple(reader.take_float() for _ in WEIGHTS)
    if not all(0 <= weight <= _LARGEST for weight in weights):
        raise Refusal("ERR WEIGHTS must be finite and non-negative")
    return weights


def read_half_life(reader: Reader, before: object) -> int:
    """Read a half-life in seconds."""
    seconds = reader.take_integer()
    if seconds <= 0:
        raise Refusal("ERR HALFLIFE must be positive")
    return seconds


def _read_filter(reader: Reader, before: object) -> tuple[tuple[str, str, str], ...]:
    field, op = reader.take(), reader.take()
    value = reader.take_text()
    name = from_bytes(field)
    if name.startswith("@"):
        name = name.lower()
    known = not name.startswith("@") or name in AT_FIELDS
    if not known or op.decode("latin-1").upper() not in TRIPLES:
        raise Refusal(f"ERR bad filter clause '{show(field)} {show(op)}'")
    earlier = cast("tuple[tuple[str, str, str], ...]", before or ())
    return (*earlier, (name, op.decode().upper(), value))


def read_count(reader: Reader, before: object) -> int:
    """Read how many are wanted, at least one."""
    count = reader.take_integer()
    if count <= 0:
        raise Refusal(SYNTAX)
    return count


def flag(reader: Reader, before: object) -> bool:
    """Read an option that takes nothing."""
    return True


def integer(reader: Reader, before: object) -> int:
    """Read an option that takes a whole number."""
    return reader.take_integer()


def word(reader: Reader, before: object) -> bytes:
    """Read an option that takes a word as it is."""
    return reader.take()


WEIGHTS: Final = ("keyword", "vector", "recency", "importance")
_LARGEST: Final = math.ldexp(2 - 2**-23, 127)  # of numbers of 32 bits
VECTORS: Final[Mapping[str, Option]] = {
    "VEC": Option((("bytes", "string"),), _read_blob, "vector"),
    "FVEC": Option((("count", "integer"), ("number ...", "double")), _read_numbers, "vector"),
}
WEIGHTS_OPTION: Final = Option(tuple((name, "double") for name in WEIGHTS), read_weights)
HALF_LIFE_OPTION: Final = Option((("seconds", "integer"),), read_half_life)
FILTER_OPTION: Final = Option(
    (("field", "string"), ("operator", "string"), ("value", "string")),
    _read_filter,
    "filters",
    multiple=True,
)
SHOWN: Final[Mapping[str, Option]] = {
    "WITHMETA": Option((), flag),
    "WITHVEC": Option((), flag),
    "WITHSCORES": Option((), flag),
    "NOTEXT": Option((), flag),
}
