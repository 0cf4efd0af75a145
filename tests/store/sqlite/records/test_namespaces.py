import pytest
from tests.store.remembering import memory, put

from winnow.errors import InvalidRequest
from winnow.store.memories import NamespaceRow
from winnow.store.sqlite.store import SqliteStore
from winnow.values import Json

SETTINGS: dict[str, Json] = {
    "governance": {"auto_classify_kind": "regex_only"},
    "n": [1, 2.0, None],
}


def put_row(store: SqliteStore, row: NamespaceRow) -> int:
    with store.write() as writer:
        writer.records.put_namespace(row)
    return store.last_change().number


def test_settings_come_back_as_they_were(store: SqliteStore) -> None:
    row = NamespaceRow("work\0 é", SETTINGS)
    put_row(store, row)
    assert repr(store.records.namespace("work\0 é")) == repr(row)
    assert store.namespaces() == ["work\0 é"]


def test_a_namespace_that_is_not_there_has_no_settings(store: SqliteStore) -> None:
    assert store.records.namespace("nowhere") == NamespaceRow("nowhere", {})
    assert store.records.namespaces() == []


def test_settings_are_replaced_as_a_whole(store: SqliteStore) -> None:
    first = put_row(store, NamespaceRow("a", SETTINGS))
    assert put_row(store, NamespaceRow("a", SETTINGS)) == first
    assert put_row(store, NamespaceRow("a", {"m": 1})) == first + 1
    assert store.records.namespace("a").settings == {"m": 1}


def test_settings_leave_the_counter_alone(store: SqliteStore) -> None:
    with store.write() as writer:
        writer.records.new_id("a")
        writer.records.put_namespace(NamespaceRow("a", SETTINGS))
    assert store.records.namespace("a") == NamespaceRow("a", SETTINGS, 1)


def test_all_namespaces_are_listed_by_name(store: SqliteStore) -> None:
    (key,) = put(store, memory("m1", namespace="c"))
    put_row(store, NamespaceRow("b", {}, 7))
    put_row(store, NamespaceRow("a", SETTINGS))
    with store.write() as writer:
        writer.records.delete([key], 2_000)
    expected = [NamespaceRow("a", SETTINGS), NamespaceRow("b", {}, 7), NamespaceRow("c", {})]
    assert store.records.namespaces() == expected
    assert store.namespaces() == ["a"]


@pytest.mark.parametrize(
    "row",
    [
        NamespaceRow("", {}),
        NamespaceRow("a", {"x": float("nan")}),
        NamespaceRow("a", {"x": "\ud800"}),
        NamespaceRow("a", {}, 2**63),
    ],
    ids=repr,
)
def test_what_can_not_be_stored_is_refused(store: SqliteStore, row: NamespaceRow) -> None:
    with store.write() as writer, pytest.raises(InvalidRequest):
        writer.records.put_namespace(row)
    assert store.records.namespaces() == []
