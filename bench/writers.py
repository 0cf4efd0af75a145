"""Eight stdio servers that write to one store, while one process indexes and one answers recalls.

`python -m bench.writers` tells how long each had to wait, and fails if anything was lost.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier
from typing import IO, Any

import winnow
from bench.load import Client, Task, pipes_of
from bench.measure import print_table
from bench.servers import COMMAND, mcp_command, serve_http
from winnow.demo.notes import write_firm

AGENTS = 8
MEMORIES = 200  # of each
NOTES = 2_000
RECALL = {"query": "number", "where": 'text contains "has seen"', "limit": 5}


@dataclass(frozen=True)
class Waits:
    """How long everybody waited, in milliseconds, and the seconds that the storing took."""

    stores: list[float]
    recalls: list[float]
    seconds: float


def measure(folder: Path) -> tuple[Waits, bool]:
    """Let all work at once; return how long they waited, and whether all is there afterwards."""
    store = folder / "winnow.db"
    write_firm(folder / "vault", NOTES)
    index = (COMMAND, "--store", str(store), "index", str(folder / "vault"))
    together = Barrier(AGENTS + 1)
    with (
        serve_http(store) as (_, port),
        Client() as client,
        ThreadPoolExecutor(AGENTS) as pool,
    ):
        agents = [pool.submit(work_as_agent, store, one, together) for one in range(AGENTS)]
        together.wait()
        start = time.perf_counter()
        with subprocess.Popen(index, stdout=subprocess.DEVNULL) as indexer:
            recalls = ask_until(client, port, lambda: all(one.done() for one in agents))
            seconds = time.perf_counter() - start
            stores = [took for one in agents for took in one.result()]
            indexed = indexer.wait() == 0
    with winnow.open(store) as memory:
        kept = memory.count(where="path is null").count == AGENTS * MEMORIES
        sound = memory.admin.doctor().sound
    return Waits(stores, recalls, seconds), indexed and kept and sound


def work_as_agent(store: Path, agent: int, together: Barrier) -> list[float]:
    """Store memories by a server of one's own; return the milliseconds of each call."""
    took: list[float] = []
    command = mcp_command(store)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        pipes = pipes_of(process)
        exchange(pipes, "ping", {})
        together.wait()
        for number in range(MEMORIES):
            memory = {"id": f"{agent}-{number}", "text": f"agent {agent} has seen number {number}"}
            start = time.perf_counter()
            reply = exchange(pipes, "tools/call", {"name": "memory_store", "arguments": memory})
            took.append((time.perf_counter() - start) * 1_000)
            assert reply["structuredContent"]["id"] == memory["id"], reply
        pipes[0].close()
    return took


def exchange(pipes: tuple[IO[bytes], IO[bytes]], method: str, params: dict[str, Any]) -> Any:
    """Send one request to a server, and return its result."""
    out, back = pipes
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    out.write(json.dumps(asked).encode() + b"\n")
    out.flush()
    return json.loads(back.readline())["result"]


def ask_until(client: Client, port: int, done: Callable[[], bool]) -> list[float]:
    """Ask for memories again and again; return the milliseconds of each call."""
    took: list[float] = []
    task = Task(RECALL, port, "/api/v1/recall")
    while not done():
        took += client.run(task).milliseconds
        time.sleep(0.02)  # as one who reads what comes would
    return took


def describe(name: str, took: list[float], seconds: float) -> dict[str, str]:
    ordered = sorted(took)
    return {
        "call": name,
        "calls": f"{len(ordered):,}",
        "calls/s": f"{len(ordered) / seconds:,.0f}",
        "p50": f"{ordered[len(ordered) // 2]:.1f} ms",
        "p99": f"{ordered[int(len(ordered) * 0.99)]:.0f} ms",
        "worst": f"{ordered[-1]:.0f} ms",
    }


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        waits, whole = measure(Path(folder))
    print_table(
        f"{AGENTS} stdio servers store {MEMORIES} memories each, one indexes {NOTES:,} notes",
        [
            describe("memory_store", waits.stores, waits.seconds),
            describe("recall over HTTP", waits.recalls, waits.seconds),
        ],
    )
    print("\nNothing was lost." if whole else "\nSOMETHING IS MISSING.")
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
