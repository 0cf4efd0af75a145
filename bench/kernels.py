"""The exact search by 8 bits beside a bare loop that does only what must be done.

`python -m bench.kernels` runs all sizes, `python -m bench.kernels SIZE` one, as a JSON object.
Both find the 10 best of the rows that a mask marks, by share of the rows; the bare loop has no
proof, and its arrays are the same. `read` is the time that a plain read of as many bytes takes
as the candidates' codes have.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from itertools import cycle, islice

import numpy as np

from bench.measure import peak_megabytes, print_table, run_apart, time_calls
from winnow.columns.arrays import Mask, Rows
from winnow.columns.products import Kernel, Vector, load_kernel
from winnow.columns.quantized import Codes, find_nearest, quantize
from winnow.embed.base import Matrix, unit_rows

SIZES = (100_000, 1_000_000)
SHARES = (0.01, 0.1, 1, 10, 100)  # percent
DIMENSION, CLUSTERS, SPREAD, NOISE = 384, 1_000, 0.7, 0.5
BEST, RESCORED, QUERIES, RUNS, BATCH = 10, 50, 16, 48, 10_000
FEW, BUFFER, WHOLE = 2_000, 8_192, 4


def make_rows(size: int) -> Matrix:
    random = np.random.default_rng(7)
    centers = random.standard_normal((CLUSTERS, DIMENSION), dtype=np.float32)
    rows = np.empty((size, DIMENSION), np.float32)
    for start in range(0, size, BATCH):
        some = centers[random.integers(0, CLUSTERS, min(BATCH, size - start))]
        some += SPREAD * random.standard_normal(some.shape, dtype=np.float32)
        rows[start : start + BATCH] = unit_rows(some)
    return rows


def make_queries(rows: Matrix) -> Matrix:
    random = np.random.default_rng(8)
    near = rows[random.integers(0, len(rows), QUERIES)]
    noise = random.standard_normal(near.shape, dtype=np.float32) / np.float32(DIMENSION**0.5)
    return unit_rows(near + NOISE * noise)


def search_barely(
    matrix: Matrix, codes: Codes, kernel: Kernel, query: Vector, mask: Mask | None
) -> Rows:
    """Return the places of the likely best: mask, gather, kernel, the best 50, those as floats."""
    places = None if mask is None else np.flatnonzero(mask)
    count = len(matrix) if places is None else len(places)
    if places is not None and count <= FEW:
        return best_of(matrix, query, places)
    scale = float(np.abs(query).max()) / 127
    short = np.rint(query / scale).astype(np.int8)
    scores = np.empty(count, np.float32)
    if places is None:
        kernel(codes.codes, short, scores)
        scores *= codes.scales
    else:
        buffer = np.empty((BUFFER, DIMENSION), np.int8)
        for start in range(0, count, BUFFER):
            some = places[start : start + BUFFER]
            np.take(codes.codes, some, axis=0, out=buffer[: len(some)], mode="clip")
            kernel(buffer[: len(some)], short, scores[start : start + len(some)])
        scores *= codes.scales[places]
    best = np.argpartition(scores, count - RESCORED)[count - RESCORED :]
    return best_of(matrix, query, best if places is None else places[best])


def best_of(matrix: Matrix, query: Vector, places: Rows) -> Rows:
    cosines = np.vecdot(matrix.take(places, axis=0), query)
    kept = min(BEST, len(places))
    return places[np.argpartition(cosines, len(places) - kept)[len(places) - kept :]]


def measure(size: int) -> dict[str, float]:
    matrix = make_rows(size)
    start = time.perf_counter()
    codes = quantize(matrix)
    found = {"quantize_s": time.perf_counter() - start}
    numbers = codes.codes.reshape(-1).view(np.int64)
    found["read"] = time_calls(lambda: np.bitwise_or.reduce(numbers)).median
    kernel, queries = load_kernel(), make_queries(matrix)
    for share in SHARES:
        mask = None if share == 100 else np.random.default_rng(9).random(size) < share / 100
        places = None if mask is None else np.flatnonzero(mask)
        found[f"rows_{share}"] = size if places is None else len(places)
        found |= time_share(matrix, codes, queries, mask, kernel, share)
        nearest = [find_nearest(matrix, codes, query, places, BEST) for query in queries]
        found[f"measured_{share}"] = float(np.median([one.measured for one in nearest]))
    return found | {"peak_mb": peak_megabytes()}


def time_share(
    matrix: Matrix,
    codes: Codes,
    queries: Matrix,
    mask: Mask | None,
    kernel: Kernel | None,
    share: float,
) -> dict[str, float]:
    def with_codes(codes: Codes | None) -> Callable[[Vector], Rows]:
        def search(query: Vector) -> Rows:
            places = None if mask is None else np.flatnonzero(mask)
            return find_nearest(matrix, codes, query, places, BEST).places

        return search

    searches = {"ours": with_codes(codes), "floats": with_codes(None)}
    if kernel is not None:
        searches["bare"] = lambda query: search_barely(matrix, codes, kernel, query, mask)
        for query in queries:
            assert np.array_equal(np.sort(searches["bare"](query)), searches["ours"](query))
    # In turn, so that whatever else the machine does slows all of them.
    took: dict[str, list[float]] = {name: [] for name in searches}
    for query in islice(cycle(queries), RUNS):
        for name, search in searches.items():
            start = time.perf_counter()
            search(query)
            took[name].append((time.perf_counter() - start) * 1_000)
    return {f"{name}_{share}": statistics.median(times) for name, times in took.items()}


def describe(found: dict[str, float], share: float) -> dict[str, str]:
    ours, bare = found[f"ours_{share}"], found.get(f"bare_{share}", float("nan"))
    read = found["read"] * share / 100
    return {
        "candidates": f"{share:g} % ({found[f'rows_{share}']:,.0f})",
        "search": f"{ours:.3f} ms",
        "bare loop": f"{bare:.3f} ms",
        "times it": f"{ours / bare:.2f}",
        "times a plain read": f"{ours / read:.1f}",
        "read as floats": f"{found[f'measured_{share}']:.0f}",
        "without the kernel": f"{found[f'floats_{share}']:.3f} ms",
    }


def main(sizes: tuple[int, ...] = SIZES) -> int:
    for size in sizes:
        found = run_apart("bench.kernels", str(size))
        print_table(
            f"The {BEST} nearest of {size:,} rows of {DIMENSION}, exactly",
            [describe(found, share) for share in SHARES],
        )
        print(
            f"\nCodes made in {found['quantize_s']:.2f} s, read plainly in {found['read']:.1f} ms;"
            f" peak memory {found['peak_mb']:,.0f} MB."
        )
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]))))
    else:
        sys.exit(main())
