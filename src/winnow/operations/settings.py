"""Answers about namespaces, their settings, and what a store can do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from winnow.operations.memories import AsOf
from winnow.values import Json


@dataclass(frozen=True, slots=True)
class NamespaceAnswer:
    """How a namespace is set, and how much it holds.

    `secrets` says whether those of well-known shapes are stored: `keep` or `redact`.
    `stale_vectors` counts the records whose vector the embedder of now has not made; it is left
    out where the embedder has to be asked for that and gives no answer.
    """

    name: str
    embedder: str
    language: str
    governance: Mapping[str, Json]
    memories: int
    pieces: int
    entities: int
    secrets: str = "keep"
    stale_vectors: int | None = None
    as_of: AsOf | None = None
    warnings: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class NamespacesAnswer:
    """All namespaces that may be seen, by name; when they are so is told once for all of them."""

    namespaces: Sequence[NamespaceAnswer]
    as_of: AsOf


@dataclass(frozen=True, slots=True)
class ReembedAnswer:
    """How many vectors were made, and how many records the namespaces hold.

    `left` still have the vector of another embedder, or none; `models` has what the embedder of
    each namespace calls itself.
    """

    records: int
    made: int
    left: int
    models: Mapping[str, str]
    warnings: Sequence[str] | None
    as_of: AsOf


@dataclass(frozen=True, slots=True)
class ExportAnswer:
    """What was written: how many lines of each sort.

    `deleted` counts those of the memories that can still be brought back. `pieces` of notes were
    left out: they come from their vaults again.
    """

    path: str
    namespaces: int
    packs: int
    memories: int
    deleted: int
    entities: int
    pieces: int
    as_of: AsOf
    warnings: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class CapabilitiesAnswer:
    """What this memory can do; versions 1 and 2 have the list of tools only.

    `features`, `embedders` (as `winnow namespace set` takes them) and `sources` say of each
    whether it is there to be used. `surfaces` are the ways to reach this memory.
    """

    accept: str
    tools: Sequence[str]
    memory_kind_vocab: Mapping[str, Json] | None = None
    version: str | None = None
    features: Mapping[str, bool] | None = None
    embedders: Mapping[str, bool] | None = None
    sources: Mapping[str, bool] | None = None
    surfaces: Sequence[str] | None = None
