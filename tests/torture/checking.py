"""What is there at the end, held against the ledger and against a store that was read anew."""

import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias, cast

from tests.torture.ledger import Expected
from tests.torture.speaking import Library, Way
from tests.torture.working import FIRST_IMPORTED, FIRST_NOTED, WORDS, versions_in

import winnow
from winnow.memory import Memory
from winnow.store.sqlite.connection import Connection

NOON = 2_000_000_000.0  # a time at which all answers are compared: recency is part of a score

Found: TypeAlias = "dict[str, list[int]]"
"""The versions of each thing that were found: one, if it is there once."""


def find_damage(store: Path) -> list[str]:
    """Return what SQLite and Winnow find wrong with the file."""
    with closing(Connection(store)) as connection:
        lines = connection.all(tuple[str], "PRAGMA integrity_check")
    told = [f"integrity_check: {line}" for (line,) in lines if line != "ok"]
    with winnow.open(store) as memory:
        found = memory.admin.doctor().problems
    # What is not serious is true: clocks have jumped, and words of what was purged are left.
    return told + [f"doctor: {one}" for one in found if one.serious]


def find_losses(store: Path, expected: Expected) -> list[str]:
    """Return what is missing, there twice, changed, or back from the dead."""
    with winnow.open(store) as memory:
        found, said = _read_texts(memory), _read_matters(memory)
        told = list(_compare_notes(found, said))
        if (counted := memory.count().count) != (listed := sum(1 for _ in _pages(memory))):
            told.append(f"{counted} records are counted, {listed} are listed")
    found.update((f"entity:{name}", values) for name, values in said.items() if _imported(name))
    for name in sorted(expected.tries.keys() | found.keys()):
        versions: list[int | None] = [*found.get(name, [])] or [None]
        if len(versions) > 1 or versions[0] not in expected.allowed(name):
            told.append(f"{name}: found {versions}, expected one of {expected.allowed(name)}")
    return told


def find_drift(witness: Way, store: Path, folder: Path) -> list[str]:
    """Return where answers differ: of who has followed all changes, and of who reads all anew.

    The third reads a copy of the truth alone, without anything that was derived from it.
    """
    if witness.process is None or witness.process.poll() is not None:
        return ["the process that nobody killed has died"]
    answers = {"followed": _ask_all(witness)}
    witness.close()
    winnow.open(store).close()  # the last to close it brings the log into the file
    copy = folder / "copy" / "winnow.db"
    copy.parent.mkdir()
    shutil.copy(store, copy)
    for name, path in (("opened anew", store), ("rebuilt", copy)):
        way = Library(name.replace(" ", "-"), path, folder)
        try:
            answers[name] = _ask_all(way)
        finally:
            way.close()
    first = answers.pop("followed")
    return [
        f"{question}: {name} answers {answer[question]}, not {first[question]}"
        for name, answer in answers.items()
        for question in first
        if answer[question] != first[question]
    ]


def _read_texts(memory: Memory) -> Found:
    """Read memories and pieces of notes, by name."""
    found: Found = defaultdict(list)
    for text, path in _pages(memory):
        for name, version in versions_in(text).items():
            found[f"note:{name}" if path else f"memory:{name}"].append(version)
    return found


def _read_matters(memory: Memory) -> Found:
    """Read what notes and imports say of entities."""
    found: Found = defaultdict(list)
    cursor: str | None = None
    while True:
        page = memory.list(schema="legal.Matter", limit=500, cursor=cursor)
        for one in page.entities:
            value = one.fields["dealValueUSD"]
            found[one.entity_id].append(value if isinstance(value, int) else -1)
        cursor = page.cursor
        if cursor is None:
            return found


def _compare_notes(texts: Found, said: Found) -> Iterator[str]:
    """What a note says of an entity changes with its text, in one transaction."""
    notes = {name[5:]: versions for name, versions in texts.items() if name.startswith("note:")}
    matters = {
        f"n{int(name[4:]) - FIRST_NOTED}": one for name, one in said.items() if not _imported(name)
    }
    for name in notes.keys() | matters.keys():
        if notes.get(name) != matters.get(name):
            yield f"note:{name} is {notes.get(name)}, its entity {matters.get(name)}"


def _imported(name: str) -> bool:
    return int(name.removeprefix("MAT-")) >= FIRST_IMPORTED


def _pages(memory: Memory) -> Iterator[tuple[str, str | None]]:
    cursor: str | None = None
    while True:
        page = memory.list(limit=500, cursor=cursor)
        yield from ((one.text, one.path) for one in page.memories or ())
        cursor = page.cursor
        if cursor is None:
            return


def _ask_all(way: Way) -> Mapping[str, Any]:
    """Ask the same questions at the same time."""
    way.begin()
    way.turn_clock(0, still=NOON)
    asked: dict[str, Callable[[], Any]] = {
        f"recall {word}": lambda word=word: _hits(way, query=word, limit=50) for word in WORDS[:12]
    }
    asked |= {
        f"where {word}": lambda word=word: way.call("count", where=f'text contains "{word}"')
        for word in WORDS[12:24]
    }
    asked["two words"] = lambda: _hits(way, query="night tide pilot", limit=100)
    asked["matters"] = lambda: _hits(way, schema="legal.Matter", where="dealValueUSD > 3")
    asked["kinds"] = lambda: way.call("aggregate", group_by=["kind"])
    return {question: _without_time(ask()) for question, ask in asked.items()}


def _hits(way: Way, **arguments: Any) -> Any:
    answer = way.call("recall", **arguments)
    return answer["filteredEntities"], [
        (one.get("id") or one.get("entityId"), round(one["score"], 5)) for one in answer["hits"]
    ]


def _without_time(answer: Any) -> Any:
    if isinstance(answer, dict):
        cast("dict[str, Any]", answer).pop("asOf", None)
    return cast("Any", answer)
