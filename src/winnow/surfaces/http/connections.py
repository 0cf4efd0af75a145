"""Connections that don't wait for ever for a request to begin, and answer in one piece."""

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from winnow.surfaces.http.limits import Limits


class PatientProtocol(H11Protocol):
    """HTTP/1.1 by uvicorn; a connection whose next request's head takes too long is closed."""

    head_seconds: ClassVar[float] = Limits().head_seconds
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for the first request."""
        super().connection_made(_Joining(transport))
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what has come: a part of a head, or more."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        # Between requests uvicorn has a timer of its own, until the first byte of the next one.
        idle = self.timeout_keep_alive_task is not None
        if self._answers() or idle:
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.head_seconds, self.transport.close)

    def _answers(self) -> bool:
        cycle = vars(self)["cycle"]
        return cycle is not None and not cycle.response_complete

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class _Joining(asyncio.Transport):
    """Sends at once what is written at once: the head of an answer, and its body after it.

    Every piece costs a call of the system here, and wakes the client.
    """

    def __init__(self, inner: asyncio.Transport) -> None:
        super().__init__()
        self._inner = inner
        self._pieces: list[bytes] = []
        self._loop = asyncio.get_running_loop()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send data as soon as the one who writes has nothing more to say."""
        if data:
            if not self._pieces:
                self._loop.call_soon(self._flush)
            self._pieces.append(bytes(data))

    def close(self) -> None:
        """Close when all is sent."""
        self._flush()
        self._inner.close()

    def abort(self) -> None:
        """Close now."""
        self._inner.abort()

    def is_closing(self) -> bool:
        """Tell whether it is closed, or will be."""
        return self._inner.is_closing()

    def get_extra_info(self, name: str, default: object = None) -> Any:
        """Return what the connection knows of itself."""
        return self._inner.get_extra_info(name, default)

    def pause_reading(self) -> None:
        """Read no more for now."""
        self._inner.pause_reading()

    def resume_reading(self) -> None:
        """Read on."""
        self._inner.resume_reading()

    def _flush(self) -> None:
        if self._pieces:
            data = b"".join(self._pieces)
            self._pieces.clear()
            self._inner.write(data)
