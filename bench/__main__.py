"""Run the benchmarks that are named, or all of them."""

import sys

from bench import index, keywords, memories, recall, resp, startup, surfaces, vectors
from bench.b7_agent import run as b7_agent

SUITES = {
    "recall": recall.main,
    "index": index.main,
    "startup": startup.main,
    "keywords": keywords.main,
    "vectors": vectors.main,
    "memories": memories.main,
    "surfaces": surfaces.main,
    "b7_agent": b7_agent.main,
    "resp": resp.main,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)} (there are: {', '.join(SUITES)})")
        return 2
    return max(SUITES[name]() for name in names or SUITES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
