"""How time grows with the number of records: `python -m bench.compare.growth`.

Two filters: one that always leaves a thousand candidates, and one that always leaves 1 % of the
records. The slopes are those of straight lines on a log-log plot: 1 is as fast as the records grow.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.compare.conditions import BUCKETS, below
from bench.compare.data import DIMENSIONS, find_cache, keep, open_case
from bench.compare.page import PAGE, put_section
from bench.compare.plot import Axis, Line, Point, decades, draw
from bench.compare.table import Table, write_table
from bench.compare.timing import time_queries
from bench.measure import print_table

SIZES: Final = (10_000, 30_000, 100_000, 300_000, 1_000_000)
CANDIDATES: Final = 1_000
TITLE: Final = "Growth"
WAYS: Final[Mapping[str, str]] = {
    "fixed_stage_ms": f"vector stage, {CANDIDATES:,} candidates",
    "share_stage_ms": "vector stage, 1 %",
    "fixed_call_ms": f"whole recall, {CANDIDATES:,} candidates",
    "share_call_ms": "whole recall, 1 %",
}


def measure(records: int, cache: Path, dimensions: int = DIMENSIONS) -> dict[str, float]:
    """Measure one number of records, both filters, the vector stage and the whole call."""
    from bench.compare import stage

    case = open_case(records, cache, dimensions)
    kept = cache / "stores" / "winnow" / stage.name_store(case)
    folder = keep(kept, lambda into: stage.build_store(case, into))
    conditions = {"fixed": below(round(CANDIDATES * BUCKETS / records)), "share": below(100)}
    found: dict[str, float] = {"records": records}
    with stage.open_store(folder) as memory:
        for name, condition in conditions.items():
            near = stage.prepare_stage(memory, case, condition)
            call = stage.prepare_recall(memory, case, condition, words=False)
            found[f"{name}_stage_ms"] = time_queries(near, len(case.queries)).p50
            found[f"{name}_call_ms"] = time_queries(call, len(case.queries)).p50
    return found


def find_slope(rows: Sequence[Mapping[str, float]], way: str) -> float:
    """Return the slope of the straight line nearest to the points of a log-log plot."""
    x = np.log([row["records"] for row in rows])
    y = np.log([row[way] for row in rows])
    return float(np.polyfit(x, y, 1)[0])


def tabulate(rows: Sequence[Mapping[str, float]]) -> Table:
    """Return the times by number of records, and the slopes."""
    table = [
        {"records": f"{row['records']:,.0f}", **{WAYS[way]: f"{row[way]:.3g} ms" for way in WAYS}}
        for row in rows
    ]
    slopes = {WAYS[way]: f"{find_slope(rows, way):.2f}" for way in WAYS}
    return [*table, {"records": "slope", **slopes}]


def plot(rows: Sequence[Mapping[str, float]]) -> str:
    """Return the plot of time against the number of records."""
    lines = [
        Line(
            f"{text.replace('vector stage', 'stage').replace('whole recall', 'recall')}",
            [Point(row["records"], row[way]) for row in rows],
            strong="stage" in way,
            dashed="call" in way,
        )
        for way, text in WAYS.items()
    ]
    sizes = [row["records"] for row in rows]
    axes = (Axis("records", decades(min(sizes), max(sizes))), Axis("milliseconds", ()))
    return draw("Time against the number of records: p50", axes, lines)


def _run(records: int) -> dict[str, Any]:
    print(f"{records:,} ...", file=sys.stderr)
    words = [sys.executable, "-m", "bench.compare.growth", "--one", str(records)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main(words: Sequence[str] | None = None) -> int:
    """Measure all sizes, each in a process of its own, and tell the slopes."""
    parser = argparse.ArgumentParser(prog="python -m bench.compare.growth", description=__doc__)
    sizes = ",".join(map(str, SIZES))
    parser.add_argument("--sizes", default=sizes, help=f"numbers of records ({sizes})")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write compare.md, growth.svg")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    if given.one:
        print(json.dumps(measure(given.one, find_cache())))
        return 0
    if given.write:
        given.write.mkdir(parents=True, exist_ok=True)
    rows = [_run(int(size)) for size in given.sizes.split(",")]
    slopes = {way: round(find_slope(rows, way), 3) for way in WAYS}
    load = f"load {os.getloadavg()[0]:.1f}"
    if given.json:
        print(json.dumps({"rows": rows, "slopes": slopes}, indent=1))
    else:
        print_table(f"{TITLE} ({load})", tabulate(rows))
    if given.write:
        (given.write / "growth.svg").write_text(plot(rows), "utf-8")
        text = f"![Time against records](growth.svg)\n\n{_SAID} ({load})\n\n"
        put_section(given.write / PAGE, TITLE, text + write_table(tabulate(rows)))
    return 0


_SAID: Final = (
    "Time against the number of records, with as many candidates at every size, and with the same "
    "share of them. The slope is that of the line on the log-log plot: 1 grows as the records do."
)

if __name__ == "__main__":
    sys.exit(main())
