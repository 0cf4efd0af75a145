"""Entities are read as far as a filter needs them, however many refer to one."""

from collections.abc import Sequence

import pytest
from tests.memory.importing import CLIENT, MATTER, put

from winnow.memory import Memory
from winnow.memory.entities.world import MANY
from winnow.store.base import FullEntity

COUNT = 4 * MANY
WHERE = "matters any (escrowPct > 90) or matters all (nonCompeteMonths >= 0)"


@pytest.fixture
def hub(memory: Memory) -> Memory:
    """A client of very many matters, one of which does not say its escrow."""
    put(memory, "CLT-0001", CLIENT)
    fields = {"client": "CLT-0001", "nonCompeteMonths": 12}
    memory.admin.import_(
        entities=[
            {
                "schema": MATTER,
                "id": f"MAT-{1000 + number}",
                "fields": fields | ({} if number == 77 else {"escrowPct": number % 90}),
            }
            for number in range(COUNT)
        ]
    )
    return memory


@pytest.fixture
def read(hub: Memory, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The keys of all entities that are read."""
    store, keys = hub.engine.store, list[int]()
    original = store.read_entities

    def reading(wanted: Sequence[int]) -> list[FullEntity]:
        keys.extend(wanted)
        return original(wanted)

    monkeypatch.setattr(store, "read_entities", reading)
    return keys


def test_an_entity_that_very_many_refer_to_is_judged_by_a_few(hub: Memory, read: list[int]) -> None:
    answer = hub.recall(schema=CLIENT, where="matters any (escrowPct > 90)")
    (one,) = answer.undetermined.sample
    assert [(field.field, field.reason) for field in one.fields] == [("matters", "missing")]
    told = hub.explain("CLT-0001", schema=CLIENT, where=WHERE)
    assert (told.matched, told.undetermined) == (True, False)
    assert [part.truth for part in told.explanation.parts or ()] == ["unknown", "true"]
    assert len(read) < MANY


def test_a_few_that_refer_are_read_at_once(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    put(memory, "CLT-0001", CLIENT)
    for number in range(1000, 1010):
        put(memory, f"MAT-{number}", client="CLT-0001")
    calls: list[int] = []
    store = memory.engine.store
    original = store.read_entities

    def reading(wanted: Sequence[int]) -> list[FullEntity]:
        calls.append(len(wanted))
        return original(wanted)

    monkeypatch.setattr(store, "read_entities", reading)
    memory.recall(schema=CLIENT, where="matters any (escrowPct > 90)")
    assert sum(calls) == 11
    assert len(calls) <= 3
