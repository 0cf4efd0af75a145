"""Vectors of rows, and how similar those of some rows are to the vector of a query.

Each model has a matrix of its own: vectors of two models, or of two dimensions, are never
compared. Vectors come in parts that never change, one for each part of a table, row for row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import Mask, Rows
from winnow.columns.greatest import pick_greatest
from winnow.columns.masks import find_true
from winnow.columns.narrowing import Lengths, narrow
from winnow.columns.products import multiply
from winnow.columns.quantized import (
    Codes,
    Estimates,
    Nearest,
    estimate,
    find_nearest,
    quantize,
)
from winnow.embed.base import Matrix, unit_rows
from winnow.stages import tally

Vector: TypeAlias = NDArray[np.float32]
Key: TypeAlias = tuple[str, int]  # a model's identity, and the dimension


@dataclass(frozen=True, slots=True)
class Cosines:
    """Rows in ascending order that have a vector, and their cosines."""

    rows: Rows
    cosines: Vector

    def spread(self, rows: Rows, cosines: NDArray[np.float64]) -> None:
        """Put the cosines beside `rows`, which ascend and have all of these among them."""
        if len(self.rows) == len(rows):
            cosines[:] = self.cosines
        else:
            cosines[np.searchsorted(rows, self.rows)] = self.cosines


@dataclass(frozen=True)
class Space:
    """The vectors of one model: those of `rows`, which ascend, as rows of length 1.

    `lengths` are those they had; `zeros` the rows, ascending, whose vectors have no direction.
    `total` is the sum of the rows in whole numbers (see `add_up`). Where there are many, `codes`
    has them in 8 bits.
    """

    rows: Rows
    matrix: Matrix
    lengths: Vector
    zeros: Rows
    total: Rows
    codes: Codes | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def select(self, rows: Rows) -> Rows:
        """Return the places of those of `rows` that are here; both ascend."""
        first, size = self._first, len(self)
        if first is None:
            places = np.searchsorted(self.rows, rows)
            places[places == size] = 0
            return places[self.rows[places] == rows]
        if 0 < len(rows) < size and first <= rows[0] and rows[-1] < first + size:
            return rows - first if first else rows
        start, stop = np.searchsorted(rows, (first, first + size))
        return self._places if stop - start == size else rows[start:stop] - first

    @cached_property
    def _first(self) -> int | None:
        """The first of the rows, None if they don't follow each other."""
        if not len(self):
            return 0
        first = int(self.rows[0])
        return first if int(self.rows[-1]) - first == len(self) - 1 else None

    @cached_property
    def _places(self) -> Rows:
        # The rows themselves where they are the same: those may be in a file, and shared.
        return np.arange(len(self)) if self._first else self.rows

    def rows_at(self, places: Rows, start: int) -> Rows:
        """Return the rows at some places, counted from another start."""
        if self._first is not None:  # they follow each other: nothing has to be read
            start += self._first
        elif len(places) == len(self):
            places = self.rows
        else:
            places = self.rows[places]
        return places + start if start else places

    def select_zeros(self, rows: Rows) -> Rows:
        """Return those of `rows` whose vector has no direction; they ascend."""
        if not len(self.zeros):
            return self.zeros
        return np.intersect1d(self.zeros, rows, assume_unique=True)

    def multiply(self, query: Vector, places: Rows) -> Vector:
        """Return the cosines of the rows at `places`.

        A row's is the same to the bit whichever others are asked for with it.
        """
        return multiply(self.matrix, query, None if len(places) == len(self) else places)

    def find_nearest(self, query: Vector, places: Rows, count: int) -> Nearest:
        """Return those of the rows at `places` that are nearest, and all that tie with the last."""
        whole = len(places) == len(self)
        return find_nearest(self.matrix, self.codes, query, None if whole else places, count)

    def narrow(self, query: Vector, places: Rows, count: int, *, distance: bool) -> Rows:
        """Return rows at `places`, few, among which are the best by distance, or by product."""
        whole = len(places) == len(self)
        lengths = Lengths(self.lengths, distance)
        some = narrow(self.matrix, self.codes, query, None if whole else places, count, lengths)
        return places if some is None else some


@dataclass(frozen=True, slots=True)
class VectorsPart:
    """The vectors of some rows by model; `size` counts the rows without one too."""

    size: int
    spaces: Mapping[Key, Space]

    def __len__(self) -> int:
        return self.size

    @property
    def nbytes(self) -> int:
        """The memory that the arrays take."""
        return sum(space.matrix.nbytes + space.rows.nbytes for space in self.spaces.values())


