from threading import Event, current_thread

import pytest

from winnow.errors import SourceError
from winnow.providers.lane import Failure, Lane, await_result

SOON = 60  # seconds; far more than any of these calls takes


def test_a_call_has_its_result() -> None:
    assert await_result(Lane("x").start(lambda: 7), SOON) == 7


def test_a_call_runs_in_a_daemon_so_that_it_never_keeps_a_program_from_ending() -> None:
    name, daemon = "", False

    def look() -> None:
        nonlocal name, daemon
        name, daemon = current_thread().name, current_thread().daemon

    await_result(Lane("winnow-x").start(look), SOON)
    assert (name, daemon) == ("winnow-x", True)


@pytest.mark.parametrize("error", [ValueError("x"), SourceError("y"), SystemExit(3)])
def test_what_a_call_raises_is_told_and_not_raised(error: BaseException) -> None:
    def fail() -> None:
        raise error

    failure = await_result(Lane("x").start(fail), SOON)
    assert failure == Failure(type(error).__name__, error)


def test_a_call_that_hangs_is_not_waited_for() -> None:
    released = Event()
    try:
        assert await_result(Lane("x").start(released.wait), 0.01) == Failure("no answer in time")
    finally:
        released.set()


@pytest.mark.parametrize("ending", ["returns", "raises"])
def test_calls_that_hang_take_up_a_place_until_they_end(ending: str) -> None:
    lane, released = Lane("x", most=2), Event()

    def hang() -> None:
        released.wait()
        if ending == "raises":
            raise ValueError

    hanging = [lane.start(hang), lane.start(hang)]
    refused = await_result(lane.start(lambda: 7), SOON)
    assert isinstance(refused, Failure)
    assert str(refused.error) == "2 earlier calls are not done yet"
    released.set()
    for call in hanging:
        await_result(call, SOON)
    assert [await_result(lane.start(lambda: 7), SOON) for _ in range(5)] == [7] * 5


def test_where_the_system_gives_no_thread_the_call_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    lane = Lane("x", most=1)
    with monkeypatch.context() as patch:
        patch.setattr("threading.Thread.start", refuse)
        failure = await_result(lane.start(lambda: 7), SOON)
    assert isinstance(failure, Failure)
    assert failure.reason == "RuntimeError"
    assert await_result(lane.start(lambda: 7), SOON) == 7
