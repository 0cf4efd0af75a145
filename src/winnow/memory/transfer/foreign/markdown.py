"""A folder of Markdown whose files become memories, one each."""

from collections.abc import Iterator, Mapping
from typing import Final

from winnow.memory.transfer.foreign.notes import FoundNote, read_folder
from winnow.memory.transfer.foreign.report import Report
from winnow.memory.transfer.foreign.source import Source
from winnow.memory.transfer.lines import Raw

SYSTEM: Final = "markdown"


def read_markdown(source: Source, report: Report) -> Iterator[Raw]:
    """Yield a memory for each file, known by its path."""
    return read_folder(source, report, SYSTEM, _adopt)


def _adopt(found: FoundNote, _: Report) -> tuple[str, Mapping[str, object]]:
    return found.path, {}
