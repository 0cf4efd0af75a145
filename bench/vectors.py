"""Vectors: how fast texts get one, and how fast a query is compared with those of some rows.

`python -m bench.vectors` runs all sizes. `python -m bench.vectors SIZE` measures one, and
`python -m bench.vectors embed` the embedder in the package; both print a JSON object.
"""

import json
import random
import sys
import time
from importlib.resources import files

import numpy as np

from bench.measure import peak_megabytes, print_table, run_apart, time_calls

SIZES = (10_000, 100_000, 1_000_000)
PARTS_PER_MILLE = (1, 10, 100, 1_000)
DIMENSION = 256
TEXTS, WORDS = 10_000, 15


def measure_search(size: int) -> dict[str, float]:
    from winnow.columns.vectors import Space, Vectors, VectorsPart, add_up

    random_ = np.random.default_rng(7)
    matrix = random_.standard_normal((size, DIMENSION), dtype=np.float32)
    matrix /= np.sqrt(np.vecdot(matrix, matrix))[:, np.newaxis]
    space = Space(np.arange(size), matrix, np.ones(size, np.float32), np.arange(0), add_up(matrix))
    part = VectorsPart(size, {("bench", DIMENSION): space})
    vectors = Vectors((part,), (np.ones(size, np.bool_),))
    query = matrix[size // 2].copy()
    found: dict[str, float] = {}
    for share in PARTS_PER_MILLE:
        mask = np.zeros(size, np.bool_)
        mask[random_.choice(size, size * share // 1_000, replace=False)] = True
        timing = time_calls(lambda mask=mask: vectors.similarity(query, "bench", mask))
        found |= {f"p50_{share}": timing.median, f"best_{share}": timing.best}
    return found | {"peak_mb": peak_megabytes()}


def measure_embedding() -> dict[str, float]:
    start = time.perf_counter()
    from winnow.embed.static import StaticEmbedder

    imported = time.perf_counter()
    embedder = StaticEmbedder()
    embedder.embed(["the first text reads the model"])
    loaded = time.perf_counter()
    words = files("winnow.embed").joinpath("data", "vocab.txt").read_text("utf-8").split("\n")
    common, pick = words[1_996:12_000], random.Random(7)
    texts = [" ".join(pick.choices(common, k=WORDS)) for _ in range(TEXTS)]
    many = time_calls(lambda: embedder.embed(texts), runs=10, warm_up=1)
    one = time_calls(lambda: embedder.embed(texts[:1]), runs=1_000)
    return {
        "import_ms": (imported - start) * 1_000,
        "load_ms": (loaded - imported) * 1_000,
        "texts_s": TEXTS / many.median * 1_000,
        "one_ms": one.median,
        "peak_mb": peak_megabytes(),
    }


def main(sizes: tuple[int, ...] = SIZES) -> int:
    embedding = run_apart("bench.vectors", "embed")
    print_table(
        f"The static embedder, texts of {WORDS} words, one thread",
        [
            {
                "texts": f"{embedding['texts_s']:,.0f}/s",
                "one text": f"{embedding['one_ms']:.3f} ms",
                "import, after numpy": f"{embedding['import_ms']:.0f} ms",
                "first text": f"{embedding['load_ms']:.0f} ms",
                "peak memory": f"{embedding['peak_mb']:.0f} MB",
            }
        ],
    )
    figures = {size: run_apart("bench.vectors", str(size)) for size in sizes}
    print_table(
        f"Exact cosines, {DIMENSION} dimensions, by the share of the rows that are candidates",
        [
            {
                "rows": f"{size:,}",
                **{
                    f"{share / 10:g} %": f"{found[f'p50_{share}']:.2f} ms"
                    f" (best {found[f'best_{share}']:.2f})"
                    for share in PARTS_PER_MILLE
                },
                "peak memory": f"{found['peak_mb']:.0f} MB",
            }
            for size, found in figures.items()
        ],
    )
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        of = sys.argv[1]
        print(json.dumps(measure_embedding() if of == "embed" else measure_search(int(of))))
    else:
        sys.exit(main())
