"""Say the same random commands to Winnow and to Klyro's own server, and show where they differ.

`python -m bench.klyro KLYRO [ROUNDS] [SEED]`, where KLYRO is the path of Klyro's binary
(`npm pack klyro-db-linux-x64`). What is meant to differ is left out: automatic ids, which never
overwrite here; times of life that are over or huge; scans between which something was deleted;
ids, fields and texts that are not UTF-8, which sort last here.
"""

import random
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis

from winnow.app import open_memory
from winnow.surfaces.resp.server import RespServer

KEYS = ["k", "k2", "s", "ключ"]
IDS = ["a", "b", "c", "m1", "7", "7.0", "", "with space", "é", "zz"]
WORDS = ["alpha", "Beta", "gamma delta", "the", "x86-64 run", "café", "", "alpha alpha", "b_c 42"]
FIELDS = ["type", "n", "r", "@id", "", "a.b", "é"]
VALUES = [
    "1",
    "1.0",
    "10",
    "9",
    "abc",
    "Abc",
    "",
    "inf",
    "-3",
    "1e1",
    "eu,uk",
    "eu",
    "é",
    " 1",
    "nan",
]
READ = ["@id", "@text", "@importance", "@created_at", "@nope", "type", "n", "r", "", "a.b", "é"]
OPERATORS = ["EQ", "ne", "GT", "GTE", "LT", "LTE", "IN", "CONTAINS", "LIKE"]
TIMES = (b"created_at", b"updated_at", b"pttl", b"bytes")


