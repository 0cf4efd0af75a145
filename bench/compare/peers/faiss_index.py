"""FAISS: a flat index and an HNSW graph, each with a selector of the records that may be found.

Its wiki page "Setting search parameters for one query" shows selectors; a bitmap is the one for
sets that are not small. A library has no filters, so the mask is made here, with numpy, in the
time that counts. The page "Guidelines to choose an index" suggests HNSW with 32 neighbors, and a
higher `efSearch` for better recall; 128 is used here.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.compare.conditions import Condition, match
from bench.compare.data import Case, Matrix, blocks
from bench.compare.peers.base import Peer, Prepare, load
from bench.compare.truth import HITS

_NEIGHBORS, _EF_CONSTRUCTION, _EF_SEARCH = 32, 200, 128


def _builder(make: Callable[[Any, int], Any]) -> Callable[[Case, Path], None]:
    def build(case: Case, folder: Path) -> None:
        faiss = load("faiss")
        index = make(faiss, case.dimensions)
        for start, stop in blocks(case.records):
            index.add(np.ascontiguousarray(case.vectors[start:stop]))
        faiss.write_index(index, str(folder / "index.faiss"))

    return build


def _opener(parameters: Callable[[Any, Any], Any]) -> Any:
    @contextmanager
    def open_(case: Case, folder: Path) -> Generator[Prepare]:
        faiss = load("faiss")
        index = faiss.read_index(str(folder / "index.faiss"))
        everything = parameters(faiss, None)
        columns = dict(case.columns)

        def prepare(condition: Condition) -> Any:
            def ask(query: Matrix) -> Sequence[int]:
                chosen = everything
                if condition:
                    bits = np.packbits(match(condition, columns), bitorder="little")
                    chosen = parameters(faiss, faiss.IDSelectorBitmap(bits))
                _, found = index.search(query[np.newaxis], HITS, params=chosen)
                return [row for row in found[0].tolist() if row >= 0]

            return ask

        yield prepare

    return open_


def _make_flat(faiss: Any, dimensions: int) -> Any:
    return faiss.IndexFlatIP(dimensions)


def _make_graph(faiss: Any, dimensions: int) -> Any:
    index = faiss.IndexHNSWFlat(dimensions, _NEIGHBORS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = _EF_CONSTRUCTION
    return index


def _search_flat(faiss: Any, selector: Any) -> Any:
    return None if selector is None else faiss.SearchParameters(sel=selector)


def _search_graph(faiss: Any, selector: Any) -> Any:
    return faiss.SearchParametersHNSW(sel=selector, efSearch=_EF_SEARCH)


FLAT = Peer(
    ("faiss-cpu",),
    True,
    "IndexFlatIP, bitmap selector",
    _builder(_make_flat),
    _opener(_search_flat),
)
HNSW = Peer(
    ("faiss-cpu",),
    False,
    f"IndexHNSWFlat, M {_NEIGHBORS}, efSearch {_EF_SEARCH}, bitmap selector",
    _builder(_make_graph),
    _opener(_search_graph),
)
