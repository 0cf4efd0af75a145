"""What is known of a filter on each row, and how that of its parts comes together."""

from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import NamedTuple

import numpy as np

from winnow.columns.arrays import Mask, Rows
from winnow.columns.masks import everywhere
from winnow.columns.table import join_masks
from winnow.filter.rewrite import Conjunction, Disjunction


class Truth(NamedTuple):
    """What is known of a filter on every row, as in `reference.Verdict`.

    Where nothing is unknown, `sure` and `possible` are the very array `match`. A tuple takes half
    as long to make as a frozen class does, and each test of a filter makes some.
    """

    match: Mask
    sure: Mask
    possible: Mask

    @property
    def settled(self) -> bool:
        """Tell whether no row is open."""
        return self.sure is self.possible

    def negated(self) -> "Truth":
        """Return the complement."""
        match = ~self.match
        if self.settled:
            return Truth(match, match, match)
        sure = match if self.match is self.possible else ~self.possible
        possible = match if self.match is self.sure else ~self.sure
        return Truth(match, sure, possible)

    def where(self, rows: Rows | slice) -> "Truth":
        """Return the truth of some rows, in their order."""
        match = self.match[rows]
        if self.settled:
            return Truth(match, match, match)
        return Truth(match, self.sure[rows], self.possible[rows])


def combine(plan: Conjunction | Disjunction, truths: Sequence[Truth], length: int) -> Truth:
    """Combine the truths of a node's parts."""
    conjoin = isinstance(plan, Conjunction)
    if conjoin:
        every = everywhere(length)
        truths = [one for one in truths if one.match is not every or not one.settled]
    return reduce(both if conjoin else either, truths) if truths else constant(conjoin, length)


def constant(held: bool, length: int) -> Truth:
    """Return a truth that is the same, and known, everywhere."""
    return _held(length) if held else certain(np.zeros(length, np.bool_))


def certain(mask: Mask) -> Truth:
    """Return a truth of which nothing is open."""
    return Truth(mask, mask, mask)


def join(truths: Sequence[Truth]) -> Truth:
    """Put the truths of parts one after the other."""
    if len(truths) == 1:
        return truths[0]
    if all(one.settled and one.match is everywhere(len(one.match)) for one in truths):
        return constant(True, sum(len(one.match) for one in truths))
    match = join_masks([truth.match for truth in truths])
    if all(truth.settled for truth in truths):
        return Truth(match, match, match)
    sure = join_masks([truth.sure for truth in truths])
    return Truth(match, sure, join_masks([truth.possible for truth in truths]))


def both(left: Truth, right: Truth) -> Truth:
    """Return the conjunction of two truths."""
    return _merge(np.logical_and, left, right)


def either(left: Truth, right: Truth) -> Truth:
    """Return the disjunction of two truths."""
    return _merge(np.logical_or, left, right)


@lru_cache(maxsize=64)
def _held(length: int) -> Truth:
    return certain(everywhere(length))


@lru_cache(maxsize=8)
def unknown(length: int) -> Truth:
    """Return a truth that matches nowhere, and is open everywhere."""
    fails = np.zeros(length, np.bool_)
    possible = ~fails
    for mask in (fails, possible):
        mask.setflags(write=False)
    return Truth(fails, fails, possible)


def _merge(operation: Callable[[Mask, Mask], Mask], left: Truth, right: Truth) -> Truth:
    match = operation(left.match, right.match)
    if left.settled and right.settled:
        return Truth(match, match, match)
    sure_is_match = left.sure is left.match and right.sure is right.match
    sure = match if sure_is_match else operation(left.sure, right.sure)
    possible_is_match = left.possible is left.match and right.possible is right.match
    possible = match if possible_is_match else operation(left.possible, right.possible)
    return Truth(match, sure, possible)
