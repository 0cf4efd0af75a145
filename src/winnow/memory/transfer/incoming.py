"""Memories on their way in: read from lines, merged with what is stored, prepared and written."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

from winnow.embed.base import Embedder
from winnow.embed.external import ExternalEmbedder
from winnow.embed.floats import SIZE
from winnow.memory.changes.cleaning import clean_told
from winnow.memory.engine import Engine
from winnow.memory.times import milliseconds
from winnow.memory.transfer.archive import Told, read_alike
from winnow.memory.transfer.beginning import begin_all
from winnow.memory.transfer.lines import Sorted
from winnow.memory.transfer.merging import Effect, Merged, merge
from winnow.memory.transfer.preparing import Preparation
from winnow.memory.transfer.slots import Spot
from winnow.store.additions import Additions
from winnow.store.memories import Record, RecordLookup, RecordWriter, Version

Place: TypeAlias = tuple[str, str]
"""A namespace, and an id in it."""


class Incoming(NamedTuple):
    """What a line says of the memory at a place."""

    place: Place
    told: Told
    spot: Spot


@dataclass(slots=True)
class MemoryReader:
    """Reads lines as memories of their namespaces, whose settings do not change meanwhile.

    `secrets` counts those that are left out, by kind.
    """

    engine: Engine
    secrets: Counter[str] = field(default_factory=Counter[str])

    def read(self, lines: Sequence[tuple[str, Sorted]]) -> list[Incoming]:
        """Read lines of namespaces; what is wrong with one is added to the faults of its spot.

        Those of a namespace that have the same keys are read together.
        """
        alike: dict[tuple[str, ...], list[int]] = {}
        for place, (namespace, one) in enumerate(lines):
            alike.setdefault((namespace, *one.line), []).append(place)
        found: dict[int, Incoming] = {}
        for (namespace, *_), places in alike.items():
            read = self._read_alike(namespace, [lines[place][1] for place in places])
            found.update(zip(places, read, strict=True))
        return [found[place] for place in range(len(lines))]

    def _read_alike(self, namespace: str, lines: Sequence[Sorted]) -> Iterator[Incoming]:
        workshop = self.engine.workshop
        settings = workshop.settings(namespace)
        embedder = workshop.embedder(settings.embedder) if "vector" in lines[0].line else None
        spots = [one.spot for one in lines]
        # Another one may have to be fetched, or asked, for a name that nobody needs.
        model = embedder.identity if isinstance(embedder, ExternalEmbedder) else None
        told = read_alike(namespace, [one.line for one in lines], spots, model)
        for one, spot in zip(told, spots, strict=True):
            if one.vector is not None and one.history is None:
                _check_vector(embedder, one.vector.vector, spot)
            clean = settings.redacts and not spot.faults
            said = clean_told(one, self.secrets) if clean else one
            yield Incoming((namespace, one.id), said, spot)


def _check_vector(embedder: Embedder | None, vector: bytes | None, spot: Spot) -> None:
    """Refuse a caller's vector that its namespace does not take."""
    if not isinstance(embedder, ExternalEmbedder):
        detail = "this namespace makes its own vectors; set its embedder to external:DIMENSION"
        spot.refuse("vector", detail)
        return
    count = len(vector or b"") // SIZE
    if count and count != embedder.dimension:
        spot.refuse("vector", f"expected {embedder.dimension} numbers, got {count}")


def take_in(
    engine: Engine, memories: Sequence[Incoming], preparation: Preparation
) -> Iterator[tuple[Spot, Effect]]:
    """Write memories, and yield what each line came to; one that is refused has a fault."""
    for some in _without_repeats(memories):
        effects = _take_some(engine, some, preparation)
        yield from zip((one.spot for one in some), effects, strict=True)


def foresee(engine: Engine, memories: Sequence[Incoming]) -> Iterator[tuple[Incoming, Effect]]:
    """Yield what each memory would come to as the store is now, and write nothing."""
    now = milliseconds(engine.clock())
    stored = _find(engine.store.records, memories)
    for one in memories:
        yield one, _merge(one, stored.get(one.place), now).effect


def _without_repeats(memories: Sequence[Incoming]) -> Iterator[list[Incoming]]:
    """Cut where a place comes again: the later line speaks of what the earlier one has made."""
    some: dict[Place, Incoming] = {}
    for one in memories:
        if one.place in some:
            yield [*some.values()]
            some = {}
        some[one.place] = one
    if some:
        yield [*some.values()]


