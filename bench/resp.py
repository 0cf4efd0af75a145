"""The Redis protocol, and Klyro's own server beside it: the same commands to each, in turn.

`python -m bench resp` measures Winnow; with KLYRO in the environment, a path of Klyro's binary
(`npm pack klyro-db-linux-x64`), Klyro first. `python -m bench.resp winnow N DIM` or
`python -m bench.resp klyro N DIM` measures one and prints a JSON object.

Vectors are unit gaussian, texts have 12 words of a Zipf vocabulary of 20,000. A filter on `type`
leaves 5 %, on `region` 10 %, on `user` 1 %, on `session` 0.1 %.
"""

import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import redis

from bench.measure import print_table

SIZE, DIMENSION = 100_000, 384
BATCH = 256
RUNS = 60


@dataclass(frozen=True)
class Data:
    """What is stored, and what is asked."""

    vectors: np.ndarray
    texts: list[str]
    importances: list[float]
    queries: list[bytes]
    words: list[str]


def make_data(size: int, dimension: int) -> Data:
    rng = np.random.default_rng(7)
    vocabulary = np.array([f"w{number:05d}" for number in range(20_000)])
    shares = 1 / np.arange(1, 20_001) ** 0.9
    shares /= shares.sum()

    def texts(count: int) -> list[str]:
        chosen = rng.choice(20_000, size=(count, 12), p=shares)
        return [" ".join(vocabulary[row]) for row in chosen]

    def vectors(count: int) -> np.ndarray:
        made = rng.standard_normal((count, dimension), dtype=np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    return Data(
        vectors(size),
        texts(size),
        rng.random(size).tolist(),
        [row.tobytes() for row in vectors(RUNS)],
        [" ".join(text.split()[:4]) for text in texts(RUNS)],
    )


def add(data: Data, number: int) -> list[str | bytes]:
    return [
        *("MEM.ADD", "b", "ID", f"r{number}", "TEXT", data.texts[number]),
        *("VEC", data.vectors[number].tobytes()),
        *("META", "type", f"t{number * 7919 % 20:02d}", "META", "region", f"g{number * 31 % 10}"),
        *("META", "user", f"u{number * 17 % 100:02d}"),
        *("META", "session", f"s{number * 13 % 1000:03d}"),
        *("IMPORTANCE", f"{data.importances[number]:.4f}"),
    ]


def encode(words: Sequence[str | bytes]) -> bytes:
    raw = [word if isinstance(word, bytes) else word.encode() for word in words]
    return b"*%d\r\n" % len(raw) + b"".join(b"$%d\r\n%s\r\n" % (len(one), one) for one in raw)


# --- servers ------------------------------------------------------------------------------------


@dataclass
class Server:
    """A server in a process of its own."""

    name: str
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    port: int = 0

    def start(self) -> float:
        """Start it, and return the seconds until it answers."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        began = time.perf_counter()
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(COMMANDS[self.name](self), stdout=log, stderr=log)
        while self.process.poll() is None:
            try:
                self.connect().ping()
                return time.perf_counter() - began
            except redis.ConnectionError:
                time.sleep(0.01)
        raise SystemExit((self.folder / "log").read_text())

    def connect(self) -> Any:  # the types of the library say little
        return redis.Redis(port=self.port, socket_timeout=600, protocol=2)

    def stop(self, how: int) -> None:
        assert self.process is not None
        os.kill(self.process.pid, how)
        self.process.wait()

    def cpu(self) -> float:
        """Return the seconds of a processor that all its threads have had."""
        assert self.process is not None
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(one.read_text().split()[0]) for one in threads) / 1e9

    def memory(self) -> int:
        """Return the megabytes that it has in memory."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) // 1_024


def run_winnow(server: Server) -> list[str]:
    command = [sys.executable, "-c", "from winnow.surfaces.cli.main import main; main()"]
    return [*command, "--store", str(server.folder / "s.db"), "resp", "--port", str(server.port)]


def run_klyro(server: Server) -> list[str]:
    settings = server.folder / "klyro.conf"
    dump = server.folder / "klyro.dump"
    settings.write_text(f"bind 127.0.0.1\nport {server.port}\ndbfilename {dump}\n")
    return [os.environ["KLYRO"], str(settings)]


COMMANDS: dict[str, Callable[[Server], list[str]]] = {"winnow": run_winnow, "klyro": run_klyro}


@contextmanager
def running(name: str) -> Generator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(name, Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop(signal.SIGKILL)


# --- measuring ----------------------------------------------------------------------------------


def ingest(server: Server, data: Data) -> dict[str, float]:
    blobs = [
        b"".join(encode(add(data, number)) for number in range(first, min(first + BATCH, size)))
        for size in (len(data.texts),)
        for first in range(0, size, BATCH)
    ]
    before = server.cpu()
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        replies = connection.makefile("rb")
        began = time.perf_counter()
        left = len(data.texts)
        for blob in blobs:
            connection.sendall(blob)
            for _ in range(min(BATCH, left)):
                head = replies.readline()
                assert head.startswith(b"$"), head
                replies.read(int(head[1:]) + 2)
            left -= min(BATCH, left)
        seconds = time.perf_counter() - began
    return {
        "ingest a second": round(len(data.texts) / seconds),
        "ingest cpu us": (server.cpu() - before) * 1e6 / len(data.texts),
    }


def time_command(
    server: Server, client: Any, command: Callable[[int], Sequence[Any]], runs: int = RUNS
) -> tuple[float, float]:
    """Return the median milliseconds of a command: by the clock, and of a processor."""
    for number in range(3):
        client.execute_command(*command(number))
    walls: list[float] = []
    cpus: list[float] = []
    for number in range(runs):
        before, began = server.cpu(), time.perf_counter()
        client.execute_command(*command(number))
        walls.append(time.perf_counter() - began)
        cpus.append(server.cpu() - before)
    return statistics.median(walls) * 1_000, statistics.median(cpus) * 1_000


def commands(data: Data) -> dict[str, Callable[[int], Sequence[Any]]]:
    size = len(data.texts)
    filters: dict[str, Callable[[int], list[str]]] = {
        "": lambda n: [],
        " 10 %": lambda n: ["FILTER", "region", "EQ", f"g{n % 10}"],
        " 1 %": lambda n: ["FILTER", "user", "EQ", f"u{n * 37 % 100:02d}"],
        " 0.1 %": lambda n: ["FILTER", "session", "EQ", f"s{n * 37 % 1000:03d}"],
        " 1 % of two": lambda n: [
            *("FILTER", "type", "EQ", f"t{n % 20:02d}", "FILTER", "@importance", "GTE", "0.8")
        ],
    }
    made: dict[str, Callable[[int], Sequence[Any]]] = {
        "PING": lambda n: ["PING"],
        "GET": lambda n: ["MEM.GET", "b", f"r{n * 101 % size}", "WITHMETA"],
    }
    for name, conditions in filters.items():
        made[f"VSEARCH{name}"] = lambda n, more=conditions: [
            *("MEM.VSEARCH", "b", "VEC", data.queries[n], "TOPK", 10, *more(n))
        ]
        made[f"QUERY{name}"] = lambda n, more=conditions: [
            *("MEM.QUERY", "b", "TEXT", data.words[n], "VEC", data.queries[n]),
            *("TOPK", 10, *more(n)),
        ]
    made["SEARCH"] = lambda n: ["MEM.SEARCH", "b", data.words[n], "TOPK", 10]
    made["ADD"] = lambda n: [
        *("MEM.ADD", "b", "TEXT", data.texts[n], "VEC", data.queries[n], "META", "type", "t01")
    ]
    made["SETMETA"] = lambda n: ["MEM.SETMETA", "b", f"r{n * 101 % size}", "seen", n]
    return made


def scan_all(client: Any) -> float:
    began, cursor, found = time.perf_counter(), b"0", 0
    while True:
        page = client.execute_command(
            "MEM.SCAN", "b", cursor, "COUNT", 1000, "FILTER", "user", "EQ", "u05"
        )
        cursor, found = page[0], found + len(page[1])
        if cursor == b"0":
            return time.perf_counter() - began


def lose(server: Server, data: Data) -> dict[str, float]:
    """Kill the server behind 5,000 acknowledged records; count those that are gone."""
    client = server.connect()
    lines = client.pipeline(transaction=False)
    for number in range(5_000):
        row = number % len(data.texts)
        lines.execute_command(
            "MEM.ADD", "b", "ID", f"new{number}", "TEXT", "t", "VEC", data.vectors[row].tobytes()
        )
    lines.execute()
    before = client.execute_command("MEM.CARD", "b")
    server.stop(signal.SIGKILL)
    restarted = server.start()
    client = server.connect()
    began = time.perf_counter()
    try:
        after = client.execute_command("MEM.CARD", "b")
    except redis.ResponseError:  # the index is gone, too
        after = 0
    counted = time.perf_counter()
    if after:
        client.execute_command("MEM.QUERY", "b", "TEXT", "w00001", "VEC", data.queries[0])
    return {
        "restart s": restarted,
        "first answer s": counted - began,
        "first QUERY after it s": time.perf_counter() - counted,
        "lost by kill -9": before - after,
    }


def measure(name: str, size: int, dimension: int) -> dict[str, float]:
    data = make_data(size, dimension)
    with running(name) as server:
        client = server.connect()
        client.execute_command("MEM.CREATE", "b", "DIM", dimension)
        found = ingest(server, data)
        began = time.perf_counter()
        client.execute_command("MEM.QUERY", "b", "TEXT", "w00001", "VEC", data.queries[0])
        found["first QUERY s"] = time.perf_counter() - began
        for label, command in commands(data).items():
            wall, cpu = time_command(server, client, command)
            found[f"{label} ms"], found[f"{label} cpu ms"] = wall, cpu
        found["SCAN of all s"] = scan_all(client)
        found["memory MB"] = server.memory()
        found |= lose(server, data)
    return found


def main() -> int:
    names = ["klyro", "winnow"] if os.environ.get("KLYRO") else ["winnow"]
    found = {name: measure(name, SIZE, DIMENSION) for name in names}
    rows = [
        {"": label, **{name: f"{found[name][label]:,.2f}" for name in names}}
        for label in found["winnow"]
    ]
    print_table(f"{SIZE:,} records of {DIMENSION} dimensions over the Redis protocol", rows)
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        figures = measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
        print(json.dumps({label: round(value, 3) for label, value in figures.items()}, indent=1))
    else:
        sys.exit(main())
