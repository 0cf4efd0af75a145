"""The yardstick: a bare loop on arrays in memory, and a plain read of as many bytes.

The loop does what no exact filtered search can leave out, and nothing else: the mask, the gather,
the int8 kernel, the selection, and the best again in 32 bits. It checks no rights, knows no
deleted rows, proves nothing, and gives no texts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.compare.conditions import Columns, Condition, match
from bench.compare.data import Case, Matrix, blocks
from bench.compare.truth import HITS

Scores = NDArray[np.float64] | NDArray[np.float32] | NDArray[np.int32]

FEW: Final = 256  # so many candidates and less are quicker in 32 bits at once
_RESCORED: Final = 50
_GATHERED: Final = 8_192  # of 384 bytes: what stays in the cache of a core
_GATHERED_FLOATS: Final = 1_024
_SCANNED: Final = 65_536


@dataclass(frozen=True)
class Bare:
    """Arrays in memory; `small` are the vectors in int8, each row times 127 / its `scales`."""

    columns: Columns
    vectors: Matrix
    small: NDArray[np.int8]
    scales: NDArray[np.float32]
    kernel: Any  # the module numkong, None where it is not installed

    def nearest(self, condition: Condition, query: Matrix) -> NDArray[np.int64]:
        """Return the nearest records that meet a condition, the nearest first."""
        if condition:
            rows = np.flatnonzero(match(condition, self.columns))
            if len(rows) <= FEW:
                return self._rescore(rows, query)
            scores = self._gather(rows, query)
        else:
            rows, scores = None, self._scan(query)
        best = np.argpartition(scores, -_RESCORED)[-_RESCORED:]
        return self._rescore(best if rows is None else rows[best], query)

    def _rescore(self, rows: NDArray[np.int64], query: Matrix) -> NDArray[np.int64]:
        scores = np.vecdot(self.vectors.take(rows, axis=0), query)
        return rows[np.argsort(-scores)[:HITS]]

    def _scan(self, query: Matrix) -> Scores:
        if self.kernel is None:
            return np.vecdot(self.vectors, query)
        small, _ = _quantize(query[np.newaxis])
        scores = np.empty(len(self.small), np.float32)
        for start, stop in blocks(len(scores), _SCANNED):
            dots = np.asarray(self.kernel.cdist(small, self.small[start:stop], "dot"))[0]
            np.multiply(dots, self.scales[start:stop], out=scores[start:stop], casting="same_kind")
        return scores

    def _gather(self, rows: NDArray[np.int64], query: Matrix) -> Scores:
        if self.kernel is None:
            return self._gather_floats(rows, query)
        packed = self.kernel.dots_pack(_quantize(query[np.newaxis])[0])
        scores = np.empty(len(rows), np.float32)
        buffer = np.empty((min(_GATHERED, len(rows)), self.small.shape[1]), np.int8)
        for start, stop in blocks(len(rows), _GATHERED):
            chosen = rows[start:stop]
            taken = buffer[: len(chosen)]
            np.take(self.small, chosen, axis=0, out=taken, mode="clip")
            dots = np.asarray(self.kernel.dots_packed(taken, packed))[:, 0]
            np.multiply(dots, self.scales[chosen], out=scores[start:stop])
        return scores

    def _gather_floats(self, rows: NDArray[np.int64], query: Matrix) -> Scores:
        scores = np.empty(len(rows), np.float32)
        buffer = np.empty((min(_GATHERED_FLOATS, len(rows)), self.vectors.shape[1]), np.float32)
        for start, stop in blocks(len(rows), _GATHERED_FLOATS):
            taken = buffer[: stop - start]
            np.take(self.vectors, rows[start:stop], axis=0, out=taken, mode="clip")
            np.vecdot(taken, query, out=scores[start:stop])
        return scores

    def bytes_of(self, candidates: int) -> int:
        """Return how many bytes of vectors are read to judge so many."""
        return candidates * self.small.shape[1] * (4 if self._in_floats(candidates) else 1)

    def _in_floats(self, candidates: int) -> bool:
        return candidates <= FEW or self.kernel is None

    def reader(self, candidates: int) -> Callable[[], object]:
        """Return what reads the bytes of so many in one go, each time from another place."""
        source = self.vectors if self._in_floats(candidates) else self.small
        words = source.reshape(-1).view(np.int64)
        count = self.bytes_of(candidates) // words.itemsize
        turns = max((len(words) - count) // max(count, _APART), 0) + 1
        turn = 0

        def read() -> object:
            nonlocal turn
            turn = (turn + 1) % turns
            start = min(turn * max(count, _APART), len(words) - count)
            return np.bitwise_or.reduce(words[start : start + count])

        return read


def lay_bare(case: Case) -> Bare:
    """Read the data into memory."""
    vectors = np.array(case.vectors)
    parts = [_quantize(vectors[start:stop]) for start, stop in blocks(case.records, _GATHERED)]
    small = np.concatenate([part[0] for part in parts])
    columns = {name: _narrow(column) for name, column in case.columns.items()}
    return Bare(columns, vectors, small, np.concatenate([part[1] for part in parts]), find_kernel())


def _narrow(column: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return whole numbers in 32 bits, which hold them all: half as much to read."""
    return column.astype(np.int32) if column.dtype == np.int64 else column


def find_kernel() -> Any:
    """Return the module of int8 kernels, None if it is not installed."""
    try:
        return import_module("numkong")
    except ImportError:
        return None


def _quantize(rows: Matrix) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    scales = np.abs(rows).max(axis=1, keepdims=True)
    return np.rint(rows * (127 / scales)).astype(np.int8), scales[:, 0].astype(np.float32)


_APART: Final = 1 << 20  # words between two reads of little: never what was read just before
