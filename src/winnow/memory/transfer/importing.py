"""Importing memories and entities: what was exported, and plain objects, from a file or Python."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from winnow.errors import Fault, Forbidden, settle
from winnow.memory.engine import Engine
from winnow.memory.transfer.incoming import MemoryReader, take_in
from winnow.memory.transfer.lines import Raw, Sort, Sorted, open_lines, sort_line
from winnow.memory.transfer.merging import Effect
from winnow.memory.transfer.objects import EntityReader
from winnow.memory.transfer.preambles import put_home, read_home, read_pack
from winnow.memory.transfer.preparing import Preparation
from winnow.memory.transfer.slots import Spot
from winnow.memory.upkeep.indexing import list_files
from winnow.operations.answers import ImportAnswer, Intake
from winnow.operations.changes import ImportRequest
from winnow.store.base import Contribution, ImportCounts, StoredPack
from winnow.values import describe
from winnow.vault.packfiles import BUILTIN, PackFiles, gather_packs

BATCH = 5_000
MAX_ERRORS = 100


def import_(engine: Engine, request: ImportRequest, faults: list[Fault]) -> ImportAnswer:
    """Import objects; one that is refused changes nothing, the others go in.

    Fields that an object names replace those that are there, and the others stay, so that a
    second import of the same objects changes nothing.
    """
    _check_source(request, faults)
    namespace = engine.home(request.namespace, faults)
    settle(faults)
    intake = _Import(engine, namespace, Preparation(engine))
    intake.add_packs(_read_packs(engine, request, namespace))
    with open_lines(request) as lines:
        while batch := list(islice(lines, BATCH)):
            intake.take(batch)
    return intake.answer()


def _check_source(request: ImportRequest, faults: list[Fault]) -> None:
    given = [name for name in ("path", "objects", "entities") if getattr(request, name) is not None]
    if len(given) != 1:
        faults.append(Fault("/path", "give a file, or objects, and not both"))
    for name in given:
        raw: object = getattr(request, name)
        if name != "path" and not _are_several(raw):
            detail = f"expected objects, one after the other, got {describe(raw)}"
            faults.append(Fault(f"/{name}", detail))


def _are_several(objects: object) -> bool:
    return isinstance(objects, Iterable) and not isinstance(objects, Mapping | str | bytes)


def _read_packs(engine: Engine, request: ImportRequest, namespace: str) -> list[StoredPack]:
    """Read the files of schemas that a request names; raises PackError before anything is done."""
    if request.pack is None:
        return []
    stored = [one for one in engine.store.packs() if one.namespace == namespace]
    packs, _ = gather_packs(PackFiles(asked=list_files(request.pack)), stored)
    own = [one for one in packs if one.source != BUILTIN]
    return [StoredPack(namespace, one.name, one.source, one.text) for one in own]


@dataclass(slots=True)
class _Import:
    """One import under way: what to do with each batch of lines, and what it came to so far."""

    engine: Engine
    namespace: str
    preparation: Preparation
    refused: int = 0
    errors: list[Fault] = field(default_factory=list[Fault])
    memories: Counter[Effect] = field(default_factory=Counter[Effect])
    entities: ImportCounts = field(default_factory=lambda: ImportCounts(0, 0, 0))
    homes: int = 0
    packs: int = 0

    def take(self, batch: Sequence[Raw]) -> None:
        """Take in a batch: first what others depend on, whatever the order of the lines is."""
        now = self.engine.clock()
        spots = [Spot(f"/lines/{number}", self.engine.zone, now, []) for number, _ in batch]
        sorted_: dict[Sort, list[tuple[str, Sorted]]] = {sort: [] for sort in Sort}
        for spot, (_, raw) in zip(spots, batch, strict=True):
            one = sort_line(raw, spot)
            namespace = self._home(one) if one is not None else ""
            if one is not None and not spot.faults:
                sorted_[one.sort].append((namespace, one))
        self._take_homes(sorted_[Sort.NAMESPACE])
        self._take_packs(sorted_[Sort.PACK])
        self._take_memories(sorted_[Sort.MEMORY])
        self._take_entities(sorted_[Sort.ENTITY])
        for spot in spots:
            if spot.faults:
                self.refused += 1
                self.errors.extend(spot.faults[: max(MAX_ERRORS - len(self.errors), 0)])

    def add_packs(self, packs: Iterable[StoredPack]) -> None:
        """Keep packs that are not kept yet in this form."""
        known = {(one.namespace, one.name): one for one in self.engine.store.packs()}
        missing = [one for one in packs if known.get((one.namespace, one.name)) != one]
        if missing:
            with self.engine.write() as writer:
                for one in missing:
                    writer.put_pack(one)
            self.packs += len(missing)

    def answer(self) -> ImportAnswer:
        """Say what the import came to."""
        memories = Intake(
            self.memories[Effect.ADDED],
            self.memories[Effect.CHANGED],
            self.memories[Effect.UNCHANGED],
            self.memories[Effect.OVER] or None,
        )
        entities = Intake(self.entities.added, self.entities.changed, self.entities.unchanged)
        return ImportAnswer(
            added=memories.added + entities.added,
            changed=memories.changed + entities.changed,
            unchanged=memories.unchanged + entities.unchanged,
            refused=self.refused,
            errors=self.errors,
            memories=memories,
            entities=entities,
            namespaces=self.homes,
            packs=self.packs,
            warnings=self.preparation.warn() or None,
            as_of=self.engine.as_of(),
        )

    def _home(self, one: Sorted) -> str:
        """Return the namespace of a line: what it says, or else that of the import."""
        raw = one.line.get("namespace")
        if raw is None:
            return self.namespace
        if not isinstance(raw, str):
            one.spot.refuse("namespace", f"expected text, got {describe(raw)}")
            return ""
        try:
            return self.engine.home(raw, one.spot.faults, f"{one.spot.place}/namespace")
        except Forbidden as error:
            one.spot.refuse("namespace", str(error))
            return ""

    def _take_homes(self, lines: Iterable[tuple[str, Sorted]]) -> None:
        for namespace, one in lines:
            home = read_home(self.engine, namespace, one)
            if not one.spot.faults:
                self.homes += put_home(self.engine, home)

    def _take_packs(self, lines: Iterable[tuple[str, Sorted]]) -> None:
        for namespace, one in lines:
            stored = self.engine.store.packs()
            known = {pack.name: pack for pack in stored if pack.namespace == namespace}
            pack = read_pack(namespace, one, known)
            if pack is not None and not one.spot.faults:
                self.add_packs([pack])

    def _take_memories(self, lines: Iterable[tuple[str, Sorted]]) -> None:
        reader = MemoryReader(self.engine)
        read = [reader.read(namespace, one) for namespace, one in lines]
        good = [one for one in read if not one.spot.faults]
        for spot, effect in take_in(self.engine, good, self.preparation):
            if not spot.faults:
                self.memories[effect] += 1

    def _take_entities(self, lines: Iterable[tuple[str, Sorted]]) -> None:
        reader = EntityReader(self.engine)
        batch: dict[str, list[Contribution]] = {}
        for namespace, one in lines:
            found = reader.read(namespace, one)
            if found is not None and not one.spot.faults:
                batch.setdefault(namespace, []).append(found)
        if not batch:
            return
        with self.engine.write() as writer:
            for namespace, found in batch.items():
                some = writer.put_entities(namespace, found)
                self.entities = ImportCounts(
                    self.entities.added + some.added,
                    self.entities.changed + some.changed,
                    self.entities.unchanged + some.unchanged,
                )
