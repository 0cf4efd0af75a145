import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.remembering import living_after, memory, put, temporary_store

from winnow.errors import InvalidRequest
from winnow.store.memories import NamespaceRow
from winnow.store.sqlite.store import SqliteStore, open_store

STORE_MANY = """
import sys
from pathlib import Path
from winnow.store.memories import Record
from winnow.store.sqlite.store import open_store
store = open_store(Path(sys.argv[1]))
sys.stdin.readline()
for number in range(50):
    with store.write() as writer:
        record = writer.records.new_id("default")
        plain = ("", "told", None, None, None, (), 0.5, None, {}, 1, 1, None)
        writer.records.put(Record("default", record, sys.argv[2] + str(number), *plain))
        print(record)
store.close()
"""


def new_ids(store: SqliteStore, count: int, namespace: str = "default") -> list[str]:
    with store.write() as writer:
        return [writer.records.new_id(namespace) for _ in range(count)]


def store_one(store: SqliteStore, namespace: str = "default") -> str:
    with store.write() as writer:
        record = writer.records.new_id(namespace)
        writer.records.put(memory(record, namespace=namespace))
    return record


def test_automatic_ids_count_up_in_each_namespace(store: SqliteStore) -> None:
    assert [store_one(store) for _ in range(3)] == ["m1", "m2", "m3"]
    assert store_one(store, "other") == "m1"
    with closing(open_store(store.path)) as again:
        assert [store_one(again), store_one(again, "other")] == ["m4", "m2"]


def test_an_automatic_id_passes_over_one_that_was_given_by_hand(store: SqliteStore) -> None:
    put(store, memory("m2"), memory("m3"), memory("m5"))
    assert [store_one(store) for _ in range(4)] == ["m1", "m4", "m6", "m7"]
    assert len(living_after(store, 0)) == 7


@pytest.mark.parametrize("purge", [False, True])
def test_an_id_is_never_used_again(store: SqliteStore, purge: bool) -> None:
    """Neither an automatic one nor one that was given by hand, deleted or purged."""
    assert store_one(store) == "m1"
    (ahead,) = put(store, memory("m3"))
    with store.write() as writer:
        key = writer.records.find("default", "m1")
        keys = [key or 0, ahead]
        count = writer.records.purge(keys) if purge else writer.records.delete(keys, 2_000)
    assert count == 2
    assert [store_one(store) for _ in range(3)] == ["m2", "m4", "m5"]


def test_an_id_swept_away_is_never_used_again(store: SqliteStore) -> None:
    put(store, memory("m1", expires_at=5), memory("m2", expires_at=5))
    with store.write() as writer:
        assert writer.records.sweep(5, 0) == 2
    assert new_ids(store, 2) == ["m3", "m4"]


def test_ids_that_only_look_automatic_are_not_in_the_way(store: SqliteStore) -> None:
    odd = ["m0", "m01", "M1", "m1 ", "m-1", "m１", "m", "m1\0", f"m{2**70}", f"m{2**63 - 1}"]
    keys = put(store, *(memory(name) for name in odd))
    with store.write() as writer:
        assert writer.records.purge(keys) == len(odd)
    assert new_ids(store, 2) == ["m1", "m2"]
    assert store.upkeep.check() == []


def test_an_id_that_was_taken_and_not_used_is_gone(store: SqliteStore) -> None:
    last = store.last_change()
    assert new_ids(store, 2) == ["m1", "m2"]
    assert store.last_change() == last
    assert store_one(store) == "m3"


def test_an_id_of_a_transaction_that_was_undone_was_never_taken(store: SqliteStore) -> None:
    def fail() -> None:
        with store.write() as writer:
            assert writer.records.new_id("default") == "m1"
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert new_ids(store, 1) == ["m1"]


def test_a_counter_can_be_set_forwards_and_never_back(store: SqliteStore) -> None:
    assert store_one(store) == "m1"
    for counter, then in ((9, "m10"), (3, "m11")):
        with store.write() as writer:
            writer.records.put_namespace(NamespaceRow("default", {}, counter))
        assert store_one(store) == then
    assert store.records.namespace("default").counter == 11


def test_an_automatic_id_needs_a_namespace(store: SqliteStore) -> None:
    with pytest.raises(InvalidRequest, match="needs a name"):
        new_ids(store, 1, "")


def test_processes_that_store_at_once_lose_nothing_and_share_no_id(store: SqliteStore) -> None:
    """F91, F92."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", STORE_MANY, str(store.path), f"P{n}-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(4)
    ]
    answers = [child.communicate("go\n") for child in children]
    assert [errors for _, errors in answers] == [""] * 4
    ids = [one for printed, _ in answers for one in printed.split()]
    assert sorted(ids) == sorted(f"m{n}" for n in range(1, 201))
    found = [text for batch in store.records.scan(0) for text in batch.texts]
    assert sorted(found) == sorted(f"P{n}-{number}" for n in range(4) for number in range(50))
    assert store.upkeep.check() == []


@dataclass(frozen=True)
class Given:
    number: int


@dataclass(frozen=True)
class Purged:
    number: int


steps = st.lists(
    st.none() | st.builds(Given, st.integers(1, 8)) | st.builds(Purged, st.integers(1, 8)),
    max_size=20,
)


@settings(max_examples=50)
@given(steps)
def test_no_automatic_id_was_ever_in_use(history: Sequence[Given | Purged | None]) -> None:
    used: set[str] = set()
    with temporary_store() as store:
        for step in history:
            match step:
                case Given(number):
                    put(store, memory(f"m{number}"))
                    used.add(f"m{number}")
                case Purged(number):
                    key = store.records.find("default", f"m{number}")
                    with store.write() as writer:
                        writer.records.purge([] if key is None else [key])
                case None:
                    record = store_one(store)
                    assert record not in used
                    assert f"m{int(record[1:]) - 1}" in {"m0", *used}
                    used.add(record)
