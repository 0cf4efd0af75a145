"""Stored memories: store one, import many, recall ten of them under filters, beside other stores.

`python -m bench.memories` runs all sizes; `python -m bench.memories SIZE` one, as a JSON object.
The others are asked for the nearest ten vectors alone, where Winnow also looks for the words: each
gets the text of the query and gives ten texts. One that is not installed is said to be so
(`pip install sqlite-vec lancedb`).
"""

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import cycle
from pathlib import Path

import winnow
from bench.measure import Timing, peak_megabytes, print_table, run_apart, time_calls
from bench.peers import PEERS, Data, NotInstalled
from winnow.embed.static import StaticEmbedder

SIZES = (10_000, 100_000)
WORDS, QUERY_WORDS, QUERIES = 15, 5, 50
HITS = 10
# A bucket of a thousand, so many of which are asked for.
SHARES = {"all": 1_000, "10 %": 100, "1 %": 10, "0.1 %": 1}
STORED = 1_000


@dataclass(frozen=True)
class Case:
    """What is stored, and what is asked of it."""

    texts: list[str]
    buckets: list[int]
    queries: list[str]

    def objects(self) -> Iterator[dict[str, object]]:
        pairs = zip(self.texts, self.buckets, strict=True)
        for number, (text, bucket) in enumerate(pairs):
            yield {"id": f"r{number}", "text": text, "metadata": {"bucket": bucket}}


def make_case(size: int) -> Case:
    words = files("winnow.embed").joinpath("data", "vocab.txt").read_text("utf-8").split("\n")
    common, pick = words[1_996:12_000], random.Random(7)
    buckets = [number % 1_000 for number in range(size)]
    pick.shuffle(buckets)
    return Case(
        [" ".join(pick.choices(common, k=WORDS)) for _ in range(size)],
        buckets,
        [" ".join(pick.choices(common, k=QUERY_WORDS)) for _ in range(QUERIES)],
    )


def measure(size: int) -> dict[str, float | str]:
    case = make_case(size)
    with tempfile.TemporaryDirectory() as folder:
        found = _measure_winnow(case, Path(folder))
        vectors = StaticEmbedder().embed(case.texts)
        data = Data(case.texts, case.buckets, vectors)
        for name, peer in PEERS.items():
            try:
                ask = peer(data, Path(folder))
            except NotInstalled as error:
                found[name] = f"{error} is not installed"
                continue
            found |= {f"{name} {share}": p50 for share, p50 in _time(case, ask)}
    return found


def _measure_winnow(case: Case, folder: Path) -> dict[str, float | str]:
    embedder = StaticEmbedder()
    embedder.embed(["the first text reads the model"])
    with winnow.open(folder / "winnow.db") as memory:
        start = time.perf_counter()
        answer = memory.admin.import_(objects=case.objects())
        imported = time.perf_counter() - start
        assert answer.memories.added == len(case.texts), answer
        texts = cycle(case.texts)
        one = time_calls(lambda: memory.store(next(texts), namespace="one"), runs=STORED)
        start = time.perf_counter()
        memory.recall(case.queries[0])
        first = time.perf_counter() - start
        memory.engine.shelves.finish()  # columns were being written beside it

        def ask(query: str, share: int) -> list[str]:
            where = None if share == SHARES["all"] else f"bucket < {share}"
            hits = memory.recall(query, where=where, namespace="default").memories
            return [hit.text for hit in hits]

        times = {f"winnow {share}": p50 for share, p50 in _time(case, ask)}
    return {
        "store_ms": one.median,
        "imported_s": len(case.texts) / imported,
        "first_s": first,
        **times,
        "peak_mb": peak_megabytes(),
    }


def _time(case: Case, ask: Callable[[str, int], list[str]]) -> Iterator[tuple[str, float]]:
    """Yield the p50 of each share, in milliseconds, every query once."""
    for share, buckets in SHARES.items():
        queries = cycle(case.queries)
        assert len(ask(next(queries), buckets)) == HITS
        yield share, _median(lambda q=queries, b=buckets: ask(next(q), b))


def _median(call: Callable[[], object]) -> float:
    timing: Timing = time_calls(call, runs=QUERIES, warm_up=5)
    return timing.median


def main(sizes: tuple[int, ...] = SIZES) -> int:
    load = os.getloadavg()[0]
    figures = {size: run_apart("bench.memories", str(size)) for size in sizes}
    print_table(
        f"Memories of {WORDS} words with the static embedder (load {load:.1f})",
        [
            {
                "memories": f"{size:,}",
                "store one, p50": f"{found['store_ms']:.2f} ms",
                "import": f"{found['imported_s']:,.0f}/s",
                "first recall": f"{found['first_s']:.2f} s",
                "peak memory": f"{found['peak_mb']:.0f} MB",
            }
            for size, found in figures.items()
        ],
    )
    print_table(
        f"Recall of {HITS} by a query of {QUERY_WORDS} words, warm, whole call (p50)",
        [
            {"memories": f"{size:,}", "store": name, **_row(found, name)}
            for size, found in figures.items()
            for name in ("winnow", *PEERS)
        ],
    )
    return 0


def _row(found: Mapping[str, float], name: str) -> dict[str, str]:
    if name in found:  # it tells why there are no figures
        return {share: str(found[name]) for share in SHARES}
    return {share: f"{found[f'{name} {share}']:.2f} ms" for share in SHARES}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]))))
    else:
        sys.exit(main())
