"""How things are timed: each case in a process of its own, so that peaks of memory are its own."""

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Milliseconds of the fastest, the middle and the slowest run."""

    best: float
    median: float
    worst: float

    def __str__(self) -> str:
        return f"{self.median:.2f} ms ({self.best:.2f}..{self.worst:.2f})"


def time_calls(call: Callable[[], object], runs: int = 30, warm_up: int = 3) -> Timing:
    for _ in range(warm_up):
        call()
    took: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        took.append((time.perf_counter() - start) * 1_000)
    return Timing(min(took), statistics.median(took), max(took))


def peak_megabytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1_024 if sys.platform != "darwin" else 1_048_576)


def run_apart(module: str, *arguments: str) -> dict[str, float]:
    """Run `python -m module arguments`; return the JSON object on its last line."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def print_table(title: str, rows: list[dict[str, str]]) -> None:
    print(f"\n### {title}\n")
    print("| " + " | ".join(rows[0]) + " |")
    print("|" + "---|" * len(rows[0]))
    for row in rows:
        print("| " + " | ".join(row.values()) + " |")
