"""Bringing deleted memories back, one or several, and seeing which can be."""

from datetime import timedelta
from typing import Any

import pytest
from tests.memory.remembering import Clock, store_all

from winnow.access import Access, Scope
from winnow.errors import Forbidden, InvalidRequest, NotFound
from winnow.memory import Memory


@pytest.fixture
def stored(memory: Memory, clock: Clock) -> Memory:
    """Six memories, and one in another namespace; two were deleted, and two an hour later."""
    store_all(memory, [{"id": f"r{n}", "text": f"text {n}"} for n in range(6)])
    memory.store("elsewhere", id="r0", namespace="other")
    memory.delete("r4")
    memory.delete("r0", namespace="other")
    clock.move(hours=1)
    memory.delete("r1")
    memory.delete("r0")
    return memory


def deleted(memory: Memory, **asked: Any) -> list[str]:
    found = memory.list(deleted=True, **asked).memories
    assert found is not None
    return [f"{one.namespace}/{one.id}" for one in found]


def ids(memory: Memory) -> list[str]:
    return [one.id for one in memory.list(order_by="id", namespace="default").memories or ()]


# --- which there are ---------------------------------------------------------------------------


def test_deleted_memories_are_listed_the_last_first(stored: Memory) -> None:
    answer = stored.list(deleted=True)
    assert deleted(stored) == ["default/r0", "default/r1", "default/r4", "other/r0"]
    assert (answer.filtered_entities, answer.returned, answer.truncated) == (4, 4, False)
    first, *_, last = list(answer.memories or ())
    assert first.text == "text 0"
    assert first.deleted_at is not None
    assert last.deleted_at is not None
    assert first.deleted_at > last.deleted_at
    assert deleted(stored, namespace="other") == ["other/r0"]


def test_one_that_is_not_deleted_does_not_say_when(stored: Memory) -> None:
    assert stored.get("r2").deleted_at is None


def test_pages_of_deleted_memories_have_each_once(stored: Memory) -> None:
    found, cursor = list[str](), None
    while True:
        answer = stored.list(deleted=True, limit=1, cursor=cursor)
        found += [f"{one.namespace}/{one.id}" for one in answer.memories or ()]
        cursor = answer.cursor
        if cursor is None:
            break
        if len(found) == 1:
            stored.undelete("r0")  # the place behind it stays where it is
    assert found == ["default/r0", "default/r1", "default/r4", "other/r0"]
    with pytest.raises(InvalidRequest, match="/cursor"):
        stored.list(deleted=True, cursor="bm9uZQ")


def test_what_was_purged_or_has_expired_is_not_among_them(memory: Memory, clock: Clock) -> None:
    for name, ttl in (("a", None), ("b", 60), ("c", None)):
        memory.store("text", id=name, ttl_seconds=ttl)
        memory.delete(name)
    memory.delete("a", purge=True)
    clock.move(seconds=61)
    assert deleted(memory) == ["default/c"]
    clock.move(days=30)
    assert deleted(memory) == []


@pytest.mark.parametrize(
    "asked", [{"where": "a = 1"}, {"schema": "legal.Matter"}, {"tags": "x"}, {"order_by": "id"}]
)
def test_conditions_do_not_hold_for_deleted_memories(memory: Memory, asked: Any) -> None:
    with pytest.raises(InvalidRequest, match="deleted memories are listed all"):
        memory.list(deleted=True, **asked)


def test_deleted_memories_of_others_stay_theirs(stored: Memory) -> None:
    other = stored.restricted(Access(frozenset(Scope), frozenset({"other"})))
    assert deleted(other) == ["other/r0"]
    with pytest.raises(Forbidden):
        other.undelete(deleted_since="1h", namespace="default")


# --- several -----------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [["r4", "r1"], "r4, r1", ["r1", "r4", "r1"]])
def test_several_are_brought_back_by_their_ids(stored: Memory, given: Any) -> None:
    answer = stored.undelete(ids=given)
    assert (answer.undeleted, answer.ids) == (2, ["r1", "r4"])
    assert ids(stored) == ["r1", "r2", "r3", "r4", "r5"]


def test_all_of_the_ids_are_brought_back_or_none(stored: Memory) -> None:
    with pytest.raises(NotFound, match="no deleted memory has the id 'r2', 'nothing'"):
        stored.undelete(ids=["r1", "r2", "nothing"])
    assert "r1" not in ids(stored)


@pytest.mark.parametrize(
    ("since", "back"),
    [("30d", "014"), ("1h", "014"), ("-1h", "014"), ("now", "01"), ("tomorrow", "")],
)
def test_all_that_were_deleted_since_are_brought_back(
    stored: Memory, since: str, back: str
) -> None:
    answer = stored.undelete(deleted_since=since)
    assert answer.ids == [f"r{n}" for n in back]
    assert answer.undeleted == len(back)
    assert set(answer.ids) <= set(ids(stored))
    assert "other/r0" in deleted(stored)


def test_they_come_back_as_they_were(stored: Memory) -> None:
    before = stored.get("r2")
    stored.delete(where="id in (r2, r3)", all=True)
    stored.undelete(deleted_since="now")
    assert stored.get("r2") == before


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({}, "/id"),
        ({"ids": []}, "/ids"),
        ({"ids": ["a", " "]}, "/ids/1"),
        ({"id": "a", "ids": ["b"]}, "/ids"),
        ({"ids": ["b"], "deleted_since": "1h"}, "/deletedSince"),
        ({"deleted_since": "soon"}, "/deletedSince"),
    ],
)
def test_what_is_meant_has_to_be_said_once(memory: Memory, asked: Any, pointer: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        memory.undelete(**asked)
    assert [fault.pointer for fault in caught.value.faults] == [pointer]


@pytest.mark.parametrize(
    "since", ["30m", "30 min", "30 minutes ago", "-30m", timedelta(minutes=30)], ids=str
)
def test_how_long_ago_is_said_in_many_ways(stored: Memory, since: Any) -> None:
    assert stored.undelete(deleted_since=since).ids == ["r0", "r1"]


def test_what_is_no_time_is_told_with_what_is(stored: Memory) -> None:
    with pytest.raises(InvalidRequest, match="or how long ago: 30m, 2h") as found:
        stored.undelete(deleted_since="a while")
    assert [one.pointer for one in found.value.faults] == ["/deletedSince"]
    with pytest.raises(InvalidRequest, match="outside the calendar"):
        stored.undelete(deleted_since=timedelta.max)


def test_a_namespace_whose_memories_are_all_deleted_is_there(stored: Memory) -> None:
    assert stored.count(namespace="other").warnings == ["namespace 'other' holds no memories"]
    stored.store("text", id="alone", namespace="third")
    stored.delete("alone", namespace="third")
    with pytest.raises(NotFound, match="it is in 'third': give namespace third"):
        stored.undelete("alone")


def test_a_namespace_that_is_none_is_told(stored: Memory) -> None:
    expected = ["there is no namespace 'othr'; did you mean 'other'?"]
    assert stored.undelete(deleted_since="1d", namespace="othr").warnings == expected
    assert stored.list(deleted=True, namespace="othr").warnings == expected
    with pytest.raises(NotFound, match="there is no namespace 'othr'; did you mean 'other'"):
        stored.undelete("r77", namespace="othr")
