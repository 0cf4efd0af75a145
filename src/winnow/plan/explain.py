"""A filter taken apart on one entity: each part with its verdict."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from winnow.filter.ast import All, Any, Match, Not, Pred, matches
from winnow.filter.rewrite import joint_groups
from winnow.plan.reference import Candidates, Judge
from winnow.plan.verdicts import Reason, Verdict, every, negate, some


@dataclass(frozen=True, slots=True)
class Explained:
    """A part of a filter and what is known of it on one entity."""

    pred: Pred
    verdict: Verdict
    parts: "tuple[Explained, ...]" = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """A filter taken apart, to be judged on one entity after the other.

    It is `joint` where one value has to meet several tests together, which no verdict on one of
    them tells.
    """

    pred: Pred
    parts: "tuple[Outline, ...]"
    joint: bool

    def explain(self, judge: Judge, entity: str, candidates: Candidates) -> Explained:
        """Judge the filter and each of its parts on one entity."""
        parts = tuple(part.explain(judge, entity, candidates) for part in self.parts)
        if self.joint or isinstance(self.pred, Match):
            verdict = judge.judge_candidates(self.pred, entity, candidates)
        else:
            verdict = _WHOLES[type(self.pred)](part.verdict for part in parts)
        return Explained(self.pred, verdict, parts)


def outline(pred: Pred) -> Outline:
    """Take a filter apart."""
    match pred:
        case Match():
            return Outline(pred, (), False)
        case Not(part):
            return Outline(pred, (outline(part),), False)
        case All(parts) | Any(parts):
            joint = isinstance(pred, All) and any(
                isinstance(group, tuple) and len(group) > 1 for group in joint_groups(pred)
            )
            return Outline(pred, tuple(map(outline, parts)), joint)


def explain(pred: Pred, judge: Judge, entity: str, candidates: Candidates) -> Explained:
    """Judge a filter and each of its parts on one entity."""
    return outline(pred).explain(judge, entity, candidates)


_WHOLES: Mapping[type, Callable[[Iterable[Verdict]], Verdict]] = {
    Not: lambda verdicts: negate(*verdicts),
    All: every,
    Any: some,
}


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