def _take_some(
    engine: Engine, memories: Sequence[Incoming], preparation: Preparation
) -> list[Effect]:
    """Write memories of different places.

    All that takes long is made before the transaction. If somebody has changed one of them
    meanwhile, it begins anew.
    """
    while True:
        now, seen = milliseconds(engine.clock()), engine.store.last_change().number
        stored = _find(engine.store.records, memories)
        new = [one for one in memories if _is_new(one, stored, now)]
        places = {one.place for one in new} if new else frozenset[Place]()
        others = [one for one in memories if one.place not in places]
        merged = [_merge(one, stored.get(one.place), now) for one in others]
        written = [one for one in merged if one.effect in _WRITTEN]
        effects = {one.place: two.effect for one, two in zip(others, merged, strict=True)}
        if not written and not new:
            return [effects[one.place] for one in memories]
        add, finish = _begin_new(preparation, new, now), _prepare(preparation, written)
        with engine.write() as writer:
            moved = engine.store.last_change().number != seen
            if not (moved and _changes(_find(writer.records, memories)) != _changes(stored)):
                add(writer.additions)
                if written:
                    writer.records.restore(finish(writer.records))
                return [effects.get(one.place, Effect.ADDED) for one in memories]


def _is_new(one: Incoming, stored: Mapping[Place, Version], now: int) -> bool:
    """Tell whether a memory is one that nothing is stored of, that never changed, and is due."""
    if one.told.history or one.told.deleted_at is not None or one.place in stored:
        return False
    ends = one.told.values.get("expires_at")
    return ends is None or ends > now


def _begin_new(
    preparation: Preparation, new: Sequence[Incoming], now: int
) -> Callable[[Additions], None]:
    """Begin to add memories that nothing is stored of."""
    told: dict[str, list[Told]] = {}
    for one in new:
        told.setdefault(one.place[0], []).append(one.told)
    begun = [begin_all(preparation, name, some, now) for name, some in told.items()]

    def add(additions: Additions) -> None:
        for finish in begun:
            additions.add(finish(additions))

    return add


def _find(records: RecordLookup, memories: Sequence[Incoming]) -> dict[Place, Version]:
    ids: dict[str, list[str]] = {}
    for one in memories:
        ids.setdefault(one.place[0], []).append(one.place[1])
    return {
        (namespace, name): version
        for namespace, names in ids.items()
        for name, version in records.find_versions(namespace, names).items()
    }


def _changes(stored: dict[Place, Version]) -> dict[Place, int]:
    return {place: version.change for place, version in stored.items()}


def _merge(one: Incoming, stored: Version | None, now: int) -> Merged:
    piece = None if stored is None else stored.record.piece
    if stored is not None and piece is not None:
        name = one.place[1]
        one.spot.refuse("id", f"{name!r} is a piece of the note {piece.path!r}; change it there")
        return Merged(stored, Effect.UNCHANGED)
    return merge(one.place[0], one.told, stored, now)


def _prepare(
    preparation: Preparation, merged: Sequence[Merged]
) -> Callable[[RecordWriter], list[Version]]:
    """Begin to give memories what they lack: kinds, terms and vectors."""
    new: dict[str, list[int]] = {}
    for place, one in enumerate(merged):
        if not one.version.record.terms:
            new.setdefault(one.version.record.namespace, []).append(place)
    begun = [
        (places, preparation.prepare([_hold(merged[place]) for place in places]))
        for places in new.values()
    ]

    def finish(records: RecordWriter) -> list[Version]:
        versions = [one.version for one in merged]
        for places, end in begun:
            for place, record in zip(places, end(records), strict=True):
                old = versions[place]  # made anew, for `replace` is slow
                versions[place] = Version(_release(record), old.deleted_at, old.history)
        return versions

    return finish


def _hold(merged: Merged) -> Record:
    """Return a memory of which nobody makes a vector if it shall have none."""
    record = merged.version.record
    return replace(record, model=_NONE) if merged.settled and record.model is None else record


def _release(record: Record) -> Record:
    return replace(record, model=None) if record.model == _NONE else record


_NONE: Final = ""
_WRITTEN: Final = frozenset({Effect.ADDED, Effect.CHANGED})
