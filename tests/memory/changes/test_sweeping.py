"""What is over is purged while something else is written, now and then."""

from pathlib import Path

from tests.memory.remembering import Clock, open_at, store_all

from winnow.memory import Memory
from winnow.memory.changes.sweeping import RETENTION


def kept(memory: Memory) -> int:
    """Count the records that the store holds, whatever can be seen of them."""
    found = [
        memory.engine.store.records.find("default", f"r{n}", deleted=deleted)
        for n in range(3_000)
        for deleted in (False, True)
    ]
    return sum(key is not None for key in found)


def test_f81_what_has_expired_is_purged_by_a_later_write(memory: Memory, clock: Clock) -> None:
    memory.store("text", id="r0", ttl_seconds=10)
    memory.store("text", id="r1")
    clock.move(seconds=10)
    assert memory.count().count == 1
    assert kept(memory) == 2
    memory.store("text", id="r2")
    assert kept(memory) == 3  # the minute is not over
    clock.move(seconds=60)
    memory.update("r2", importance=1)
    assert kept(memory) == 2
    assert memory.count().count == 2


def test_what_was_deleted_is_purged_when_its_retention_ends(memory: Memory, clock: Clock) -> None:
    memory.store("text", id="r0")
    memory.delete("r0")
    clock.move(milliseconds=RETENTION - 1)
    memory.store("text", id="r1")
    assert kept(memory) == 2
    clock.move(seconds=60)
    memory.delete("r1")
    assert memory.engine.store.records.find("default", "r0", deleted=True) is None
    assert memory.undelete("r1").id == "r1"


def test_many_are_purged_over_several_writes(memory: Memory, clock: Clock) -> None:
    over = memory.engine.clock().timestamp() * 1_000 + 1_000
    rows = ({"id": f"r{n}", "text": "x", "expires_at": int(over)} for n in range(2_500))
    store_all(memory, rows)
    clock.move(days=1)
    left: list[int] = []
    for number in range(4):
        memory.store("text", id=f"new{number}")
        left.append(kept(memory))
    assert left == [1_500, 500, 0, 0]


def test_one_process_purges_what_another_has_stored(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    memory.store("text", id="r0", ttl_seconds=10)
    clock.move(days=1)
    with open_at(tmp_path / "winnow.db", clock) as beside:
        assert beside.count().count == 0
        beside.store("text", id="r1")
    assert kept(memory) == 1
    assert memory.count().count == 1


def test_a_purge_by_the_way_uses_up_no_id(memory: Memory, clock: Clock) -> None:
    assert memory.store("text", ttl_seconds=10).id == "m1"
    clock.move(days=1)
    assert memory.store("text").id == "m2"
