"""The data: clustered unit vectors, typed metadata, texts and queries; made once, then kept.

Everything follows from the number of records and the dimensions, so the same figures make the
same data anywhere.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from bench.compare.conditions import BUCKETS, REGIONS, Columns

Matrix: TypeAlias = NDArray[np.float32]
Make: TypeAlias = Callable[[Path], None]

VERSION: Final = 1
"""Goes up when other data comes of the same figures; everything kept is then made again."""
DIMENSIONS: Final = 384
QUERIES: Final = 50
_CLUSTERS: Final = 256
_SPREAD: Final = 0.7  # the length of what is added to a cluster's middle, of length 1
_BLOCK: Final = 50_000
_SEED: Final = 7
_VOCABULARY, _WORDS, _QUERY_WORDS = 20_000, 12, 4


@dataclass(frozen=True)
class Case:
    """What is stored, and what is asked of it; the vectors are mapped from their file."""

    folder: Path
    records: int
    dimensions: int = DIMENSIONS

    @property
    def name(self) -> str:
        """Under which the data, and what is built from it, is kept."""
        return f"v{VERSION}-{self.records}x{self.dimensions}"

    @cached_property
    def vectors(self) -> Matrix:
        """The vectors, a record a row, each of length 1."""
        return np.load(self.folder / "vectors.npy", mmap_mode="r")

    @cached_property
    def queries(self) -> Matrix:
        """The vectors of the queries, each of length 1."""
        return np.load(self.folder / "queries.npy")

    @cached_property
    def columns(self) -> Columns:
        """The metadata by field."""
        with np.load(self.folder / "columns.npz") as file:
            return dict(file)

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """The numbers of the words of each record, then of each query."""
        return np.load(self.folder / "words.npy", mmap_mode="r")

    def text(self, record: int) -> str:
        """Return the text of a record."""
        return " ".join(f"word{number}" for number in self.words[record].tolist())

    def query_text(self, query: int) -> str:
        """Return the words of a query: some are those of a record."""
        numbers = self.words[self.records + query].tolist()[:_QUERY_WORDS]
        return " ".join(f"word{number}" for number in numbers)


def find_cache() -> Path:
    """Return the folder of all that is kept between runs."""
    named = os.environ.get("WINNOW_BENCH_CACHE")
    place = Path(named) if named else Path("~/.cache/winnow-bench")
    return place.expanduser().resolve()


def open_case(records: int, cache: Path, dimensions: int = DIMENSIONS) -> Case:
    """Return the data of so many records, made if it is not kept yet."""
    case = Case(cache / "data", records, dimensions)
    return Case(
        keep(cache / "data" / case.name, lambda into: _make(case, into)), records, dimensions
    )


def keep(folder: Path, make: Make) -> Path:
    """Return a folder that `make` has filled once; one left half done is never taken for whole."""
    if not (folder / _WHOLE).exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        new = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
        try:
            make(new)
            (new / _WHOLE).write_text(json.dumps({"made": folder.name}))
            new.rename(folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    return folder


def _make(case: Case, folder: Path) -> None:
    rng = np.random.default_rng([_SEED, case.records, case.dimensions])
    centers = _unit(rng.standard_normal((_CLUSTERS, case.dimensions), dtype=np.float32))
    shares = rng.exponential(size=_CLUSTERS)
    shares = shares / shares.sum()
    shape = (case.records, case.dimensions)
    vectors = np.lib.format.open_memmap(folder / "vectors.npy", "w+", np.float32, shape)
    for start, stop in blocks(case.records):
        vectors[start:stop] = _scatter(rng, centers, shares, stop - start)
    vectors.flush()
    np.save(folder / "queries.npy", _scatter(rng, centers, shares, QUERIES))
    save_arrays(folder / "columns.npz", _make_columns(rng, case.records))
    likely = 1 / np.arange(1, _VOCABULARY + 1) ** 0.9
    size = (case.records + QUERIES, _WORDS)
    np.save(folder / "words.npy", rng.choice(_VOCABULARY, size=size, p=likely / likely.sum()))


def save_arrays(file: Path, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Write arrays into one file, each under its name."""
    cast(Any, np.savez)(file, **arrays)  # its types take every name for an option


def _make_columns(rng: np.random.Generator, records: int) -> Columns:
    order = rng.permutation(records)
    return {
        "bucket": order * BUCKETS // records,
        "region": rng.integers(len(REGIONS), size=records),
        "year": rng.integers(2015, 2025, size=records),
        "price": rng.integers(100_000, size=records) / 100,
        "active": rng.random(records) < 0.5,
    }


def blocks(count: int, size: int = _BLOCK) -> Iterator[tuple[int, int]]:
    """Yield the bounds of blocks of so many."""
    for start in range(0, count, size):
        yield start, min(start + size, count)


def _scatter(
    rng: np.random.Generator, centers: Matrix, shares: NDArray[np.float64], count: int
) -> Matrix:
    """Return vectors around the middles of clusters of unequal size."""
    chosen = centers[rng.choice(len(centers), size=count, p=shares)]
    noise = rng.standard_normal(chosen.shape, dtype=np.float32)
    noise *= _SPREAD / np.sqrt(chosen.shape[1])
    return _unit(chosen + noise)


def _unit(rows: Matrix) -> Matrix:
    return rows / np.sqrt(np.vecdot(rows, rows))[:, np.newaxis]


_WHOLE: Final = "whole.json"
