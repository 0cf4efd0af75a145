"""What each operation answers: frozen dataclasses; a part that is None is left out."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from winnow.operations.arguments import Level, OrderBy
from winnow.operations.memories import (
    AsOf,
    Dropped,
    MemoryHit,
    MemoryRecord,
    OtherHit,
    Profile,
    ScoreParts,
)
from winnow.records import Confidence
from winnow.values import Json, Value


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value stands."""

    path: str
    line: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class CandidateValue:
    """One of the values that contradict each other."""

    value: Value
    confidence: Confidence
    method: str
    evidence: Source | None


@dataclass(frozen=True, slots=True)
class EntityHit:
    """An entity that matches, with the values and the notes that say so.

    `evidence` is given for each field that the filter names. `confidence` is the weakest level
    of the values that counted for the filter, `extraction_method` its method. `components` are of
    the score of its best piece, where a query has ranked.
    """

    path: str
    paths: Sequence[str]
    vault: str | None
    score: float
    snippet: str
    namespace: str
    entity_id: str
    entity_type: str
    fields: Mapping[str, Value]
    evidence: Mapping[str, Source]
    field_confidence: Mapping[str, Confidence] | None = None
    conflicts: Mapping[str, Sequence[CandidateValue]] | None = None
    confidence: Confidence | None = None
    extraction_method: str | None = None
    components: ScoreParts | None = None


@dataclass(frozen=True, slots=True)
class OfNotes:
    """What one of an entity's notes had to meet, as a filter on notes."""

    filters: Json
    where: str


@dataclass(frozen=True, slots=True)
class OpenField:
    """A field whose value would decide, and why it can't be used."""

    field: str
    reason: str


@dataclass(frozen=True, slots=True)
class OpenEntity:
    """An entity whose membership is not certain; `matched` tells whether it is in the answer."""

    entity_id: str
    namespace: str
    matched: bool
    fields: Sequence[OpenField]


@dataclass(frozen=True, slots=True)
class Undetermined:
    """How many entities are not certain, and up to 20 of them."""

    count: int
    sample: Sequence[OpenEntity]


@dataclass(frozen=True, slots=True)
class NearMiss:
    """An entity that one test alone keeps out.

    `by` is the gap to the bound in the field's unit (days for dates), None if there is none.
    """

    entity_id: str
    namespace: str
    field: str
    op: str
    bound: Json
    actual: Json
    by: float | int | None


@dataclass(frozen=True, slots=True)
class SourceNote:
    """What became of a source that was asked for."""

    source: str
    note: str


_EXACT_ONLY = frozenset({"entities", "schema", "confidence_minimum", "entity_ids", "undetermined"})
_OMITTED: Mapping[str, Collection[str]] = {
    "structured_predicate": frozenset({"memories"}),
    "schema_typed_semantic": frozenset({"memories", "entity_ids"}),
    "semantic": _EXACT_ONLY,
}


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """The exact set of entities that a filter describes, or the memories that a query finds.

    `scanned_entities` counts all in scope, `filtered_entities` all that match; `entity_ids` are
    theirs in the order of the hits, up to 1,000, whatever the limit. `of_notes` are the conditions
    of notes beside a schema. With a schema `hits` are entities, without one memories: in Python
    `entities` or `memories` has them too. `others` is what other systems found, the best of each
    first.
    """

    entities: Sequence[EntityHit]
    memories: Sequence[MemoryHit]
    query: str
    query_type: str
    index_used: str
    schema: str
    filters: Json
    where: str
    order_by: Sequence[OrderBy] | None
    confidence_minimum: Level
    scanned_entities: int
    filtered_entities: int
    returned: int
    truncated: bool
    cursor: str | None
    entity_ids: Sequence[str]
    entity_ids_truncated: bool | None
    undetermined: Undetermined
    near_misses: Sequence[NearMiss] | None
    warnings: Sequence[str] | None
    source_notes: Sequence[SourceNote] | None
    dropped: Sequence[Dropped] | None
    as_of: AsOf
    of_notes: OfNotes | None = None
    others: Sequence[OtherHit] | None = None
    profile: Profile | None = None

    wire_names = (("entities", "hits"), ("memories", "hits"))
    wire_sometimes = _EXACT_ONLY

    @property
    def hits(self) -> Sequence[EntityHit] | Sequence[MemoryHit]:
        """What was found, in the order of the answer: entities where a schema was named."""
        return self.entities if self.schema else self.memories

    def wire_parts(self) -> Iterator[tuple[str, object]]:
        """Yield what is written of the answer: what does not apply to its kind is left out."""
        omitted = _OMITTED[self.query_type]
        for one in fields(self):
            if one.name not in omitted:
                name = "hits" if one.name in ("entities", "memories") else one.name
                yield name, getattr(self, one.name)


