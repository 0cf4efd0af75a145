"""The servers on a store of 10,000 memories: how fast they answer, how large they are, their start.

`python -m bench surfaces` runs all of it: recall with a filter by the Python call, over HTTP and
over MCP, all in one run and in turns, so that what else a machine does meets all of them; then many
servers that write to one store (`bench.writers`).
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

import winnow
from bench import writers
from bench.load import Client, Load, Task, pipes_of, time_in_threads
from bench.measure import Timing, print_table, time_calls
from bench.servers import mcp_command, resident_megabytes, serve_http, used_milliseconds
from bench.writers import exchange

SIZE = 10_000
CONNECTIONS = (1, 4, 16)
TURNS = 8
CALLS = 64  # in one turn
SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
QUERY, FILTERS = "bado remi", {"severity": {"gte": 8}, "project": "atlas"}
PROJECTS = ("atlas", "borealis", "cedar", "delta", "ember", "fjord", "grove", "harbor")


def memories(size: int) -> Iterator[dict[str, object]]:
    """Yield decisions of fifteen words, each of a project and of a severity of 0 to 9."""
    drawn = random.Random(1)
    for number in range(size):
        words = ("".join(drawn.choices(SYLLABLES, k=2)) for _ in range(14))
        metadata = {"project": drawn.choice(PROJECTS), "severity": drawn.randrange(10)}
        text = " ".join(("Decided:", *words))
        yield {"id": f"m{number}", "text": text, "kind": "decision", "metadata": metadata}


@dataclass
class Arm:
    """One way to ask: what it did so far, and how long the process that answers was at work."""

    name: str
    run: Callable[[int, int], Load]
    used: Callable[[], float]
    milliseconds: list[float] = field(default_factory=list[float])
    seconds: float = 0.0
    work: float = 0.0

    def take_turn(self, calls: int, connections: int) -> None:
        before = self.used()
        load = self.run(calls, connections)
        self.work += self.used() - before
        self.seconds += load.seconds
        self.milliseconds += load.milliseconds

    def forget(self) -> None:
        self.milliseconds, self.seconds, self.work = [], 0.0, 0.0

    def at(self, share: float) -> float:
        return sorted(self.milliseconds)[int(share * (len(self.milliseconds) - 1))]


def make_arms(
    memory: winnow.Memory, client: Client, server: tuple[int, int], matching: int
) -> list[Arm]:
    process, port = server
    headers = {"accept": "application/json, text/event-stream"}
    call = tool_call()
    legacy = Task(call, port, "/mcp", {**headers, "mcp-protocol-version": LATEST_HANDSHAKE_VERSION})
    modern = Task(modern_call(), port, "/mcp", {**headers, **_ROUTING})
    http = Task({"query": QUERY, "filters": FILTERS}, port, "/api/v1/recall")

    def ask_python(calls: int, connections: int) -> Load:
        return time_in_threads(calls, connections, lambda share: time_each(memory, share))

    def ask(task: Task) -> Callable[[int, int], Load]:
        def run(calls: int, connections: int) -> Load:
            load = client.run(replace(task, calls=calls, connections=connections))
            found = load.answer.get("result", {}).get("structuredContent", load.answer)
            assert found["filteredEntities"] == matching, load.answer
            return load

        return run

    served, piped = (lambda: used_milliseconds(process)), (lambda: used_milliseconds(client.server))
    return [
        Arm("Python call", ask_python, lambda: time.process_time() * 1_000),
        Arm("HTTP", ask(http), served),
        Arm("MCP over HTTP", ask(modern), served),
        Arm("MCP over HTTP, of 2025", ask(legacy), served),
        Arm("MCP over stdio", ask(Task(call)), piped),
    ]


def tool_call() -> dict[str, Any]:
    params = {"name": "memory_recall", "arguments": {"query": QUERY, "filters": FILTERS}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def modern_call() -> dict[str, Any]:
    call = tool_call()
    meta: dict[str, Any] = {
        PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
        CLIENT_CAPABILITIES_META_KEY: {},
    }
    return {**call, "params": {**call["params"], "_meta": meta}}


_ROUTING = {
    "mcp-protocol-version": LATEST_MODERN_VERSION,
    "mcp-method": "tools/call",
    "mcp-name": "memory_recall",
}


def time_each(memory: winnow.Memory, calls: int) -> list[float]:
    took: list[float] = []
    for _ in range(calls):
        start = time.perf_counter()
        memory.recall(QUERY, filters=FILTERS)
        took.append((time.perf_counter() - start) * 1_000)
    return took


def compare(arms: list[Arm], connections: int) -> list[dict[str, str]]:
    """Let all ways take turns, and return the rows of the table."""
    for arm in arms:
        arm.forget()
    for _ in range(TURNS):
        for arm in arms:
            arm.take_turn(CALLS, connections)
    python = arms[0]
    return [
        {
            "asked by": arm.name,
            "at once": str(connections),
            "calls/s": f"{len(arm.milliseconds) / arm.seconds:,.0f}",
            "p50": f"{arm.at(0.5):.2f} ms",
            "p99": f"{arm.at(0.99):.1f} ms",
            "best": f"{arm.at(0):.2f} ms",
            "processor": f"{arm.work / len(arm.milliseconds):.2f} ms",
            "p50 over Python": f"{arm.at(0.5) - python.at(0.5):+.2f} ms",
        }
        for arm in arms
    ]


def time_start(store: Path) -> Timing:
    """Time from the start of `winnow mcp` to its answer of the first call."""

    def start() -> None:
        command = mcp_command(store)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            reply = exchange(pipes_of(process), "tools/call", tool_call()["params"])
            assert reply["structuredContent"]["filteredEntities"], reply
            process.kill()

    return time_calls(start, runs=7, warm_up=1)


def main() -> int:
    """Print all tables; fail if something was lost."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "winnow.db"
        with winnow.open(store) as memory:
            memory.admin.import_(objects=memories(SIZE))
            matching = memory.recall(QUERY, filters=FILTERS).filtered_entities
            with serve_http(store) as server, Client(*mcp_command(store)) as client:
                arms = make_arms(memory, client, server, matching)
                for arm in arms:
                    arm.take_turn(CALLS, 1)
                sizes = {
                    "winnow serve": resident_megabytes(server[0]),
                    "winnow mcp": resident_megabytes(client.server),
                }
                rows = [row for number in CONNECTIONS for row in compare(arms, number)]
        print_table(f"Recall with a filter, {SIZE:,} memories, {matching} match", rows)
        rows = [{"process": name, "memory": f"{size:.0f} MB"} for name, size in sizes.items()]
        print_table("Memory of a process after a few calls", rows)
        started = [{"command": "winnow mcp", "wall p50 (best..worst)": str(time_start(store))}]
        print_table("From the start to the answer of the first call", started)
    print(f"\nThe machine's load was {os.getloadavg()[0]:.1f}.")
    return writers.main()


if __name__ == "__main__":
    sys.exit(main())
