"""Hits: entities as an answer shows them, with the evidence for what was asked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from winnow.filter.ast import Match, matches
from winnow.memory.entities.questions import Asked
from winnow.memory.entities.world import StoreWorld
from winnow.operations.answers import CandidateValue, EntityHit, Source
from winnow.records import Candidate, Confidence, Evidence, Resolved
from winnow.schema import Field, Schema
from winnow.store.base import FullEntity

LABELS = ("title", "name")


@dataclass(frozen=True, slots=True)
class Showing:
    """How entities of one namespace are shown: the filter that they met, and what to tell."""

    asked: Asked
    world: StoreWorld
    minimum: Confidence
    with_confidence: bool = True

    def hit(self, entity: FullEntity) -> EntityHit:
        """Show an entity; `fields` has its own, and those behind references that were asked for."""
        schema = self.asked.domain.schema
        own = resolve_fields(schema, entity, self.asked.domain.table.zone)
        named = {name: found for name, found in self._named(entity) if found is not None}
        shown = {**own, **{name: found for name, found in named.items() if "." in name}}
        weakest = self._weakest(named.values())
        tags = self.with_confidence
        return EntityHit(
            path=entity.notes[0].path if entity.notes else address(entity),
            paths=[note.path for note in entity.notes] or [address(entity)],
            vault=entity.notes[0].vault if entity.notes else None,
            score=1.0,
            snippet=entity.notes[0].snippet if entity.notes else label(own),
            namespace=entity.namespace,
            entity_id=entity.id,
            entity_type=schema.label,
            fields={name: found.best[0].value for name, found in shown.items()},
            evidence=dict(_evidence(named)),
            field_confidence={n: found.level for n, found in shown.items()} if tags else None,
            conflicts=_conflicts(entity, own) if tags else None,
            confidence=weakest.level if tags else None,
            extraction_method=weakest.best[0].method.value if tags else None,
        )

    def _named(self, entity: FullEntity) -> Iterator[tuple[str, Resolved | None]]:
        """Yield each name that the filter speaks of, with what it comes to on an entity."""
        for name, test in {test.name: test for test in matches(self.asked.pred)}.items():
            yield name, self._follow(entity, test)

    def _follow(self, entity: FullEntity, test: Match) -> Resolved | None:
        """Return the value that a test speaks of, behind its references."""
        zone = self.asked.domain.table.zone
        current: FullEntity | None = entity
        for step in test.path:
            resolved = step.weigh(current.fields.get(step.name, ()), zone) if current else None
            if resolved is None or step.target is None:
                return None
            current = self.world.find(step.target, str(resolved.best[0].value))
        if current is None or not isinstance(test.field, Field):
            return None
        return test.field.weigh(current.fields.get(test.field.name, ()), zone)

    def _weakest(self, named: Iterable[Resolved]) -> Resolved:
        """Return the least certain of the values that counted for the filter."""
        counted = (found for found in named if found.level >= self.minimum)
        return min(counted, key=lambda found: found.level, default=_CERTAIN)


_CERTAIN = Resolved(Confidence.EXTRACTED, (Candidate(""),))


def resolve_fields(schema: Schema, entity: FullEntity, zone: tzinfo) -> dict[str, Resolved]:
    """Weigh the candidates of each field, in the order of the schema."""
    resolved = {
        name: field.weigh(entity.fields[name], zone)
        for name, field in schema.fields.items()
        if name in entity.fields
    }
    return {name: one for name, one in resolved.items() if one is not None}


def address(entity: FullEntity) -> str:
    """Return the path of an entity that no note declares."""
    return f"winnow://{entity.schema}/{entity.id}"


def label(resolved: Mapping[str, Resolved]) -> str:
    """Return what a person calls an entity, "" if nothing tells."""
    return next((str(resolved[name].best[0].value) for name in LABELS if name in resolved), "")


def show_source(evidence: Evidence) -> Source:
    """Show where a value stands."""
    return Source(evidence.path, evidence.line, evidence.quote)


def show_candidates(candidates: Iterable[Candidate]) -> list[CandidateValue]:
    """Show candidates with their evidence."""
    return [
        CandidateValue(
            one.value,
            one.confidence,
            one.method.value,
            show_source(one.evidence) if one.evidence else None,
        )
        for one in candidates
    ]


def _evidence(named: Mapping[str, Resolved]) -> Iterator[tuple[str, Source]]:
    for name, found in named.items():
        evidence = found.best[0].evidence
        if evidence is not None:
            yield name, show_source(evidence)


def _conflicts(
    entity: FullEntity, resolved: Mapping[str, Resolved]
) -> Mapping[str, Sequence[CandidateValue]] | None:
    conflicts = {
        name: show_candidates(entity.fields[name]) for name, one in resolved.items() if one.conflict
    }
    return conflicts or None
