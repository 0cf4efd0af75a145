"""Measuring how fast a store of one's own answers."""

import sys

from winnow.app import open_memory
from winnow.errors import Fault, InvalidRequest
from winnow.evaluation.timing import bench
from winnow.surfaces.cli.indexing import progress_bar
from winnow.surfaces.cli.session import Session


def run_bench(session: Session, namespace: str | None, calls: str) -> None:
    """Time questions to the store, with a progress bar if somebody looks at standard error."""
    count = _read_calls(calls)
    with open_memory(session.store, create=False) as memory:
        if not sys.stderr.isatty():
            return session.show(bench(memory, namespace, count))
        with progress_bar() as report:
            answer = bench(memory, namespace, count, report)
        return session.show(answer)


def _read_calls(given: str) -> int:
    if not (given.isascii() and given.isdecimal() and 0 < int(given) <= MOST_CALLS):
        detail = f"expected a whole number from 1 to {MOST_CALLS}, got {given!r}"
        raise InvalidRequest([Fault("/calls", detail)])
    return int(given)


MOST_CALLS = 10_000
