"""Verdicts: what is known of a filter on one entity, and how parts make a whole."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce


class Reason(StrEnum):
    """Why a test on a field could not be decided."""

    MISSING = "missing"
    BELOW_MINIMUM = "belowMinimum"
    CONFLICT = "conflict"
    BROKEN_REFERENCE = "brokenReference"
    PARTIAL_DATE = "partialDate"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a filter on one entity.

    `match` is the two-valued answer; the filter could not fail if `sure`, and could hold, were
    the unknown values known, if `possible`. `reason` says why it is not decided.
    """

    match: bool
    sure: bool
    possible: bool
    reason: Reason | None = None

    @property
    def decided(self) -> bool:
        """Tell whether no unknown value could change the answer."""
        return self.sure == self.possible


def negate(verdict: Verdict) -> Verdict:
    """Return the complement."""
    return Verdict(not verdict.match, not verdict.possible, not verdict.sure, verdict.reason)


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the conjunction; of nothing, it holds."""
    return reduce(_both, verdicts, known(True))


def some(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the disjunction; of nothing, it fails."""
    return reduce(_either, verdicts, known(False))


def _both(left: Verdict, right: Verdict) -> Verdict:
    return decide(
        left.match and right.match,
        left.sure and right.sure,
        left.possible and right.possible,
        left.reason or right.reason,
    )


def _either(left: Verdict, right: Verdict) -> Verdict:
    return decide(
        left.match or right.match,
        left.sure or right.sure,
        left.possible or right.possible,
        left.reason or right.reason,
    )


def every_of_some(verdicts: list[Verdict]) -> Verdict:
    """Return the conjunction; of nothing, it fails."""
    return every(verdicts) if verdicts else known(False)


def known(held: bool) -> Verdict:
    """Return a verdict that no unknown value could change."""
    return Verdict(held, held, held)


def unknown(reason: Reason) -> Verdict:
    """Return the verdict of a test whose value can't be used: it fails, and could hold."""
    return Verdict(False, False, True, reason)


def decide(match: bool, sure: bool, possible: bool, reason: Reason | None) -> Verdict:
    """Return a verdict; what is decided needs no reason."""
    return Verdict(match, sure, possible, None if sure == possible else reason)
