"""Exact recall over firms of growing size: the whole warm call, with the hits' snippets.

`python -m bench.recall` runs all sizes and fails if 250 matters take 3 times as long as 12.
`python -m bench.recall SIZE` measures one size and prints a JSON object.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import winnow
from bench.measure import peak_megabytes, print_table, run_apart, time_calls
from winnow.demo.firm import SCHEMA, matters

SIZES = (12, 250, 10_000, 1_000_000)
MOST_GROWTH = 3.0
FILTER = {"escrowPct": {"gte": 10}, "nonCompeteMonths": {"gt": 18}}
FIVE = ["MAT-2388", "MAT-2401", "MAT-2415", "MAT-2450", "MAT-2462"]


def entities(size: int) -> Iterator[dict[str, object]]:
    for matter in matters(size):
        yield {"schema": SCHEMA, "id": matter.id, "fields": matter.fields()}


def measure(size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "firm.db"
        start = time.perf_counter()
        with winnow.open(path) as memory:
            memory.admin.import_(entities=entities(size))
        imported = time.perf_counter() - start
        start = time.perf_counter()
        with winnow.open(path) as memory:
            answer = memory.recall("escrow", schema=SCHEMA, filters=FILTER)
            first = time.perf_counter() - start
            assert answer.entity_ids == FIVE, answer.entity_ids
            recall = time_calls(lambda: memory.recall("escrow", schema=SCHEMA, filters=FILTER))
            count = time_calls(lambda: memory.count(schema=SCHEMA, filters=FILTER))
            near = time_calls(
                lambda: memory.recall(schema=SCHEMA, filters=FILTER, near_misses=5), runs=5
            )
        anew = run_apart("bench.recall", "--first", str(path))
    return {
        **anew,
        "import_s": imported,
        "first_s": first,
        "recall_ms": recall.median,
        "recall_best_ms": recall.best,
        "count_ms": count.median,
        "near_ms": near.median,
        "peak_mb": peak_megabytes(),
    }


def answer_anew(path: str) -> dict[str, float]:
    """Open a store whose columns stand in files, in a fresh process, and answer once."""
    start = time.perf_counter()
    with winnow.open(Path(path)) as memory:
        opened = time.perf_counter()
        answer = memory.recall("escrow", schema=SCHEMA, filters=FILTER)
        done = time.perf_counter()
    assert answer.entity_ids == FIVE, answer.entity_ids
    return {"anew_import_s": opened - start, "anew_s": done - opened}


def main(sizes: tuple[int, ...] = SIZES) -> int:
    figures = {size: run_apart("bench.recall", str(size)) for size in sizes}
    print_table(
        "Recall of B-7.1, warm, whole call",
        [
            {
                "entities": f"{size:,}",
                "recall p50": f"{found['recall_ms']:.2f} ms",
                "best": f"{found['recall_best_ms']:.2f} ms",
                "count p50": f"{found['count_ms']:.2f} ms",
                "with 5 near misses": f"{found['near_ms']:.1f} ms",
                "import": f"{found['import_s']:.2f} s",
                "first answer from rows": f"{found['first_s']:.2f} s",
                "in a fresh process": f"{found['anew_s']:.3f} s",
                "after importing": f"{found['anew_import_s']:.2f} s",
                "peak memory": f"{found['peak_mb']:.0f} MB",
            }
            for size, found in figures.items()
        ],
    )
    growth = figures[250]["recall_ms"] / figures[12]["recall_ms"]
    print(f"\n250 matters take {growth:.2f} times as long as 12 (limit {MOST_GROWTH:g}).")
    return 0 if growth < MOST_GROWTH else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--first"]:
        print(json.dumps(answer_anew(sys.argv[2])))
    elif len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]))))
    else:
        sys.exit(main())
