"""LanceDB: a table searched without a vector index, which is exact, with a filter before.

Its page on scalar indexes (docs.lancedb.com/indexing/scalar-index) advises BTREE for columns of
many values and BITMAP for those of few; its page on filtering says that filters come before the
search unless told otherwise.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.compare.conditions import REGIONS, Condition, spell_sql
from bench.compare.data import Case, Matrix
from bench.compare.peers.base import Peer, Prepare, load
from bench.compare.truth import HITS

_INDEXES = {
    "bucket": "BTREE",
    "region": "BITMAP",
    "year": "BITMAP",
    "price": "BTREE",
    "active": "BITMAP",
}


def _build(case: Case, folder: Path) -> None:
    lancedb, arrow = load("lancedb"), load("pyarrow")
    values = arrow.array(np.asarray(case.vectors).reshape(-1))
    columns = {
        "id": np.arange(case.records),
        **case.columns,
        "region": np.array(REGIONS)[case.columns["region"].astype(np.int64)],
        "vector": arrow.FixedSizeListArray.from_arrays(values, case.dimensions),
    }
    table = lancedb.connect(str(folder / "lance")).create_table("record", arrow.table(columns))
    for field, kind in _INDEXES.items():
        table.create_scalar_index(field, index_type=kind)
    table.optimize()


@contextmanager
def _open(_: Case, folder: Path) -> Generator[Prepare]:
    table = load("lancedb").connect(str(folder / "lance")).open_table("record")

    def prepare(condition: Condition) -> Any:
        text = spell_sql(condition)

        def ask(query: Matrix) -> Sequence[int]:
            search = table.search(query).distance_type("cosine").limit(HITS)
            if condition:
                search = search.where(text, prefilter=True)
            return search.select(["id", "_distance"]).to_arrow()["id"].to_pylist()

        return ask

    yield prepare


PEER = Peer(("lancedb",), True, "no vector index; scalar indexes, filter before", _build, _open)
