"""What only all entities together show: contradictions between sources, references to nobody."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from winnow.deadlines import check
from winnow.memory.entities.hits import address
from winnow.memory.state.ontology import Domain
from winnow.plan.matching import find_broken
from winnow.records import Candidate, Finding
from winnow.schema import Field, Schema
from winnow.store.base import FullEntity, PlainOrCandidates, Store
from winnow.values import Value
from winnow.vault.agreement import find_disagreements

LOST = "broken_reference"
_BATCH = 1_000  # entities


def find_contested(store: Store, domains: Sequence[Domain], zone: tzinfo) -> Iterator[Finding]:
    """Yield the fields of which several notes, or an import and a note, say different things.

    What one note alone says twice was found when it was read.
    """
    schemas: dict[str, dict[str, Schema]] = {}
    for domain in domains:
        schemas.setdefault(domain.schema.name, {})[domain.namespace] = domain.schema
    for name, by_namespace in schemas.items():
        keys = list(_keys_of_several(store, name, by_namespace))
        for start in range(0, len(keys), _BATCH):
            check("comparing what notes say")
            for entity in store.read_entities(keys[start : start + _BATCH]):
                yield from _compare(by_namespace[entity.namespace], entity, zone)


def _keys_of_several(
    store: Store, schema: str, by_namespace: Mapping[str, Schema]
) -> Iterator[int]:
    """Yield the keys of the entities that have more than one candidate for some field."""
    for batch in store.scan_entities(schema, 0):
        check("comparing what notes say")
        for key, namespace, fields in zip(batch.keys, batch.namespaces, batch.fields, strict=True):
            if namespace in by_namespace and any(map(_are_several, fields.values())):
                yield key


def _are_several(entry: PlainOrCandidates) -> bool:
    return isinstance(entry, tuple) and len(entry) > 1


def _compare(schema: Schema, entity: FullEntity, zone: tzinfo) -> Iterator[Finding]:
    fields = {
        field.name: [one for one in entity.fields.get(field.name, ()) if field.holds(one.value)]
        for field in schema.fields.values()
    }
    several = {name: found for name, found in fields.items() if not _is_of_one_note(found, entity)}
    yield from find_disagreements(schema, entity.id, several, address(entity), zone)


def _is_of_one_note(candidates: Sequence[Candidate], entity: FullEntity) -> bool:
    paths = {one.evidence.path if one.evidence else "" for one in candidates}
    return len(paths) == 1 and sum(note.path in paths for note in entity.notes) == 1


@dataclass(frozen=True, slots=True)
class Lost:
    """A reference that leads to no entity."""

    domain: Domain
    row: int
    field: Field
    value: str


def find_lost(domain: Domain) -> Iterator[Lost]:
    """Yield the references to entities that nothing declares."""
    for field in domain.schema.fields.values():
        if field.target is None:
            continue
        for entity, value in find_broken(domain.table, domain.tables, field):
            row = domain.table.row_of(entity)
            if row is not None:
                yield Lost(domain, row, field, value)


def locate_lost(store: Store, lost: Sequence[Lost]) -> Iterator[Finding]:
    """Yield lost references as findings, with the notes and lines where they stand."""
    keys = [one.domain.table.key_of(one.row) for one in lost]
    entities = {one.key: one for one in store.read_entities(list(dict.fromkeys(keys)))}
    for one, key in zip(lost, keys, strict=True):
        entity, field = entities[key], one.field
        place = _place(entity, field, one.value)
        detail = f"{field.name} {one.value} is not a known {field.target}"
        yield Finding(LOST, *place, detail, entity.id, field.name)


def _place(entity: FullEntity, field: Field, value: str) -> tuple[str, int | None]:
    for candidate in entity.fields.get(field.name, ()):
        if candidate.evidence is not None and _names(candidate.value, value):
            return candidate.evidence.path, candidate.evidence.line
    return address(entity), None


def _names(candidate: Value, value: str) -> bool:
    return value in candidate if isinstance(candidate, tuple) else candidate == value