class Speaker:
    """Makes commands up."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def one(self, *choices: Any) -> Any:
        return self.rng.choice(choices)

    def maybe(self, *words: Any, chance: float = 0.3) -> list[Any]:
        return list(words) if self.rng.random() < chance else []

    def vector(self) -> list[Any]:
        count = self.one(2, 2, 2, 2, 3, 0)
        numbers = [self.one(0, 1, -1, 0.5, 3, 1e-3) for _ in range(count)]
        if self.rng.random() < 0.5:
            return ["VEC", struct.pack(f"<{count}f", *numbers)]
        return ["FVEC", count, *numbers]

    def filters(self) -> list[Any]:
        made: list[Any] = []
        while self.rng.random() < 0.4:
            made += ["FILTER", self.one(*READ), self.one(*OPERATORS), self.one(*VALUES)]
        return made

    def shown(self) -> list[Any]:
        flags = ("WITHMETA", "WITHVEC", "WITHSCORES", "NOTEXT", "BOGUS")
        return [flag for flag in flags if self.rng.random() < (0.02 if flag == "BOGUS" else 0.3)]

    def searched(self) -> list[Any]:
        return [*self.filters(), *self.maybe("TOPK", self.one(1, 2, 3, 100, 0)), *self.shown()]

    def create(self, key: str) -> list[Any]:
        return [
            *(
                "MEM.CREATE",
                key,
                *self.maybe("MODE", self.one("SEARCH", "HYBRID", "VECTOR"), chance=0.6),
            ),
            *self.maybe("DIM", self.one(2, 2, 2, 3, 0), chance=0.7),
            *self.maybe("METRIC", self.one("L2", "ip", "COSINE")),
            *self.maybe("HALFLIFE", self.one(6_000, 60_000)),
        ]

    def add(self, key: str) -> list[Any]:
        made = [
            "MEM.ADD",
            key,
            "ID",
            self.one(*IDS),
            *self.maybe("TEXT", self.one(*WORDS), chance=0.98),
        ]
        while self.rng.random() < 0.5:
            made += ["META", self.one(*FIELDS), self.one(*VALUES)]
        made += [] if self.rng.random() < 0.3 else self.vector()
        made += self.maybe("IMPORTANCE", self.one(0, 1, 0.25, 0.85, 2))
        return [*made, *self.maybe("TTL", 1000), *self.maybe(self.one("NX", "XX"), chance=0.1)]

    def query(self, key: str) -> list[Any]:
        return [
            *("MEM.QUERY", key, *self.maybe("TEXT", self.one(*WORDS), chance=0.7)),
            *self.maybe(*self.vector(), chance=0.7),
            *self.maybe("WEIGHTS", 1, self.one(0, 2), 0, 0.5),
            *self.maybe("FUSION", self.one("RRF", "linear")),
            *self.searched(),
        ]

    def small(self, key: str) -> list[Any]:
        rid, other = self.one(*IDS), self.one(*IDS)
        return self.one(
            ["MEM.GET", key, rid, *self.shown()],
            ["MEM.MGET", key, rid, other],
            ["MEM.DEL", key, rid, other],
            ["MEM.SETMETA", key, rid, self.one(*FIELDS), self.one(*VALUES)],
            ["MEM.DELMETA", key, rid, self.one(*FIELDS), self.one(*FIELDS)],
            ["MEM.EXPIRE", key, rid, self.one(0, 1000, -1)],
            ["MEM.CONFIG", key, *self.maybe("HALFLIFE", 6_000), *self.maybe("WEIGHTS", 1, 1, 1, 1)],
        )

    def whole(self, key: str) -> list[Any]:
        other = self.one(*KEYS)
        return self.one(
            [self.one("RENAME", "RENAMENX", "COPY"), key, other],
            [self.one("DEL", "UNLINK"), key, other],
            [self.one("EXPIRE", "PERSIST"), key, *self.maybe(1000, chance=0.5)],
            ["SET", "s", "v"],
            ["GET", key],
        )

    def command(self) -> list[Any]:
        key = self.one(*KEYS)
        made = {
            "create": lambda: self.create(key),
            "add": lambda: self.add(key),
            "small": lambda: self.small(key),
            "told": lambda: [self.one("MEM.INFO", "MEM.CARD", "TYPE", "EXISTS", "TTL"), key],
            "scan": lambda: ["MEM.SCAN", key, 0, "COUNT", self.one(2, 100), *self.filters()],
            "search": lambda: ["MEM.SEARCH", key, self.one(*WORDS), *self.searched()],
            "vectors": lambda: ["MEM.VSEARCH", key, *self.vector(), *self.searched()],
            "query": lambda: self.query(key),
            "whole": lambda: self.whole(key),
        }
        (kind,) = self.rng.choices([*made], [2, 12, 14, 2, 3, 6, 6, 8, 4])
        return made[kind]()


def ask(client: Any, words: list[Any]) -> Any:
    try:
        return client.execute_command(*words)
    except redis.ResponseError as error:
        return f"-{error}"


def same(left: Any, right: Any, name: object = b"") -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        pair: list[list[Any]] = [left, right]
        names: list[Any] = [b"", *pair[0]]
        return len(pair[0]) == len(pair[1]) and all(
            same(one, two, before)
            for before, one, two in zip(names, pair[0], pair[1], strict=False)
        )
    if name in TIMES or left == right:
        return True
    if name == b"vector":
        return len(left) == len(right) and near(floats(left), floats(right), 1e-6)
    try:
        return near([float(left)], [float(right)], 1e-4)
    except (TypeError, ValueError):
        return False


def floats(data: bytes) -> list[float]:
    return [*struct.unpack(f"<{len(data) // 4}f", data)]


def near(left: list[float], right: list[float], tolerance: float) -> bool:
    pairs = zip(left, right, strict=True)
    return all(abs(one - two) <= tolerance * max(1, abs(one)) for one, two in pairs)


def compare(ours: Any, theirs: Any, rounds: int, seed: int) -> int:
    speaker, differences = Speaker(seed), 0
    for number in range(rounds):
        if number % 200 == 0:
            ours.execute_command("FLUSHALL")
            theirs.execute_command("FLUSHALL")
        words = speaker.command()
        left, right = ask(ours, words), ask(theirs, words)
        if not same(left, right):
            differences += 1
            print(f"{number}: {words}\n  winnow {left}\n  klyro  {right}", flush=True)
    print(f"{differences} differences in {rounds} commands")
    return differences


@contextmanager
def klyro(binary: str, folder: Path) -> Generator[int]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    settings = folder / "klyro.conf"
    settings.write_text(f"bind 127.0.0.1\nport {port}\ndbfilename {folder}/dump\n")
    process = subprocess.Popen([binary, str(settings)], stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        yield port
    finally:
        process.kill()
        process.wait()


def main(binary: str, rounds: int = 5_000, seed: int = 0) -> int:
    with (
        tempfile.TemporaryDirectory() as folder,
        klyro(binary, Path(folder)) as port,
        open_memory(Path(folder) / "w.db") as memory,
    ):
        server = RespServer(memory, [socket.create_server(("127.0.0.1", 0))])
        server.start()
        ours, theirs = (redis.Redis(port=one, protocol=2) for one in (server.port, port))
        differences = compare(ours, theirs, rounds, seed)
        server.stop()
    return min(differences, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
