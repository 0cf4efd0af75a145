"""Importing memories that bring their vectors: `python -m bench imports`."""

import json
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import winnow
from bench.measure import print_table

SIZE = 50_000
DIMENSIONS = 384
_WORDS = 20_000


def make_objects(size: int) -> list[dict[str, object]]:
    """Return memories of 12 words, of which few are frequent, with vectors as arrays."""
    rng = np.random.default_rng(1)
    shares = 1 / np.arange(1, _WORDS + 1) ** 0.9
    words = np.array([f"w{number:05}" for number in range(_WORDS)])
    chosen = words[rng.choice(_WORDS, (size, 12), p=shares / shares.sum())]
    vectors = rng.standard_normal((size, DIMENSIONS), dtype=np.float32)
    return [
        {
            "id": f"r{number}",
            "text": " ".join(chosen[number]),
            "metadata": {"type": f"t{number % 20}", "region": f"g{number % 10}", "n": number},
            "vector": vectors[number],
        }
        for number in range(size)
    ]


def spell(one: dict[str, object]) -> str:
    """Return a memory as a line, its vector as base64."""
    vector = b64encode(np.asarray(one["vector"]).tobytes()).decode()
    return json.dumps({**one, "vector": {"base64": vector}})


def measure(name: str, **source: object) -> dict[str, str]:
    """Import into a new store."""
    with tempfile.TemporaryDirectory() as folder, winnow.open(Path(folder) / "w.db") as memory:
        memory.admin.set_namespace("default", embedder=f"external:{DIMENSIONS}")
        began, worked = time.perf_counter(), time.process_time()
        answer = memory.admin.import_(**source)  # pyright: ignore[reportArgumentType]
        worked, took = time.process_time() - worked, time.perf_counter() - began
    assert (answer.added, answer.refused) == (SIZE, 0), answer
    return {
        "given as": name,
        "processor for each": f"{worked / SIZE * 1e6:.0f} µs",
        "memories a second": f"{SIZE / took:,.0f}",
    }


def main() -> int:
    objects = make_objects(SIZE)
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "lines.jsonl"
        _write(lines, map(spell, objects))
        rows = [
            measure("objects with arrays of float32", objects=objects),
            measure("lines with base64", path=str(lines)),
        ]
    print_table(f"Import of {SIZE:,} memories with {DIMENSIONS} dimensions", rows)
    return 0


def _write(file: Path, lines: Iterable[str]) -> None:
    with file.open("w", encoding="utf-8") as out:
        out.writelines(f"{line}\n" for line in lines)


if __name__ == "__main__":
    raise SystemExit(main())
