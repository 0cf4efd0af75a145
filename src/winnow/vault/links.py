"""Where the links between the notes of a vault lead, by Obsidian's rules, but without a guess.

A link names a note by its path from the vault's root, else by the end of its path (its file name,
for one), else by an alias. Case and forms of Unicode don't count, unless several notes are left
and one of them is spelled just so. No note is preferred because it is near: a link that could
mean several is a finding, and leads to none.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import TypeAlias
from unicodedata import normalize

from winnow.records import Finding
from winnow.values import fold
from winnow.vault.paths import NOTE_ENDINGS

MOST_NAMED = 10
"""Notes that a finding names of those that a link could mean."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The target of a link as it is written, and its line; "" is the note itself."""

    target: str
    line: int


@dataclass(frozen=True, slots=True)
class LinkedNote:
    """A note by its store's key, with the names that it goes by and where its links point."""

    key: int
    path: str
    aliases: Sequence[str]
    links: Sequence[Reference]


@dataclass(frozen=True, slots=True)
class ResolvedLinks:
    """To which other notes each note leads, and its links that could lead to several."""

    targets: Mapping[int, Collection[int]]
    findings: tuple[Finding, ...]


class Names:
    """What the notes of one vault are called."""

    def __init__(self, notes: Iterable[LinkedNote]) -> None:
        self._by_path: _Index = {}
        self._by_end: _Index = {}
        self._by_alias: _Index = {}
        for note in notes:
            self._add(note)

    def find(self, target: str, source: str) -> list[LinkedNote]:
        """Return the notes that a link in the note at `source` could mean; one if it is clear."""
        wanted = _name(target)
        if wanted.startswith(("./", "../")):
            return _look_up(self._by_path, _beside(source, wanted))
        if wanted.startswith("/"):
            return _look_up(self._by_path, wanted.lstrip("/"))
        found = _look_up(self._by_path, wanted)
        if wanted != _spell(target):
            # Written as a file's name, it may also be meant from the folder of its note.
            beside = _look_up(self._by_path, _beside(source, wanted))
            found += [note for note in beside if note not in found]
        return found or _look_up(self._by_end, wanted) or _look_up(self._by_alias, _spell(target))

    def _add(self, note: LinkedNote) -> None:
        path = _name(note.path)
        _put(self._by_path, path, note)
        at = len(path)
        while at >= 0:
            at = path.rfind("/", 0, at)
            _put(self._by_end, path[at + 1 :], note)
        for alias in dict.fromkeys(map(_spell, note.aliases)):
            _put(self._by_alias, alias, note)


def resolve_links(notes: Sequence[LinkedNote]) -> ResolvedLinks:
    """Find out where the links between all notes of one vault lead.

    One that leads to no note, such as that to a picture or to a note yet to be written, is left
    out; so is one to its own note.
    """
    names = Names(notes)
    targets: dict[int, Collection[int]] = {}
    findings: list[Finding] = []
    for note in notes:
        found: dict[int, None] = {}
        for link in dict.fromkeys(note.links):
            meant = names.find(link.target, note.path) if link.target else []
            if len(meant) == 1 and meant[0].key != note.key:
                found[meant[0].key] = None
            elif len(meant) > 1:
                findings.append(_ambiguous(note, link, meant))
        if found:
            targets[note.key] = tuple(found)
    return ResolvedLinks(targets, tuple(findings))


def join_ways(targets: Mapping[int, Collection[int]]) -> dict[int, set[int]]:
    """Return for each note those that it leads to and those that lead to it."""
    joined: dict[int, set[int]] = {}
    for source, ends in targets.items():
        for end in ends:
            joined.setdefault(source, set()).add(end)
            joined.setdefault(end, set()).add(source)
    return joined


def find_neighbors(
    joined: Mapping[int, Collection[int]], notes: Iterable[int], depth: int
) -> dict[int, int]:
    """Return the notes up to `depth` links away from any of some notes, and how many it takes.

    The nearest come first; the notes themselves are none of their neighbors.
    """
    start = frozenset(notes)
    found: dict[int, int] = {}
    edge: Iterable[int] = start
    for distance in range(1, depth + 1):
        near = {other for note in edge for other in joined.get(note, ())}
        edge = sorted(near - start - found.keys())
        if not edge:
            break
        found.update(dict.fromkeys(edge, distance))
    return found


# --- names -----------------------------------------------------------------------------------

_Index: TypeAlias = dict[str, list[tuple[str, LinkedNote]]]
"""Notes by a name without its case, each with the name as it is."""


def _put(index: _Index, name: str, note: LinkedNote) -> None:
    index.setdefault(fold(name), []).append((name, note))


def _look_up(index: _Index, name: str) -> list[LinkedNote]:
    found = index.get(fold(name), [])
    exact = [note for spelling, note in found if spelling == name] if len(found) > 1 else ()
    notes = exact or [note for _, note in found]
    return list({note.key: note for note in notes}.values())


def _spell(text: str) -> str:
    """Return a name in one form of Unicode, with plain spaces."""
    return normalize("NFC", text).replace("\u00a0", " ").strip()


def _name(path: str) -> str:
    """Return a path or a link's target without the ending of notes."""
    name = _spell(path)
    ending = next((one for one in NOTE_ENDINGS if name.lower().endswith(one)), "")
    return name[: len(name) - len(ending)]


def _beside(source: str, name: str) -> str:
    """Return the path of what is named from the folder of a note."""
    return normpath(join(dirname(_spell(source)), name))


def _ambiguous(note: LinkedNote, link: Reference, meant: Sequence[LinkedNote]) -> Finding:
    paths = sorted(other.path for other in meant)
    named = [repr(path) for path in paths[:MOST_NAMED]]
    if len(paths) > MOST_NAMED:
        named.append(f"{len(paths) - MOST_NAMED:,} more")
    detail = f"a link to {link.target!r} could mean {', '.join(named[:-1])} or {named[-1]}"
    return Finding("ambiguous_link", note.path, link.line, detail)
