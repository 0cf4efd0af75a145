"""Where a recall looks: in notes, in memories, by vectors, and in other systems.

Each name stands for a way to be found. `vault` finds notes by their words, `memory` finds stored
memories by theirs, and `vector` finds both by their vectors.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from winnow.errors import Fault, unknown

OWN_SOURCES = ("vault", "memory", "vector")
OTHER_SOURCES = ("codegraph", "pageindex", "onyx")
SOURCES = (*OWN_SOURCES, *OTHER_SOURCES)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The sources that a request names, in its order, and those of the store that are asked."""

    named: tuple[str, ...]
    own: frozenset[str]

    @property
    def others(self) -> tuple[str, ...]:
        """The sources that are other systems."""
        return tuple(name for name in self.named if name in OTHER_SOURCES)

    @property
    def by_vector(self) -> bool:
        """Tell whether vectors are looked at."""
        return "vector" in self.own

    @property
    def by_words(self) -> bool:
        """Tell whether words are looked at."""
        return not self.own.isdisjoint(("vault", "memory"))

    @property
    def words_of_all(self) -> bool:
        """Tell whether words are looked at in notes and in memories."""
        return self.own.issuperset(("vault", "memory"))

    @property
    def has_notes(self) -> bool:
        """Tell whether notes are in the running."""
        return self.by_vector or "vault" in self.own

    @property
    def has_memories(self) -> bool:
        """Tell whether stored memories are in the running."""
        return self.by_vector or "memory" in self.own


def choose_sources(raw: Sequence[str] | str | None, faults: list[Fault]) -> Chosen:
    """Read the names of sources, a list or comma text; none at all mean the store's own."""
    names: dict[str, None] = {}
    for name, place in _split(raw):
        if name in SOURCES:
            names[name] = None
        else:
            faults.append(Fault(place, unknown("source", name, SOURCES)))
    own = frozenset(OWN_SOURCES)
    return Chosen(tuple(names), own.intersection(names) if names else own)


def _split(raw: Sequence[str] | str | None) -> Iterator[tuple[str, str]]:
    """Yield each name with the pointer to it; blank ones name nothing."""
    items = raw.split(",") if isinstance(raw, str) else raw or ()
    for index, item in enumerate(items):
        for name in item.split(","):
            if name.strip():
                yield name.strip(), f"/sources/{index}"
