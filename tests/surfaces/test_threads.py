"""Threads that carry out the calls of an event loop."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from contextvars import ContextVar
from threading import Event, get_ident
from typing import NoReturn

import pytest

from winnow.deadlines import check
from winnow.errors import Cancelled
from winnow.surfaces.threads import Threads

PATIENCE = 60  # seconds; only so that a fault does not hang the tests


@pytest.fixture
def gate() -> Iterator[Event]:
    """What calls wait for; it is open at the end."""
    opened = Event()
    yield opened
    opened.set()


async def until_running(threads: Threads, count: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while threads.running != count:
            await asyncio.sleep(0.001)


def test_a_call_is_carried_out_elsewhere_and_its_result_comes_back() -> None:
    assert asyncio.run(Threads(1).run(get_ident)) != get_ident()


def test_what_a_call_raises_comes_back_too() -> None:
    def fail() -> NoReturn:
        raise LookupError("nothing is here")

    with pytest.raises(LookupError, match="nothing is here"):
        asyncio.run(Threads(1).run(fail))


def test_a_call_sees_the_context_of_the_one_who_asked() -> None:
    name: ContextVar[str] = ContextVar("name")

    async def ask() -> str:
        name.set("mine")
        return await Threads(1).run(name.get)

    assert asyncio.run(ask()) == "mine"


@pytest.mark.parametrize("most", [1, 3])
def test_no_more_run_at_once_than_may_and_all_have_their_turn(most: int, gate: Event) -> None:
    threads = Threads(most)
    seen: list[int] = []

    def work(number: int) -> int:
        seen.append(threads.running)
        gate.wait()
        return number

    async def ask() -> list[int]:
        calls = [asyncio.ensure_future(threads.run(lambda n=n: work(n))) for n in range(8)]
        await until_running(threads, most)
        gate.set()
        return await asyncio.gather(*calls)

    assert asyncio.run(ask()) == list(range(8))
    assert max(seen) == most
    assert threads.running == 0


def test_a_call_goes_on_when_the_one_who_waits_is_gone_and_one_that_has_not_begun_never_does(
    gate: Event,
) -> None:
    threads = Threads(1)
    done: list[str] = []

    def work(name: str) -> None:
        gate.wait()
        done.append(name)

    async def leave() -> None:
        begun = asyncio.ensure_future(threads.run(lambda: work("begun")))
        await until_running(threads, 1)
        waiting = asyncio.ensure_future(threads.run(lambda: work("waiting")))
        await asyncio.sleep(0)
        for one in (begun, waiting):
            one.cancel()
        assert {one.cancelled() for one in (await asyncio.wait([begun, waiting]))[0]} == {True}

    asyncio.run(leave())
    assert threads.running == 1
    assert not threads.finish(0.0)
    gate.set()
    assert threads.finish(PATIENCE)
    asyncio.run(threads.run(lambda: work("last")))
    assert done == ["begun", "last"]


def test_a_call_that_nobody_waits_for_ends_when_it_next_looks(gate: Event) -> None:
    ended = Event()

    def work() -> None:
        try:
            while not gate.wait(0.001):
                check("working")
        except Cancelled:
            ended.set()
            raise

    async def give_up() -> None:
        threads = Threads(1)
        task = asyncio.create_task(threads.run(work))
        await until_running(threads, 1)
        task.cancel()
        await until_running(threads, 0)

    asyncio.run(give_up())
    assert ended.is_set()


def test_a_call_that_was_given_up_before_its_turn_never_begins(gate: Event) -> None:
    begun: list[bool] = []

    async def give_up() -> None:
        threads = Threads(1)
        first = asyncio.create_task(threads.run(gate.wait))
        await until_running(threads, 1)
        second = asyncio.create_task(threads.run(lambda: begun.append(True)))
        await asyncio.sleep(0)
        second.cancel()
        with suppress(asyncio.CancelledError):
            await second
        gate.set()
        await first
        await until_running(threads, 0)

    asyncio.run(give_up())
    assert not begun
