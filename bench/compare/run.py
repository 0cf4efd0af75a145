"""Compare Winnow with other stores, all in one run: `python bench/compare/run.py --help`."""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # as a script, its own folder stands in the path, not the project
    sys.path[0] = str(Path(__file__).parents[2])

import numpy as np

import winnow
from bench.compare.bare import find_kernel
from bench.compare.conditions import SELECTIVITIES
from bench.compare.data import find_cache, open_case
from bench.compare.installing import Place, find_place, ours
from bench.compare.page import write_pages
from bench.compare.peers import PEERS
from bench.compare.peers.base import Unavailable
from bench.compare.table import print_tables
from bench.compare.truth import find_truth
from bench.compare.worker import OURS

RECORDS = 100_000


def compare(records: int, names: Iterable[str], cache: Path, *, install: bool) -> dict[str, Any]:
    """Measure Winnow and the named stores, one after the other; what is not there is told."""
    case = open_case(records, cache)
    find_truth(case, cache)
    before = os.getloadavg()[0]
    found = {OURS: _run_worker(OURS, records, cache, ours())}
    if "missing" in found[OURS]:
        raise SystemExit(found[OURS]["missing"])
    versions: dict[str, str] = {OURS: winnow.__version__}
    for name in names:
        try:
            place = find_place(PEERS[name], cache, install=install)
        except Unavailable as error:
            found[name] = {"missing": str(error)}
            continue
        versions[name] = place.version
        found[name] = _run_worker(name, records, cache, place)
    facts = {
        "records": records,
        "dims": case.dimensions,
        "queries": len(case.queries),
        "cpu": _name_cpu(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "kernel": f"numkong {find_kernel().__version__}" if find_kernel() else "numpy, float32",
        "versions": versions,
        "load": {"before": round(before, 2), "after": round(os.getloadavg()[0], 2)},
    }
    return facts | join(found)


def join(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the figures of all by selectivity, and what is beside them."""
    joined: dict[str, Any] = {}
    there = {name: one for name, one in found.items() if "missing" not in one}
    for label in SELECTIVITIES:
        ours = there[OURS]["figures"][label]
        row = dict(ours) | {
            "winnow_over_bare": ours["winnow_ms"] / ours["bare_ms"],
            "winnow_over_read": ours["winnow_ms"] / ours["read_ms"],
        }
        for name, one in there.items():
            if name != OURS:
                figures = one["figures"][label]
                row[f"{name}_ms"] = figures["ms"]
                row[f"{name}_recall"] = figures["recall"]
                row[f"{name}_over_winnow"] = figures["ms"] / ours["winnow_ms"]
                row[f"{name}_queries"] = figures["queries"]
        joined[label] = {key: _shorten(value) for key, value in row.items()}
    return {
        **joined,
        "exact": {name: PEERS[name].exact for name in there if name != OURS},
        "used_as": {name: PEERS[name].advice for name in there if name != OURS},
        "peak_mb": {name: one["peak_mb"] for name, one in there.items()},
        "seconds": {name: one["seconds"] for name, one in there.items()},
        "missing": {name: one["missing"] for name, one in found.items() if "missing" in one},
    }


def _shorten(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.5g}")


def _run_worker(name: str, records: int, cache: Path, place: Place) -> dict[str, Any]:
    print(f"{name} ...", file=sys.stderr)
    words = ["-m", "bench.compare.worker", name, str(records), str(cache), place.version]
    done = subprocess.run(
        [sys.executable, *words],
        env={**os.environ, **place.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return {"missing": lines[-1] if lines else f"it ended with {done.returncode}"}
    return json.loads(done.stdout.splitlines()[-1])


def _name_cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _read_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS, help="how many (100000)")
    parser.add_argument("--peers", help=f"with whom; all without it: {','.join(PEERS)}")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write compare.md and .svg")
    parser.add_argument(
        "--no-install", action="store_true", help="leave out what is not installed yet"
    )
    given = parser.parse_args(words)
    given.peers = list(PEERS) if given.peers is None else [*filter(None, given.peers.split(","))]
    unknown = [name for name in given.peers if name not in PEERS]
    if unknown:
        parser.error(f"no such peer: {', '.join(unknown)} (there are: {', '.join(PEERS)})")
    if given.records < 1:
        parser.error("--records: expected a number from 1")
    return given


def main(words: Sequence[str] | None = None) -> int:
    """Run the comparison, and print or write what came of it."""
    given = _read_arguments(words)
    if given.write:
        given.write.mkdir(parents=True, exist_ok=True)
    found = compare(given.records, given.peers, find_cache(), install=not given.no_install)
    if given.json:
        print(json.dumps(found, indent=1))
    else:
        print_tables(found)
    if given.write:
        write_pages(found, given.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
