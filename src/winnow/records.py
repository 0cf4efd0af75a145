"""What is stored about an entity: candidate values with confidence, method and evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from enum import IntEnum, StrEnum

from winnow.values import Type, Value, same_value


class Confidence(IntEnum):
    """How far a value is to be trusted; a higher one is trusted more."""

    AMBIGUOUS = 1
    INFERRED = 2
    EXTRACTED = 3


class Method(StrEnum):
    """How a value was found."""

    MACHINE_READABLE = "machine_readable"
    PATTERN = "pattern"
    LLM = "llm"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a value stands: a note's path, a line counted from 1, and the words themselves."""

    path: str
    line: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One value that a field may have."""

    value: Value
    confidence: Confidence = Confidence.EXTRACTED
    method: Method = Method.MACHINE_READABLE
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """What the candidates of a field come to.

    `best` holds the distinct values of the best level, each by its first candidate; more than
    one is a conflict, and `level` is then AMBIGUOUS.
    """

    level: Confidence
    best: tuple[Candidate, ...]

    @property
    def conflict(self) -> bool:
        """Tell whether the best candidates contradict each other."""
        return len(self.best) > 1


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a note that a person should look at; `lint` lists them."""

    code: str
    path: str
    line: int | None
    detail: str
    entity: str | None = None
    field: str | None = None


def resolve(kind: Type, candidates: Sequence[Candidate], zone: tzinfo = UTC) -> Resolved | None:
    """Weigh the candidates of one field, None if there are none; `zone` is that of dates."""
    if not candidates:
        return None
    if len(candidates) == 1:
        return Resolved(candidates[0].confidence, (candidates[0],))
    top = max(candidate.confidence for candidate in candidates)
    best = _distinct(kind, (one for one in candidates if one.confidence == top), zone)
    return Resolved(Confidence.AMBIGUOUS if len(best) > 1 else top, best)


def _distinct(kind: Type, candidates: Iterable[Candidate], zone: tzinfo) -> tuple[Candidate, ...]:
    kept: list[Candidate] = []
    for candidate in candidates:
        if not any(same_value(kind, candidate.value, other.value, zone) for other in kept):
            kept.append(candidate)
    return tuple(kept)
