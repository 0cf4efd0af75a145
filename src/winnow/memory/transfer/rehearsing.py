"""What a dry run remembers of the lines before: later ones speak of what those would have made."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b

from winnow.memory.engine import Engine
from winnow.memory.transfer.merging import Effect
from winnow.packs import load_pack
from winnow.schema import Catalog
from winnow.store.base import Contribution, ImportCounts, StoredPack


class _Undone(Exception):
    """Raised so that a transaction leaves nothing behind."""


@dataclass(slots=True)
class Foresight:
    """The packs that would be there, and of each thing a digest of what was said last."""

    packs: dict[tuple[str, str], StoredPack] = field(
        default_factory=dict[tuple[str, str], StoredPack]
    )
    said: dict[tuple[str, ...], bytes] = field(default_factory=dict[tuple[str, ...], bytes])

    def expect_packs(self, stored: Sequence[StoredPack], packs: Iterable[StoredPack]) -> int:
        """Return how many of these packs would be new."""
        known = {(one.namespace, one.name): one for one in stored} | self.packs
        missing = [one for one in packs if known.get((one.namespace, one.name)) != one]
        self.packs.update({(one.namespace, one.name): one for one in missing})
        return len(missing)

    def again(self, place: tuple[str, ...], said: object) -> Effect | None:
        """Return what something comes to of which a line spoke before; None if none did."""
        digest = blake2b(repr(said).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        before = self.said.get(place)
        self.said[place] = digest
        if before is None:
            return None
        return Effect.UNCHANGED if before == digest else Effect.CHANGED

    def catalogs(self, engine: Engine) -> dict[str, Catalog]:
        """Return the schemas of the namespaces that would have new ones."""
        found: dict[str, Catalog] = {}
        for (namespace, _), pack in self.packs.items():
            before = found.get(namespace) or engine.ontology.catalog(namespace)
            found[namespace] = Catalog([*before.packs, load_pack(pack.text, pack.source)])
        return found

    def count_entities(
        self, engine: Engine, namespace: str, found: Iterable[Contribution]
    ) -> ImportCounts:
        """Count what entities would come to."""
        repeated = Counter[Effect | None]()
        new: list[Contribution] = []
        last: dict[tuple[str, ...], Contribution] = {}
        for one in found:
            place = (namespace, one.schema, one.entity)
            last[place] = one
            if place not in self.said:
                new.append(one)  # repeats too: what the store makes of them is for it to say
        for place, one in last.items():
            repeated[self.again(place, one)] += 1
        alone = _rehearse(engine, namespace, new)
        return ImportCounts(
            alone.added,
            alone.changed + repeated[Effect.CHANGED],
            alone.unchanged + repeated[Effect.UNCHANGED],
        )


def _rehearse(engine: Engine, namespace: str, found: Sequence[Contribution]) -> ImportCounts:
    """Let the store say what it would do, and undo it."""
    counts = ImportCounts(0, 0, 0)
    if found:
        with suppress(_Undone), engine.store.write() as writer:
            counts = writer.put_entities(namespace, found)
            raise _Undone
    return counts
