"""Memories as the protocol shows them."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from winnow.embed.floats import bring_to_unit, spell
from winnow.filter.loose import spell as spell_value
from winnow.filter.raw import to_bytes
from winnow.memory.indexes.settings import Index
from winnow.plan.holdings import Found
from winnow.rank.klyro.scores import Metric
from winnow.store.memories import Record
from winnow.surfaces.resp.grammar import Given
from winnow.surfaces.resp.replies import Number, Pairs, Reply
from winnow.values import Json

LOOKED_INTO: Final = ("withmeta", "withvec")
"""Options of commands with which the metadata and the vector of a memory are shown."""


def show_record(
    index: Index, record: Record, now: int, given: Given, found: Found | None = None
) -> Pairs:
    """Show a memory with the parts that a command asks for; with scores if it was searched."""
    items: list[tuple[bytes, Reply]] = [(b"id", to_bytes(record.id))]
    if found is not None:
        items.append((b"score", show_number(found.score)))
    if "notext" not in given:
        items.append((b"text", to_bytes(record.text)))
    items += [
        (b"importance", show_number(record.importance)),
        (b"created_at", record.created_at),
        (b"updated_at", record.updated_at),
        (b"pttl", -1 if record.expires_at is None else record.expires_at - now),
    ]
    if "withmeta" in given:
        items.append((b"meta", _show_metadata(record.metadata)))
    if "withvec" in given:
        items.append((b"vector", _show_vector(index, record)))
    if found is not None and "withscores" in given:
        items += [(name, show_number(read(found))) for name, read in _PARTS.items()]
    return Pairs(items)


def show_number(number: float) -> Number:
    """Show a number of 32 bits."""
    return Number(spell(number))


def spell_metadata(value: Json) -> bytes:
    """Return a value of metadata as bytes: a text as it is, lists and objects as JSON."""
    if isinstance(value, str | int | float):
        return to_bytes(spell_value(value))
    return to_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _show_metadata(metadata: Mapping[str, Json]) -> Pairs:
    named = sorted((to_bytes(key), value) for key, value in metadata.items() if value is not None)
    return Pairs([(key, spell_metadata(value)) for key, value in named])


def _show_vector(index: Index, record: Record) -> bytes | None:
    """Return the client's vector, which has length 1 where only its direction counts."""
    settings = index.settings
    if record.vector is None or not settings.mode.has_vectors or record.model != settings.model:
        return None
    if settings.metric is Metric.COSINE:
        return bring_to_unit(record.vector)
    return record.vector


_PARTS: Final[Mapping[bytes, Callable[[Found], float]]] = {
    b"keyword_score": lambda found: found.keyword,
    b"vector_score": lambda found: found.vector,
    b"recency_score": lambda found: found.recency,
}
