"""What was purged is forgotten only while nobody could miss it."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.store.remembering import memory, put

from winnow.store.segments import Derived
from winnow.store.sqlite.store import open_store
from winnow.store.sqlite.upkeep import check, purging
from winnow.store.sqlite.upkeep.purging import forget_purged


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a list of more than three be a long one."""
    for module in (check, purging):
        monkeypatch.setattr(module, "MOST_PURGED", 3)


@pytest.fixture
def purged(path: Path) -> Path:
    with closing(open_store(path)) as store:
        keys = put(store, *(memory(f"m{number}") for number in range(5)))
        with store.write() as writer:
            writer.records.purge(keys[:4])
            writer.segments.put(Derived("records", "stamp", 1, ()))
    return path


def test_a_long_list_is_emptied_with_the_files_that_rest_on_it(purged: Path) -> None:
    with closing(open_store(purged)) as store:
        assert [one.code for one in store.upkeep.check(10_000)] == ["many_purged"]
    problem = forget_purged(purged)
    assert problem is not None
    assert (problem.code, problem.count) == ("many_purged", 4)
    with closing(open_store(purged)) as store:
        assert store.upkeep.check(10_000) == []
        assert list(store.segments.list()) == []
        assert store.records.find("default", "m4") is not None
        assert put(store, memory("m9")) == [6]  # no key is given twice
    assert forget_purged(purged) is None


def test_nothing_is_forgotten_while_a_program_has_the_store_open(purged: Path) -> None:
    with closing(open_store(purged)) as store:
        seen = store.last_change().number
        assert forget_purged(purged) is None
        assert [one.code for one in store.upkeep.check(10_000)] == ["many_purged"]
        assert sum(len(batch.dead) for batch in store.records.scan(seen - 1)) == 4
        put(store, memory("m9"))
    assert forget_purged(purged) is not None


def test_a_short_list_stays(path: Path) -> None:
    with closing(open_store(path)) as store, store.write() as writer:
        writer.records.purge([writer.records.put(memory("m1"))])
    assert forget_purged(path) is None
