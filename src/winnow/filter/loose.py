"""How the operators of triples see a value: as a text, and as a number if the text is one."""

import math
import re
from typing import Final

from winnow.values import Json, Scalar, UnreadableValue, describe

WHOLE_UP_TO: Final = 2**53


def spell(value: Scalar) -> str:
    """Write a value as a text, a whole number without a fraction: 1.0 is `1`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) <= WHOLE_UP_TO:
        return str(int(value))
    return value if isinstance(value, str) else repr(value)


def read_float(text: str) -> float | None:
    """Return the number of 64 bits that a text is; neither spaces nor NaN are part of one."""
    return float(text) if _FLOAT.fullmatch(text) else None


def to_float(number: float) -> float:
    """Round a number to 64 bits, one that is too large to infinity."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def read_word(raw: Json) -> str:
    """Read an operand as a text; raise UnreadableValue for a list or an object."""
    if isinstance(raw, str | int | float):
        return spell(raw)
    raise UnreadableValue(f"expected a text, got {describe(raw)}")


def read_words(raw: Json) -> tuple[str, ...]:
    """Read an operand as texts: a list of them, or one that is split at its commas."""
    if isinstance(raw, list):
        return tuple(read_word(item) for item in raw)
    return tuple(read_word(raw).split(","))


_FLOAT = re.compile(
    r"[+-]?(?:inf|infinity|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)", re.ASCII | re.IGNORECASE
)
