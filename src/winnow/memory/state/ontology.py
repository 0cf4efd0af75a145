"""The schemas and entities as they stand now: columns in memory, kept fresh from the store."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import tzinfo
from threading import RLock

from winnow.columns.table import Part, Table, parts_to_merge
from winnow.deadlines import uncounted
from winnow.memory.state.archive import Archive, Piece, State, stamp
from winnow.memory.state.building import Building
from winnow.memory.state.entities import Parts, by_namespace, with_tuples
from winnow.packs import builtin_packs, load_pack
from winnow.schema import Catalog, Pack, Schema
from winnow.store.base import DEFAULT_NAMESPACE, Store, StoredPack


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

    def __init__(self, store: Store, zone: tzinfo, release: str = "") -> None:
        """Begin with nothing; `release` is that of the program, of which files have to be."""
        self._store = store
        self._zone = zone
        self._release = release
        self._lock = RLock()
        self.building = Building("entities")
        self._catalogs = _Catalogs()
        self._packs_seen = -1
        self._tables: dict[tuple[str, str], Table] = {}
        self._seen: dict[str, int] = {}
        self._archives: dict[str, Archive[Part]] = {}
        self._retired: list[Archive[Part]] = []

    def finish(self) -> None:
        """Wait until nothing is being written beside the store."""
        with self._lock:
            archives = [*self._retired, *self._archives.values()]
        for archive in archives:
            archive.finish()

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
        catalogs = self._catalogs.changed(self._store.packs())
        if catalogs is not self._catalogs:
            self._catalogs = catalogs
            self._tables.clear()
            self._seen.clear()
            writing = [one for one in self._archives.values() if one.is_writing()]
            self._retired = [one for one in self._retired if one.is_writing()] + writing
            self._archives.clear()
        self._packs_seen = number

    def _refresh(self, name: str) -> None:
        """Bring a schema's tables up to the last change."""
        number = self._store.last_change().number
        archive = self._archive(name)
        ready = name not in self._seen or archive.is_ready()
        if number == self._seen.get(name, 0) and not ready:
            return
        with uncounted(), self.building.under_way():
            self._catch_up(name, archive, number, ready=ready)

    def _catch_up(self, name: str, archive: Archive[Part], number: int, *, ready: bool) -> None:
        if ready:
            self._load(name, archive)
        batches = self._store.scan_entities(name, self._seen.get(name, 0))
        for namespace, changes in by_namespace(self.building.count(batches)):
            schema = self._catalogs.of(namespace).get(name)
            if schema is None:
                continue
            key = (namespace, name)
            table = self._tables.get(key) or Table(schema, self._zone)
            self._tables[key] = self._settle(table.changed(with_tuples(schema, changes)), archive)
        self._seen[name] = number
        self._offer(name, archive)

    def _archive(self, name: str) -> Archive[Part]:
        if name not in self._archives:
            catalogs = self._catalogs  # those of the stamp, whatever comes while it writes
            packs = [text for pack in catalogs.packs() for text in pack]
            parts = Parts(self._store, self._zone, lambda one: catalogs.of(one).get(name))
            made_by = stamp(self._zone, self._release, *packs)
            self._archives[name] = Archive(
                self._store, f"entities:{name}", parts, self._zone, made_by
            )
        return self._archives[name]

    def _load(self, name: str, archive: Archive[Part]) -> None:
        """Begin with what the files have of a schema, if they are of use."""
        state = archive.load()
        if state is None:
            return
        self._tables = {key: one for key, one in self._tables.items() if key[1] != name}
        for namespace, pieces in state.by_label().items():
            schema = self._catalogs.of(namespace).get(name)
            if schema is not None:
                parts = tuple(piece.part for piece in pieces)
                alive = tuple(piece.alive for piece in pieces)
                self._tables[namespace, name] = Table(schema, self._zone, parts, alive)
        self._seen[name] = state.change

    def _offer(self, name: str, archive: Archive[Part]) -> None:
        pieces = [
            Piece(namespace, part, alive)
            for (namespace, schema), table in self._tables.items()
            if schema == name
            for part, alive in zip(table.parts, table.alive, strict=True)
        ]
        fresh = sum(len(one.part) for one in pieces if not archive.is_stored(one.part))
        archive.offer(State(self._seen[name], pieces), fresh)

    def _settle(self, table: Table, archive: Archive[Part]) -> Table:
        fresh = sum(not archive.is_stored(part) for part in table.parts)
        count = parts_to_merge(table, fresh)
        if not count:
            return table
        batches = self._store.rescan_entities(table.keys_of_last(count))
        merged = [changes for _, changes in by_namespace(batches)]
        return table.merged(count, with_tuples(table.schema, merged[0])) if merged else table


class _Catalogs:
    """The schemas of each namespace: its own packs, then those of the package."""

    def __init__(
        self,
        stored: Mapping[str, Sequence[StoredPack]] | None = None,
        packs: Mapping[tuple[str, str], Pack] | None = None,
    ) -> None:
        """Take the packs of a store by namespace; `packs` are read already."""
        self._stored = {**(stored or {})}
        self._made: dict[str, Catalog] = {}
        self._packs = {**(packs or {})}

    def changed(self, stored: Sequence[StoredPack]) -> "_Catalogs":
        """Return the schemas by the packs of a store as they are now; these, if none changed."""
        by_namespace: dict[str, list[StoredPack]] = {}
        for pack in stored:
            by_namespace.setdefault(pack.namespace, []).append(pack)
        return self if by_namespace == self._stored else _Catalogs(by_namespace, self._packs)

    def packs(self) -> Iterator[tuple[str, str, str]]:
        """Yield namespace, name and text of all packs; those of the package are in none."""
        for pack in builtin_packs():
            yield "", pack.name, pack.text
        for namespace, stored in sorted(self._stored.items()):
            for one in stored:
                yield namespace, one.name, one.text

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
