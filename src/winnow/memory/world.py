"""Single entities as the store has them, for judging and showing them one by one."""

from collections.abc import Iterable, Mapping

from winnow.memory.ontology import Domain
from winnow.plan.backward import find_referrers
from winnow.plan.reference import Candidates
from winnow.schema import Reverse
from winnow.store.base import FullEntity, Store


class StoreWorld:
    """The entities of one namespace, read when they are first asked for."""

    def __init__(self, store: Store, domain: Domain) -> None:
        self._store = store
        self._domain = domain
        self._read: dict[tuple[str, str], FullEntity | None] = {}

    def keep(self, entities: Iterable[FullEntity]) -> None:
        """Take entities that have been read already."""
        for entity in entities:
            self._read[entity.schema, entity.id] = entity

    def find(self, schema: str, entity: str) -> FullEntity | None:
        """Return an entity with all that is known of it."""
        place = (schema, entity)
        if place not in self._read:
            key = self._store.find_entity(self._domain.namespace, schema, entity)
            found = self._store.read_entities([key]) if key is not None else []
            self._read[place] = found[0] if found else None
        return self._read[place]

    def read(self, schema: str, entity: str) -> Candidates | None:
        """Return an entity's candidates, None if there is no such entity."""
        found = self.find(schema, entity)
        return None if found is None else found.fields

    def referrers(self, reverse: Reverse, entity: str) -> Iterable[str]:
        """Return the ids of the entities that have a candidate naming `entity`."""
        tables: Mapping[str, object] = self._domain.tables
        if reverse.source not in tables:
            return []
        return find_referrers(self._domain.tables[reverse.source], reverse.via, entity)
