"""The greatest of many numbers, without sorting them; none of them is NaN."""

from math import isqrt
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import Rows

Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]


def choose_greatest(values: Floats, count: int) -> Rows:
    """Return where at least `count` of the greatest values are, and few others."""
    chosen = (values >= find_floor(values, count)).nonzero()[0]
    if len(chosen) > _CROWD * count:
        best = np.argpartition(values[chosen], len(chosen) - count)[len(chosen) - count :]
        chosen = chosen[np.sort(best)]
    return chosen


def find_floor(values: Floats, count: int) -> float:
    """Return a number that at least `count` of the values reach, and not many more.

    That is the `count`-th greatest of the heads of groups of values, which are few.
    """
    height = len(values) // max(_FEWEST, count * _GROUPS, isqrt(len(values)))
    groups = len(values) // max(height, 1)
    if count > groups:
        return -np.inf
    if height > 1:
        heads = np.maximum.reduce(values[: height * groups].reshape(height, groups), axis=0)
    else:
        heads = values.copy()
    heads.partition(groups - count)
    return float(heads[groups - count])


def pick_greatest(values: Floats, rank: int) -> float:
    """Return the `rank`-th greatest value; there may be fewer."""
    if rank > len(values):
        return -np.inf
    if rank < 1:
        return np.inf
    if len(values) > _GROUPED:
        values = values[values >= find_floor(values, rank)]
    in_place = values.copy()
    in_place.partition(len(values) - rank)
    return float(in_place[len(values) - rank])


_CROWD: Final = 4
_GROUPED: Final = 1_024  # fewer values are put in order at once
_FEWEST: Final = 256  # groups; and so many for each value that is looked for
_GROUPS: Final = 16
