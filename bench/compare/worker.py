"""One contender in a process of its own: it builds or opens its store, is asked, and tells.

`python -m bench.compare.worker NAME RECORDS CACHE VERSION`; the last line it prints is a JSON
object: figures by selectivity, or why there are none.
"""

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.compare.conditions import SELECTIVITIES
from bench.compare.data import keep, open_case
from bench.compare.peers import PEERS
from bench.compare.peers.base import Ask, Peer, Unavailable
from bench.compare.timing import time_queries
from bench.compare.truth import Figures, Ground, find_truth
from bench.measure import peak_megabytes

OURS = "winnow"


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one contender by selectivity, and what its run took."""

    figures: Mapping[str, Figures]
    seconds: float
    peak_mb: int | None
    load: float


def measure(name: str, ground: Ground, version: str) -> Measured:
    """Measure one contender at every selectivity."""
    began = time.perf_counter()
    if name == OURS:
        from bench.compare.ours import measure_ours  # brings Winnow, which no other process needs

        figures = dict(measure_ours(ground))
    else:
        figures = dict(_measure_peer(name, PEERS[name], ground, version))
    return Measured(
        figures,
        round(time.perf_counter() - began, 1),
        None if name in PEERS and PEERS[name].apart else peak_megabytes(),
        round(os.getloadavg()[0], 2),
    )


def _measure_peer(
    name: str, peer: Peer, ground: Ground, version: str
) -> Iterator[tuple[str, Figures]]:
    case = ground.case
    kept = ground.cache / "stores" / name / f"{case.name}-{version}-{peer.version}"
    folder = keep(kept, lambda into: peer.build(case, into))
    with peer.open(case, folder) as prepare:
        for label, condition in SELECTIVITIES.items():
            ask = prepare(condition)

            def call(query: int, ask: Ask = ask) -> Sequence[int]:
                return ask(case.queries[query])

            taken = time_queries(call, len(case.queries))
            recall = ground.recall(label, taken)
            yield label, {"ms": taken.p50, "recall": recall, "queries": len(taken.found)}


def main(name: str, records: str, cache: str, version: str) -> int:
    """Measure what is named, and print it."""
    place = Path(cache)
    case = open_case(int(records), place)
    try:
        measured = measure(name, Ground(case, find_truth(case, place), place), version)
    except Unavailable as error:
        print(json.dumps({"missing": str(error)}))
    else:
        print(json.dumps(asdict(measured)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
