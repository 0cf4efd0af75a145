"""What is told of columns while they are made."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from tests.memory.remembering import Clock, open_at

from winnow.memory.state import shelf
from winnow.memory.state.books import Rows, read_rows
from winnow.memory.state.building import Building
from winnow.store.memories import RecordBatch


def test_what_is_made_is_told_while_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str | None] = []

    with open_at(tmp_path / "w.db", Clock()) as memory:
        memory.admin.import_(objects=[{"text": f"text {number}"} for number in range(1_000)])
        engine = memory.engine

        def looking(batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
            told.append(engine.under_way())
            for batch in batches:
                yield batch
                told.append(engine.under_way())

        def read(batches: Iterable[RecordBatch]) -> Rows:
            return read_rows(looking(batches))

        monkeypatch.setattr(shelf, "read_rows", read)
        assert engine.under_way() is None
        assert memory.count().count == 1_000
        engine.shelves.finish()
        assert engine.under_way() is None
    assert told == [
        "making columns: 0 memories read",
        "making columns: 0 memories read",
        "making columns: 512 memories read",
    ]


def test_entities_are_told_of_too() -> None:
    building = Building("entities")
    assert building.told() is None
    with building.under_way():
        assert building.told() == "making columns: 0 entities read"
    assert building.told() is None


def test_what_fails_is_not_under_way_any_more() -> None:
    building = Building("memories")
    with pytest.raises(ValueError, match="no"), building.under_way():
        raise ValueError("no")
    assert building.told() is None
