"""Words between spaces, many at once: found in ASCII texts, and looked up by the bytes they have.

A word of up to 16 bytes is two whole numbers, so that arrays do for all words of a batch what a
dictionary does for one. Longer ones, and those that lost their place to another, are for others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Places: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[np.uint64]

UNKNOWN: Final = 0
"""In place of a number: there is none, or it has to be found in another way."""
LONGEST: Final = 16
"""Bytes of the longest word that is looked up."""


@dataclass(frozen=True, slots=True)
class FoundWords:
    """The words of some texts, in order: where each begins and ends in `text`, which has all.

    `owners` are the texts that they stand in. `heads` and `tails` are their first eight bytes and
    the next, filled up with bytes that no ASCII has.
    """

    text: str
    starts: Places
    ends: Places
    owners: Places
    heads: Keys
    tails: Keys

    def spell(self, places: Places) -> list[str]:
        """Return the words at some places."""
        spans = zip(self.starts[places].tolist(), self.ends[places].tolist(), strict=True)
        return [self.text[start:end] for start, end in spans]


def find_words(texts: Sequence[str]) -> FoundWords:
    """Find the words of ASCII texts, as `str.split` does of each."""
    text = "\n".join(["", *texts, ""])
    raw = text.encode("ascii")
    spaced = np.frombuffer(raw.translate(_SPACES), np.uint8)
    edges = np.flatnonzero(spaced[1:] != spaced[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    limits = np.cumsum(1 + np.fromiter(map(len, texts), np.int64, len(texts)))
    counts = np.diff(np.searchsorted(starts, limits), prepend=0)
    keys = np.ndarray((len(text),), _KEY, raw + _SPARE, strides=(1,))[starts].view(np.uint64)
    sizes = np.minimum(ends - starts, LONGEST)
    return FoundWords(
        text,
        starts,
        ends,
        np.repeat(np.arange(len(texts)), counts),
        keys[::2] | _FILLINGS[0][sizes],
        keys[1::2] | _FILLINGS[1][sizes],
    )


class Vocabulary:
    """The numbers of words; each has one place that it can stand at, and the first one keeps it.

    There are 2 to the power of `bits` places. Used by one thread at a time.
    """

    def __init__(self, bits: int = 18) -> None:
        self._shift = np.uint64(64 - bits)
        self._heads = np.zeros(1 << bits, np.uint64)
        self._tails = np.zeros(1 << bits, np.uint64)
        self._numbers = np.zeros(1 << bits, np.uint32)

    def look_up(self, words: FoundWords) -> Places:
        """Return the number of each word, UNKNOWN where there is none."""
        slots = self._find_slots(words.heads, words.tails)
        same = (self._heads[slots] == words.heads) & (self._tails[slots] == words.tails)
        same &= words.ends - words.starts <= LONGEST
        return np.where(same, self._numbers[slots], UNKNOWN).astype(np.int64)

    def learn(self, words: FoundWords, places: Places, numbers: Places) -> None:
        """Keep the numbers of the words at some places, as far as there is room for them."""
        slots = self._find_slots(words.heads[places], words.tails[places])
        slots, first = np.unique(slots, return_index=True)
        places, numbers = places[first], numbers[first]
        short = words.ends[places] - words.starts[places] <= LONGEST
        free = short & (self._numbers[slots] == UNKNOWN)
        slots, places = slots[free], places[free]
        self._heads[slots] = words.heads[places]
        self._tails[slots] = words.tails[places]
        self._numbers[slots] = numbers[free]

    def _find_slots(self, heads: Keys, tails: Keys) -> Places:
        """Return the place of each word: all its bits decide."""
        mixed = (heads ^ (tails * _ODD)) * _OTHER_ODD
        return ((mixed ^ mixed >> _HALF) * _ODD >> self._shift).astype(np.int64)


_ODD, _OTHER_ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_HALF = np.uint64(32)
_KEY: Final = np.dtype((np.void, LONGEST))
_SPARE: Final = bytes(LONGEST)
_SPACES: Final = bytes(code < 128 and chr(code).isspace() for code in range(256))
_FILLED: Final = b"".join(bytes(size) + b"\xff" * (LONGEST - size) for size in range(LONGEST + 1))
_FILLINGS: Final = np.frombuffer(_FILLED, np.uint64).reshape(-1, 2).T.copy()
