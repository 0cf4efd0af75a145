"""What is done to a store: one frozen dataclass for each change, with defaults and help."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Literal

from winnow.operations.arguments import (
    Confirmation,
    DryRun,
    Expiry,
    Home,
    Id,
    Importance,
    ImportFormat,
    MemoryType,
    Metadata,
    Namespace,
    Past,
    Tags,
    Ttl,
    Vector,
)
from winnow.operations.requests import Conditions
from winnow.wire import Arg


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
    forget_pack: Annotated[
        str | Sequence[str] | None,
        Arg("a pack of before to read without from now on, by its name or its file"),
    ] = None


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Import memories and entities, from an export of Winnow or of another system."""

    path: Annotated[str | None, Arg("a file, a folder, or - for standard input")] = None
    _: KW_ONLY
    objects: Annotated[
        Iterable[Mapping[str, object]] | None, Arg("the objects themselves", raw=True)
    ] = None
    entities: Annotated[
        Iterable[Mapping[str, object]] | None, Arg("the same as objects", raw=True)
    ] = None
    namespace: Annotated[str | None, Arg("the namespace of objects that name none")] = None
    pack: Annotated[str | Sequence[str] | None, Arg("a file of schemas that the entities need")] = (
        None
    )
    format: Annotated[ImportFormat | None, Arg("what it is; found out if that is certain")] = None
    map: Annotated[
        Sequence[str] | str | None,
        Arg("of CSV, a field and its column: text=Body, tags=Labels:;, metadata.pct=Rate:number"),
    ] = None
    dry_run: DryRun = False


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
class DeleteRequest(Conditions):
    """Delete a memory, or all that a filter describes; they can be brought back for 30 days.

    By a filter, one of `dry_run`, `expected_count` and `all` says that so many are meant.
    """

    id: Annotated[str | None, Arg("the id of one memory; else give a filter")] = None
    _: KW_ONLY
    namespace: Home = None
    purge: Annotated[bool, Arg("remove it at once and for good")] = False
    dry_run: DryRun = False
    expected_count: Confirmation = None
    all: Annotated[bool, Arg("delete all that match, however many")] = False


@dataclass(frozen=True, slots=True)
class UndeleteRequest:
    """Bring a deleted memory back, or several at once."""

    id: Annotated[str | None, Arg("the id of one memory; else give ids or deletedSince")] = None
    _: KW_ONLY
    namespace: Home = None
    ids: Annotated[Sequence[str] | str | None, Arg("several ids, a list or comma text")] = None
    deleted_since: Annotated[
        Past | None, Arg("all that were deleted at this time or later, such as 30m or today")
    ] = None


@dataclass(frozen=True, slots=True)
class RetypeRequest(Conditions):
    """Give one memory, or all that a filter describes, another kind.

    By a filter, one of `dry_run`, `expected_count` and `all` says that so many are meant.
    """

    id: Annotated[str | None, Arg("the id of one memory; else give a filter")] = None
    _: KW_ONLY
    namespace: Home = None
    kind: Annotated[str | None, Arg("the new kind")] = None
    auto: Annotated[bool, Arg("let the rules find the kind where nobody declared one")] = False
    dry_run: DryRun = False
    expected_count: Confirmation = None
    all: Annotated[bool, Arg("change all that match, however many")] = False


@dataclass(frozen=True, slots=True)
class SetNamespaceRequest:
    """Change the settings of a namespace; what is not named stays."""

    name: Annotated[str, Arg("the name of the namespace; it need not exist yet")]
    _: KW_ONLY
    embedder: Annotated[
        str | None, Arg("what makes its vectors, such as static, none or external:384")
    ] = None
    language: Annotated[str | None, Arg("the language of its texts, for stemming")] = None
    auto_classify: Annotated[
        Literal["off", "regex_only", "regex_then_llm"] | None,
        Arg("how memories get a kind when nobody gives one"),
    ] = None
    governance: Annotated[
        Mapping[str, object] | str | None,
        Arg('the same as JSON: {"auto_classify_kind": "regex_only"}'),
    ] = None
    secrets: Annotated[
        Literal["keep", "redact"] | None,
        Arg("what to do with keys, tokens and passwords in what is stored from now on"),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembedRequest:
    """Make the vectors of memories and notes that the current embedder has not made."""

    namespace: Namespace = None
    all: Annotated[bool, Arg("make all of them again")] = False


@dataclass(frozen=True, slots=True)
class ExportRequest(Conditions):
    """Write memories, and the entities that were imported, as JSON lines."""

    path: Annotated[str, Arg("the file to write, - for standard output")] = "-"
    _: KW_ONLY
    vectors: Annotated[bool, Arg("write the vectors too")] = True
    replace: Annotated[bool, Arg("put it in the place of an earlier export")] = False
