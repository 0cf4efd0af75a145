"""Which memory an id or an address means, and what is said where none is meant."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.memory.remembering import Clock

from winnow.access import Access, Scope
from winnow.errors import InvalidRequest, NotFound
from winnow.memory import Memory

BY_ID_TABLE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get", {}),
    ("update", {"importance": 0.9}),
    ("delete", {"dry_run": True}),
    ("retype", {"kind": "claim"}),
)
BY_ID = pytest.mark.parametrize(("method", "more"), BY_ID_TABLE)
More = Mapping[str, Any]


@pytest.fixture
def stored(memory: Memory) -> Memory:
    """A memory in each of three namespaces, and an entity."""
    memory.store("text", id="q1", namespace="demo")
    memory.store("text", id="c/d", namespace="a/b")
    memory.store("text", id="s1", namespace="secret")
    matter = {"schema": "legal.Matter", "id": "MAT-2388", "fields": {"title": "Atlas"}}
    memory.admin.import_(objects=[matter])
    return memory


def refusal(memory: Memory, name: str, method: str = "get", **more: Any) -> str:
    with pytest.raises(NotFound) as caught:
        getattr(memory, method)(name, **more)
    return str(caught.value)


@BY_ID
def test_the_address_that_recall_shows_is_understood(
    stored: Memory, method: str, more: More
) -> None:
    for hit in stored.recall(limit=10).memories:
        getattr(stored, method)(hit.path, **more)


def test_an_address_says_the_namespace_and_the_id(stored: Memory) -> None:
    found = stored.get("winnow://a/b/c/d")
    assert (found.namespace, found.id) == ("a/b", "c/d")
    assert stored.get("winnow://demo/q1", namespace="demo").id == "q1"
    with pytest.raises(InvalidRequest, match="/namespace: winnow://demo/q1 is in 'demo'"):
        stored.get("winnow://demo/q1", namespace="default")


def test_an_id_that_looks_like_an_address_is_one_all_the_same(stored: Memory) -> None:
    stored.store("own", id="winnow://demo/q1")
    assert stored.get("winnow://demo/q1").text == "own"


def test_an_address_brings_back_what_was_the_last_of_its_namespace(stored: Memory) -> None:
    stored.delete("winnow://demo/q1")
    assert "q1" in refusal(stored, "winnow://demo/q1")
    assert stored.undelete("winnow://demo/q1").namespace == "demo"


@BY_ID
def test_an_id_of_another_namespace_is_told(stored: Memory, method: str, more: More) -> None:
    told = refusal(stored, "q1", method, **more)
    assert told.endswith("in namespace 'default'; it is in 'demo': give namespace demo")


@BY_ID
def test_an_id_of_an_entity_is_told_with_its_schema(
    stored: Memory, method: str, more: More
) -> None:
    for name in ("MAT-2388", "winnow://legal.Matter/MAT-2388"):
        told = refusal(stored, name, method, **more)
        assert "MAT-2388 is a legal.Matter in 'default'" in told
        assert told.endswith('ask recall with schema legal.Matter and id = "MAT-2388"')
        assert stored.count(schema="legal.Matter", where="id = MAT-2388").count == 1


def test_one_that_is_to_be_changed_alone_is_told_too(stored: Memory) -> None:
    with pytest.raises(NotFound, match="it is in 'demo'"):
        stored.store("text", id="q1", if_missing="error")


def test_a_memory_that_is_over_is_nowhere(stored: Memory, clock: Clock) -> None:
    stored.update("q1", namespace="demo", ttl_seconds=10)
    clock.move(seconds=11)
    told = refusal(stored, "q1")
    assert told == "no memory has the id 'q1' in namespace 'default'"


@BY_ID
def test_what_must_not_be_seen_is_not_hinted_at(stored: Memory, method: str, more: More) -> None:
    own = stored.restricted(Access(frozenset(Scope), frozenset({"demo", "default"})))
    for name in ("s1", "winnow://secret/s1"):
        told = refusal(own, name, method, **more)
        assert told == f"no memory has the id {name!r} in namespace 'default'"
    blind = stored.restricted(Access(frozenset(Scope), frozenset({"mine"})))
    with pytest.raises(NotFound) as caught:
        blind.get("MAT-2388", namespace="mine")
    assert str(caught.value) == "no memory has the id 'MAT-2388' in namespace 'mine'"


def test_what_is_to_come_back_is_told_where_it_is(stored: Memory) -> None:
    stored.store("more", namespace="demo")
    stored.delete("q1", namespace="demo")
    with pytest.raises(NotFound, match="it is in 'demo': give namespace demo"):
        stored.undelete("q1")
    stored.undelete("q1", namespace="demo")
    with pytest.raises(NotFound, match="it is there, and not deleted"):
        stored.undelete("q1", namespace="demo")
