"""What one transaction changes: looked up once, changed in memory, written at its end."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.memory.remembering import temporary_memory
from tests.store.remembering import memory as record

from winnow.errors import Conflict
from winnow.memory import Memory
from winnow.memory.indexes.changing import Changes, begin_changes
from winnow.memory.indexes.settings import IndexSettings
from winnow.memory.times import milliseconds


@pytest.fixture
def memory() -> Generator[Memory]:
    with temporary_memory() as opened:
        yield opened


@contextmanager
def changing(memory: Memory) -> Generator[Changes]:
    engine = memory.engine
    with engine.write() as writer:
        changes = begin_changes(engine, writer, milliseconds(engine.clock()))
        yield changes
        changes.records.flush()


def texts(memory: Memory) -> dict[str, str]:
    keys = memory.engine.store.records.keys("k")
    found = memory.engine.store.records.read(keys)
    return {one.id: one.text for one in found if one is not None}


def test_what_is_put_is_found_before_it_is_written(memory: Memory) -> None:
    with changing(memory) as changes:
        records = changes.records
        records.put(record("a", namespace="k", text="one"))
        assert records.find("k", "a") == record("a", namespace="k", text="one")
        records.put(record("b", namespace="k", text="two"))
        assert records.delete("k", "a")
        assert not records.delete("k", "a")
        assert records.find("k", "a") is None
        assert records.count("k") == 1
        assert texts(memory) == {}
    assert texts(memory) == {"b": "two"}


def test_what_was_there_is_changed_and_keeps_its_history(memory: Memory) -> None:
    for text in ("one", "two"):
        with changing(memory) as changes:
            changes.records.put(record("a", namespace="k", text=text))
    with changing(memory) as changes:
        found = changes.records.find("k", "a")
        assert found is not None
        changes.records.put(replace(found, text="three"))
        changes.records.put(replace(found, text="four"))
    (key,) = memory.engine.store.records.keys("k")
    history = [past.before.text for past in memory.engine.store.records.history(key) if past.before]
    assert (texts(memory), history) == ({"a": "four"}, ["two", "one"])


def test_an_automatic_id_is_none_of_those_that_are_about_to_be_written(memory: Memory) -> None:
    with changing(memory) as changes:
        changes.records.put(record("m1", namespace="k"))
        made = [changes.records.new_id("k")]
        changes.records.put(record("m3", namespace="k"))
        made.append(changes.records.new_id("k"))
    assert made == ["m2", "m4"]


def test_ids_that_were_looked_up_and_are_free_may_become_automatic(memory: Memory) -> None:
    with changing(memory) as changes:
        changes.records.look_ahead("k", ["m1", "m2"])
        assert changes.records.new_id("k") == "m1"


def test_indexes_are_made_renamed_copied_and_dropped_with_what_was_not_written_yet(
    memory: Memory,
) -> None:
    with changing(memory) as changes:
        changes.indexes.put("k", IndexSettings())
        changes.records.put(record("a", namespace="k", text="one"))
        index = changes.indexes.find("k")
        assert index is not None
        changes.indexes.copy(index, "twin")
        changes.indexes.rename(index, "there")
        assert changes.indexes.find("k") is None
        assert sorted(one.name for one in changes.indexes.made()) == ["there", "twin"]
        twin = changes.indexes.find("twin")
        assert twin is not None
        changes.records.put(record("b", namespace="twin"))
        changes.indexes.drop(twin)
    assert memory.get("a", namespace="there").text == "one"
    assert memory.count(namespace="twin").count == 0


def test_an_index_of_another_surface_is_not_dropped(memory: Memory) -> None:
    memory.store(text="t", namespace="office", id="a")
    with changing(memory) as changes:
        index = changes.indexes.find("office")
        assert index is not None
        with pytest.raises(Conflict, match="not stored over this protocol"):
            changes.indexes.drop(index)
        with pytest.raises(Conflict, match="not stored over this protocol"):
            changes.indexes.rename(index, "x")
    assert memory.get("a", namespace="office").text == "t"
