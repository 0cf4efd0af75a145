"""Keyword scores over generated records of 30 terms: build, unfiltered, filtered, memory.

`python -m bench.keywords` runs all sizes; `python -m bench.keywords SIZE` one, as a JSON object.
"""

import json
import sys
import time

import numpy as np
from numpy.typing import NDArray

from bench.measure import peak_megabytes, print_table, run_apart, time_calls
from winnow.columns.inversion import build_postings
from winnow.columns.postings import Postings
from winnow.columns.terms import encode_terms
from winnow.rank.analyse import Analyser

SIZES = (10_000, 100_000, 1_000_000)
TERMS_A_RECORD = 30
VOCABULARY = 500_000
NAMESPACES = 10
# A common word, one that a few records in a hundred have, and a name.
RANKS = (2, 60, 3_000)
SHARES = (0.001, 0.01, 0.1)
TEXTS = 20_000
SYLLABLES = [f"{first}{second}" for first in "bdfgklmnprstvz" for second in "aeiou"][:30]


def make_terms(size: int, random: np.random.Generator) -> NDArray[np.uint32]:
    """Draw the terms of all records, one record a row, as often as words come by Zipf's law."""
    shares = 1 / np.arange(8, VOCABULARY + 8) ** 1.05
    cumulative = np.cumsum(shares / shares.sum())
    drawn = np.searchsorted(cumulative, random.random((size, TERMS_A_RECORD)))
    return np.minimum(drawn, VOCABULARY - 1).astype(np.uint32)


def measure(size: int) -> dict[str, float]:
    random = np.random.default_rng(1)
    blobs = [encode_terms(row) for row in make_terms(size, random).tolist()]
    namespaces = np.sort(random.integers(0, NAMESPACES, size)).tolist()
    start = time.perf_counter()
    part = build_postings(blobs, namespaces)
    built = time.perf_counter() - start
    postings = Postings((part,), (np.ones(size, np.bool_),))
    found = {
        "build_s": built,
        "postings": len(part.texts),
        "mb": postings.nbytes / 1e6,
        "blob": sum(map(len, blobs)) / size,
        "all_ms": time_calls(lambda: postings.score(RANKS)).median,
        "namespace_ms": time_calls(lambda: postings.score(RANKS, namespaces=[3])).median,
    }
    for share in SHARES:
        mask = random.random(size) < share
        found[f"mask_{share}_ms"] = time_calls(lambda m=mask: postings.score(RANKS, m)).median
        rows = np.flatnonzero(mask)
        found[f"rows_{share}_ms"] = time_calls(lambda r=rows: postings.score(RANKS, r)).median
    found["frequent"] = sum(postings.statistics(RANKS).frequencies) / size
    found["peak_mb"] = peak_megabytes()
    return found


def measure_texts() -> dict[str, float]:
    """How many texts of 15 words a second get their terms, and then a blob."""
    random = np.random.default_rng(2)
    words = np.array([f"{a}{b}{c}" for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES])
    words = words[random.permutation(len(words))]
    places = np.minimum(random.zipf(1.3, (TEXTS, 15)) - 1, len(words) - 1)
    texts = [" ".join(row) for row in words[places].tolist()]
    plain, accented = _texts_a_second(texts), _texts_a_second([f"{text} né" for text in texts])
    numbers: dict[str, int] = {}
    terms = [Analyser().terms(text) for text in texts]
    for text in terms:
        for term in text:
            numbers.setdefault(term, len(numbers))
    start = time.perf_counter()
    for text in terms:
        encode_terms(numbers[term] for term in text)
    return {
        "plain": plain,
        "accented": accented,
        "blobs": len(texts) / (time.perf_counter() - start),
    }


def _texts_a_second(texts: list[str]) -> float:
    analyser = Analyser()
    start = time.perf_counter()
    for text in texts:
        analyser.terms(text)
    return len(texts) / (time.perf_counter() - start)


def main(sizes: tuple[int, ...] = SIZES) -> int:
    figures = [run_apart("bench.keywords", str(size)) for size in sizes]
    print_table(
        "Keyword scores, records of 30 terms, a query of 3 (p50)",
        [
            {
                "records": f"{size:,}",
                "build": f"{found['build_s']:.2f} s",
                "unfiltered": f"{found['all_ms']:.2f} ms",
                "one of 10 namespaces": f"{found['namespace_ms']:.2f} ms",
                **{f"{share:.1%} pass": f"{found[f'mask_{share}_ms']:.2f} ms" for share in SHARES},
                "arrays": f"{found['mb']:.0f} MB",
                "blob of a record": f"{found['blob']:.0f} B",
                "peak memory": f"{found['peak_mb']:.0f} MB",
            }
            for size, found in zip(sizes, figures, strict=True)
        ],
    )
    texts = measure_texts()
    print_table(
        "Texts of 15 words, a second, one thread",
        [
            {
                "terms": f"{texts['plain']:,.0f}",
                "terms, with an accent": f"{texts['accented']:,.0f}",
                "blobs": f"{texts['blobs']:,.0f}",
            }
        ],
    )
    return 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]))))
    else:
        sys.exit(main())
