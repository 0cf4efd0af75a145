"""Namespaces, their settings, and what a store can do, for people."""

from collections.abc import Iterator

from winnow.errors import counted
from winnow.operations.settings import (
    CapabilitiesAnswer,
    ExportAnswer,
    NamespaceAnswer,
    NamespacesAnswer,
    ReembedAnswer,
)
from winnow.surfaces.cli.page import Column, Page, styled
from winnow.surfaces.cli.render.parts import write_warnings

NAMESPACES = (
    Column("namespace", whole=True),
    Column("embedder", whole=True),
    Column("language"),
    Column("kinds by"),
    Column("secrets"),
    Column("memories", number=True),
    Column("pieces of notes", number=True),
    Column("entities", number=True),
)


def write_namespaces(answer: NamespacesAnswer, page: Page) -> None:
    """Write a line for each namespace."""
    page.table(NAMESPACES, (_row(one) for one in answer.namespaces))


def write_namespace(answer: NamespaceAnswer, page: Page) -> None:
    """Write how a namespace is set."""
    page.table(NAMESPACES, [_row(answer)])
    write_warnings(answer.warnings, page)


def write_reembedding(answer: ReembedAnswer, page: Page) -> None:
    """Write how many vectors were made."""
    write_warnings(answer.warnings, page)
    left = f", {answer.left:,} left without" if answer.left else ""
    records = counted(answer.records, "records")
    page.line(f"{counted(answer.made, 'vectors')} made; {records}{left}")


def write_export(answer: ExportAnswer, page: Page) -> None:
    """Write what was exported."""
    write_warnings(answer.warnings, page)
    deleted = f" ({answer.deleted:,} of them deleted)" if answer.deleted else ""
    memories, entities = counted(answer.memories, "memories"), counted(answer.entities, "entities")
    spaces = counted(answer.namespaces, "namespaces")
    page.line(f"{memories}{deleted} and {entities} of {spaces} written to {answer.path}")
    if answer.pieces:
        pieces = counted(answer.pieces, "pieces")
        page.line(f"{pieces} of notes left out: they come from their vaults")


def write_capabilities(answer: CapabilitiesAnswer, page: Page) -> None:
    """Write what can be done, and with what."""
    page.line(styled(f"version {answer.accept}", "bold"))
    page.table((Column("capability", whole=True), Column("")), _capabilities(answer))


def _capabilities(answer: CapabilitiesAnswer) -> Iterator[tuple[str, str]]:
    yield "tools", ", ".join(answer.tools)
    if answer.version is not None:
        yield "winnow", answer.version
    vocabulary = (answer.memory_kind_vocab or {}).get("vocabulary")
    if isinstance(vocabulary, list):
        yield "kinds", ", ".join(map(str, vocabulary))
    for told in (answer.features, answer.embedders, answer.sources):
        yield from ((name, "yes" if there else "no") for name, there in (told or {}).items())
    if answer.surfaces is not None:
        yield "surfaces", ", ".join(answer.surfaces)


def _row(one: NamespaceAnswer) -> tuple[str, ...]:
    policy = str(one.governance.get("auto_classify_kind", "off"))
    counts = (one.memories, one.pieces, one.entities)
    settings = (one.embedder, one.language, policy, one.secrets)
    return (one.name, *settings, *map(str, counts))