@dataclass(frozen=True)
class Vectors:
    """The vectors of a table's rows, numbered through all parts; `alive` has one mask a part."""

    parts: tuple[VectorsPart, ...] = ()
    alive: tuple[Mask, ...] = ()

    @cached_property
    def starts(self) -> list[int]:
        """The number of the first row of each part, and of all rows."""
        return [0, *accumulate(len(part) for part in self.parts)]

    @property
    def nbytes(self) -> int:
        """The memory that the parts take."""
        return sum(part.nbytes for part in self.parts)

    def models(self) -> Mapping[Key, int]:
        """Return the models of living rows, and how many rows each has."""
        return self._models

    @cached_property
    def _models(self) -> dict[Key, int]:
        counts: dict[Key, int] = {}
        for part, alive, whole in zip(self.parts, self.alive, self._whole, strict=True):
            for key, space in part.spaces.items():
                count = len(space) if whole else int(np.count_nonzero(alive[space.rows]))
                counts[key] = counts.get(key, 0) + count
        return {key: count for key, count in counts.items() if count}

    def similarity(
        self, query: Vector, model: str, candidates: Mask | Rows | None = None
    ) -> Cosines:
        """Return the cosines of the candidates, exactly; those without a vector are left out.

        `query` has length 1; with one of zeros, which has no direction, nothing has a cosine.
        Candidates are a mask of all rows, or rows in ascending order; only
        those that are alive and whose vector is of this model and dimension count. Without
        them, all such rows do.
        """
        query = np.ascontiguousarray(query, np.float32)
        rows, cosines = list[Rows](), list[Vector]()
        for start, space, places in self._find(query, model, candidates):
            rows.append(space.rows_at(places, start))
            cosines.append(space.multiply(query, places))
            tally("read", len(places) * query.nbytes)
            tally("compared", len(places))
        if len(rows) == 1:
            return Cosines(rows[0], cosines[0])
        return Cosines(
            np.concatenate([np.zeros(0, np.int64), *rows]),
            np.concatenate([np.zeros(0, np.float32), *cosines]),
        )

    def nearest(
        self, query: Vector, model: str, candidates: Mask | Rows | None, count: int
    ) -> Cosines:
        """Return the candidates with the greatest cosines, exactly, and all that tie with the last.

        They are those of `similarity`.
        """
        query = np.ascontiguousarray(query, np.float32)
        rows, cosines = list[Rows](), list[Vector]()
        for start, space, places in self._find(query, model, candidates):
            found = space.find_nearest(query, places, count)
            rows.append(space.rows_at(found.places, start))
            cosines.append(found.cosines)
        if len(rows) == 1:
            return Cosines(rows[0], cosines[0])
        rows.append(np.zeros(0, np.int64))
        cosines.append(np.zeros(0, np.float32))
        every = np.concatenate(cosines)
        kept = np.flatnonzero(every >= pick_greatest(every, count))
        return Cosines(np.concatenate(rows)[kept], every[kept])

    def estimate(self, query: Vector, model: str, candidates: Rows) -> tuple[Rows, Estimates]:
        """Return the candidates that have a cosine, and what it is near to."""
        rows, found = list[Rows](), list[Estimates]()
        for start, space, chosen in self.spaces_of(model, len(query), candidates):
            places = space.select(chosen)
            whole = len(places) == len(space)
            rows.append(space.rows_at(places, start))
            found.append(estimate(space.matrix, space.codes, query, None if whole else places))
            width = query.nbytes if found[-1].bound == 0 else len(query)
            tally("read", len(places) * width)
            tally("compared", len(places))
        if len(found) == 1:
            return rows[0], found[0]
        cosines = np.concatenate([np.zeros(0, np.float32), *(one.cosines for one in found)])
        bound = max((one.bound for one in found), default=0.0)
        return np.concatenate([np.zeros(0, np.int64), *rows]), Estimates(cosines, bound)

    def mean(self, query: Vector, model: str, candidates: Rows) -> float | None:
        """Return the mean cosine of many candidates, None unless they are nearly all there are.

        It depends on nothing but the vectors that they and all other living rows have. It is
        more exact than the mean of their cosines, each of which was rounded.
        """
        total = np.zeros(len(query), np.int64)
        spaces = list(self.spaces_of(model, len(query), candidates))
        chosen = [space.select(rows) for _, space, rows in spaces]
        count = sum(map(len, chosen))
        others = self.models().get((model, len(query)), 0) - count
        if count < _MANY or others * _FEW > count:
            return None
        for (_, space, _), places in zip(spaces, chosen, strict=True):
            total += space.total
            if len(places) < len(space):
                left = np.ones(len(space), np.bool_)
                left[places] = False
                total -= add_up(space.matrix[left])
        return float(query.astype(np.float64) @ total.astype(np.float64)) / UNIT / count

    def spaces_of(
        self, model: str, dimension: int, candidates: Mask | Rows | None = None
    ) -> Iterator[tuple[int, Space, Rows]]:
        """Yield the first row of each part, its vectors of a model, and the living candidates.

        Those are numbered as in the part, and not all of them have such a vector.
        """
        for number, part in enumerate(self.parts):
            space = part.spaces.get((model, dimension))
            if space is not None:
                yield self.starts[number], space, self._choose(number, candidates)

    def _find(
        self, query: Vector, model: str, candidates: Mask | Rows | None
    ) -> list[tuple[int, Space, Rows]]:
        """Return the same with the places of the candidates; nothing without a direction."""
        if not np.count_nonzero(query):
            return []
        key = (model, len(query))
        return [
            (self.starts[number], space, space.select(self._choose(number, candidates)))
            for number, part in enumerate(self.parts)
            if (space := part.spaces.get(key)) is not None
        ]

    def take(self, rows: Rows, model: str, dimension: int) -> Matrix:
        """Return the vectors of some rows, in any order; zeros for one without."""
        matrix = np.zeros((len(rows), dimension), np.float32)
        for number, part in enumerate(self.parts):
            space = part.spaces.get((model, dimension))
            if space is None or not len(space):
                continue
            local = rows - self.starts[number]
            places = np.searchsorted(space.rows, local)
            places[places == len(space)] = 0
            found = np.flatnonzero(space.rows[places] == local)
            matrix[found] = space.matrix[places[found]]
        return matrix

    @cached_property
    def _whole(self) -> list[bool]:
        return [bool(alive.all()) for alive in self.alive]

    def _choose(self, number: int, candidates: Mask | Rows | None) -> Rows:
        """Return the living candidates of a part, numbered there."""
        alive = self.alive[number]
        if candidates is None:
            return find_true(alive)
        first, end = self.starts[number : number + 2]
        if candidates.dtype == np.bool_:
            return find_true(cast(Mask, candidates)[first:end] & alive)
        chosen = cast(Rows, candidates)
        if len(self.parts) > 1:
            start, stop = np.searchsorted(chosen, (first, end))
            chosen = chosen[start:stop] - first
        return chosen if self._whole[number] else chosen[alive[chosen]]


