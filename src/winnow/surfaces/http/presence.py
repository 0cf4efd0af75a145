"""Whether the sender of a request is still there while it is carried out."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from starlette.types import Receive

from winnow.deadlines import Stop

LOOK_SECONDS: Final = 0.1
"""Seconds after which one looks: to wait for each sender to go would cost every quick call."""


@contextmanager
def heed(receive: Receive, stop: Stop) -> Generator[None]:
    """End the work in the block if its sender goes; the request's body has to be read by then."""
    loop = asyncio.get_running_loop()
    waiting: list[asyncio.Task[None]] = []
    timer = loop.call_later(
        LOOK_SECONDS, lambda: waiting.append(loop.create_task(_wait(receive, stop)))
    )
    try:
        yield
    finally:
        timer.cancel()
        for task in waiting:
            task.cancel()


async def _wait(receive: Receive, stop: Stop) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stop.request()