@dataclass(frozen=True, slots=True)
class CountAnswer:
    """How many entities match."""

    count: int
    undetermined: int
    filters: Json
    where: str
    warnings: Sequence[str] | None
    as_of: AsOf
    of_notes: OfNotes | None = None


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """One page of the entities that match; `undetermined` counts those that are not certain.

    With a schema `items` are entities, without one memories: in Python `entities` or `memories`
    has them too.
    """

    entities: Sequence[EntityHit]
    memories: Sequence[MemoryRecord] | None
    filters: Json
    where: str
    filtered_entities: int
    undetermined: int
    returned: int
    truncated: bool
    cursor: str | None
    warnings: Sequence[str] | None
    as_of: AsOf
    of_notes: OfNotes | None = None

    wire_names = (("entities", "items"), ("memories", "items"))

    @property
    def items(self) -> Sequence[EntityHit] | Sequence[MemoryRecord]:
        """The page, in its order: entities where a schema was named, else memories."""
        return self.entities if self.memories is None else self.memories

    def wire_parts(self) -> Iterator[tuple[str, object]]:
        """Yield what is written of the answer: its page is the items, whatever they are."""
        for one in fields(self):
            if one.name == "entities":
                yield "items", self.items
            elif one.name != "memories":
                yield one.name, getattr(self, one.name)


@dataclass(frozen=True, slots=True)
class AggregateAnswer:
    """Figures for each group, largest group first; a group is {key, count, metrics}."""

    groups: Sequence[Mapping[str, Json]]
    filtered_entities: int
    undetermined: int
    filters: Json
    where: str
    warnings: Sequence[str] | None
    as_of: AsOf
    of_notes: OfNotes | None = None


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """A part of a filter as judged on one entity: `truth` is true, false or unknown.

    A test has its `text` with the value that it met, such as `escrowPct 9 < 10`.
    """

    kind: str
    truth: str
    text: str
    field: str | None = None
    value: Json = None
    confidence: Confidence | None = None
    method: str | None = None
    evidence: Source | None = None
    reason: str | None = None
    parts: "Sequence[ExplainedPart] | None" = None


@dataclass(frozen=True, slots=True)
class ExplainAnswer:
    """Why an entity is in an answer or not; `undetermined` if unknown values could change it."""

    entity_id: str
    namespace: str
    schema: str
    matched: bool
    undetermined: bool
    filters: Json
    where: str
    explanation: ExplainedPart
    warnings: Sequence[str] | None
    as_of: AsOf


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """What a filter may say of a field, and what values have been seen, if any."""

    name: str
    type: str
    unit: str | None = None
    choices: Sequence[str] | None = None
    target: str | None = None
    aliases: Sequence[str] | None = None
    description: str | None = None
    entities_with_value: int | None = None
    lowest: Json = None
    highest: Json = None


@dataclass(frozen=True, slots=True)
class SchemaDescription:
    """One type of entity; an overview has the names of its fields alone.

    `operators` are those that a filter may use on the fields of each type. `namespaces` are those
    that define it so, if others define it otherwise.
    """

    name: str
    description: str
    id_pattern: str | None
    entities: int
    field_names: Sequence[str] | None = None
    fields: Sequence[FieldDescription] | None = None
    operators: Mapping[str, Sequence[str]] | None = None
    namespaces: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class SchemaAnswer:
    """The schemas that are known; an overview has an example of a question."""

    schemas: Sequence[SchemaDescription]
    example: str | None
    as_of: AsOf
    warnings: Sequence[str] | None = None
