"""Vectors of rows, and how similar those of some rows are to the vector of a query.

Each model has a matrix of its own: vectors of two models, or of two dimensions, are never
compared. Vectors come in parts that never change, one for each part of a table, row for row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import Mask, Rows
from winnow.embed.base import Matrix, unit_rows

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
    """

    rows: Rows
    matrix: Matrix
    lengths: Vector
    zeros: Rows

    def __len__(self) -> int:
        return len(self.rows)

    def select(self, rows: Rows) -> Rows:
        """Return the places of those of `rows` that are here; both ascend."""
        if not len(self):
            return rows[:0]
        first = int(self.rows[0])
        if int(self.rows[-1]) - first == len(self) - 1:  # they follow each other
            start, stop = np.searchsorted(rows, (first, first + len(self)))
            return self._places if stop - start == len(self) else rows[start:stop] - first
        places = np.searchsorted(self.rows, rows)
        places[places == len(self)] = 0
        return places[self.rows[places] == rows]

    @cached_property
    def _places(self) -> Rows:
        return np.arange(len(self))

    def select_zeros(self, rows: Rows) -> Rows:
        """Return those of `rows` whose vector has no direction; they ascend."""
        if not len(self.zeros):
            return self.zeros
        return np.intersect1d(self.zeros, rows, assume_unique=True)

    def multiply(self, query: Vector, places: Rows) -> Vector:
        """Return the cosines of the rows at `places`.

        A row's is the same to the bit whichever others are asked for with it.
        """
        # Not by a matrix product: its sums depend on how many rows there are, so equal vectors
        # would not tie, and for a single query it is slower.
        if len(places) * _WHOLE >= len(self):
            whole = np.vecdot(self.matrix, query)
            return whole if len(places) == len(self) else whole.take(places)
        cosines = np.empty(len(places), np.float32)
        buffer = np.empty((min(_GATHERED, len(places)), len(query)), np.float32)
        for start in range(0, len(places), _GATHERED):
            chosen = places[start : start + _GATHERED]
            rows = buffer[: len(chosen)]
            # Any mode but `raise`, with which numpy gathers into a copy of its own first.
            np.take(self.matrix, chosen, axis=0, out=rows, mode="clip")
            np.vecdot(rows, query, out=cosines[start : start + _GATHERED])
        return cosines


# Rows that are gathered at a time: they should stay in the cache until they are multiplied.
_GATHERED: Final = 1_024
# Reading a matrix as it stands is this many times quicker than gathering its rows.
_WHOLE: Final = 4


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

    def models(self) -> dict[Key, int]:
        """Return the models of living rows, and how many rows each has."""
        counts: dict[Key, int] = {}
        for part, alive in zip(self.parts, self.alive, strict=True):
            for key, space in part.spaces.items():
                count = int(np.count_nonzero(alive[space.rows]))
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
        rows: list[Rows] = []
        cosines: list[Vector] = []
        for start, space, chosen in self.spaces_of(model, len(query), candidates):
            if query.any():
                places = space.select(chosen)
                whole = len(places) == len(space)
                rows.append((space.rows if whole else space.rows[places]) + start)
                cosines.append(space.multiply(query, places))
        if len(rows) == 1:
            return Cosines(rows[0], cosines[0])
        return Cosines(
            np.concatenate([np.zeros(0, np.int64), *rows]),
            np.concatenate([np.zeros(0, np.float32), *cosines]),
        )

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
    def _living(self) -> list[Rows]:
        return [np.flatnonzero(alive) for alive in self.alive]

    def _choose(self, number: int, candidates: Mask | Rows | None) -> Rows:
        """Return the living candidates of a part, numbered there."""
        if candidates is None:
            return self._living[number]
        first, end = self.starts[number : number + 2]
        if candidates.dtype == np.bool_:
            return np.flatnonzero(candidates[first:end] & self.alive[number])
        start, stop = np.searchsorted(candidates, (first, end))
        if stop - start == end - first:
            return self._living[number]
        chosen = candidates[start:stop] - first
        return chosen[self.alive[number][chosen]]


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
    if directed.all():
        return Space(numbers, matrix, lengths, zeros)
    return Space(numbers[directed], matrix[directed], lengths[directed], zeros)


def measure_lengths(vectors: NDArray[np.floating]) -> Vector:
    """Return the length of each row, as exact as 32 bits allow."""
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64, casting="same_kind")
    return np.sqrt(squares).astype(np.float32)


_FLOAT: Final = np.dtype("<f4")
_BATCH: Final = 8_192
