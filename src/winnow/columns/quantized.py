"""The rows nearest to a query, exactly, for little more than a quarter of their bytes.

Each row x of a matrix is kept a second time as x8, whole numbers of 8 bits times a scale. The
products of a query with those say, within a bound, what its cosine with each row is. Only rows
whose bound reaches the best cosines are read as they are, so the answer is proved, not likely:

    |q·x - q8·x8| = |q·(x - x8) + (q - q8)·x8| <= ‖q‖ ‖x - x8‖ + ‖q - q8‖ ‖x8‖

Without the package `numkong`, whose kernel multiplies such numbers, all rows are read as they are.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from winnow.columns.arrays import Rows
from winnow.columns.greatest import Floats, choose_greatest, find_floor, pick_greatest
from winnow.columns.products import Bytes, Kernel, Vector, load_kernel, multiply, multiply_codes
from winnow.embed.base import Matrix


@dataclass(frozen=True)
class Codes:
    """Rows as whole numbers of 8 bits: `codes[i] * scales[i]` is x8, which is near to the row x.

    `errors` are no less than the length of x - x8, nor than what x is longer than 1.
    """

    codes: Bytes
    scales: Vector
    errors: Vector

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def nbytes(self) -> int:
        """The bytes that the arrays take."""
        return self.codes.nbytes + self.scales.nbytes + self.errors.nbytes

    @cached_property
    def worst(self) -> float:
        """The greatest error."""
        return float(self.errors.max(initial=0))


@dataclass(frozen=True, slots=True)
class Nearest:
    """Places in ascending order, and their cosines.

    To find them, so many rows were read as codes, and `measured` ones as they are.
    """

    places: Rows
    cosines: Vector
    coded: int
    measured: int


def quantize(matrix: Matrix) -> Codes:
    """Return the codes of rows, whose length should be 1; any other costs time, never truth."""
    count, dimension = matrix.shape
    scales, errors = np.empty(count, np.float32), np.empty(count, np.float32)
    codes = Codes(np.empty((count, dimension), np.int8), scales, errors)
    batch = max(1, _QUANTIZED // max(1, dimension))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, count, batch):
            some = slice(start, start + batch)
            _quantize(matrix[some], codes.codes[some], scales[some], errors[some])
    return codes


def find_nearest(
    matrix: Matrix, codes: Codes | None, query: Vector, places: Rows | None, count: int
) -> Nearest:
    """Return the candidates whose cosine is not below the `count`-th greatest.

    Those are more than `count` where others tie with the last: who breaks ties needs them all,
    and where every row ties every row comes back. Candidates are the rows at `places`, which
    ascend, or all. A cosine is the same to the bit as `multiply` has it. `query` may have any
    length, which counts; a number that is not finite has no place in it.
    """
    question = None if count < 1 else ask(codes, query, places, count * PER_HIT)
    if codes is None or question is None:
        return _measure_all(matrix, query, places, count)
    if places is not None and len(places) == len(codes):
        places = None
    scan = Scan(matrix, codes, question, places, question.score(codes, places))
    chosen = scan.choose(find_floor(scan.scores, count))
    if len(chosen) > _ALIKE:
        best = chosen[choose_greatest(scan.scores[chosen], count + SPARE)]
        chosen = scan.reach(chosen, pick_greatest(scan.measure(best), count))
    cosines = scan.measure(chosen)
    kept = _keep(cosines, count)
    return Nearest(scan.locate(chosen[kept]), cosines[kept], len(scan.scores), len(chosen))


@dataclass(frozen=True, slots=True)
class Estimates:
    """Near to the cosine of each candidate; none is farther from it than the bound."""

    cosines: Vector
    bound: float


def estimate(matrix: Matrix, codes: Codes | None, query: Vector, places: Rows | None) -> Estimates:
    """Estimate the cosines of the candidates; exactly where reading them as they are is better."""
    question = ask(codes, query, places)
    if codes is None or question is None:
        return Estimates(multiply(matrix, query, places), 0.0)
    cosines = question.score(codes, places)
    cosines *= np.float32(question.scale)
    # The last is for the rounding of these, and of the scale.
    slack = 16 * EPSILON * (1 + question.slope)
    return Estimates(cosines, question.base + question.slope * codes.worst + slack)


# --- the 8 bits ------------------------------------------------------------------------------


def _quantize(rows: Matrix, codes: Bytes, scales: Vector, errors: Vector) -> None:
    dimension = rows.shape[1]
    peaks = np.maximum(rows.max(axis=1, initial=0), -rows.min(axis=1, initial=0))
    peaks[~((peaks > _FAINT) & (peaks < 1 / _FAINT))] = 0  # codes of 0, and all is error
    np.divide(peaks, _MOST, out=scales)
    inverse = np.divide(1, scales, out=np.zeros_like(scales), where=scales > 0)
    near = rows * inverse[:, np.newaxis]
    np.rint(near, out=near)
    np.copyto(codes, near, casting="unsafe")
    near *= scales[:, np.newaxis]
    np.subtract(rows, near, out=near)
    # What rounding to 32 bits can hide: a share of a sum's terms, and of the numbers of a row.
    hidden = 1 + (dimension + 16) * EPSILON
    np.sqrt(np.vecdot(near, near), out=errors)
    lengths = np.sqrt(np.vecdot(rows, rows)) * np.float32(hidden)
    errors *= np.float32(hidden)
    errors += np.maximum(lengths, 1) * np.float32(8 * EPSILON)
    np.maximum(errors, lengths - 1, out=errors)
    errors[~(errors < np.inf)] = np.inf


def _bound(length: float, residual: float, dimension: int) -> tuple[float, float]:
    """Return `base` and `slope` for a query of some length and the length of q - q8.

    With e the error of a row, ‖x‖ <= 1 + e and ‖x8‖ <= 1 + 2e, so the bound of the module's
    docstring is at most `residual + (length + 2 residual) e`. To that comes what rounding does:
    a product in 32 bits is off by `dimension` units of the last place of ‖q‖ ‖x‖ at most, in
    whatever order it is summed; a score by 3 of ‖q8‖ ‖x8‖.
    """
    rounding = (dimension + 8) * EPSILON * (length + residual)
    base, slope = residual + rounding, length + 2 * residual + 2 * rounding
    # For the rounding of these sums, and of those made with them.
    return base * (1 + 16 * EPSILON) + _VANISHING, slope * (1 + 16 * EPSILON)


# --- what searches are made of ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """A query, its codes, and what bounds the error of a product of codes.

    That is `base + slope * error` for a row with an error; see `_bound`.
    """

    query: Vector
    kernel: Kernel
    codes: Bytes
    scale: float
    base: float
    slope: float

    def score(self, codes: Codes, places: Rows | None) -> Vector:
        """Return the product of q8 and x8 for each candidate, but for the scale of q8."""
        scores = multiply_codes(self.kernel, codes.codes, self.codes, places)
        scores *= codes.scales if places is None else codes.scales.take(places)
        return scores


def ask(codes: Codes | None, query: Vector, places: Rows | None, few: int = 0) -> Question | None:
    """Prepare a query for the codes; None where reading the rows as they are is better.

    That is so for up to `few` candidates at least.
    """
    if codes is None:
        return None
    count = len(codes) if places is None else len(places)
    if count <= few or count * query.nbytes <= _FEW:
        return None
    kernel = load_kernel()
    exact = query.astype(np.float64)
    length = math.sqrt(np.dot(exact, exact))
    if kernel is None or not _FAINT < length < 1 / _FAINT or len(query) > _WIDEST:
        return None
    scale = float(np.maximum.reduce(np.abs(exact))) / _MOST
    near = np.rint(exact / scale)
    exact -= near * scale
    base, slope = _bound(length, math.sqrt(np.dot(exact, exact)), len(query))
    return Question(query, kernel, near.astype(np.int8), scale, base, slope)


@dataclass(frozen=True, slots=True)
class Scan:
    """The candidates of a search with the scores of their codes."""

    matrix: Matrix
    codes: Codes
    question: Question
    places: Rows | None
    scores: Vector

    def measure(self, chosen: Rows) -> Vector:
        """Return the cosines of some candidates."""
        return multiply(self.matrix, self.question.query, self.locate(chosen))

    def choose(self, floor: float) -> Rows:
        """Return candidates among which are the nearest, if enough of the scores reach a floor.

        The cosine of each of those is at most a bound below its score, and so no cosine counts
        that is lower; the score of one that does is at most another bound below that.
        """
        bound = self.question.base + self.question.slope * self.codes.worst
        lowest = floor - 2 * bound / self.question.scale
        return (self.scores >= -_round_up(-lowest)).nonzero()[0]

    def reach(self, chosen: Rows, threshold: float) -> Rows:
        """Return those of some candidates whose cosine may not be below a threshold."""
        question = self.question
        reach = self.scores[chosen].astype(np.float64) * question.scale
        reach += self.codes.errors[self.locate(chosen)].astype(np.float64) * question.slope
        return chosen[reach >= threshold - question.base]

    def locate(self, chosen: Rows) -> Rows:
        """Return the places of some candidates."""
        return chosen if self.places is None else self.places[chosen]


def measure_square(vector: Floats) -> float:
    """Return the square of a vector's length."""
    exact = vector.astype(np.float64)
    return float(np.dot(exact, exact))


