"""What several processes on one store take: how soon each answers, and how much memory.

`python -m bench processes` uses 100,000 records; `python -m bench.processes 1000000 8` says how
many records and processes. Memory is the proportional set size: a page that several processes
share counts for each by its share.
"""

import json
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.compare import stage
from bench.compare.data import find_cache, keep, open_case
from bench.compare.ours import OURS
from bench.load import pipes_of
from bench.measure import print_table

RECORDS, PROCESSES = 100_000, 8
QUESTIONS = ("", "bucket = 7", "region = asia and year >= 2010")


def main(records: int = RECORDS, processes: int = PROCESSES) -> int:
    cache = find_cache()
    case = open_case(records, cache)
    kept = cache / "stores" / OURS / stage.name_store(case)
    folder = keep(kept, lambda into: stage.build_store(case, into))
    store = next(folder.glob("*.db"))
    with _start(store):
        pass  # so that columns stand in files, and pages in memory
    rows = [_measure(store, count) for count in dict.fromkeys((1, processes))]
    alone, together = (float(row["memory of all, MB"]) for row in (rows[0], rows[-1]))
    print_table(f"Processes on one store of {records:,} records", rows)
    print(f"\n{processes} processes take {together / alone:.2f} times the memory of one.")
    return 0


def serve(store: str) -> int:
    """Answer some questions, tell how long the first took, and wait to be let go."""
    began = time.perf_counter()
    from winnow.app import open_memory

    imported = time.perf_counter()
    with open_memory(Path(store)) as memory:
        dimension = 384
        vector = [1.0 if place % 7 else -1.0 for place in range(dimension)]
        memory.recall("river bank", vector=vector, limit=5)
        first = time.perf_counter()
        for where in QUESTIONS:
            for _ in range(3):
                memory.recall("river bank", vector=vector, where=where or None, limit=5)
        print(json.dumps({"import": imported - began, "first": first - imported}), flush=True)
        sys.stdin.readline()
    return 0


def _measure(store: Path, count: int) -> dict[str, str]:
    with ExitStack() as stack:
        started = [stack.enter_context(_start(store)) for _ in range(count)]
        sizes = [_proportional(process.pid) for process, _ in started]
        firsts = sorted(answer["first"] for _, answer in started)
        imports = sorted(answer["import"] for _, answer in started)
    return {
        "processes": str(count),
        "importing, s": f"{imports[count // 2]:.2f}",
        "first answer, s": f"{firsts[count // 2]:.3f}",
        "slowest, s": f"{firsts[-1]:.3f}",
        "memory of all, MB": f"{sum(sizes) / 1_000:.0f}",
    }


@contextmanager
def _start(store: Path) -> Generator[tuple["subprocess.Popen[bytes]", dict[str, Any]]]:
    command = [sys.executable, "-m", "bench.processes", "--serve", str(store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        out, back = pipes_of(process)
        yield process, json.loads(back.readline())
        out.write(b"\n")
        out.flush()


def _proportional(pid: int) -> int:
    """Return the proportional set size of a process, in thousands of bytes."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1_024 // 1_000
    raise SystemExit("this system does not tell the proportional size of a process")


def run(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--serve"]:
        return serve(arguments[1])
    return main(*map(int, arguments))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
