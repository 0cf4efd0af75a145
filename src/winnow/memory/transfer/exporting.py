"""Writing what is stored as JSON lines, which an import reads again."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from json import JSONEncoder
from typing import Final, TypeAlias

from winnow.deadlines import watch
from winnow.errors import Fault, NotFound, settle, unknown
from winnow.memory.engine import Engine
from winnow.memory.entities.inquiry import inquire
from winnow.memory.entities.questions import match
from winnow.memory.records.selecting import select, split, want
from winnow.memory.times import milliseconds
from winnow.memory.transfer.archive import show_version
from winnow.memory.transfer.lines import Sort
from winnow.memory.transfer.merging import is_over
from winnow.memory.transfer.objects import show_entity
from winnow.memory.transfer.outlet import STANDARD_OUTPUT, open_outlet
from winnow.memory.transfer.preambles import Home, show_home, show_pack
from winnow.operations.changes import ExportRequest
from winnow.operations.requests import Conditions
from winnow.operations.settings import ExportAnswer
from winnow.plan.gather import Selection
from winnow.schema import Catalog
from winnow.store.base import Contribution, StoredPack
from winnow.store.memories import Version
from winnow.values import Json

BATCH = 500

Versions: TypeAlias = Iterator[Version]
Entities: TypeAlias = Iterator[tuple[str, Contribution]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be written; memories and entities come one by one, in order.

    `pieces` counts those of notes that are left out.
    """

    namespaces: Sequence[str]
    packs: Sequence[StoredPack]
    memories: Callable[[], Versions]
    entities: Callable[[], Entities]
    pieces: int = 0
    warnings: Sequence[str] = ()


def export(engine: Engine, request: ExportRequest, faults: list[Fault]) -> ExportAnswer:
    """Write memories, and imported entities, as JSON lines.

    Conditions choose the memories, or with a schema the entities, that are written.
    """
    _check_path(engine, request.path, faults)
    with engine.together():
        chosen = _choose(engine, request, faults)
    counts = Counter[Sort]()
    deleted = 0
    outlet = open_outlet(request.path, replace=request.replace)
    with outlet as file, engine.store.states.stay():
        for sort, line in watch(_lines(engine, request, chosen), "writing the export"):
            file.write(_encode(line))
            counts[sort] += 1
            deleted += "deletedAt" in line
    return ExportAnswer(
        path=request.path,
        namespaces=counts[Sort.NAMESPACE],
        packs=counts[Sort.PACK],
        memories=counts[Sort.MEMORY],
        deleted=deleted,
        entities=counts[Sort.ENTITY],
        pieces=chosen.pieces,
        as_of=engine.as_of(),
        warnings=chosen.warnings or None,
    )


def _check_path(engine: Engine, path: str, faults: list[Fault]) -> None:
    if not path.strip() or "\0" in path:
        faults.append(Fault("/path", "this can't be the name of a file"))
    elif path != STANDARD_OUTPUT:
        place = os.path.realpath(os.path.expanduser(path))
        if place == os.path.realpath(engine.label):
            faults.append(Fault("/path", "this is the store itself"))


def _lines(
    engine: Engine, request: ExportRequest, chosen: Chosen
) -> Iterator[tuple[Sort, dict[str, Json]]]:
    """Yield all lines: first what the others depend on."""
    now = milliseconds(engine.clock())
    for name in chosen.namespaces:
        spent = engine.store.records.spent(name, now)
        yield Sort.NAMESPACE, show_home(Home(engine.store.records.namespace(name), spent))
    for pack in chosen.packs:
        yield Sort.PACK, show_pack(pack)
    for version in chosen.memories():
        if not is_over(version, now):
            yield Sort.MEMORY, show_version(version, vectors=request.vectors)
    for namespace, entity in chosen.entities():
        yield Sort.ENTITY, show_entity(namespace, entity)


# --- what is chosen ----------------------------------------------------------------------------


def _choose(engine: Engine, request: ExportRequest, faults: list[Fault]) -> Chosen:
    namespaces = _namespaces(engine, request, faults)
    if request.schema is not None:
        return _choose_entities(engine, request, namespaces, faults)
    if _has_conditions(request):
        return _choose_memories(engine, request, namespaces, faults)
    settle(faults)
    counted = engine.store.records.count(namespaces, milliseconds(engine.clock()))
    catalogs = {name: engine.ontology.catalog(name) for name in namespaces}
    return Chosen(
        namespaces,
        _packs(engine, namespaces),
        lambda: _scan_memories(engine, namespaces),
        lambda: _scan_entities(engine, catalogs),
        sum(one.count for one in counted if one.pieces),
    )


