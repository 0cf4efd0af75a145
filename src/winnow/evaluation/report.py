"""What an evaluation found."""

from collections.abc import Sequence
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
