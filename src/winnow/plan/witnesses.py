"""Of many entities that refer to one, a few by whom a filter on them comes out as by all."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from winnow.columns.arrays import Rows
from winnow.columns.links import find_edges
from winnow.columns.table import Table
from winnow.filter.ast import EVERYTHING, All, Any, Match, Not, Pred
from winnow.filter.rewrite import rewrite
from winnow.plan.columnar import Evaluation
from winnow.plan.truths import Truth
from winnow.schema import Reverse


def count_referrers(source: Table, via: str, target: Table, row: int) -> int:
    """Count the rows of `source` whose field `via` names a row of `target`."""
    return int(np.count_nonzero(find_edges(source, via, target).targets == row))


def find_witnesses(
    source: Table, via: str, target: Table, row: int, truths: Sequence[Truth], minimum: int
) -> list[str]:
    """Return the ids of referrers that decide, for each truth on `source`, `any`, `all` and `none`.

    For each thing that may be known of a referrer the first one by id is among them, so the
    reason why something is not decided is the same too.
    """
    edges = find_edges(source, via, target)
    found: set[str] = set()
    for pairs in (edges.at_least(minimum), edges.below(minimum)):
        rows = np.unique(pairs.sources[pairs.targets == row])
        for truth in truths:
            for chosen in _kinds(truth, rows):
                found.update(_first(source, chosen))
    return sorted(found)


def find_tests(pred: Pred, reverse: Reverse) -> Iterator[Pred]:
    """Yield what a filter, nested ones too, asks of those on the other side of a reference."""
    match pred:
        case Match():
            inner = [arg for arg in pred.args if isinstance(arg, (Match, Not, All, Any))]
            if pred.field == reverse:
                yield from inner or [EVERYTHING]
            for part in inner:
                yield from find_tests(part, reverse)
        case Not(part):
            yield from find_tests(part, reverse)
        case All(parts) | Any(parts):
            for part in parts:
                yield from find_tests(part, reverse)


def evaluate_tests(pred: Pred, reverse: Reverse, evaluation: Evaluation) -> list[Truth]:
    """Evaluate all of them on the table of those who refer."""
    source = evaluation.tables[reverse.source]
    return [evaluation.evaluate(rewrite(one), source) for one in find_tests(pred, reverse)]


def _kinds(truth: Truth, rows: Rows) -> Iterator[Rows]:
    match, sure, possible = truth.match[rows], truth.sure[rows], truth.possible[rows]
    for mask in (match, sure, possible, possible & ~sure):
        yield rows[mask]
        yield rows[~mask]


def _first(table: Table, rows: Rows) -> list[str]:
    """Return the id that comes first, if there are rows; in each part they ascend by id."""
    places = np.searchsorted(rows, table.starts)
    firsts = [int(rows[start]) for start, end in pairwise(places.tolist()) if start < end]
    return sorted(map(table.id_of, firsts))[:1]
