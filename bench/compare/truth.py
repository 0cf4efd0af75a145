"""The right answers, by brute force in double precision, and how much of them was found."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.compare.conditions import SELECTIVITIES, Condition, match
from bench.compare.data import Case, blocks, keep, save_arrays
from bench.compare.timing import Rows, Taken

Figures: TypeAlias = dict[str, float]

HITS: Final = 10
_NEAR: Final = 64  # that 32 bits take for the best; among them are surely those that are
_TOLERANCE: Final = 1e-6  # what 32 bits may add to or take from a cosine


@dataclass(frozen=True, slots=True)
class Truth:
    """The least cosine, of each query, that one of the nearest has; and how many there are."""

    mask: NDArray[np.bool_]
    least: NDArray[np.float64]
    count: int

    @property
    def candidates(self) -> int:
        """How many records meet the condition."""
        return int(np.count_nonzero(self.mask))

    def recall(self, case: Case, query: int, found: Rows) -> float:
        """Return the share of the nearest that were found; those that tie with the last count."""
        rows = np.unique(np.array(found, np.int64))
        rows = rows[self.mask[rows]]
        cosines = _exact(case, query, rows)
        right = np.count_nonzero(cosines >= self.least[query] - _TOLERANCE)
        return min(int(right), self.count) / self.count if self.count else float(not len(found))


@dataclass(frozen=True)
class Ground:
    """The data, the right answers, and where what is built is kept."""

    case: Case
    truths: Mapping[str, Truth]
    cache: Path

    def recall(self, label: str, taken: Taken) -> float:
        """Return the mean share of the nearest that was found."""
        truth = self.truths[label]
        found = taken.found.items()
        return fmean(truth.recall(self.case, query, rows) for query, rows in found)


def find_truth(
    case: Case, cache: Path, conditions: Mapping[str, Condition] = SELECTIVITIES
) -> Mapping[str, Truth]:
    """Return the right answers by condition, worked out if they are not kept yet."""
    name = f"{case.name}-{_short(repr(conditions))}"
    folder = keep(cache / "truth" / name, lambda into: _make(case, into, conditions))
    with np.load(folder / "least.npz") as file:
        least = dict(file)
    found: dict[str, Truth] = {}
    for label, condition in conditions.items():
        mask = match(condition, case.columns)
        found[label] = Truth(mask, least[label], min(HITS, int(np.count_nonzero(mask))))
    return found


def _make(case: Case, folder: Path, conditions: Mapping[str, Condition]) -> None:
    cosines = np.empty((len(case.queries), case.records), np.float32)
    for start, stop in blocks(case.records):
        cosines[:, start:stop] = case.queries @ case.vectors[start:stop].T
    least = {
        label: _find_least(case, cosines, np.flatnonzero(match(condition, case.columns)))
        for label, condition in conditions.items()
    }
    save_arrays(folder / "least.npz", least)


def _find_least(
    case: Case, cosines: NDArray[np.float32], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    if not len(rows):
        return np.zeros(len(cosines))
    found: list[float] = []
    for query, all_ in enumerate(cosines):
        near = rows
        if len(rows) > _NEAR:
            near = rows[np.argpartition(all_[rows], -_NEAR)[-_NEAR:]]
        best = np.sort(_exact(case, query, near))[::-1]
        found.append(float(best[min(HITS, len(best)) - 1]))
    return np.array(found)


def _exact(case: Case, query: int, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    return case.vectors[rows].astype(np.float64) @ case.queries[query].astype(np.float64)


def _short(key: str) -> str:
    return sha256(key.encode()).hexdigest()[:12]
