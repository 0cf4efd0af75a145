"""Single entities as the store has them, for judging and showing them one by one."""

from collections.abc import Iterable, Sequence

from winnow.memory.entities.questions import Asked
from winnow.plan.backward import find_referrers
from winnow.plan.reference import Candidates
from winnow.plan.truths import Truth
from winnow.plan.witnesses import count_referrers, evaluate_tests, find_witnesses
from winnow.schema import Reverse
from winnow.store.base import FullEntity, Store

MANY = 50
"""Referrers of one entity from which on only those are read that decide a filter."""


class StoreWorld:
    """The entities of one namespace that a filter looks at, read when they are first asked for."""

    def __init__(self, store: Store, asked: Asked) -> None:
        self._store = store
        self._asked = asked
        self._read: dict[tuple[str, str], FullEntity | None] = {}
        self._truths: dict[tuple[str, str], Sequence[Truth]] = {}

    def keep(self, entities: Iterable[FullEntity]) -> None:
        """Take entities that have been read already."""
        for entity in entities:
            self._read[entity.schema, entity.id] = entity

    def find(self, schema: str, entity: str) -> FullEntity | None:
        """Return an entity with all that is known of it."""
        place = (schema, entity)
        if place not in self._read:
            key = self._store.find_entity(self._asked.domain.namespace, schema, entity)
            found = self._store.read_entities([key]) if key is not None else []
            self._read[place] = found[0] if found else None
        return self._read[place]

    def read(self, schema: str, entity: str) -> Candidates | None:
        """Return an entity's candidates, None if there is no such entity."""
        found = self.find(schema, entity)
        return None if found is None else found.fields

    def referrers(self, reverse: Reverse, entity: str) -> Iterable[str]:
        """Return the ids of the entities that have a candidate naming `entity`.

        Where they are many, those that the filter needs to come out as it does.
        """
        tables = self._asked.domain.tables
        source = tables.get(reverse.source)
        if source is None:
            return []
        target = tables[source.schema.fields[reverse.via].target or ""]
        row = target.row_of(entity)
        if row is None or count_referrers(source, reverse.via, target, row) <= MANY:
            found = find_referrers(source, reverse.via, entity)
        else:
            truths, minimum = self._evaluate(reverse), self._asked.evaluation.minimum
            found = find_witnesses(source, reverse.via, target, row, truths, minimum)
        self._read_ahead(reverse.source, found)
        return found

    def _evaluate(self, reverse: Reverse) -> Sequence[Truth]:
        place = (reverse.source, reverse.via)
        if place not in self._truths:
            asked = self._asked
            self._truths[place] = evaluate_tests(asked.pred, reverse, asked.evaluation)
        return self._truths[place]

    def _read_ahead(self, schema: str, entities: Sequence[str]) -> None:
        """Read entities of one schema at once."""
        table = self._asked.domain.tables[schema]
        rows = (table.row_of(one) for one in entities if (schema, one) not in self._read)
        self.keep(self._store.read_entities([table.key_of(row) for row in rows if row is not None]))
