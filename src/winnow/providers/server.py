"""A server that takes JSON and answers in JSON: bounded in time and in size."""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast
from weakref import finalize

from winnow.values import Json

if TYPE_CHECKING:
    from httpx2 import Client, Response

MOST_BYTES: Final = 8_000_000  # of an answer
PAUSES: Final = (0.5, 1.0, 2.0)  # seconds before the second, third and fourth try


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no answer.

    `brief` holds nothing that the server said; `detail` may repeat what it was asked. `wait` is
    how many seconds to wait for an answer, None if there will be none.
    """

    brief: str
    detail: str = ""
    status: int | None = None
    wait: float | None = None

    def __str__(self) -> str:
        return f"{self.brief}: {self.detail}" if self.detail else self.brief


class Server:
    """One address. Safe to use from several threads; the connection is kept."""

    def __init__(
        self, url: str, key: str | None = None, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._url, self._key, self._pause = url, key, pause

    def post(self, body: Json, timeout: float, pauses: Sequence[float] = ()) -> "Json | Refusal":
        """Send a body, again after each pause while a failure may pass and there is time.

        Raises nothing that the server or the network does.
        """
        end = time.monotonic() + timeout
        reply = self._try(body, end)
        for pause in pauses:
            if not isinstance(reply, Refusal) or reply.wait is None:
                break
            wait = max(pause, reply.wait)
            if time.monotonic() + wait >= end:
                break
            self._pause(wait)
            reply = self._try(body, end)
        return reply

    def _try(self, body: Json, end: float) -> "Json | Refusal":
        from httpx2 import HTTPError, InvalidURL, NetworkError, RemoteProtocolError
        from httpx2 import TimeoutException as Late

        left = max(end - time.monotonic(), _SHORTEST)
        try:
            with self._client.stream("POST", self._url, json=body, timeout=left) as response:
                return self._read(response, end)
        except (Late, _TooLate):
            return Refusal("no answer in time")
        except _TooLong:
            return Refusal(f"its answer is longer than {MOST_BYTES / 1e6:g} MB")
        except (HTTPError, InvalidURL) as error:
            passing = isinstance(error, NetworkError | RemoteProtocolError)
            detail = self._hide(str(error))
            return Refusal(type(error).__name__, detail, wait=0 if passing else None)

    def _read(self, response: "Response", end: float) -> "Json | Refusal":
        raw = b"".join(_bounded(response, end))
        if not response.is_success:
            brief = f"HTTP {response.status_code}"
            return Refusal(brief, self._hide(_tell(raw)), response.status_code, _wait(response))
        try:
            return cast(Json, json.loads(raw))
        except (ValueError, RecursionError):
            return Refusal("its answer is not JSON", status=response.status_code)

    @cached_property
    def _client(self) -> "Client":
        from httpx2 import Client

        # Nothing is to be unpacked, so that a small answer can't become a large one.
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        client = Client(headers=headers)
        finalize(self, client.close)
        return client

    def _hide(self, told: str) -> str:
        line = " ".join(told.split())
        return (line.replace(self._key, "***") if self._key else line)[:_LONGEST_DETAIL]


_SHORTEST: Final = 0.001  # seconds; the client takes 0 for an error
_LONGEST_DETAIL: Final = 300  # characters
_LONGEST_TOLD: Final = 65_536  # bytes of an error's body that are looked at


class _TooLate(Exception):
    """The time is over though bytes still come."""


class _TooLong(Exception):
    """There are more bytes than an answer may have."""


def _bounded(response: "Response", end: float) -> Iterator[bytes]:
    size = 0
    for chunk in response.iter_raw():
        size += len(chunk)
        if size > MOST_BYTES:
            raise _TooLong
        # The client's own limit is for each chunk, and a trickle never meets it.
        if time.monotonic() > end:
            raise _TooLate
        yield chunk


def _wait(response: "Response") -> float | None:
    status = response.status_code
    if status != _TOO_MANY and (not response.is_server_error or status == _NOT_IMPLEMENTED):
        return None
    asked = response.headers.get("retry-after", "")
    return float(asked) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", asked, re.ASCII) else 0


_TOO_MANY, _NOT_IMPLEMENTED = 429, 501


def _tell(raw: bytes) -> str:
    """Return what a server that refused said of it."""
    text = raw[:_LONGEST_TOLD].decode("utf-8", "replace")
    try:
        return _find_message(cast(Json, json.loads(text))) or text
    except (ValueError, RecursionError):
        return re.sub(r"<[^<>]*>", " ", text)


def _find_message(body: Json, depth: int = 0) -> str | None:
    if isinstance(body, str) or depth > _DEEPEST_MESSAGE:
        return body if isinstance(body, str) else None
    if isinstance(body, list):
        told = [_find_message(item, depth + 1) for item in body[:3]]
        return "; ".join(part for part in told if part) or None
    if not isinstance(body, dict):
        return None
    told = (_find_message(body.get(name), depth + 1) for name in _MESSAGES)
    return next((part for part in told if part), None)


_DEEPEST_MESSAGE: Final = 4
_MESSAGES: Final = ("detail", "error", "message", "msg")  # where servers put it
