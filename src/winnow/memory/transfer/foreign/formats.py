"""The formats that an import reads, by name: a new one is a row here and a reader."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from winnow.memory.transfer.foreign.basic_memory import read_basic_memory
from winnow.memory.transfer.foreign.graph import read_graph
from winnow.memory.transfer.foreign.markdown import read_markdown
from winnow.memory.transfer.foreign.mem0 import read_mem0
from winnow.memory.transfer.foreign.report import Report
from winnow.memory.transfer.foreign.rows import read_rows
from winnow.memory.transfer.foreign.source import Source
from winnow.memory.transfer.lines import Raw

Reader: TypeAlias = Callable[[Source, Report], Iterator[Raw]]
"""Yields memories as objects of an import, and an UnreadableValue for each that is none."""


class Takes(StrEnum):
    """What a format can be read from."""

    STREAM = "a file"
    FOLDER = "a folder"
    OBJECTS = "objects of Python"


@dataclass(frozen=True, slots=True)
class Format:
    """One format: what it is, in a few words, what it is read from, and how."""

    what: str
    takes: frozenset[Takes]
    read: Reader


def read_own(source: Source, _: Report) -> Iterator[Raw]:
    """Yield the lines of an export of Winnow."""
    return source.lines()


_FOLDER: Final = frozenset({Takes.FOLDER})
_OBJECTS: Final = frozenset({Takes.STREAM, Takes.OBJECTS})

WINNOW: Final = "winnow"
FORMATS: Final[Mapping[str, Format]] = {
    WINNOW: Format("JSON lines of winnow export, or plain objects", _OBJECTS, read_own),
    "mcp-memory": Format("the JSON lines of the MCP memory server", _OBJECTS, read_graph),
    "mem0": Format("JSON of mem0", _OBJECTS, read_mem0),
    "basic-memory": Format("a folder of Basic Memory", _FOLDER, read_basic_memory),
    "markdown": Format("a folder of Markdown, each file a memory", _FOLDER, read_markdown),
    "csv": Format("a table whose columns --map names", frozenset({Takes.STREAM}), read_rows),
}


def describe_formats(takes: Takes) -> str:
    """List the formats that can be read from something."""
    some = (f"{name} ({one.what})" for name, one in FORMATS.items() if takes in one.takes)
    return ", ".join(some)