def _namespaces(engine: Engine, request: ExportRequest, faults: list[Fault]) -> list[str]:
    """Return the namespaces that were ever written to, and that may be seen."""
    rows = engine.store.records.namespaces()
    known = engine.access.visible(row.name for row in rows)
    if request.namespace is None:
        return known
    name = engine.home(request.namespace, faults)
    settle(faults)
    if name not in known:
        raise NotFound(unknown("namespace", name, known))
    return [name]


def _has_conditions(request: ExportRequest) -> bool:
    """Tell whether anything but the namespace bounds what is written; a blank filter does not."""
    given = {one.name: getattr(request, one.name) for one in fields(Conditions)}
    defaults = {one.name: one.default for one in fields(Conditions)}
    return any(
        value != defaults[name] and not (isinstance(value, str) and not value.strip())
        for name, value in given.items()
        if name not in ("namespace", "confidence_minimum")
    )


def _choose_memories(
    engine: Engine, request: ExportRequest, namespaces: Sequence[str], faults: list[Fault]
) -> Chosen:
    shelf = engine.shelf()
    wanted = want(engine, request, shelf.keys, faults)
    settle(faults)
    found = select(wanted, shelf)
    keys, pieces = split(found)
    return Chosen(
        namespaces,
        (),
        lambda: _read_memories(engine, keys),
        lambda: iter(()),
        pieces,
        wanted.warnings,
    )


def _choose_entities(
    engine: Engine, request: ExportRequest, namespaces: Sequence[str], faults: list[Fault]
) -> Chosen:
    """Choose the entities that match, and the packs that define their schema."""
    question = inquire(engine, request, faults).question
    settle(faults)
    matched = match(question)
    pack = question.schema.name.partition(".")[0]
    catalogs = {one.namespace: engine.ontology.catalog(one.namespace) for one in matched.selections}
    return Chosen(
        namespaces,
        [one for one in _packs(engine, namespaces) if one.name == pack],
        lambda: iter(()),
        lambda: _read_entities(engine, matched.selections, catalogs),
        0,
        question.warnings,
    )


def _packs(engine: Engine, namespaces: Sequence[str]) -> list[StoredPack]:
    return [one for one in engine.store.packs() if one.namespace in namespaces]


# --- what is read ------------------------------------------------------------------------------


def _scan_memories(engine: Engine, namespaces: Iterable[str]) -> Versions:
    for name in namespaces:
        for batch in engine.store.records.scan_versions(name):
            yield from batch


def _read_memories(engine: Engine, keys: Sequence[int]) -> Versions:
    for some in _batches(engine.store.records.in_order(keys)):
        found = engine.store.records.read_versions(some)
        yield from (one for one in found if one is not None)


def _scan_entities(engine: Engine, catalogs: Mapping[str, Catalog]) -> Entities:
    """Yield what was imported into each namespace."""
    for name, catalog in catalogs.items():
        for batch in engine.store.imported.scan(name):
            yield from _known(name, catalog, batch)


def _read_entities(
    engine: Engine, selections: Iterable[Selection], catalogs: Mapping[str, Catalog]
) -> Entities:
    """Yield what imports say of the selected entities, if any of them does."""
    for one in sorted(selections, key=lambda selection: selection.namespace):
        table = one.table
        ids = sorted((table.id_of(row), table.key_of(row)) for row in one.rows.tolist())
        for some in _batches([key for _, key in ids]):
            found = engine.store.imported.read(some)
            yield from _known(one.namespace, catalogs[one.namespace], filter(None, found))


def _known(namespace: str, catalog: Catalog, found: Iterable[Contribution]) -> Entities:
    """Leave out what no schema speaks of any more, as every other answer does."""
    for one in found:
        schema = catalog.get(one.schema)
        if schema is not None:
            kept = {name: some for name, some in one.fields.items() if name in schema.fields}
            yield namespace, replace(one, fields=kept)


def _batches(keys: Iterable[int]) -> Iterator[list[int]]:
    left = iter(keys)
    while some := list(islice(left, BATCH)):
        yield some


def _encode(line: dict[str, Json]) -> bytes:
    text = _encoder.encode(line)
    # What stands for bytes in the middle of something becomes the escape that JSON has for it.
    return text.encode("utf-8", "backslashreplace") + b"\n"


_encoder: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
