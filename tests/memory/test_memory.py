"""Operations as methods: their arguments, and answers that others' writes don't tear apart."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from tests.memory.importing import CLIENT, MATTER, put
from tests.memory.remembering import START, Clock

from winnow.app import open_memory
from winnow.errors import InvalidRequest
from winnow.memory import Memory
from winnow.operations.answers import ListAnswer
from winnow.store.base import FullEntity
from winnow.values import Json
from winnow.wire import encode


@pytest.fixture
def other(tmp_path: Path, memory: Memory) -> Iterator[Memory]:
    """Another opening of the same store, as another process has it."""
    with open_memory(tmp_path / "winnow.db") as opened:
        yield opened


def ask(method: Callable[..., Any], *args: object, **named: object) -> Any:
    """Call a method with what its types forbid."""
    return method(*args, **named)


def test_an_argument_more_than_there_are_places_is_not_dropped(memory: Memory) -> None:
    with pytest.raises(InvalidRequest, match="2 arguments are given by their place, and only que"):
        ask(memory.recall, "", MATTER)
    with pytest.raises(InvalidRequest, match="and no argument can be; name the others"):
        ask(memory.admin.doctor, "all")


def test_an_argument_is_given_by_its_place_or_by_its_name(memory: Memory) -> None:
    put(memory, "MAT-1000")
    assert memory.explain("MAT-1000", schema=MATTER).matched
    for name in ("entity_id", "entityId", "id"):
        with pytest.raises(InvalidRequest, match=r"by its place, and|the same argument"):
            ask(memory.explain, "MAT-1000", schema=MATTER, **{name: "MAT-1001"})


def write_before_reading(
    memory: Memory, patch: pytest.MonkeyPatch, write: Callable[[], None]
) -> None:
    """Let `write` happen when a filter has been evaluated and its hits are about to be read."""
    store = memory.engine.store
    read = store.read_entities

    def reading(keys: Sequence[int]) -> list[FullEntity]:
        write()
        return read(keys)

    patch.setattr(store, "read_entities", reading)


def test_a_hit_is_shown_as_it_was_when_it_met_the_filter(
    memory: Memory, other: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(memory, "MAT-1000", escrowPct=12)
    write_before_reading(memory, monkeypatch, lambda: put(other, "MAT-1000", escrowPct=3))
    answer = memory.recall(schema=MATTER, where="escrowPct >= 10")
    assert [hit.fields["escrowPct"] for hit in answer.entities] == [12]
    assert memory.count(schema=MATTER, where="escrowPct >= 10").count == 0
    assert memory.recall(schema=MATTER).as_of.change == answer.as_of.change + 1


def test_what_is_undetermined_has_its_reason_in_the_same_state(
    memory: Memory, other: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(memory, "MAT-1000", client="CLT-0001")
    write_before_reading(memory, monkeypatch, lambda: put(other, "CLT-0001", CLIENT, tier="Gold"))
    answer = memory.recall(schema=MATTER, where="client.tier = Gold")
    assert [one.reason for one in answer.undetermined.sample[0].fields] == ["brokenReference"]
    assert memory.count(schema=MATTER, where="client.tier = Gold").count == 1


def test_python_may_give_a_vector_as_an_array(memory: Memory) -> None:
    memory.admin.set_namespace("v", embedder="external:2")
    memory.store("across", id="a", namespace="v", vector=array("f", [0, 1]))
    memory.store("along", id="b", namespace="v", vector=np.array([-1, 0.5]))
    memory.update("b", namespace="v", vector=np.array([1, 0], np.float32).tobytes())
    question = np.array([1, 0.1], np.float32)
    for vector in (question, question.data, question.tolist(), "[1, 0.1]"):
        hits = memory.recall(vector=vector, namespace="v").memories
        assert [hit.id for hit in hits] == ["b", "a"]
    for vector, wrong in ((np.zeros((1, 2)), "one dimension, got 1 x 2"), (b"abc", "of uint8")):
        with pytest.raises(InvalidRequest, match=wrong):
            memory.store("no", namespace="v", vector=vector)


def test_python_may_give_times_as_what_they_are(memory: Memory, clock: Clock) -> None:
    ends = START + timedelta(days=2)
    told = [
        memory.store("in words", expires_at="2026-03-07T12:00:00.500Z").expires_at,
        memory.store("as a time", expires_at=ends).expires_at,
        memory.store("elsewhere", expires_at=ends.astimezone(ZoneInfo("Asia/Tokyo"))).expires_at,
        memory.store("as a span", ttl_seconds=timedelta(days=2)).expires_at,
        memory.store("as numpy has it", ttl_seconds=ask(np.int64, 172_800)).expires_at,
    ]
    assert told == [told[0]] * 5
    clock.move(hours=1)
    memory.store("later")
    for since in (START + timedelta(minutes=1), "2026-03-05T12:01:00Z"):
        assert [one.text for one in memory.list(since=since).memories or ()] == ["later"]
    assert memory.count(until=date(2026, 3, 5)).count == 6
    assert memory.count(until=START.date() - timedelta(days=1)).count == 0


def test_a_time_without_a_zone_is_in_the_zone_of_the_store(tmp_path: Path) -> None:
    with open_memory(tmp_path / "zoned.db", timezone="Asia/Tokyo") as memory:
        stored = memory.store("text", expires_at=datetime(2030, 1, 1, 9))
        assert stored.expires_at == "2030-01-01T00:00:00.000Z"


def test_python_may_give_sets_and_values_of_numpy(memory: Memory) -> None:
    memory.store("low", tags={"b", "a"}, metadata={"pct": np.int64(3), "at": date(2026, 1, 2)})
    memory.store("high", metadata={"pct": np.float32(9.5), "at": START}, importance=1)
    low = memory.get("m1")
    assert (low.tags, low.metadata) == (("a", "b"), {"pct": 3, "at": "2026-01-02"})
    asked: list[tuple[object, object]] = [
        ({"pct": {"gte": np.int64(4)}}, {"pct": {"gte": 4}}),
        ({"pct": {"in": {3, 4}}}, {"pct": {"in": [3, 4]}}),
        ({"pct": {"in": np.array([3, 4])}}, {"pct": {"in": [3, 4]}}),
        ({"at": {"gt": date(2026, 2, 1)}}, {"at": {"gt": "2026-02-01"}}),
        ({"at": {"lt": START}}, {"at": {"lt": START.isoformat()}}),
    ]
    for given, spelled in asked:
        answers = [ask(memory.list, filters=filters) for filters in (given, spelled)]
        assert answers[0] == answers[1]
        assert len(cast(ListAnswer, answers[0]).items) == 1
    kept = memory.list(kinds={"observation"}, tags=frozenset({"a"}), limit=ask(np.int8, 5))
    assert [one.text for one in kept.memories or ()] == ["low"]
    with pytest.raises(InvalidRequest, match="timedelta"):
        ask(memory.count, entity=timedelta(days=1))


def test_python_may_give_a_vector_of_numbers_of_numpy(memory: Memory) -> None:
    memory.admin.set_namespace("v", embedder="external:2")
    memory.store("along", id="b", namespace="v", vector=[np.float32(0), np.float32(1)])
    (hit,) = memory.recall(vector=(np.float64(0), np.float64(2)), namespace="v").memories
    assert hit.id == "b"


# --- what was found ------------------------------------------------------------------------------


def test_hits_are_what_was_found_whatever_it_is(memory: Memory) -> None:
    put(memory, "MAT-1000", escrowPct=12)
    put(memory, "MAT-1001", escrowPct=8)
    memory.store("Coffee in the morning")
    memory.store("More coffee at noon", namespace="other")
    exact = memory.recall(schema=MATTER, order_by="escrowPct")
    ranked = memory.recall("coffee")
    assert exact.hits == exact.entities
    assert [one.entity_id for one in exact.entities] == ["MAT-1001", "MAT-1000"]
    assert (exact.memories, ranked.entities) == ((), ())
    assert ranked.hits == ranked.memories
    assert {one.id for one in ranked.memories} == {"m1"}
    for answer in (exact, ranked, memory.recall("tea"), memory.recall(schema=MATTER, limit=1)):
        assert cast("dict[str, Json]", encode(answer))["hits"] == encode(answer.hits)
        assert len(answer.hits) == answer.returned


def test_items_are_the_page_whatever_is_on_it(memory: Memory) -> None:
    put(memory, "MAT-1000", escrowPct=12)
    memory.store("Coffee in the morning")
    entities, memories = memory.list(schema=MATTER), memory.list()
    assert (entities.items, memories.items) == (entities.entities, memories.memories)
    for answer in (entities, memories, memory.list(where="text = x"), memory.list(limit=1)):
        shown = cast("dict[str, Json]", encode(answer))
        assert shown["items"] == encode(answer.items)
        assert not shown.keys() & {"entities", "memories"}
        assert len(answer.items) == answer.returned
