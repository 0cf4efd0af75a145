"""Files of other systems, brought into a store."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from winnow.memory import Memory
from winnow.operations.memories import MemoryRecord
from winnow.operations.reports import ImportAnswer


def write(folder: Path, name: str, text: str | bytes) -> Path:
    """Write a file of a folder, with the folders above it."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def lines(*objects: object) -> str:
    """The objects as JSON, one a line."""
    return "".join(f"{json.dumps(one)}\n" for one in objects)


def bring(memory: Memory, path: Path, **options: Any) -> ImportAnswer:
    """Import what has no faults; a dry run foretells it, and a second import changes nothing."""
    before = stored(memory)
    foretold = memory.admin.import_(str(path), dry_run=True, **options)
    assert stored(memory) == before
    answer = memory.admin.import_(str(path), **options)
    assert answer.errors == []
    assert foretold == replace(answer, dry_run=True, as_of=foretold.as_of)
    again = memory.admin.import_(str(path), **options)
    assert counts(again) == (0, 0, sum(counts(answer)), 0)
    return answer


def told(answer: ImportAnswer) -> list[str]:
    """The faults of an answer, as they are shown."""
    return [str(fault) for fault in answer.errors]


def counts(answer: ImportAnswer) -> tuple[int, int, int, int]:
    """What was added, changed, unchanged and refused."""
    return answer.added, answer.changed, answer.unchanged, answer.refused


def stored(memory: Memory) -> dict[str, MemoryRecord]:
    """All memories by their ids."""
    found: Iterable[MemoryRecord] = memory.list(limit=1_000).memories or ()
    return {one.id: one for one in found}


def said(record: MemoryRecord) -> Mapping[str, Any]:
    """What a memory says beside its times and its kind."""
    fields = ("text", "title", "entity", "source", "tags", "metadata")
    return {name: value for name in fields if (value := getattr(record, name))}
