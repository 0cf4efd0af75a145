"""Winnow as it is measured: its store of the data, its vector stage, and a whole call.

The vector stage is what the bare loop does too: the filter, which was read and checked before, on
the columns, and the ten nearest of what is left, by exact cosines.
"""

import hashlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import numpy as np

import winnow
from bench.compare.conditions import Condition, rows_of, spell_winnow
from bench.compare.data import Case, Matrix, blocks
from bench.compare.truth import HITS
from winnow.app import open_memory
from winnow.columns.arrays import Rows
from winnow.embed.external import ExternalEmbedder
from winnow.filter.rewrite import Plan, rewrite
from winnow.memory import Memory
from winnow.memory.records.selecting import want
from winnow.memory.state.shelf import Shelf
from winnow.operations.requests import RecallRequest
from winnow.plan.extents import Extent

_FILE = "store.db"


def name_store(case: Case) -> str:
    """Return under which name a store of the data is kept: another format, another name."""
    scripts = sorted(
        files("winnow.store.sqlite").joinpath("sql").iterdir(), key=lambda one: one.name
    )
    digest = hashlib.sha256(b"".join(one.read_bytes() for one in scripts)).hexdigest()
    return f"{case.name}-{winnow.__version__}-{digest[:12]}"


def build_store(case: Case, folder: Path) -> None:
    """Import the data; vectors are given, so no model is asked."""
    with open_memory(folder / _FILE) as memory:
        memory.admin.set_namespace("default", embedder=f"external:{case.dimensions}")
        answer = memory.admin.import_(objects=_objects(case))
        assert answer.memories.added == case.records, answer
        memory.recall(vector=case.queries[0].tolist())


@contextmanager
def open_store(folder: Path) -> Generator[Memory]:
    """Open a store that was built."""
    with open_memory(folder / _FILE, create=False) as memory:
        yield memory


def prepare_stage(memory: Memory, case: Case, condition: Condition) -> Callable[[int], Rows]:
    """Return what asks the vector stage a query, by its number, under a condition.

    It gives rows of the shelf; `number_rows` tells which records they are.
    """
    engine = memory.engine
    shelf = engine.shelf()
    wanted = want(engine, RecallRequest(where=spell_winnow(condition)), shelf.keys, [])
    extent, plan = wanted.extent, rewrite(wanted.asked)
    model = ExternalEmbedder(case.dimensions).identity
    return lambda query: find_nearest(shelf, (extent, plan), case.queries[query], model)


def find_nearest(
    shelf: Shelf, wanted: tuple[Extent, Plan], query: Matrix, model: str, count: int = HITS
) -> Rows:
    """Return the rows that a request wants and that are nearest to a query: all that is timed."""
    extent, plan = wanted
    rows = extent.choose(shelf.table, plan)
    found = shelf.vectors.nearest(query, model, rows, count)
    return found.rows[(-found.cosines).argsort(kind="stable")[:count]]


def prepare_recall(
    memory: Memory, case: Case, condition: Condition, *, words: bool
) -> Callable[[int], Sequence[int]]:
    """Return what asks a whole recall: vector and filter, and the words of the query too."""
    where = spell_winnow(condition)
    vectors = [query.tolist() for query in case.queries]
    texts = [case.query_text(query) if words else "" for query in range(len(vectors))]

    def ask(query: int) -> Sequence[int]:
        found = memory.recall(texts[query], vector=vectors[query], where=where, limit=HITS)
        return [int(hit.id) for hit in found.memories]

    return ask


def number_rows(memory: Memory) -> Rows:
    """Return the number of the record that stands in each row of the shelf."""
    table = memory.engine.shelf().table
    numbers = np.zeros(len(table), np.int64)
    for start, part in zip(table.starts, table.parts, strict=False):
        numbers[start : start + len(part)] = [int(one) for one in part.ids]
    return numbers


def _objects(case: Case) -> Iterator[dict[str, object]]:
    for start, stop in blocks(case.records, 5_000):
        metadata = rows_of(case.columns, start, stop)
        vectors = case.vectors[start:stop].tolist()
        for row, (values, vector) in enumerate(zip(metadata, vectors, strict=True), start):
            text = case.text(row)
            yield {"id": str(row), "text": text, "vector": vector, "metadata": values}
