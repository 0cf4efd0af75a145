"""Storing memories, changing them, and taking them away."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.memory.remembering import (
    WHOLE,
    Clock,
    everything,
    ids,
    open_at,
    pointers,
    set_namespace,
    store_all,
)

from winnow.errors import Conflict, InvalidRequest, NotFound, ReadOnly
from winnow.kinds import KINDS
from winnow.memory import Memory
from winnow.wire import encode

# --- ids ---------------------------------------------------------------------------------------


def test_automatic_ids_count_from_m1(memory: Memory) -> None:
    assert [memory.store("text").id for _ in range(3)] == ["m1", "m2", "m3"]


def test_an_automatic_id_is_never_used_twice(memory: Memory) -> None:
    memory.store("one")
    memory.store("two")
    memory.delete("m2")
    assert memory.store("three").id == "m3"
    memory.delete("m3", purge=True)
    assert memory.store("four").id == "m4"


def test_an_automatic_id_never_overwrites_one_made_by_hand(memory: Memory) -> None:
    memory.store("by hand", id="m7")
    given = [memory.store("text").id for _ in range(8)]
    assert len(set(given)) == 8
    assert "m7" not in given
    assert memory.get("m7").text == "by hand"


def test_each_namespace_counts_for_itself(memory: Memory) -> None:
    memory.store("here")
    assert memory.store("there", namespace="other").id == "m1"
    assert memory.get("m1", namespace="other").text == "there"
    assert memory.get("m1").text == "here"


def test_a_refused_store_uses_up_no_id(memory: Memory) -> None:
    with pytest.raises(InvalidRequest):
        memory.store("text", vector=[1.0])
    assert memory.store("text").id == "m1"


# --- what is kept ------------------------------------------------------------------------------


def test_a_memory_comes_back_as_it_was_stored(memory: Memory) -> None:
    stored = memory.store("text", **WHOLE)
    assert memory.get("m1") == stored
    shown = encode(stored)
    assert isinstance(shown, dict)
    assert shown == {
        "id": "m1",
        "namespace": "default",
        "text": "text",
        "title": "A title",
        "kind": "claim",
        "kindProvenance": "declared",
        "entity": "chopper",
        "memoryType": "semantic",
        "tags": ["law/ip", "a,b"],
        "importance": 0.9,
        "source": "mail",
        "metadata": {"project": "x", "n": 3},
        "createdAt": "2026-03-05T12:00:00.500Z",
        "updatedAt": "2026-03-05T12:00:00.500Z",
        "expiresAt": "2030-01-01T00:00:00.000Z",
    }


def test_a_silent_caller_stores_an_observation_of_middling_importance(memory: Memory) -> None:
    stored = memory.store("text")
    assert (stored.kind, stored.kind_provenance) == ("observation", "channel_derived")
    assert (stored.importance, stored.tags, stored.metadata) == (0.5, (), {})


def test_an_observation_that_is_declared_is_told_from_a_silent_one(memory: Memory) -> None:
    assert memory.store("text", kind="observation").kind_provenance == "declared"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_stored(memory: Memory, kind: str) -> None:
    assert memory.store("text", kind=kind).kind == kind


def test_storing_under_an_id_again_keeps_what_is_not_named(memory: Memory, clock: Clock) -> None:
    before = memory.store("text", id="a", **WHOLE)
    clock.move(hours=1)
    after = memory.store("other text", id="a")
    assert after.text == "other text"
    kept = ("title", "kind", "kind_provenance", "tags", "entity", "memory_type", "importance")
    for name in (*kept, "source", "metadata", "expires_at", "created_at"):
        assert getattr(after, name) == getattr(before, name)
    assert after.updated_at == "2026-03-05T13:00:00.500Z"


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_an_update_changes_what_it_names_and_nothing_else(memory: Memory, name: str) -> None:
    before = encode(memory.store("text"))
    after = encode(memory.update("m1", **{name: WHOLE[name]}))
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    changed = {key for key in {*before, *after} if before.get(key) != after.get(key)}
    wire = {"memory_type": "memoryType", "expires_at": "expiresAt"}.get(name, name)
    assert changed == {wire, "kindProvenance"} if name == "kind" else {wire}


def test_a_new_memory_was_not_changed_since_it_was_created(memory: Memory, clock: Clock) -> None:
    def tick() -> datetime:
        clock.move(seconds=1)
        return clock.now

    ticking = Memory(replace(memory.engine, clock=tick))
    stored = ticking.store("text", id="a")
    assert stored.updated_at == stored.created_at
    assert ticking.store("text", id="a").updated_at > stored.updated_at


def test_f67_every_change_moves_updated_at_and_none_moves_created_at(
    memory: Memory, clock: Clock
) -> None:
    memory.store("text")
    changes: list[dict[str, Any]] = [{"text": "b"}, {"importance": 1}, {"clear": "tags"}, {}]
    for number, change in enumerate(changes, 1):
        clock.move(minutes=1)
        updated = memory.update("m1", **change)
        assert updated.created_at == "2026-03-05T12:00:00.500Z"
        assert updated.updated_at == f"2026-03-05T12:0{number}:00.500Z"


@pytest.mark.parametrize("name", ["title", "entity", "source"])
def test_a_name_that_is_empty_is_absent_in_answers_as_in_filters(memory: Memory, name: str) -> None:
    some: dict[str, Any] = {name: "some"}
    empty: dict[str, Any] = {name: ""}
    memory.store("text", **some)
    memory.update("m1", **empty)
    (hit,) = memory.recall("text", filters={name: None}).memories
    shown = (memory.get("m1"), hit)
    assert [getattr(one, name) for one in shown] == [None, None]


def test_null_is_absent(memory: Memory) -> None:
    memory.store("text", **WHOLE)
    nothing: dict[str, Any] = dict.fromkeys(WHOLE)
    before = memory.get("m1")
    assert memory.update("m1", text=None, clear=None, **nothing) == before
    assert memory.store("text", **nothing, namespace=None, id=None).id == "m2"


def test_an_update_of_the_text_is_found_by_its_new_words_alone(memory: Memory) -> None:
    memory.store("zebra")
    memory.update("m1", text="giraffe")
    assert memory.recall("giraffe").memories[0].components.keyword == 1  # pyright: ignore[reportOptionalMemberAccess]
    assert memory.recall("zebra").memories[0].components.keyword == 0  # pyright: ignore[reportOptionalMemberAccess]


# --- presence ----------------------------------------------------------------------------------


def test_a_store_can_refuse_to_change_and_to_make(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.store("text", id="a", if_missing="error")
    memory.store("text", id="a", if_exists="error")
    before = everything(memory)
    with pytest.raises(Conflict):
        memory.store("other", id="a", if_exists="error")
    assert everything(memory) == before
    assert memory.store("other", id="a", if_missing="error").text == "other"


def test_f69_what_is_not_there_is_not_found(memory: Memory) -> None:
    for ask in (memory.get, memory.update, memory.delete, memory.undelete):
        with pytest.raises(NotFound, match="m1"):
            ask("m1")


# --- expiry ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expiry", [{"ttl_seconds": 60}, {"expires_at": "2026-03-05T12:01:00.500Z"}]
)
def test_f81_a_memory_is_gone_at_the_very_millisecond(
    memory: Memory, clock: Clock, expiry: Mapping[str, Any]
) -> None:
    memory.store("lasting")
    memory.store("passing", **expiry)
    clock.move(seconds=60, milliseconds=-1)
    assert memory.get("m2").text == "passing"
    assert ids(memory.recall("passing")) == ["m2", "m1"]
    clock.move(milliseconds=1)
    with pytest.raises(NotFound):
        memory.get("m2")
    for answer in (memory.recall("passing"), memory.recall(), memory.recall(where='id = "m2"')):
        assert "m2" not in ids(answer)
        assert answer.scanned_entities == 1
    assert memory.recall().filtered_entities == 1


def test_an_expired_memory_cannot_be_changed_or_deleted(memory: Memory, clock: Clock) -> None:
    memory.store("passing", ttl_seconds=1)
    clock.move(seconds=1)
    for ask in (memory.update, memory.delete, memory.undelete):
        with pytest.raises(NotFound):
            ask("m1")


def test_storing_over_an_expired_memory_begins_anew(memory: Memory, clock: Clock) -> None:
    memory.store("passing", id="a", title="old", ttl_seconds=1)
    clock.move(seconds=1)
    stored = memory.store("new", id="a", if_exists="error")
    assert (stored.title, stored.expires_at) == (None, None)
    assert stored.created_at == "2026-03-05T12:00:01.500Z"


def test_an_expiry_that_is_moved_counts_from_now(memory: Memory, clock: Clock) -> None:
    memory.store("passing", ttl_seconds=10)
    clock.move(seconds=5)
    memory.update("m1", ttl_seconds=10)
    clock.move(seconds=9)
    assert memory.get("m1").expires_at == "2026-03-05T12:00:15.500Z"


# --- delete, undelete, purge -------------------------------------------------------------------


def test_f63_a_deleted_memory_is_seen_nowhere_and_comes_back_as_it_was(memory: Memory) -> None:
    before = memory.store("text", **WHOLE)
    answer = memory.delete("m1")
    assert (answer.matched, answer.deleted) == (1, 1)
    with pytest.raises(NotFound):
        memory.get("m1")
    assert (ids(memory.recall("text")), memory.recall().scanned_entities) == ([], 0)
    assert memory.store("text").duplicates is None
    assert memory.undelete("m1") == before
    assert set(ids(memory.recall("text"))) == {"m1", "m2"}


def test_what_is_deleted_or_purged_cannot_be_deleted_again(memory: Memory) -> None:
    memory.store("text")
    memory.delete("m1")
    with pytest.raises(NotFound):
        memory.delete("m1")
    memory.undelete("m1")
    memory.delete("m1", purge=True)
    with pytest.raises(NotFound):
        memory.undelete("m1")


def test_one_that_expired_while_it_was_deleted_stays_away(memory: Memory, clock: Clock) -> None:
    memory.store("text", ttl_seconds=5)
    memory.delete("m1")
    clock.move(seconds=5)
    before = memory.recall().as_of
    with pytest.raises(NotFound):
        memory.undelete("m1")
    assert memory.recall().as_of == before


def test_storing_under_a_deleted_id_begins_anew(memory: Memory) -> None:
    memory.store("old", id="a", title="old")
    memory.delete("a")
    assert memory.store("new", id="a", if_exists="error").title is None


def test_a_piece_of_a_note_is_read_only(memory: Memory, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "note.md").write_text("# A note\n\nText of it.\n", encoding="utf-8")
    memory.admin.index(str(vault))
    hits = memory.recall().memories
    assert hits
    for hit in hits:
        asks: tuple[Callable[[], object], ...] = (
            lambda name=hit.id: memory.update(name, text="mine"),
            lambda name=hit.id: memory.store("mine", id=name),
            lambda name=hit.id: memory.delete(name),
            lambda name=hit.id: memory.delete(name, purge=True),
        )
        for ask in asks:
            with pytest.raises(ReadOnly, match=r"note\.md"):
                ask()


# --- duplicates --------------------------------------------------------------------------------


def test_f65_the_same_text_is_stored_and_reported_never_merged(memory: Memory) -> None:
    assert memory.store("limit 100").duplicates is None
    assert memory.store("limit 1000").duplicates is None
    assert memory.store("limit 100").duplicates == ["m1"]
    assert memory.store("limit 100").duplicates == ["m1", "m3"]
    assert memory.store("limit 100", namespace="other").duplicates is None
    assert memory.recall().filtered_entities == 5


def test_f63_f81_one_that_is_deleted_or_expired_is_no_duplicate(
    memory: Memory, clock: Clock
) -> None:
    memory.store("limit 100", id="deleted")
    memory.delete("deleted")
    memory.store("limit 100", id="expiring", ttl_seconds=1)
    assert memory.store("limit 100").duplicates == ["expiring"]
    clock.move(seconds=1)
    assert memory.store("limit 100").duplicates == ["m1"]


# --- other processes ---------------------------------------------------------------------------


def test_what_another_one_writes_is_seen_at_once(tmp_path: Path, clock: Clock) -> None:
    with open_at(tmp_path / "w.db", clock) as here, open_at(tmp_path / "w.db", clock) as there:
        assert here.store("zebra").id == "m1"
        assert ids(there.recall("zebra")) == ["m1"]
        assert there.store("giraffe").id == "m2"
        assert set(ids(here.recall("giraffe"))) == {"m1", "m2"}
        here.update("m2", text="okapi")
        assert there.recall("okapi").memories[0].text == "okapi"
        there.delete("m2")
        assert ids(here.recall("okapi")) == ["m1"]
        here.undelete("m2")
        assert ids(there.recall("okapi")) == ["m2", "m1"]


# --- vectors of the caller's -------------------------------------------------------------------


def test_a_callers_vector_is_held_to_the_namespaces_dimension(memory: Memory) -> None:
    set_namespace(memory, "mine", embedder="external:2")
    memory.store("text", namespace="mine", vector=[3, 4])
    before = everything(memory)
    for wrong in ([1.0], [1.0, 2.0, 3.0], [], '[1, "a"]', [float("nan"), 1.0]):
        with pytest.raises(InvalidRequest) as caught:
            memory.store("text", namespace="mine", vector=wrong)
        assert pointers(caught.value)[0].startswith("/vector")
        with pytest.raises(InvalidRequest):
            memory.update("m1", namespace="mine", vector=wrong)
    assert everything(memory) == before


def test_a_vector_stays_until_the_text_changes(memory: Memory) -> None:
    set_namespace(memory, "mine", embedder="external:2")

    def part() -> float | None:
        (hit,) = memory.recall(namespace="mine", vector=[1, 0]).memories
        assert hit.components is not None
        return hit.components.vector

    memory.store("text", namespace="mine", vector=[1, 0])
    memory.update("m1", namespace="mine", importance=1)
    assert part() == 1
    memory.update("m1", namespace="mine", text="other")
    assert part() is None
    memory.update("m1", namespace="mine", vector="[1, 0]")
    assert part() == 1


# --- words -------------------------------------------------------------------------------------

BLANKS = ["", "   ", "\n\t\u2003"]


@pytest.mark.parametrize("text", BLANKS)
def test_a_memory_without_words_is_refused(memory: Memory, text: str) -> None:
    given: tuple[dict[str, Any], ...] = ({}, {"title": text}, {"metadata": {"a": 1}})
    for more in given:
        with pytest.raises(InvalidRequest, match="/text: it is blank") as caught:
            memory.store(text, **more)
        assert pointers(caught.value) == ["/text"]
    assert memory.store("text").id == "m1"


@pytest.mark.parametrize("text", BLANKS)
def test_a_title_is_words_enough(memory: Memory, text: str) -> None:
    memory.store(text, id="a", title="A title")
    assert memory.store(text, id="a").title == "A title"
    changes: tuple[dict[str, Any], ...] = ({"clear": "title"}, {"title": text})
    for change in changes:
        with pytest.raises(InvalidRequest, match="/text: it is blank"):
            memory.update("a", **change)
    assert memory.update("a", text="words", clear="title").text == "words"
    with pytest.raises(InvalidRequest, match="/text: it is blank"):
        memory.update("a", text=text)


def test_a_vector_of_the_caller_s_needs_no_words(memory: Memory) -> None:
    set_namespace(memory, "images", embedder="external:2")
    memory.store("", id="a", namespace="images", vector=[1.0, 0.0])
    assert memory.update("a", namespace="images", tags=["cat"]).tags == ("cat",)


def test_a_memory_that_came_without_words_can_be_changed(memory: Memory) -> None:
    store_all(memory, [{"id": "a", "text": ""}])
    assert memory.update("a", tags=["new"]).text == ""
