"""The schemas and entities as they stand now: columns in memory, kept fresh from the store."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import tzinfo
from itertools import compress
from threading import RLock
from typing import TypeAlias, cast

from winnow.columns.arrays import Entry
from winnow.columns.table import Changes, Table
from winnow.packs import builtin_packs, load_pack
from winnow.schema import Catalog, Pack, Schema
from winnow.store.base import DEFAULT_NAMESPACE, EntityBatch, Store, StoredPack
from winnow.values import Scalar

_Fields: TypeAlias = Sequence[Mapping[str, Entry]]


@dataclass(frozen=True, slots=True)
class Domain:
    """One namespace's view of a schema: its table, and those that references lead to."""

    namespace: str
    catalog: Catalog
    schema: Schema
    table: Table
    tables: Mapping[str, Table]


class Ontology:
    """Typed entities of all namespaces. Safe to use from several threads.

    What it hands out never changes; a later call sees what this and other processes have
    committed since.
    """

    def __init__(self, store: Store, zone: tzinfo) -> None:
        self._store = store
        self._zone = zone
        self._lock = RLock()
        self._catalogs = _Catalogs()
        self._packs_seen = -1
        self._tables: dict[tuple[str, str], Table] = {}
        self._seen: dict[str, int] = {}

    def catalog(self, namespace: str) -> Catalog:
        """Return the schemas that a namespace knows."""
        with self.current():
            self._refresh_packs()
            return self._catalogs.of(namespace)

    def namespaces(self) -> list[str]:
        """List the namespaces that hold anything, and the default one."""
        return sorted({DEFAULT_NAMESPACE, *self._store.namespaces()})

    def domains(self, schema: str, namespaces: Sequence[str]) -> list[Domain]:
        """Return a schema as each of the namespaces knows it; one that doesn't is left out."""
        with self.current():
            self._refresh_packs()
            return list(self._domains(schema, namespaces))

    @contextmanager
    def current(self) -> Generator[None]:
        """Keep other threads out, and read a state no older than what they have read."""
        with self._lock:
            self._store.states.advance()
            yield

    def _domains(self, name: str, namespaces: Sequence[str]) -> Iterator[Domain]:
        for namespace in namespaces:
            catalog = self._catalogs.of(namespace)
            schema = catalog.get(name)
            if schema is None:
                continue
            names = reachable(schema, catalog)
            for other in names:
                self._refresh(other)
            tables = {other: self._table(namespace, other, catalog) for other in names}
            yield Domain(namespace, catalog, schema, tables[name], tables)

    def _table(self, namespace: str, name: str, catalog: Catalog) -> Table:
        return self._tables.get((namespace, name)) or Table(_known(catalog, name), self._zone)

    def _refresh_packs(self) -> None:
        number = self._store.last_change().number
        if number == self._packs_seen:
            return
        if self._catalogs.load(self._store.packs()):
            self._tables.clear()
            self._seen.clear()
        self._packs_seen = number

    def _refresh(self, name: str) -> None:
        """Bring a schema's tables up to the last change."""
        number = self._store.last_change().number
        seen = self._seen.get(name, 0)
        if number == seen and name in self._seen:
            return
        for namespace, changes in _by_namespace(self._store.scan_entities(name, seen)):
            schema = self._catalogs.of(namespace).get(name)
            if schema is None:
                continue
            key = (namespace, name)
            table = self._tables.get(key) or Table(schema, self._zone)
            self._tables[key] = self._settle(table.changed(_with_tuples(schema, changes)))
        self._seen[name] = number

    def _settle(self, table: Table) -> Table:
        count = table.parts_to_merge()
        if not count:
            return table
        batches = self._store.rescan_entities(table.keys_of_last(count))
        merged = [changes for _, changes in _by_namespace(batches)]
        return table.merged(count, _with_tuples(table.schema, merged[0])) if merged else table


class _Catalogs:
    """The schemas of each namespace: its own packs, then those of the package."""

    def __init__(self) -> None:
        self._stored: dict[str, list[StoredPack]] = {}
        self._made: dict[str, Catalog] = {}
        self._packs: dict[tuple[str, str], Pack] = {}

    def load(self, stored: Sequence[StoredPack]) -> bool:
        """Take the packs of a store; tell whether any of them changed."""
        by_namespace: dict[str, list[StoredPack]] = {}
        for pack in stored:
            by_namespace.setdefault(pack.namespace, []).append(pack)
        if by_namespace == self._stored:
            return False
        self._stored = by_namespace
        self._made.clear()
        return True

    def of(self, namespace: str) -> Catalog:
        """Return a namespace's schemas."""
        if namespace not in self._made:
            own = [self._load(pack) for pack in self._stored.get(namespace, [])]
            names = {pack.name for pack in own}
            rest = [pack for pack in builtin_packs() if pack.name not in names]
            self._made[namespace] = Catalog([*rest, *own])
        return self._made[namespace]

    def _load(self, stored: StoredPack) -> Pack:
        key = (stored.source, stored.text)
        if key not in self._packs:
            shipped = (pack for pack in builtin_packs() if pack.text == stored.text)
            self._packs[key] = next(shipped, None) or load_pack(stored.text, stored.source)
        return self._packs[key]


def reachable(schema: Schema, catalog: Catalog) -> list[str]:
    """Return the names of the schemas that a filter on `schema` may speak of, itself first."""
    names, waiting = [schema.name], [schema]
    while waiting:
        current = waiting.pop()
        targets = [field.target for field in current.fields.values() if field.target]
        for name in (*targets, *(reverse.source for reverse in current.reverses.values())):
            target = catalog.get(name)
            if target is not None and name not in names:
                names.append(name)
                waiting.append(target)
    return names


def _known(catalog: Catalog, name: str) -> Schema:
    schema = catalog.get(name)
    if schema is None:
        raise KeyError(name)
    return schema


def _by_namespace(batches: Iterator[EntityBatch]) -> Iterator[tuple[str, Changes]]:
    """Sort the rows of all batches by namespace; each keeps the order of the ids."""
    gathered: dict[str, EntityBatch] = {}
    for batch in batches:
        for namespace in dict.fromkeys(batch.namespaces):
            known = gathered.setdefault(namespace, EntityBatch([], [], [], [], []))
            _append(known, batch, [one == namespace for one in batch.namespaces])
    for namespace, batch in gathered.items():
        yield namespace, Changes(batch.keys, batch.ids, batch.live, cast(_Fields, batch.fields))


def _append(known: EntityBatch, batch: EntityBatch, wanted: list[bool]) -> None:
    known.keys.extend(compress(batch.keys, wanted))
    known.ids.extend(compress(batch.ids, wanted))
    known.live.extend(compress(batch.live, wanted))
    known.fields.extend(compress(batch.fields, wanted))


def _with_tuples(schema: Schema, changes: Changes) -> Changes:
    """Make the lists of values that JSON gave for list fields tuples, as values are."""
    names = [field.name for field in schema.fields.values() if field.is_list]
    for name in names:
        for fields in changes.fields:
            value = fields.get(name)
            if isinstance(value, list):
                cast(dict[str, Entry], fields)[name] = tuple(cast(list[Scalar], value))
    return changes
