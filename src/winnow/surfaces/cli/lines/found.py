"""Memories, entities and figures as lines."""

from collections.abc import Iterator, Mapping
from typing import cast

from winnow.operations.answers import (
    AggregateAnswer,
    CountAnswer,
    ExplainAnswer,
    ExplainedPart,
    ListAnswer,
    RecallAnswer,
)
from winnow.operations.memories import CheckAnswer, MemoryHit, MemoryRecord, OtherHit
from winnow.surfaces.cli.lines.sheet import Row, Sheet
from winnow.values import Json


def entities_of(answer: RecallAnswer | ListAnswer) -> Iterator[Row]:
    """Yield a row for each entity."""
    for hit in answer.entities:
        confidence = hit.confidence and hit.confidence.name
        fields = dict(hit.fields)
        yield hit.entity_id, hit.entity_type, hit.namespace, hit.score, confidence, hit.path, fields


def memories_of(answer: RecallAnswer | ListAnswer | MemoryRecord) -> Iterator[Row]:
    """Yield a row for each memory, then one for each hit of another system."""
    if isinstance(answer, MemoryRecord):
        yield _memory(answer)
        return
    yield from map(_memory, answer.memories or ())
    if isinstance(answer, RecallAnswer):
        yield from map(_other, answer.others or ())


def _memory(one: MemoryHit | MemoryRecord) -> Row:
    return (
        one.id,
        one.namespace,
        one.kind,
        one.score if isinstance(one, MemoryHit) else None,
        one.title,
        one.text,
        one.tags,
        one.entity,
        one.memory_type,
        one.importance,
        one.created_at,
        one.updated_at,
        one.expires_at,
        one.source,
        one.path,
        dict(one.metadata),
        one.deleted_at if isinstance(one, MemoryRecord) else None,
    )


def _other(hit: OtherHit) -> Row:
    """Return the row of a hit that is no memory: it has no id, no namespace and no kind."""
    found = {
        "score": hit.score,
        "title": hit.title,
        "text": hit.text,
        "source": hit.source,
        "path": hit.path,
        "metadata": dict(hit.metadata),
    }
    return tuple(found.get(name) for name in MEMORIES.columns)


def _likes(answer: CheckAnswer) -> Iterator[Row]:
    for hit in answer.hits:
        yield hit.id, hit.namespace, hit.kind, hit.similarity, hit.title, hit.text, hit.path


def _count(answer: CountAnswer) -> Iterator[Row]:
    yield (answer.count,)


def _figures(answer: AggregateAnswer) -> Iterator[Row]:
    """Yield the values of the key, the count, then the other metrics, as they were asked for."""
    for group in answer.groups:
        key = group.get("key") if "key" in group else {}
        keys = list(key.values()) if isinstance(key, dict) else [key]
        metrics = cast("Mapping[str, Json]", group.get("metrics") or {})
        figures = [value for name, value in metrics.items() if name != "count"]
        yield (*keys, group.get("count"), *figures)


def _parts(answer: ExplainAnswer) -> Iterator[Row]:
    yield from _part(answer.explanation, 0)


def _part(part: ExplainedPart, depth: int) -> Iterator[Row]:
    source = part.evidence
    place = (source.path, source.line, source.quote) if source else (None, None, None)
    confidence = part.confidence and part.confidence.name
    yield depth, part.truth, part.kind, part.text, confidence, part.reason, *place
    for inner in part.parts or ():
        yield from _part(inner, depth + 1)


ENTITIES = Sheet(
    "`recall` and `list` with `--schema`",
    ("entityId", "entityType", "namespace", "score", "confidence", "path", "fields"),
    entities_of,
)
MEMORIES = Sheet(
    "`recall`, `list`, `get`, `store`, `update`, `undelete`",
    (
        "id",
        "namespace",
        "kind",
        "score",
        "title",
        "text",
        "tags",
        "entity",
        "memoryType",
        "importance",
        "createdAt",
        "updatedAt",
        "expiresAt",
        "source",
        "path",
        "metadata",
        "deletedAt",
    ),
    memories_of,
)
LIKES = Sheet("`check`", ("id", "namespace", "kind", "similarity", "title", "text", "path"), _likes)
COUNT = Sheet("`count`", ("count",), _count)
FIGURES = Sheet("`aggregate`", ("key …", "count", "metric …"), _figures)
PARTS = Sheet(
    "`explain`",
    ("depth", "truth", "kind", "text", "confidence", "reason", "path", "line", "quote"),
    _parts,
)
