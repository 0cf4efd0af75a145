"""Run the benchmarks that are named, or all of them."""

import sys

from bench import index, recall, startup, vectors

SUITES = {
    "recall": recall.main,
    "index": index.main,
    "startup": startup.main,
    "vectors": vectors.main,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)} (there are: {', '.join(SUITES)})")
        return 2
    return max(SUITES[name]() for name in names or SUITES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
