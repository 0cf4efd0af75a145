"""Which notes are near to which by their links, kept fresh from the store."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from threading import RLock

from winnow.records import Finding
from winnow.store.base import Store
from winnow.store.memories import LinkRow
from winnow.vault.links import (
    LinkedNote,
    Reference,
    ResolvedLinks,
    find_neighbors,
    join_ways,
    resolve_links,
)


class LinkMap:
    """The links between the notes of each vault. Safe to use from several threads.

    It is made when it is first asked, and again when notes have changed.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = RLock()
        self._seen = -1
        self._stamp: tuple[int, int] | None = None
        self._joined: Mapping[int, Collection[int]] = {}

    def neighbors(self, notes: Iterable[int], depth: int) -> dict[int, int]:
        """Return the keys of the notes up to `depth` links away, and how many links it takes.

        A link counts both ways. The nearest come first, each distance by key; `notes` are keys
        too, and are none of their neighbors.
        """
        return find_neighbors(self._now(), notes, depth)

    def _now(self) -> Mapping[int, Collection[int]]:
        with self._lock:
            number = self._store.last_change().number
            if number != self._seen:
                self._refresh()
                self._seen = number
            return self._joined

    def _refresh(self) -> None:
        found = self._store.records.links(self._stamp)
        if found is not None:
            joined: dict[int, set[int]] = {}
            for resolved in _resolve(found.rows):
                joined |= join_ways(resolved.targets)
            self._joined, self._stamp = joined, found.stamp


def find_ambiguous(store: Store, namespaces: Collection[str]) -> Iterator[Finding]:
    """Yield the links in the notes of some namespaces that could lead to several notes."""
    vaults = {vault.key for vault in store.vaults() if vault.namespace in namespaces}
    found = store.records.links()
    rows = found.rows if found is not None else ()
    for resolved in _resolve([row for row in rows if row.vault in vaults]):
        yield from resolved.findings


def _resolve(rows: Sequence[LinkRow]) -> Iterator[ResolvedLinks]:
    """Resolve the links of each vault apart: no link leads from one into another."""
    for _, notes in groupby(rows, key=attrgetter("vault")):
        yield resolve_links([_linked(note) for note in notes])


def _linked(row: LinkRow) -> LinkedNote:
    links = [Reference(str(link.get("target", "")), _line(link.get("line"))) for link in row.links]
    return LinkedNote(row.key, row.path, row.aliases, links)


def _line(value: object) -> int:
    return value if isinstance(value, int) else 0
