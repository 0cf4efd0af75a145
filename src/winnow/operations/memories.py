"""Answers about stored memories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from winnow.values import Json


@dataclass(frozen=True, slots=True)
class AsOf:
    """The last change that an answer has seen."""

    change: int
    time: str


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """What a score is made of, each between 0 and 1; None where the query or the hit has none."""

    keyword: float | None
    vector: float | None
    recency: float
    importance: float


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """A stored memory, or a piece of a note, that a query has found."""

    path: str
    vault: str | None
    score: float
    snippet: str
    namespace: str
    id: str
    text: str
    title: str | None
    kind: str
    kind_provenance: str | None
    entity: str | None
    memory_type: str | None
    tags: Sequence[str]
    importance: float
    source: str | None
    metadata: Mapping[str, Json]
    heading: str | None
    created_at: str
    updated_at: str
    expires_at: str | None
    components: ScoreParts | None = None


@dataclass(frozen=True, slots=True)
class Dropped:
    """A hit that was left out to keep within the budget of tokens."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """A stored memory, or a piece of a note (which has `vault`, `path` and `heading`).

    `duplicates` are the ids of others in its namespace with exactly its text, told when it is
    stored.
    """

    id: str
    namespace: str
    text: str
    title: str | None
    kind: str
    kind_provenance: str | None
    entity: str | None
    memory_type: str | None
    tags: Sequence[str]
    importance: float
    source: str | None
    metadata: Mapping[str, Json]
    created_at: str
    updated_at: str
    expires_at: str | None
    vault: str | None = None
    path: str | None = None
    heading: str | None = None
    duplicates: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class DeleteAnswer:
    """How many memories were meant, and how many were deleted."""

    matched: int
    deleted: int
    as_of: AsOf
