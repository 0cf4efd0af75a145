"""Which indexes there are."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.memory.remembering import Clock, open_at

from winnow.access import FULL, Access, Scope
from winnow.memory import Memory
from winnow.memory.indexes.changing import Changes, begin_changes
from winnow.memory.indexes.directory import Directory
from winnow.memory.indexes.settings import IndexSettings


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Generator[Memory]:
    with open_at(tmp_path / "w.db", clock) as opened:
        yield opened


def put(memory: Memory, name: str, ends: int | None = None) -> None:
    directory = Directory(memory.engine)
    with memory.engine.write() as writer:
        changes: Changes = begin_changes(memory.engine, writer, directory.now())
        changes.indexes.put(name, IndexSettings(expires_at=ends))


def names(directory: Directory, access: Access = FULL) -> list[str]:
    return [index.name for index in directory.list(access)]


def test_an_index_is_made_here_or_is_a_namespace_with_memories(memory: Memory) -> None:
    directory = Directory(memory.engine)
    assert directory.find("k") is None
    put(memory, "k")
    memory.store(text="t", namespace="office")
    memory.admin.set_namespace("empty", language="german")
    assert names(directory) == ["k", "office"]
    found, other = directory.find("k"), directory.find("office")
    assert found is not None
    assert other is not None
    assert (found.own, other.own) == (True, False)


def test_others_see_only_what_they_may(memory: Memory) -> None:
    put(memory, "k")
    put(memory, "mine")
    assert names(Directory(memory.engine), Access(frozenset(Scope), frozenset({"mine"}))) == [
        "mine"
    ]


def test_what_another_process_changes_is_seen_at_once(memory: Memory, tmp_path: Path) -> None:
    directory = Directory(memory.engine)
    assert directory.find("k") is None
    with open_at(tmp_path / "w.db", Clock()) as other:
        put(other, "k")
    assert directory.find("k") is not None


def test_an_index_whose_time_is_over_is_none_and_is_to_be_dropped(
    memory: Memory, clock: Clock
) -> None:
    directory = Directory(memory.engine)
    put(memory, "k", directory.now() + 1_000)
    assert directory.find("k") is not None
    assert directory.overdue() == []
    clock.move(seconds=1)
    assert directory.find("k") is None
    assert names(directory) == []
    assert directory.overdue() == ["k"]
    with memory.engine.write() as writer:
        begin_changes(memory.engine, writer, directory.now()).indexes.drop_overdue("k")
    assert directory.overdue() == []
