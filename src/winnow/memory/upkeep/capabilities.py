"""What this memory can do."""

from collections.abc import Iterator

from winnow.embed.registry import FAMILIES, open_embedder
from winnow.errors import Fault, NotAvailable, settle, unknown
from winnow.kinds import vocabulary
from winnow.memory.engine import Engine
from winnow.memory.records.sources import OTHER_SOURCES
from winnow.operations import OPERATIONS
from winnow.operations.requests import CapabilitiesRequest
from winnow.operations.settings import CapabilitiesAnswer
from winnow.providers.llm import CLASSIFY_KIND

VERSIONS = ("1", "2", "3")
SURFACES = ("python", "cli", "mcp", "http", "resp")


def capabilities(
    engine: Engine, request: CapabilitiesRequest, faults: list[Fault]
) -> CapabilitiesAnswer:
    """Tell what this memory can do."""
    accept = _read_version(request.accept, faults)
    settle(faults)
    tools = [one.tool for one in OPERATIONS.values() if one.tool]
    if accept != VERSIONS[-1]:
        return CapabilitiesAnswer(accept, tools)
    return CapabilitiesAnswer(
        accept=accept,
        tools=tools,
        memory_kind_vocab=vocabulary(),
        version=engine.release,
        features={CLASSIFY_KIND: engine.model is not None, "ontology": engine.enabled},
        embedders=dict(_embedders()),
        sources=engine.sources.connected(OTHER_SOURCES),
        surfaces=SURFACES,
    )


def _read_version(raw: str | int | None, faults: list[Fault]) -> str:
    """Read a version of the answer: with or without a v, the last one if none is named."""
    if raw is None:
        return VERSIONS[-1]
    name = str(raw)
    number = name.strip().casefold().removeprefix("v")
    if number not in VERSIONS:
        faults.append(Fault("/accept", unknown("version", name, VERSIONS)))
    return number


def _embedders() -> Iterator[tuple[str, bool]]:
    """Yield how each embedder is written, and whether what it needs is installed."""
    for family in FAMILIES.values():
        try:
            open_embedder(family.example)
            yield family.form, True
        except NotAvailable:
            yield family.form, False
