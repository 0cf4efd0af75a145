"""Run the benchmarks that are named, or all of them."""

import sys

from bench import (
    imports,
    index,
    kernels,
    keywords,
    leak,
    memories,
    processes,
    recall,
    resp,
    startup,
    surfaces,
    vectors,
)
from bench.b7_agent import run as b7_agent

SUITES = {
    "recall": recall.main,
    "index": index.main,
    "imports": imports.main,
    "startup": startup.main,
    "keywords": keywords.main,
    "vectors": vectors.main,
    "kernels": kernels.main,
    "memories": memories.main,
    "surfaces": surfaces.main,
    "b7_agent": b7_agent.main,
    "resp": resp.main,
}
ON_DEMAND = {"leak": leak.main, "processes": processes.main}
"""What takes many minutes, and is run only if it is named."""


def main(names: list[str]) -> int:
    known = {**SUITES, **ON_DEMAND}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)} (there are: {', '.join(known)})")
        return 2
    return max(known[name]() for name in names or SUITES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
