"""Every operation has a time limit, and ends where nobody waits for it; changes are whole."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.memory.remembering import temporary_memory

from winnow.app import open_memory
from winnow.deadlines import Stop, limit
from winnow.errors import Cancelled, InvalidRequest, TooSlow
from winnow.memory import Memory
from winnow.operations import LONG, OPERATIONS

OVER = 1e-9  # seconds: over as soon as one looks
MANY = {"or": [{"n": number} for number in range(3_000)]}


ASKED: list[Callable[[Memory], object]] = [
    lambda memory: memory.recall("x"),
    lambda memory: memory.count(filters={"n": 1}),
    lambda memory: memory.store("y"),
    lambda memory: memory.get("m1"),
    lambda memory: memory.delete(filters={"n": 1}, all=True),
    lambda memory: memory.admin.namespaces(),
]


@pytest.mark.parametrize("ask", ASKED)
def test_an_operation_whose_time_is_over_is_told_so(ask: Callable[[Memory], object]) -> None:
    with temporary_memory() as memory:
        memory.store("x", metadata={"n": 1})
        with pytest.raises(TooSlow):
            ask(memory.within(OVER))
        assert memory.count().count == 1
        ask(memory.within(None))


def test_a_long_filter_is_left_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock moves by a second each time that somebody looks at it."""
    with temporary_memory() as memory:
        memory.store("x", metadata={"n": 1})
        ticks = iter(range(10**9))
        monkeypatch.setattr("winnow.deadlines.monotonic", lambda: float(next(ticks)))
        with pytest.raises(TooSlow, match="filter"):
            memory.within(100).count(filters=MANY)


def test_a_change_that_is_ended_in_its_transaction_was_never_made() -> None:
    with temporary_memory() as memory:
        for number in range(20):
            memory.store("x", id=f"r{number}", metadata={"n": number})
        stop, before = Stop(), memory.engine.store.last_change().number
        stop.request()
        for change in (
            lambda: memory.delete(filters={"n": {"gte": 0}}, all=True),
            lambda: memory.retype(kind="claim", filters={"n": {"gte": 0}}, all=True),
        ):
            with limit(None, stop), pytest.raises(Cancelled):
                change()
        assert memory.engine.store.last_change().number == before
        assert memory.count().count == 20
        assert memory.store("still writable").text == "still writable"


def test_an_import_is_ended_between_batches_and_goes_on_where_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("winnow.memory.transfer.importing.BATCH", 10)
    with temporary_memory() as memory:
        stop = Stop()

        def objects() -> list[dict[str, object]]:
            return [{"id": f"r{number}", "text": "x"} for number in range(50)]

        def stopping() -> object:
            for number, one in enumerate(objects()):
                if number == 25:
                    stop.request()
                yield one

        with limit(None, stop), pytest.raises(Cancelled, match="the lines before are stored"):
            memory.admin.import_(objects=stopping())  # pyright: ignore[reportArgumentType]
        kept = memory.count().count
        assert 0 < kept < 50
        answer = memory.admin.import_(objects=objects())
        assert (answer.added, answer.unchanged) == (50 - kept, kept)


def test_what_works_through_everything_has_no_limit_of_its_own() -> None:
    with temporary_memory() as memory:
        hasty = memory.within(OVER)
        assert hasty.admin.import_(objects=[{"text": "x"}]).added == 1
        assert hasty.admin.doctor().sound
        assert set(OPERATIONS) >= LONG


def test_the_limit_is_given_when_a_store_is_opened_or_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(tmp_path / "a.db") as memory:
        assert memory.engine.time_limit == 30
    with open_memory(tmp_path / "a.db", timeout=OVER) as memory, pytest.raises(TooSlow):
        memory.recall("x")
    with open_memory(tmp_path / "a.db", timeout=0) as memory:
        assert memory.engine.time_limit is None
    monkeypatch.setenv("WINNOW_TIME_LIMIT", "7")
    with open_memory(tmp_path / "a.db") as memory:
        assert memory.engine.time_limit == 7
    monkeypatch.setenv("WINNOW_TIME_LIMIT", "soon")
    with pytest.raises(InvalidRequest, match="WINNOW_TIME_LIMIT"):
        open_memory(tmp_path / "a.db")


def test_names_that_are_not_known_are_told_once_each_and_few_are_guessed() -> None:
    with temporary_memory() as memory:
        memory.store("x", metadata={f"key{number}": number for number in range(200)})
        filters = {"or": [{f"kez{number % 300}": number} for number in range(3_000)]}
        warnings = memory.count(filters=filters).warnings or ()
        assert len(warnings) == 300
        assert 0 < sum("did you mean" in one for one in warnings) <= 50


@pytest.mark.parametrize("seconds", ["a", -1, float("nan")])
def test_a_limit_that_is_no_number_of_seconds_is_refused(memory: Memory, seconds: Any) -> None:
    with pytest.raises(InvalidRequest, match="/seconds"):
        memory.within(seconds)


def test_nothing_and_zero_are_no_limit(memory: Memory) -> None:
    assert memory.within(None).engine.time_limit is None
    assert memory.within(0).engine.time_limit is None
