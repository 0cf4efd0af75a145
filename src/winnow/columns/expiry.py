"""When rows expire: from then on they are as good as dead."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from winnow.columns.arrays import Mask, Rows


@dataclass(frozen=True, slots=True)
class ExpiryPart:
    """The rows of a part that expire: the first to go comes first. `times` are milliseconds."""

    times: Rows
    rows: Rows

    def count(self, now: int) -> int:
        """Return how many have expired."""
        return int(np.searchsorted(self.times, now, side="right"))

    def hide(self, alive: Mask, count: int) -> Mask:
        """Return a mask of living rows without the first `count` that expire."""
        if not count:
            return alive
        mask = alive.copy()
        mask[self.rows[:count]] = False
        return mask


def build_expiry(times: Sequence[int | None]) -> ExpiryPart:
    """Note when each row of a part expires, None if it never does."""
    known = [(time, row) for row, time in enumerate(times) if time is not None]
    known.sort()
    return ExpiryPart(
        np.array([time for time, _ in known], np.int64),
        np.array([row for _, row in known], np.int64),
    )
