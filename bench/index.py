"""Indexing a generated vault of small notes: first run, unchanged run, one note changed.

`python -m bench.index` runs all sizes; `python -m bench.index SIZE` one, as a JSON object.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import winnow
from bench.measure import peak_megabytes, print_table, run_apart
from winnow.demo.notes import write_firm

SIZES = (2_000, 10_000)


def measure(size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        write_firm(vault, size)
        notes = sorted(vault.rglob("*.md"))
        with winnow.open(Path(folder) / "notes.db") as memory:
            first = _time(lambda: memory.admin.index(str(vault)))
            again = _time(lambda: memory.admin.index(str(vault)))
            notes[0].write_text(
                notes[0].read_text(encoding="utf-8") + "\nOne line more.\n", encoding="utf-8"
            )
            changed = _time(lambda: memory.admin.index(str(vault)))
    return {
        "notes": len(notes),
        "first_s": first,
        "again_s": again,
        "changed_s": changed,
        "peak_mb": peak_megabytes(),
    }


def _time(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main(sizes: tuple[int, ...] = SIZES) -> int:
    figures = [run_apart("bench.index", str(size)) for size in sizes]
    print_table(
        "Indexing a vault of small notes",
        [
            {
                "notes": f"{found['notes']:,.0f}",
                "first run": f"{found['first_s']:.2f} s",
                "notes a second": f"{found['notes'] / found['first_s']:,.0f}",
                "unchanged run": f"{found['again_s'] * 1_000:.0f} ms",
                "one note changed": f"{found['changed_s'] * 1_000:.0f} ms",
                "peak memory": f"{found['peak_mb']:.0f} MB",
            }
            for found in figures
        ],
    )
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]))))
    else:
        sys.exit(main())
