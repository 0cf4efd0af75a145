"""Importing memories and entities: what was exported, and plain objects, from a file or Python."""

import gc
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from winnow.deadlines import check
from winnow.errors import Fault, Forbidden, settle
from winnow.memory.changes.cleaning import clean_contribution
from winnow.memory.engine import Engine
from winnow.memory.transfer.foreign.report import Report
from winnow.memory.transfer.incoming import MemoryReader, foresee, take_in
from winnow.memory.transfer.lines import Raw, Sort, Sorted, sort_line
from winnow.memory.transfer.merging import Effect
from winnow.memory.transfer.objects import EntityReader
from winnow.memory.transfer.opening import open_lines
from winnow.memory.transfer.preambles import put_home, read_home, read_pack
from winnow.memory.transfer.preparing import Preparation
from winnow.memory.transfer.rehearsing import Foresight
from winnow.memory.transfer.slots import Spot
from winnow.memory.upkeep.indexing import list_files
from winnow.operations.changes import ImportRequest
from winnow.operations.reports import ImportAnswer, Intake
from winnow.stages import Progress
from winnow.store.base import Contribution, ImportCounts, StoredPack
from winnow.values import describe
from winnow.vault.packfiles import BUILTIN, PackFiles, gather_packs

BATCH = 5_000
MAX_ERRORS = 100


def import_(
    engine: Engine,
    request: ImportRequest,
    faults: list[Fault],
    progress: Progress | None = None,
) -> ImportAnswer:
    """Import objects; one that is refused changes nothing, the others go in.

    Fields that an object names replace those that are there, and the others stay, so that a
    second import of the same objects changes nothing. `progress` is told how many bytes are read.
    """
    _check_source(request, faults)
    namespace = engine.home(request.namespace, faults)
    settle(faults)
    makes = _Rehearsal if request.dry_run else _Import
    intake = makes(engine, namespace, Preparation(engine))
    intake.add_packs(_read_packs(engine, request, namespace))
    with open_lines(request, intake.report) as lines:
        while _take_next(intake, lines):
            if progress is not None:
                progress(*intake.report.how_far(), f"importing, {intake.taken:,} lines")
    return intake.answer()


def _take_next(intake: "_Import", lines: Iterator[Raw]) -> bool:
    """Take in the next batch; tell whether there was one."""
    with _uncollected():  # nothing here holds the batch: when that ends, there is no garbage
        return intake.take([*islice(lines, BATCH)])


@contextmanager
def _uncollected() -> Generator[None]:
    """Let Python not look for garbage meanwhile.

    A batch makes a million small objects, hardly any of them in a circle; to look through them
    again and again took a sixth of the time.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


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
    taken: int = 0
    refused: int = 0
    errors: list[Fault] = field(default_factory=list[Fault])
    memories: Counter[Effect] = field(default_factory=Counter[Effect])
    entities: ImportCounts = field(default_factory=lambda: ImportCounts(0, 0, 0))
    homes: int = 0
    packs: int = 0
    secrets: Counter[str] = field(default_factory=Counter[str])
    report: Report = field(default_factory=Report)

    def take(self, batch: Sequence[Raw]) -> bool:
        """Take in a batch: first what others depend on, whatever the order of the lines is.

        Tell whether there was anything in it.
        """
        if not batch:
            return False
        check("taking in the import; the lines before are stored")
        self.taken += len(batch)
        spots = [Spot(_name_place(place), self.engine.zone, []) for place, _ in batch]
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
        return True

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
            skipped=self.report.skipped or None,
            format=self.report.format,
            dry_run=isinstance(self, _Rehearsal) or None,
            errors=self.errors,
            memories=memories,
            entities=entities,
            namespaces=self.homes,
            packs=self.packs,
            warnings=[*self.report.told(), *self.preparation.warn()] or None,
            as_of=self.engine.as_of(),
            redacted=dict(self.secrets) or None,
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
        read = MemoryReader(self.engine, self.secrets).read([*lines])
        good = [one for one in read if not one.spot.faults]
        for spot, effect in take_in(self.engine, good, self.preparation):
            if not spot.faults:
                self.memories[effect] += 1

    def _take_entities(self, lines: Iterable[tuple[str, Sorted]]) -> None:
        batch = self._read_entities(EntityReader(self.engine), lines)
        if not batch:
            return
        with self.engine.write() as writer:
            for namespace, found in batch.items():
                self._count_entities(writer.put_entities(namespace, found))

    def _read_entities(
        self, reader: EntityReader, lines: Iterable[tuple[str, Sorted]]
    ) -> dict[str, list[Contribution]]:
        batch: dict[str, list[Contribution]] = {}
        for namespace, one in lines:
            found = reader.read(namespace, one)
            if found is None or one.spot.faults:
                continue
            if self.engine.workshop.settings(namespace).redacts:
                found = clean_contribution(found, self.secrets)
            batch.setdefault(namespace, []).append(found)
        return batch

    def _count_entities(self, some: ImportCounts) -> None:
        self.entities = ImportCounts(
            self.entities.added + some.added,
            self.entities.changed + some.changed,
            self.entities.unchanged + some.unchanged,
        )


@dataclass(slots=True)
class _Rehearsal(_Import):
    """An import that writes nothing, and counts what it would have come to."""

    foresight: Foresight = field(default_factory=Foresight)

    def add_packs(self, packs: Iterable[StoredPack]) -> None:
        """Count packs that are not kept in this form, and let the lines that follow use them."""
        self.packs += self.foresight.expect_packs(self.engine.store.packs(), packs)

    def _take_homes(self, lines: Iterable[tuple[str, Sorted]]) -> None:
        for namespace, one in lines:
            home = read_home(self.engine, namespace, one)
            before = self.engine.store.records.namespace(namespace)
            if not one.spot.faults:
                self.homes += dict(before.settings) != dict(home.row.settings)

    def _take_memories(self, lines: Iterable[tuple[str, Sorted]]) -> None:
        read = MemoryReader(self.engine, self.secrets).read([*lines])
        good = [one for one in read if not one.spot.faults]
        for one, effect in foresee(self.engine, good):
            if one.spot.faults:
                continue
            again = None if effect is Effect.OVER else self.foresight.again(one.place, one.told)
            self.memories[again or effect] += 1

    def _take_entities(self, lines: Iterable[tuple[str, Sorted]]) -> None:
        reader = EntityReader(self.engine, self.foresight.catalogs(self.engine))
        for namespace, found in self._read_entities(reader, lines).items():
            self._count_entities(self.foresight.count_entities(self.engine, namespace, found))


def _name_place(place: int | str) -> str:
    """Return where something stands: in a line, or where its place says."""
    return f"/lines/{place}" if isinstance(place, int) else place
