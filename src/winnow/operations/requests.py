"""What is asked of a store: one frozen dataclass for each question, with defaults and help."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le

from winnow.operations.arguments import (
    DEFAULT_LIMIT,
    About,
    AnyTag,
    Cursor,
    Filters,
    Home,
    Id,
    Kinds,
    Limit,
    Minimum,
    Namespace,
    Numbers,
    OfType,
    Order,
    Past,
    SchemaName,
    Where,
)
from winnow.wire import Arg

DEFAULT_CHECK_LIMIT = 5
DEFAULT_FUSION = "linear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What decides which entities, or which memories, a request speaks of."""

    schema: SchemaName | None = None
    filters: Filters = None
    where: Where = None
    confidence_minimum: Minimum = "EXTRACTED"
    namespace: Namespace = None
    kinds: Kinds = None
    tags: AnyTag = None
    entity: About = None
    memory_type: OfType = None
    since: Annotated[
        Past | None, Arg("only memories stored at this time or later, such as 2h or 2026-03")
    ] = None
    until: Annotated[Past | None, Arg("only memories stored by then; a date is the whole day")] = (
        None
    )


@dataclass(frozen=True, slots=True)
class RecallRequest(Conditions):
    """Ask for the entities that a filter describes, or the memories that a query finds."""

    query: Annotated[str, Arg("what is asked, in words", aliases=("context", "q"))] = ""
    _: KW_ONLY
    include_confidence_tags: Annotated[
        bool, Arg("show the confidence of each value, and conflicts")
    ] = True
    order_by: Order = None
    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor = None
    near_misses: Annotated[
        int, Ge(0), Le(100), Arg("show this many that one test alone keeps out")
    ] = 0
    max_depth: Annotated[int, Ge(0), Le(10), Arg("add notes up to so many links away")] = 0
    sources: Annotated[
        Sequence[str] | str | None,
        Arg("where to look: vault, memory, vector, codegraph, pageindex, onyx"),
    ] = None
    vector: Annotated[
        Numbers | str | None, Arg("the query's vector, where the embedder is external")
    ] = None
    min_score: Annotated[float | int | None, Ge(0), Le(1), Arg("leave out lower scores")] = None
    budget_tokens: Annotated[
        int | None, Ge(1), Arg("leave out hits that would make the texts longer than this")
    ] = None
    fusion: Annotated[Literal["linear", "rrf"], Arg("how words and meaning become one score")] = (
        DEFAULT_FUSION
    )
    mmr: Annotated[
        float | int | None, Ge(0), Le(1), Arg("spread the hits: 1 is by score alone")
    ] = None
    profile: Annotated[bool, Arg("tell how long each stage took, and what it read")] = False


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Ask whether anything like a topic is remembered, before saying it again."""

    topic: Annotated[str, Arg("what to look for, in words")]
    _: KW_ONLY
    entity: About = None
    memory_type: Annotated[
        str | None, Arg("only memories of this type: episodic, semantic, or orientation")
    ] = None
    tags: AnyTag = None
    min_similarity: Annotated[
        float | int | None,
        Ge(-1),
        Le(1),
        Arg("how like the topic, 1 is the same; else the embedder's"),
    ] = None
    limit: Limit = DEFAULT_CHECK_LIMIT
    namespace: Namespace = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRequest(Conditions):
    """Count the entities of a schema, or the memories, that a filter describes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest(Conditions):
    """List the entities of a schema, or the memories, that a filter describes, page by page."""

    order_by: Order = None
    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor = None
    deleted: Annotated[
        bool, Arg("list the memories that were deleted and can be brought back, the last first")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateRequest(Conditions):
    """Compute figures over the exact set of entities, or memories, that a filter describes."""

    group_by: Annotated[
        str | Sequence[str] | None, Arg("the fields to group by; a list counts for each item")
    ] = None
    metrics: Annotated[
        str | Sequence[str],
        Arg("count, min(field), max(field), sum(field), avg(field), histogram(field, bins)"),
    ] = "count"


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """Ask why one entity is in an answer or not."""

    entity_id: Annotated[str, Arg("the id of the entity", aliases=("id",))]
    _: KW_ONLY
    schema: SchemaName
    filters: Filters = None
    where: Where = None
    confidence_minimum: Minimum = "EXTRACTED"
    namespace: Namespace = None


@dataclass(frozen=True, slots=True)
class SchemaRequest:
    """Ask what schemas there are, and what a filter may say of each field."""

    schema: SchemaName | None = None
    _: KW_ONLY
    namespace: Namespace = None


@dataclass(frozen=True, slots=True)
class GetRequest:
    """Read one memory."""

    id: Id
    _: KW_ONLY
    namespace: Home = None


@dataclass(frozen=True, slots=True)
class CapabilitiesRequest:
    """Ask what this memory can do."""

    accept: Annotated[
        str | int | None, Arg("the version of the answer: 1, 2 or 3, with or without a v")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRequest:
    """Ask what in the notes a person should look at."""

    schema: SchemaName | None = None
    namespace: Namespace = None
    limit: Annotated[int, Ge(1), Le(100_000), Arg("how many findings to return")] = 1_000


@dataclass(frozen=True, slots=True)
class DoctorRequest:
    """Ask whether the store is sound."""


@dataclass(frozen=True, slots=True)
class NamespacesRequest:
    """List the namespaces and their settings."""


@dataclass(frozen=True, slots=True)
class NamespaceRequest:
    """Ask how a namespace is set."""

    name: Annotated[str, Arg("the name of the namespace")]
