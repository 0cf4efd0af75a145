"""A filter taken apart on one entity: each part with its verdict."""

from collections.abc import Iterator
from dataclasses import dataclass

from winnow.filter.ast import All, Any, Match, Not, Pred, matches
from winnow.plan.reference import Candidates, Judge
from winnow.plan.verdicts import Reason, Verdict


@dataclass(frozen=True, slots=True)
class Explained:
    """A part of a filter and what is known of it on one entity."""

    pred: Pred
    verdict: Verdict
    parts: "tuple[Explained, ...]" = ()


def explain(pred: Pred, judge: Judge, entity: str, candidates: Candidates) -> Explained:
    """Judge a filter and each of its parts on one entity."""
    verdict = judge.judge_candidates(pred, entity, candidates)
    match pred:
        case Match():
            return Explained(pred, verdict)
        case Not(part):
            return Explained(pred, verdict, (explain(part, judge, entity, candidates),))
        case All(parts) | Any(parts):
            judged = tuple(explain(part, judge, entity, candidates) for part in parts)
            return Explained(pred, verdict, judged)


def open_fields(explained: Explained) -> Iterator[tuple[str, Reason]]:
    """Yield the fields, and the reasons, that leave a filter open on an entity."""
    if explained.verdict.decided:
        return
    found = [field for part in explained.parts for field in open_fields(part)]
    if not found:  # a test, or several that each hold by another value of a conflict
        reason = explained.verdict.reason or Reason.MISSING
        found = [
            (name, reason) for name in dict.fromkeys(one.name for one in matches(explained.pred))
        ]
    yield from found
