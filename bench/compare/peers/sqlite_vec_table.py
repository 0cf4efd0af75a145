"""sqlite-vec: a table of vec0 with metadata columns, which are tested during the search.

Its pages on KNN queries and on vec0 (alexgarcia.xyz/sqlite-vec/features) advise so: `MATCH` with
`k = ?`, and every filter on a metadata column, not by a join afterwards.
"""

from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw

from bench.compare.conditions import FIELDS, Condition, Value, bind_sql, rows_of
from bench.compare.data import Case, Matrix, blocks
from bench.compare.peers.base import Peer, Prepare, load
from bench.compare.truth import HITS


def _build(case: Case, folder: Path) -> None:
    names = {int: "INTEGER", str: "TEXT", float: "FLOAT", bool: "BOOLEAN"}
    columns = ", ".join(f"{field} {names[kind]}" for field, kind in FIELDS.items())
    fields, places = ", ".join(FIELDS), ", ".join("?" * len(FIELDS))
    with closing(_connect(folder)) as connection, connection:
        connection.execute(
            f"""CREATE VIRTUAL TABLE record USING vec0(
                id INTEGER PRIMARY KEY, {columns},
                vector FLOAT[{case.dimensions}] distance_metric=cosine)"""
        )
        for start, stop in blocks(case.records):
            metadata = rows_of(case.columns, start, stop)
            connection.executemany(
                f"INSERT INTO record (id, vector, {fields}) VALUES (?, ?, {places})",
                (
                    (start + row, case.vectors[start + row].tobytes(), *values.values())
                    for row, values in enumerate(metadata)
                ),
            )


@contextmanager
def _open(_: Case, folder: Path) -> Generator[Prepare]:
    with closing(_connect(folder)) as connection:

        def prepare(condition: Condition) -> Any:
            text, values = bind_sql(condition)
            sql = f"SELECT id FROM record WHERE vector MATCH ? AND k = {HITS}{text}"

            def ask(query: Matrix) -> Sequence[int]:
                given: list[bytes | Value] = [query.tobytes(), *values]
                return [row for (row,) in connection.execute(sql, given)]

            return ask

        yield prepare


def _connect(folder: Path) -> Any:
    extension = load("sqlite_vec")
    connection: Any = apsw.Connection(str(folder / "vec.db"))
    connection.enable_load_extension(True)
    connection.load_extension(extension.loadable_path())
    return connection


PEER = Peer(("sqlite-vec",), True, "vec0 with metadata columns", _build, _open)
