"""What each operation is asked: one frozen dataclass each, with every default and its help."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Literal, NotRequired, TypeAlias

from annotated_types import Ge, Le
from typing_extensions import TypedDict

from winnow.wire import Arg

DEFAULT_LIMIT = 10
MAX_LIMIT = 1_000
Level: TypeAlias = Literal["EXTRACTED", "INFERRED", "AMBIGUOUS"]
Direction: TypeAlias = Literal["asc", "desc"]
MemoryType: TypeAlias = Literal["episodic", "semantic", "orientation"]


class OrderBy(TypedDict):
    """A sort key; `asc` is the default direction."""

    # How the codec is told that no other key is allowed; a TypedDict knows no ClassVar.
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012  # pyright: ignore[reportGeneralTypeIssues]

    field: str
    direction: NotRequired[Direction]


Filters: TypeAlias = Annotated[
    Mapping[str, object] | Sequence[Mapping[str, object]] | str | None,
    Arg("a filter in JSON: {field: {operator: value}}, or a list of {field, op, value}"),
]
Where: TypeAlias = Annotated[str | None, Arg("a filter as text: escrowPct >= 10 and …")]
SchemaName: TypeAlias = Annotated[str, Arg("the type of entity, such as legal.Matter")]
Namespace: TypeAlias = Annotated[str | None, Arg("only this namespace; all of them if not given")]
Minimum: TypeAlias = Annotated[
    Level, Arg("values below this confidence count as missing for the filter")
]
Order: TypeAlias = Annotated[
    str | Sequence[OrderBy | str] | None, Arg("sort keys, each field or field:desc")
]
Limit: TypeAlias = Annotated[int, Ge(1), Le(MAX_LIMIT), Arg("how many hits to return")]
Cursor: TypeAlias = Annotated[str | None, Arg("where the last answer to this request ended")]


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """Ask for the entities that a filter describes."""

    query: Annotated[str, Arg("what is asked, in words", aliases=("context", "q"))] = ""
    _: KW_ONLY
    schema: SchemaName | None = None
    filters: Filters = None
    where: Where = None
    confidence_minimum: Minimum = "EXTRACTED"
    include_confidence_tags: Annotated[
        bool, Arg("show the confidence of each value, and conflicts")
    ] = True
    order_by: Order = None
    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor = None
    near_misses: Annotated[
        int, Ge(0), Le(100), Arg("show this many that one test alone keeps out")
    ] = 0
    namespace: Namespace = None
    max_depth: Annotated[int, Ge(0), Le(10), Arg("follow links this far (not used by filters)")] = 0
    sources: Annotated[
        Sequence[str] | None, Arg("where to look (a filter on a schema looks at entities alone)")
    ] = None
    kinds: Annotated[
        Sequence[str] | str | None, Arg("only memories of these kinds, a list or comma text")
    ] = None
    tags: Annotated[Sequence[str] | str | None, Arg("only memories with any of these tags")] = None
    entity: Annotated[str | None, Arg("only memories about this one, exactly")] = None
    memory_type: Annotated[MemoryType | None, Arg("only memories of this type")] = None
    since: Annotated[str | None, Arg("only memories stored at this time or later")] = None
    until: Annotated[str | None, Arg("only memories stored by then; a date is the whole day")] = (
        None
    )
    vector: Annotated[
        Sequence[float] | str | None, Arg("the query's vector, where the embedder is external")
    ] = None
    min_score: Annotated[float | int | None, Ge(0), Le(1), Arg("leave out lower scores")] = None
    budget_tokens: Annotated[
        int | None, Ge(1), Arg("leave out hits that would make the texts longer than this")
    ] = None
    fusion: Annotated[Literal["linear", "rrf"], Arg("how words and meaning become one score")] = (
        "linear"
    )
    mmr: Annotated[
        float | int | None, Ge(0), Le(1), Arg("spread the hits: 1 is by score alone")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRequest:
    """Count the entities that a filter describes."""

    schema: SchemaName
    filters: Filters = None
    where: Where = None
    confidence_minimum: Minimum = "EXTRACTED"
    namespace: Namespace = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """List the entities that a filter describes, page by page."""

    schema: SchemaName
    filters: Filters = None
    where: Where = None
    confidence_minimum: Minimum = "EXTRACTED"
    order_by: Order = None
    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor = None
    namespace: Namespace = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateRequest:
    """Compute figures over the exact set of entities that a filter describes."""

    schema: SchemaName
    filters: Filters = None
    where: Where = None
    confidence_minimum: Minimum = "EXTRACTED"
    group_by: Annotated[
        str | Sequence[str] | None, Arg("the fields to group by; a list counts for each item")
    ] = None
    metrics: Annotated[
        str | Sequence[str],
        Arg("count, min(field), max(field), sum(field), avg(field), histogram(field, bins)"),
    ] = "count"
    namespace: Namespace = None


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
class IndexRequest:
    """Read a folder of Markdown notes."""

    path: Annotated[str, Arg("the folder of notes")]
    _: KW_ONLY
    namespace: Annotated[str | None, Arg("the namespace that the notes go to")] = None
    pack: Annotated[
        str | Sequence[str] | None, Arg("a file of schemas, beside those in the vault's .winnow")
    ] = None
    prune: Annotated[bool, Arg("forget notes that are gone, even if most of them are")] = False


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Import entities: objects {schema, id, fields}, one a line of a file."""

    path: Annotated[str | None, Arg("a file of JSON lines, - for standard input")] = None
    _: KW_ONLY
    entities: Annotated[
        Iterable[Mapping[str, object]] | None, Arg("the objects themselves", raw=True)
    ] = None
    namespace: Annotated[str | None, Arg("the namespace of objects that name none")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRequest:
    """Ask what in the notes a person should look at."""

    schema: SchemaName | None = None
    namespace: Namespace = None
    limit: Annotated[int, Ge(1), Le(100_000), Arg("how many findings to return")] = 1_000


@dataclass(frozen=True, slots=True)
class DoctorRequest:
    """Ask whether the store is sound."""


Home: TypeAlias = Annotated[str | None, Arg("the namespace it is in; `default` if none is named")]
Id: TypeAlias = Annotated[str, Arg("its id")]
Tags: TypeAlias = Annotated[Sequence[str] | str | None, Arg("tags, a list or comma text")]
Importance: TypeAlias = Annotated[float | int | None, Ge(0), Le(1), Arg("from 0 to 1")]
Metadata: TypeAlias = Annotated[
    Mapping[str, object] | str | None, Arg("any keys and values, as JSON; they can be filtered on")
]
Ttl: TypeAlias = Annotated[int | None, Ge(1), Arg("forget it after so many seconds")]
Expiry: TypeAlias = Annotated[str | None, Arg("forget it at this time (ISO 8601)")]
Vector: TypeAlias = Annotated[
    Sequence[float] | str | None, Arg("its vector, where the namespace's embedder is external")
]


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """Store a memory, or change the one of that id."""

    text: Annotated[str, Arg("what to remember")]
    _: KW_ONLY
    title: Annotated[str | None, Arg("a short title")] = None
    kind: Annotated[str | None, Arg("what kind of memory it is; `observation` if not said")] = None
    namespace: Home = None
    id: Annotated[str | None, Arg("its id; m1, m2, … if none is given")] = None
    tags: Tags = None
    entity: Annotated[str | None, Arg("who or what it is about")] = None
    memory_type: Annotated[MemoryType | None, Arg("which sort of memory it is")] = None
    importance: Importance = None
    source: Annotated[str | None, Arg("where it comes from")] = None
    metadata: Metadata = None
    ttl_seconds: Ttl = None
    expires_at: Expiry = None
    vector: Vector = None
    if_exists: Annotated[
        Literal["update", "error"], Arg("what to do if there is one of that id")
    ] = "update"
    if_missing: Annotated[
        Literal["create", "error"], Arg("what to do if there is none of that id")
    ] = "create"


@dataclass(frozen=True, slots=True)
class GetRequest:
    """Read one memory."""

    id: Id
    _: KW_ONLY
    namespace: Home = None


@dataclass(frozen=True, slots=True)
class UpdateRequest:
    """Change a memory; what is not named stays."""

    id: Id
    _: KW_ONLY
    namespace: Home = None
    text: Annotated[str | None, Arg("what to remember")] = None
    title: Annotated[str | None, Arg("a short title")] = None
    kind: Annotated[str | None, Arg("what kind of memory it is")] = None
    tags: Tags = None
    entity: Annotated[str | None, Arg("who or what it is about")] = None
    memory_type: Annotated[MemoryType | None, Arg("which sort of memory it is")] = None
    importance: Importance = None
    source: Annotated[str | None, Arg("where it comes from")] = None
    metadata: Metadata = None
    ttl_seconds: Ttl = None
    expires_at: Expiry = None
    vector: Vector = None
    clear: Annotated[Sequence[str] | str | None, Arg("fields, and metadata.KEY, to empty")] = None


@dataclass(frozen=True, slots=True)
class DeleteRequest:
    """Delete a memory; it can be brought back for 30 days, unless it is purged."""

    id: Id
    _: KW_ONLY
    namespace: Home = None
    purge: Annotated[bool, Arg("remove it at once and for good")] = False


@dataclass(frozen=True, slots=True)
class UndeleteRequest:
    """Bring a deleted memory back."""

    id: Id
    _: KW_ONLY
    namespace: Home = None
