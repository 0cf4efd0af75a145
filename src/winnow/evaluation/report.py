"""What an evaluation, or a bench, found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figures:
    """How well one way of ranking answers the questions of a group: means, each from 0 to 1."""

    way: str
    group: str
    questions: int
    recall_at_5: float
    recall_at_10: float
    mrr_at_10: float
    ndcg_at_10: float


@dataclass(frozen=True, slots=True)
class EvaluationAnswer:
    """How well recall finds what answers the questions of a data set.

    `unusable` has the answers that name no document; the questions that have no other are left
    out, and `unanswered` counts them.
    """

    dataset: str
    embedder: str
    corpora: int
    documents: int
    questions: int
    unanswered: int
    unusable: Sequence[str]
    figures: Sequence[Figures]


@dataclass(frozen=True, slots=True)
class Timed:
    """How long an operation took with filters that leave a share of all items.

    `candidates` is how many the middle one of the filters in `where` leaves; without a filter
    all. `answer_bytes` is the answer's size as JSON, the median.
    """

    of: str
    operation: str
    share: float
    candidates: int
    where: Sequence[str]
    calls: int
    p50_ms: float
    p95_ms: float
    answer_bytes: int


@dataclass(frozen=True, slots=True)
class BenchAnswer:
    """How long a store takes to answer; `totals` counts what it has, by what is asked about.

    `first_ms` is how long it took to read it first, from the disk or from what was kept of it.
    """

    totals: Mapping[str, int]
    queries: int
    first_ms: float
    figures: Sequence[Timed]
