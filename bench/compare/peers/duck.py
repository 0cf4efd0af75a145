"""DuckDB: a column of fixed-size arrays, ordered by `array_cosine_distance`.

Its pages on the ARRAY type and on array functions (duckdb.org/docs) show it so. Its index for
vectors is left out: it is an extension whose files are marked experimental, and no filter uses it.
"""

from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.compare.conditions import FIELDS, REGIONS, Condition, bind_sql
from bench.compare.data import Case, Matrix
from bench.compare.peers.base import Peer, Prepare, load
from bench.compare.truth import HITS


def _build(case: Case, folder: Path) -> None:
    duckdb, arrow = load("duckdb"), load("pyarrow")
    values = arrow.array(np.asarray(case.vectors).reshape(-1))
    columns = {
        "id": np.arange(case.records),
        **case.columns,
        "region": np.array(REGIONS)[case.columns["region"].astype(np.int64)],
        "vector": arrow.FixedSizeListArray.from_arrays(values, case.dimensions),
    }
    with closing(duckdb.connect(str(folder / "duck.db"))) as connection:
        connection.register("given", arrow.table(columns))
        fields = ", ".join(("id", *FIELDS))
        connection.execute(
            f"""CREATE TABLE record AS
                SELECT {fields}, vector::FLOAT[{case.dimensions}] AS vector FROM given"""
        )


@contextmanager
def _open(case: Case, folder: Path) -> Generator[Prepare]:
    with closing(load("duckdb").connect(str(folder / "duck.db"), read_only=True)) as connection:

        def prepare(condition: Condition) -> Any:
            text, values = bind_sql(condition)
            sql = f"""SELECT id FROM record WHERE true{text}
                ORDER BY array_cosine_distance(vector, ?::FLOAT[{case.dimensions}])
                LIMIT {HITS}"""

            def ask(query: Matrix) -> Sequence[int]:
                found = connection.execute(sql, [*values, query.tolist()]).fetchall()
                return [row for (row,) in found]

            return ask

        yield prepare


PEER = Peer(("duckdb", "pyarrow"), True, "ARRAY column, array_cosine_distance", _build, _open)
