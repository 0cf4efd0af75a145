"""Where words begin and end in every script.

A chunk is a word with what holds it to the next (`gen-itgc`, `a.b@c.org`, `C++`), a run of a
script that is written without spaces, or a symbol. All else separates, lone surrogates too.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Final


def split_chunks(text: str) -> list[str]:
    """Return the chunks of a text in NFC, in their order and still in their case."""
    if text.isascii():
        return _ASCII_CHUNK.findall(text)
    if _NOT_ALPHABETIC.search(text) is None:
        return _ALPHABETIC_CHUNK.findall(unicodedata.normalize("NFC", text))
    return _signs().split_chunks(text)


def split_characters(run: str) -> list[str]:
    """Return the characters of a run as a reader sees them: each with its combining marks."""
    return _signs().character.findall(run)


def is_unspaced(chunk: str) -> bool:
    """Tell whether a chunk is of a script that is written without spaces between words."""
    return not chunk.isascii() and _signs().unspaced.match(chunk) is not None


def is_symbol(chunk: str) -> bool:
    """Tell whether a chunk is a symbol: an emoji, a currency, a mathematical sign."""
    return not chunk.isascii() and _signs().symbol.match(chunk) is not None


def _chunks_of(word: str, joints: str = "") -> str:
    """Write the pattern of words that are held together.

    One of `-.@'&+#` or `joints` may stand between two, or more than one `_`; between digits one
    of `:/`. A dot may stand before and `++` or `#` behind all.
    """
    joint = rf"(?:_+|[-.@'&+#{joints}]|(?<=[0-9])[:/](?=[0-9]))"
    return rf"\.?{word}(?:{joint}{word})*(?:\+\+|#)?"


_JOINTS: Final = "·־׳‐‑’＇"
_ASCII_CHUNK: Final = re.compile(_chunks_of("[A-Za-z0-9]+"))
_ALPHABETIC_CHUNK: Final = re.compile(_chunks_of(r"[^\W_]+", _JOINTS))
# Latin, Greek and Cyrillic letters, ASCII, and the punctuation that goes with them.
_NOT_ALPHABETIC: Final = re.compile(
    "[^\x00-\x7f\u00a0\u00a1\u00ab\u00b7\u00bb\u00bf-\u00d6\u00d8-\u00f6\u00f8-\u024f"
    "\u0386-\u03f5\u03f7-\u0481\u048a-\u052f\u2010-\u2027]"
)


class _Signs:
    """The patterns of all scripts; they are large, and made when the first text needs them."""

    def __init__(self) -> None:
        unspaced, mark, sign = _find_unspaced(), _find_marks(), _find_symbols()
        word = rf"[^\W_{unspaced}]+(?:[{mark}]+[^\W_{unspaced}]*)*"
        self._chunk = re.compile(
            rf"{_chunks_of(word, _JOINTS)}|[{unspaced}][{unspaced}{mark}]*|[{sign}]"
        )
        self._marks = re.compile(f"[{mark}][{mark}]{{{_MOST_MARKS},}}")
        self.unspaced = re.compile(f"[{unspaced}]")
        self.symbol = re.compile(f"[{sign}]")
        self.character = re.compile(f"(?s:.)[{mark}]*")

    def split_chunks(self, text: str) -> list[str]:
        """Return the chunks of any text."""
        # Before NFC: to put a long run of marks in order takes the square of its length.
        text = self._marks.sub(_keep_first_marks, _INVISIBLE.sub("", text))
        return self._chunk.findall(unicodedata.normalize("NFC", text))


@cache
def _signs() -> _Signs:
    return _Signs()


def _keep_first_marks(run: re.Match[str]) -> str:
    return run[0][:_MOST_MARKS]


def _as_set(points: Iterable[int]) -> str:
    """Write ascending code points as the inside of a regular expression's set."""
    spans: list[tuple[int, int]] = []
    for point in points:
        first = spans.pop()[0] if spans and spans[-1][1] == point - 1 else point
        spans.append((first, point))
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in spans)


def _find(categories: tuple[str, ...], *blocks: range) -> str:
    """Write the characters of some categories that stand in some blocks as the inside of a set."""
    return _as_set(
        point
        for block in blocks
        for point in block
        if unicodedata.category(chr(point)).startswith(categories)
    )


def _find_unspaced() -> str:
    """Find the letters, marks and numbers of scripts without spaces between words."""
    return _find(
        ("L", "M", "N"),
        range(0x0E00, 0x0F00),  # Thai, Lao
        range(0x1000, 0x10A0),  # Burmese
        range(0x1100, 0x1200),  # Korean, as parts of syllables
        range(0x1780, 0x1800),  # Khmer
        range(0x3005, 0x3008),  # Chinese signs of repetition, zero
        range(0x3021, 0x3200),  # Japanese, Bopomofo, Korean
        *(range(0xA960, 0xA980), range(0xA9E0, 0xAA00), range(0xAA60, 0xAA80)),
        *(range(0xD7B0, 0xD800), range(0xFF66, 0xFFDD), range(0x1AFF0, 0x1B170)),
    ) + (  # Chinese and Korean: nothing else is in these
        "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
    )


def _find_marks() -> str:
    """Find the combining marks; those that only choose a form are invisible."""
    return _find(
        ("M",),
        *(range(0x0300, 0x034F), range(0x0350, 0x180B), range(0x1810, 0x3100)),
        *(range(0xA600, 0xAC00), range(0xFB1E, 0xFB1F), range(0xFE20, 0xFE30)),
        *(range(0x10000, 0x12000), range(0x16000, 0x17000), range(0x1B000, 0x1F000)),
    )


def _find_symbols() -> str:
    """Find the symbols, but not what tables are drawn with nor the colors of hands."""
    return _find(
        ("S",),
        *(range(0x00A2, 0x2500), range(0x25A0, 0x2800), range(0x2900, 0x3400)),
        *(range(0xFDFC, 0xFE70), range(0xFF01, 0xFFF0)),
        *(range(0x1D000, 0x1F3FB), range(0x1F400, 0x1FB00)),
    )


_MOST_MARKS: Final = 30  # in a row, as in Unicode's stream-safe format
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U0001f3fb-\U0001f3ff\U000e0000-\U000e01ff]+"
)
