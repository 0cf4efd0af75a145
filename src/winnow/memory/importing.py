"""Importing entities: objects {schema, id, fields}, from a file of JSON lines or from Python."""

import json
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TextIO, TypeAlias, cast

from winnow.errors import Fault, NotFound, settle, unknown
from winnow.filter.plain import find_surrogate, pointer_to
from winnow.memory.engine import Engine
from winnow.memory.objects import read_fields
from winnow.operations.answers import ImportAnswer
from winnow.operations.changes import ImportRequest
from winnow.schema import Catalog, Schema
from winnow.store.base import Contribution, ImportCounts
from winnow.values import UnreadableValue, describe

BATCH = 10_000
MAX_ERRORS = 100
KEYS = ("schema", "id", "fields", "namespace")

_Line: TypeAlias = tuple[int, object]


def import_entities(engine: Engine, request: ImportRequest, faults: list[Fault]) -> ImportAnswer:
    """Import entities; an object that is refused changes nothing, the others go in.

    Fields that an object names replace those of an earlier import, null clears one, the others
    stay; so a second import of the same objects changes nothing.
    """
    if (request.path is None) == (request.entities is None):
        faults.append(Fault("/path", "give a file, or entities, and not both"))
    elif request.entities is not None and not _are_several(request.entities):
        detail = f"expected objects, one after the other, got {describe(request.entities)}"
        faults.append(Fault("/entities", detail))
    namespace = engine.home(request.namespace, faults)
    settle(faults)
    reader = _Reader(engine, namespace)
    totals = [0, 0, 0]
    with _open_lines(request) as lines:
        while batch := list(islice(lines, BATCH)):
            for counts in _store(engine, reader.read(batch)):
                totals[0] += counts.added
                totals[1] += counts.changed
                totals[2] += counts.unchanged
    return ImportAnswer(*totals, refused=reader.refused, errors=reader.errors, as_of=engine.as_of())


def _are_several(entities: object) -> bool:
    return isinstance(entities, Iterable) and not isinstance(entities, Mapping | str | bytes)


def _store(engine: Engine, batch: Mapping[str, Sequence[Contribution]]) -> list[ImportCounts]:
    if not batch:
        return []
    with engine.store.write() as writer:
        return [writer.put_entities(namespace, found) for namespace, found in batch.items()]


@contextmanager
def _open_lines(request: ImportRequest) -> Generator[Iterator[_Line]]:
    if request.entities is not None:
        yield iter(enumerate(request.entities, 1))
    elif request.path == "-":
        yield _parse(sys.stdin)
    else:
        path = Path(request.path or "").expanduser()
        try:
            file = path.open(encoding="utf-8-sig", errors="surrogateescape")
        except OSError as error:
            raise NotFound(f"can't read {path}: {error.strerror or error}") from None
        with file:
            yield _parse(file)


def _parse(lines: Iterable[str] | TextIO) -> Iterator[_Line]:
    """Yield the number and the object of each line that is not blank, or why it is none."""
    for number, line in enumerate(lines, 1):
        if line.isspace():
            continue
        try:
            yield number, json.loads(line, object_pairs_hook=_no_repeats)
        except RecursionError:
            yield number, UnreadableValue("not a JSON object: it is nested too deep")
        except ValueError as error:
            yield number, UnreadableValue(f"not a JSON object: {error}")


def _no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice!r} stands twice")
    return found


@dataclass(slots=True)
class _Reader:
    """Reads objects as entities of the schemas that their namespaces know."""

    engine: Engine
    namespace: str
    refused: int = 0
    errors: list[Fault] = field(default_factory=list[Fault])
    catalogs: dict[str, Catalog] = field(default_factory=dict[str, Catalog])

    def read(self, lines: Sequence[_Line]) -> dict[str, list[Contribution]]:
        """Read a batch, by namespace; what is wrong with an object is kept in `errors`."""
        batch: dict[str, list[Contribution]] = {}
        for number, raw in lines:
            faults: list[Fault] = []
            place = f"/lines/{number}"
            found = self._read_object(raw, place, faults)
            if faults or found is None:
                self.refused += 1
                self.errors.extend(faults[: max(MAX_ERRORS - len(self.errors), 0)])
            else:
                batch.setdefault(found[0], []).append(found[1])
        return batch

    def _read_object(
        self, raw: object, place: str, faults: list[Fault]
    ) -> tuple[str, Contribution] | None:
        if isinstance(raw, UnreadableValue) or not isinstance(raw, Mapping):
            bad = isinstance(raw, UnreadableValue)
            detail = str(raw) if bad else f"expected an object, got {describe(raw)}"
            faults.append(Fault(place, detail))
            return None
        found = cast(Mapping[str, object], raw)
        faults.extend(
            Fault(pointer_to(place, str(key)), unknown("key", str(key), KEYS))
            for key in found
            if key not in KEYS
        )
        namespace = self._namespace(found.get("namespace"), place, faults)
        schema = self._schema(namespace, found.get("schema"), place, faults)
        if schema is None:
            return None
        entity = _read_id(schema, found.get("id"), place, faults)
        fields = read_fields(schema, found.get("fields"), f"{place}/fields", faults)
        return namespace, Contribution(schema.name, entity, fields)

    def _namespace(self, raw: object, place: str, faults: list[Fault]) -> str:
        if raw is None:
            return self.namespace
        if not isinstance(raw, str):
            detail = f"expected text, got {describe(raw)}"
            faults.append(Fault(f"{place}/namespace", detail))
            return self.namespace
        return self.engine.home(raw, faults, f"{place}/namespace")

    def _schema(
        self, namespace: str, name: object, place: str, faults: list[Fault]
    ) -> Schema | None:
        catalog = self.catalogs.get(namespace)
        if catalog is None:
            catalog = self.catalogs[namespace] = self.engine.ontology.catalog(namespace)
        schema = catalog.get(name) if isinstance(name, str) else None
        if schema is None:
            detail = f"expected the name of a schema, got {describe(name)}"
            if isinstance(name, str):
                detail = unknown("schema", name, catalog.names())
            faults.append(Fault(f"{place}/schema", detail))
        return schema


def _read_id(schema: Schema, raw: object, place: str, faults: list[Fault]) -> str:
    entity = schema.id.fit(raw) if isinstance(raw, str) else None
    if entity is None or not entity or find_surrogate(entity) is not None:
        wanted = f" (it looks like {schema.id.examples})" if schema.id.examples else ""
        faults.append(Fault(f"{place}/id", f"{describe(raw)} is no id of {schema.name}{wanted}"))
        return ""
    return entity
