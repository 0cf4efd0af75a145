"""Which notes say something of which entities, kept fresh from the store."""

from collections.abc import Generator
from contextlib import contextmanager
from threading import RLock

from winnow.columns.pieces import NOTHING_DECLARED, Declared
from winnow.columns.table import Table
from winnow.plan.noted import Noted, find_noted
from winnow.store.base import Store


class Contents:
    """The notes behind the entities of each schema. Safe to use from several threads.

    They are read when they are first asked for, and then only those of entities that changed.
    What has no note costs nothing.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = RLock()
        self._declared: dict[str, Declared] = {}
        self._seen: dict[str, int] = {}
        self._joined: dict[tuple[str, str], tuple[Table, Declared, Noted]] = {}

    @contextmanager
    def current(self) -> Generator[None]:
        """Keep other threads out, and read a state no older than what they have read."""
        with self._lock:
            self._store.states.advance()
            yield

    def behind(self, namespace: str, table: Table) -> Noted:
        """Return the notes behind the entities of a table, which shows the state of now."""
        with self.current():
            declared = self._refresh(table.schema.name)
            place = (namespace, table.schema.name)
            known = self._joined.get(place)
            if known is None or known[0] is not table or known[1] is not declared:
                known = (table, declared, find_noted(table, declared))
                self._joined[place] = known
            return known[2]

    def _refresh(self, schema: str) -> Declared:
        number = self._store.last_change().number
        seen = self._seen.get(schema, 0)
        declared = self._declared.get(schema, NOTHING_DECLARED)
        if number == seen and schema in self._seen:
            return declared
        found = self._store.records.declarations(schema, seen)
        if found.changed or found.entities:
            declared = declared.changed(found.changed, found.entities, found.notes)
            self._declared[schema] = declared
        self._seen[schema] = number
        return declared
