"""Klyro, the server of `npm pack klyro-db-linux-x64`, asked by MEM.VSEARCH with its filters.

The index has mode VECTOR, a dimension and cosine as its measure; each test is a FILTER. It keeps
everything in memory, and writes a dump from which it starts again. KLYRO in the environment names
its binary.
"""

import os
import socket
import subprocess
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.compare.conditions import Condition, Value, rows_of
from bench.compare.data import Case, Matrix, blocks
from bench.compare.peers.base import Peer, Prepare, Unavailable, load
from bench.compare.truth import HITS

_SIGNS = {"=": "EQ", "<": "LT", ">=": "GTE"}


def _build(case: Case, folder: Path) -> None:
    with _running(folder) as client:
        client.execute_command(
            *("MEM.CREATE", "record", "MODE", "VECTOR", "DIM", case.dimensions),
            *("METRIC", "COSINE"),
        )
        for start, stop in blocks(case.records, 1_000):
            lines = client.pipeline(transaction=False)
            for row, metadata in enumerate(rows_of(case.columns, start, stop), start):
                pairs = _spell_metadata(metadata.items())
                lines.execute_command(
                    *("MEM.ADD", "record", "ID", str(row), "TEXT", "-", *pairs),
                    *("VEC", case.vectors[row].tobytes()),
                )
            lines.execute()
        client.execute_command("SAVE")


@contextmanager
def _open(_: Case, folder: Path) -> Generator[Prepare]:
    with _running(folder) as client:

        def prepare(condition: Condition) -> Any:
            filters = [
                word
                for test in condition
                for word in ("FILTER", test.field, _SIGNS[test.sign], _spell(test.value))
            ]

            def ask(query: Matrix) -> Sequence[int]:
                found = client.execute_command(
                    *("MEM.VSEARCH", "record", "VEC", query.tobytes(), "TOPK", HITS),
                    *(*filters, "NOTEXT"),
                )
                return [int(pairs[1]) for pairs in found]  # each begins with its id

            return ask

        yield prepare


def _spell_metadata(pairs: Any) -> Iterator[str]:
    for name, value in pairs:
        yield from ("META", name, _spell(value))


def _spell(value: Value) -> str:
    return str(value).lower()


@contextmanager
def _running(folder: Path) -> Generator[Any]:
    redis = load("redis")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    settings = folder / "klyro.conf"
    settings.write_text(f"bind 127.0.0.1\nport {port}\ndbfilename {folder}/klyro.dump\n")
    command = [os.environ["KLYRO"], str(settings)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    client = redis.Redis(port=port, socket_timeout=600, protocol=2)
    try:
        _wait(process, client, redis.exceptions.RedisError)
        yield client
    finally:
        process.terminate()
        process.wait()


def _wait(process: "subprocess.Popen[bytes]", client: Any, failure: type[Exception]) -> None:
    while process.poll() is None:
        try:
            client.ping()
            return
        except failure:
            time.sleep(0.05)
    raise Unavailable(f"its server ends at once, with {process.returncode}")


PEER = Peer(
    ("klyro-db-linux-x64", "redis"),
    True,
    "mode VECTOR, FILTER for each test",
    _build,
    _open,
    apart=True,
)
