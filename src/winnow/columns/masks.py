"""Masks of the rows of a part: which are alive, in memory and as bytes for the store."""

import zlib
from functools import lru_cache
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
_LARGE: Final = 65_536  # rows; fewer are not worth it
_SELDOM: Final = 16  # one word of so many may hold something
