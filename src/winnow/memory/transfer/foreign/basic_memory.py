"""A folder of Basic Memory: notes with observations and relations as items of lists.

Its format is described at https://docs.basicmemory.com/concepts/knowledge-format:
`- [category] text #tag (context)` and `- relation_type [[Target]] (context)`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from winnow.memory.transfer.foreign.notes import FoundNote, read_folder
from winnow.memory.transfer.foreign.report import Report
from winnow.memory.transfer.foreign.source import Source
from winnow.memory.transfer.lines import Raw
from winnow.vault.note import Note

SYSTEM: Final = "basic-memory"
LINKS: Final = "links_to"
"""What Basic Memory calls a link that stands in a sentence."""


def read_basic_memory(source: Source, report: Report) -> Iterator[Raw]:
    """Yield a memory for each note, known by its permalink, or else by its path."""
    places: dict[str, str] = {}

    def adopt(found: FoundNote, report: Report) -> tuple[str, Mapping[str, object]]:
        more = {
            "observations": _read_observations(found.note),
            "relations": _read_relations(found.note),
        }
        return _find_name(found, report, places), more

    return read_folder(source, report, SYSTEM, adopt)


def _find_name(found: FoundNote, report: Report, places: dict[str, str]) -> str:
    permalink = found.note.frontmatter.get("permalink")
    if not isinstance(permalink, str) or not permalink.strip():
        return found.path
    first = places.setdefault(permalink, found.path)
    if first == found.path:
        return permalink
    report.remark(f"{found.path}: {first} has its permalink too; it is known by its path")
    return found.path


def _read_observations(note: Note) -> dict[str, list[str]]:
    """Return the texts of observations by their category; their words stand in the text too."""
    observations: dict[str, list[str]] = {}
    for _, line in note.visible_lines():
        found = _OBSERVATION.fullmatch(line)
        if found and not _NO_CATEGORY.fullmatch(found["category"].strip()):
            observations.setdefault(found["category"].strip(), []).append(found["text"].strip())
    return observations


def _read_relations(note: Note) -> dict[str, list[str]]:
    """Return the targets of relations by their type, and those of links in sentences."""
    relations: dict[str, list[str]] = {}
    typed: set[int] = set()
    for number, line in note.visible_lines():
        found = _RELATION.fullmatch(line)
        if found:
            typed.add(number)
            sort = found["quoted"] or found["word"]
            _add(relations, sort.strip("\"'").strip(), found["target"].split("|")[0].strip())
    for link in note.links:
        if link.line not in typed and link.target and link.line >= note.body_line:
            _add(relations, LINKS, link.target)
    return relations


def _add(relations: dict[str, list[str]], sort: str, target: str) -> None:
    if target and target not in relations.setdefault(sort, []):
        relations[sort].append(target)


_ITEM: Final = r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+"
_OBSERVATION = re.compile(_ITEM + r"\[(?P<category>[^\[\]()]+)\][ \t]+(?P<text>\S.*)")
_NO_CATEGORY = re.compile(r"|[xX\W]|[\d:.,\s-]+")
"""The boxes of tasks, and times of a transcript."""
_RELATION = re.compile(
    _ITEM
    + r"(?:(?P<quoted>\"[^\"]+\"|'[^']+')|(?P<word>[^\s\[\"']\S*))[ \t]+"
    + r"\[\[(?P<target>[^\[\]]+)\]\][ \t]*(?:\([^()]*\))?[ \t]*"
)
