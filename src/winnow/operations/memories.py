"""Answers about stored memories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from winnow.filter.raw import AnyText
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
    """A stored memory, or a piece of a note, that a query has found.

    `depth` tells how many links away from a hit it is, where a link has led to it.
    """

    path: str
    vault: str | None
    score: float
    snippet: str
    namespace: str
    id: AnyText
    text: AnyText
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
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class OtherHit:
    """What another system has found. No filter holds for it, and its `score` is that system's own.

    `path` is where it is: a path, or an address.
    """

    source: str
    path: str | None
    score: float | None
    snippet: str
    title: str
    text: str
    metadata: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A hit that was left out to keep within the budget of tokens."""

    id: AnyText
    reason: str


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """A stored memory, or a piece of a note (which has `vault`, `path` and `heading`).

    `duplicates` are the ids of others in its namespace with exactly its text, told when it is
    stored; `redacted` counts the secrets that were not stored, by kind. `deleted_at` is that of one
    that was deleted and can be brought back.
    """

    id: AnyText
    namespace: str
    text: AnyText
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
    duplicates: Sequence[AnyText] | None = None
    redacted: Mapping[str, int] | None = None
    deleted_at: str | None = None


@dataclass(frozen=True, slots=True)
class DeleteAnswer:
    """How many memories were meant, and how many were deleted.

    `read_only` counts the pieces of notes that match and were left out. `ids` are those of the
    memories, in order, up to 1,000: each of them can be brought back, unless it was purged.
    """

    matched: int
    deleted: int
    read_only: int | None
    dry_run: bool | None
    filters: Json
    where: str | None
    warnings: Sequence[str] | None
    as_of: AsOf
    ids: Sequence[AnyText] = ()


@dataclass(frozen=True, slots=True)
class UndeleteAnswer:
    """How many memories were brought back, and the ids of them in order, up to 1,000."""

    undeleted: int
    ids: Sequence[AnyText]
    as_of: AsOf
    warnings: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Retyped:
    """A memory that has, or would have, another kind than before."""

    id: str
    namespace: str
    before: str
    kind: str
    kind_provenance: str


@dataclass(frozen=True, slots=True)
class RetypeAnswer:
    """How many memories were meant, how many got another kind, and up to 20 of them.

    `read_only` counts the pieces of notes that match and were left out.
    """

    matched: int
    changed: int
    read_only: int | None
    dry_run: bool | None
    sample: Sequence[Retyped]
    filters: Json
    where: str | None
    warnings: Sequence[str] | None
    as_of: AsOf


@dataclass(frozen=True, slots=True)
class CheckHit:
    """A memory that is like a topic; `similarity` is between -1 and 1, higher is more alike."""

    id: AnyText
    namespace: str
    text: AnyText
    title: str | None
    kind: str
    entity: str | None
    memory_type: str | None
    tags: Sequence[str]
    similarity: float
    created_at: str
    updated_at: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """How many memories of each type there are."""

    episodic: int
    semantic: int
    orientation: int


@dataclass(frozen=True, slots=True)
class CheckFilters:
    """The filters of a check that were active."""

    entity: str | None
    memory_type: str | None
    tags: Sequence[str] | None


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """Whether anything like a topic is remembered: as text, and as data."""

    text: str
    header: str
    message: str | None
    topic: str
    min_similarity: float
    store_counts: StoreCounts
    filters: CheckFilters | None
    hits: Sequence[CheckHit]
    warnings: Sequence[str] | None
    as_of: AsOf


@dataclass(frozen=True, slots=True)
class StageTime:
    """How long a stage took, without the stages within it."""

    stage: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Profile:
    """What a recall cost.

    `vectors_compared` counts vectors that were compared with the query, most of them in 8 bits if
    there are many; `rows_rescored` those of them that were then compared as they are. `bytes_read`
    are those of vectors. The stage that took longest comes first.
    """

    candidates: int
    vectors_compared: int
    bytes_read: int
    rows_rescored: int
    stages: Sequence[StageTime]
