"""Namespaces, their settings, and what a store can do, for people."""

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
    Column("kinds by rule"),
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
    if answer.stale_vectors:
        count = answer.stale_vectors
        page.line(styled(f"{count} have no vector of this embedder: run winnow reembed", "yellow"))
    write_warnings(answer.warnings, page)


def write_reembedding(answer: ReembedAnswer, page: Page) -> None:
    """Write how many vectors were made."""
    write_warnings(answer.warnings, page)
    page.line(f"{answer.made} vectors made, {answer.records} records, {answer.left} left without")


def write_export(answer: ExportAnswer, page: Page) -> None:
    """Write what was exported."""
    counts = f"{answer.memories} memories and {answer.entities} entities"
    page.line(f"{counts} of {answer.namespaces} namespaces written to {answer.path}")


def write_capabilities(answer: CapabilitiesAnswer, page: Page) -> None:
    """Write what can be done, a line each."""
    page.line(styled(f"version {answer.accept}", "bold"))
    for tool in answer.tools:
        page.line(tool)


def _row(one: NamespaceAnswer) -> tuple[str, ...]:
    policy = str(one.governance.get("auto_classify_kind", "off"))
    counts = (one.memories, one.pieces, one.entities)
    return (one.name, one.embedder, one.language, policy, *map(str, counts))
