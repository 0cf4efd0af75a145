"""Masks of the rows of a part: which are alive, in memory and as bytes for the store."""

import zlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from winnow.columns.arrays import Mask, Rows


@lru_cache(maxsize=64)
def everywhere(size: int) -> Mask:
    """Return the one mask of so many rows that is true everywhere; it can't be written."""
    mask = np.ones(size, np.bool_)
    mask.setflags(write=False)
    return mask


def find_true(mask: Mask) -> Rows:
    """Return where a mask is true, in ascending order: quicker than numpy where that is seldom."""
    if len(mask) < _LARGE:
        return mask.nonzero()[0]
    whole = len(mask) & -_BYTES
    words = mask[:whole].view(np.int64)
    held = find_true(words != 0)
    if len(held) * _SELDOM > len(words):
        return mask.nonzero()[0]
    inside = words.take(held).view(np.bool_).nonzero()[0]
    rows = held.take(inside >> _SHIFT)
    rows <<= _SHIFT
    rows += inside & (_BYTES - 1)
    if whole == len(mask):
        return rows
    return np.concatenate((rows, mask[whole:].nonzero()[0] + whole))


def find_first(mask: Mask, count: int) -> Rows:
    """Return the first places, so many at most, where a mask is true."""
    found: list[Rows] = []
    for start in range(0, len(mask), _LARGE):
        if count > 0:
            found.append(mask[start : start + _LARGE].nonzero()[0][:count] + start)
            count -= len(found[-1])
    return np.concatenate([np.zeros(0, np.int64), *found])


@dataclass(frozen=True)
class Within:
    """Some rows of a table, as a mask of all."""

    mask: Mask

    @cached_property
    def count(self) -> int:
        """How many rows they are."""
        return int(np.count_nonzero(self.mask))

    @cached_property
    def is_whole(self) -> bool:
        """Tell whether they are all rows."""
        return self.count == len(self.mask)

    def choose(self, mask: Mask) -> Rows:
        """Return those of the rows that stand in another mask too, in ascending order."""
        return find_true(mask if self.is_whole else mask & self.mask)


def all_alive(size: int) -> Mask:
    """Return a mask of so many rows that are all alive."""
    return np.ones(size, np.bool_)


def count_alive(alive: Mask) -> int:
    """Count the rows that are alive."""
    return int(np.count_nonzero(alive))


def keys_alive(keys: Rows, alive: Mask) -> list[int]:
    """Return the keys of the rows that are alive."""
    return keys[alive].tolist()


def pack_dead(alive: Mask) -> bytes | None:
    """Return a bit for each row, compressed: a one where it is not alive; None if all are."""
    return None if alive.all() else zlib.compress(np.packbits(~alive).tobytes(), level=1)


def unpack_dead(dead: bytes | None, size: int) -> Mask:
    """Return the mask of which the bytes were made; ValueError if they are not of that size."""
    if dead is None:
        return all_alive(size)
    try:
        bits = np.frombuffer(zlib.decompress(dead), np.uint8)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if len(bits) != -(-size // 8):
        raise ValueError(f"{len(bits)} bytes for {size} rows")
    return ~np.unpackbits(bits, count=size).view(np.bool_)


_SHIFT: Final = 3
_BYTES: Final = 1 << _SHIFT  # of a mask that are looked at as one word
_LARGE: Final = 1 << 17  # rows; fewer are not worth it
_SELDOM: Final = 8  # one word of so many may hold something
