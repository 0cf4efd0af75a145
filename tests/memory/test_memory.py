"""Operations as methods: their arguments, and answers that others' writes don't tear apart."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.memory.importing import CLIENT, MATTER, put

from winnow.app import open_memory
from winnow.errors import InvalidRequest
from winnow.memory import Memory
from winnow.store.base import FullEntity


@pytest.fixture
def other(tmp_path: Path, memory: Memory) -> Iterator[Memory]:
    """Another opening of the same store, as another process has it."""
    with open_memory(tmp_path / "winnow.db") as opened:
        yield opened


def ask(method: Callable[..., object], *args: object, **named: object) -> object:
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
    assert [hit.fields["escrowPct"] for hit in answer.hits] == [12]
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
