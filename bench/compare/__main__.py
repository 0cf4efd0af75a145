"""`python -m bench.compare` is `python bench/compare/run.py`."""

import sys

from bench.compare.run import main

if __name__ == "__main__":
    sys.exit(main())
