"""Answers about namespaces, their settings, and what a store can do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from winnow.operations.memories import AsOf
from winnow.values import Json


@dataclass(frozen=True, slots=True)
class NamespaceAnswer:
    """How a namespace is set, and how much it holds.

    `stale_vectors` counts the records whose vector the embedder of now has not made.
    """

    name: str
    embedder: str
    language: str
    governance: Mapping[str, Json]
    memories: int
    pieces: int
    entities: int
    stale_vectors: int
    as_of: AsOf
    warnings: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class NamespacesAnswer:
    """All namespaces that may be seen, by name."""

    namespaces: Sequence[NamespaceAnswer]
    as_of: AsOf


@dataclass(frozen=True, slots=True)
class ReembedAnswer:
    """How many vectors were made, of how many records; `left` have none, or an old one."""

    records: int
    made: int
    left: int
    models: Mapping[str, str]
    warnings: Sequence[str] | None
    as_of: AsOf


@dataclass(frozen=True, slots=True)
class ExportAnswer:
    """What was written."""

    path: str
    namespaces: int
    memories: int
    entities: int
    as_of: AsOf


@dataclass(frozen=True, slots=True)
class CapabilitiesAnswer:
    """What this memory can do; versions 1 and 2 have the list of tools only."""

    accept: str
    tools: Sequence[str]
    details: Mapping[str, Json] | None = None