# --- building --------------------------------------------------------------------------------


def build_vectors(vectors: Sequence[bytes | None], models: Sequence[str | None]) -> VectorsPart:
    """Make the part of some rows from what the store keeps of each: a vector and its model.

    A vector is float32 in little-endian bytes, of any length. One without a direction, or with
    a number that is not finite, counts as none.
    """
    members: dict[Key, list[int]] = {}
    for row, (vector, model) in enumerate(zip(vectors, models, strict=True)):
        if vector and model is not None and len(vector) % _FLOAT.itemsize == 0:
            members.setdefault((model, len(vector) // _FLOAT.itemsize), []).append(row)
    spaces = {key: _build_space(vectors, rows, key[1]) for key, rows in members.items()}
    held = {key: space for key, space in spaces.items() if len(space) or len(space.zeros)}
    return VectorsPart(len(vectors), held)


def _build_space(vectors: Sequence[bytes | None], rows: list[int], dimension: int) -> Space:
    matrix = np.empty((len(rows), dimension), np.float32)
    lengths = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _BATCH):
        batch = b"".join(vectors[row] or b"" for row in rows[start : start + _BATCH])
        given = np.frombuffer(batch, _FLOAT).reshape(-1, dimension)
        matrix[start : start + _BATCH] = unit_rows(given)
        lengths[start : start + _BATCH] = measure_lengths(given)
    numbers = np.array(rows, np.int64)
    directed = matrix.any(axis=1)
    zeros = numbers[lengths == 0]
    if not directed.all():
        numbers, matrix, lengths = numbers[directed], matrix[directed], lengths[directed]
    codes = quantize(matrix) if len(matrix) >= _CODED else None
    return Space(numbers, matrix, lengths, zeros, add_up(matrix), codes)


def add_up(matrix: Matrix) -> Rows:
    """Return the sum of rows of length 1, in whole numbers of 2^-40.

    It is the same in whatever order they stand, and exact for up to four million rows.
    """
    total = np.zeros(matrix.shape[1], np.int64)
    for start in range(0, len(matrix), _BATCH):
        some = matrix[start : start + _BATCH].astype(np.float64)
        some *= UNIT
        total += np.rint(some, out=some).astype(np.int64).sum(axis=0)
    return total


def measure_lengths(vectors: NDArray[np.floating]) -> Vector:
    """Return the length of each row, as exact as 32 bits allow."""
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64, casting="same_kind")
    return np.sqrt(squares).astype(np.float32)


UNIT: Final = 2.0**40
"""How many of the numbers of `add_up` make 1."""
# So many rows, of which others are a quarter at most, have their mean found from sums.
_MANY: Final = 20_000
_FEW: Final = 4
_CODED: Final = 2_000  # fewer are always read as they are
_FLOAT: Final = np.dtype("<f4")
_BATCH: Final = 8_192