# --- rows and numbers ------------------------------------------------------------------------


def _measure_all(matrix: Matrix, query: Vector, places: Rows | None, count: int) -> Nearest:
    cosines = multiply(matrix, query, places)
    every = len(cosines)
    if places is not None and every <= count:
        return Nearest(places, cosines, 0, every)
    kept = _keep(cosines, count)
    return Nearest(kept if places is None else places[kept], cosines[kept], 0, every)


def _keep(cosines: Vector, count: int) -> Rows:
    """Return where a cosine is not below the `count`-th greatest."""
    return (cosines >= pick_greatest(cosines, count)).nonzero()[0]


def _round_up(value: float) -> np.float32:
    """Return the lowest number of 32 bits that is not below a value."""
    near = np.float32(min(max(value, -_FAR), _FAR))
    return near if float(near) >= value else np.nextafter(near, np.float32(np.inf))


_MOST: Final = 127  # what codes reach to both sides
EPSILON: Final = 2.0**-24  # how much of a number its rounding to 32 bits may take
_VANISHING: Final = 2.0**-100  # far above what is lost in numbers too small for 32 bits
_FAINT: Final = 2.0**-60  # lengths below it, and above its inverse, are left to floats
_FAR: Final = 3e38
_WIDEST: Final = 8_192  # dimensions; more than any model has, and the bounds are sure up to here
_QUANTIZED: Final = 131_072  # numbers at a time: they should stay in the cache meanwhile
# Up to so many bytes of candidates, and candidates for a hit, it is quicker not to use codes.
_FEW: Final = 800_000
PER_HIT: Final = 4
_ALIKE: Final = 48  # to read so few rows takes no longer than to find out which could be left out
SPARE: Final = 6  # rows beside the best that set the threshold: scores are not quite in order
