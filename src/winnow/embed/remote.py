"""Any server that speaks OpenAI's `/v1/embeddings`."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit
from weakref import finalize

import numpy as np

from winnow.embed.base import LONGEST_TEXT, Embedder, Matrix
from winnow.embed.external import parse_numbers
from winnow.embed.model import ModelEmbedder
from winnow.errors import EmbedderError
from winnow.values import Json

if TYPE_CHECKING:
    from httpx2 import Client, Response

OPENAI: Final = "https://api.openai.com/v1"
TIMEOUT: Final = 30.0  # seconds, for one request
BATCH_TEXTS: Final = 32  # servers of open models refuse more than this by default
BATCH_CHARACTERS: Final = 4 * LONGEST_TEXT
PAUSES: Final = (0.5, 1.0, 2.0)  # seconds before the second, third and fourth try
LONGEST_PAUSE: Final = 30.0  # seconds; a server that wants more is not waited for


@dataclass(frozen=True, slots=True)
class Access:
    """How a server is reached: the key that it gets, and how long one request may take.

    `dimension` is what is known of the model from earlier; without it the server is asked.
    """

    key: str | None = field(default=None, repr=False)
    timeout: float = TIMEOUT
    dimension: int | None = None
    pause: Callable[[float], None] = time.sleep


def open_remote(model: str, url: str = OPENAI, access: Access | None = None) -> Embedder:
    """Return the embedder of a model behind `url`, which ends where `/embeddings` follows."""
    return ModelEmbedder(lambda: RemoteModel(model, url, access or Access()))


class RemoteModel:
    """A model of a server, which is asked for the dimension where that is not known.

    Its name has the server: two may call different models by one name.
    """

    def __init__(self, model: str, url: str, access: Access) -> None:
        self._model, self._access = model, access
        self._url = url.rstrip("/").removesuffix("/embeddings")
        self.name = f"{model} at {self._url}"
        self.dimension = access.dimension or self._ask(["dimension"]).shape[1]

    def make(self, texts: list[str]) -> Matrix:
        """Return a row for each text; asks as often as it takes."""
        made = [self._ask(batch) for batch in split_batches(texts)]
        if len({vectors.shape[1] for vectors in made}) > 1:
            raise self._fail("it gave vectors of different lengths")
        return np.concatenate(made)

    def _ask(self, texts: Sequence[str]) -> Matrix:
        answer = self._request({"model": self._model, "input": list(texts)})
        try:
            return read_answer(answer, len(texts))
        except ValueError as error:
            raise self._fail(str(error)) from None

    def _request(self, body: Json) -> Json:
        pauses = iter(PAUSES)
        while isinstance(reply := self._try(body), _Refusal):
            pause = next(pauses, None)
            if pause is None or reply.wait is None or reply.wait > LONGEST_PAUSE:
                raise self._fail(reply.reason)
            self._access.pause(max(pause, reply.wait))
        return reply

    def _try(self, body: Json) -> "Json | _Refusal":
        from httpx2 import HTTPError, NetworkError, RemoteProtocolError

        try:
            response = self._client.post(f"{self._url}/embeddings", json=body)
        except HTTPError as error:
            # Not after a time-out: a person may be waiting, and has waited long enough.
            passing = isinstance(error, NetworkError | RemoteProtocolError)
            return _Refusal(f"{type(error).__name__}: {error}", wait=0 if passing else None)
        if not response.is_success:
            return _Refusal(_tell(response), _wait(response))
        try:
            return cast(Json, response.json())
        except (ValueError, RecursionError):
            return _Refusal("its answer is not JSON")

    @cached_property
    def _client(self) -> "Client":
        from httpx2 import Client

        key = self._access.key
        if key and not (key.isascii() and key.isprintable()):
            raise EmbedderError(f"{self.name}: the key has a sign that no header may have")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        client = Client(headers=headers, timeout=self._access.timeout)
        finalize(self, client.close)
        return client

    def _fail(self, reason: str) -> EmbedderError:
        told = " ".join(reason.split())
        if self._access.key:
            told = told.replace(self._access.key, "***")
        return EmbedderError(f"{self.name}: {told[:_LONGEST_REASON]}")


_LONGEST_REASON: Final = 300  # characters


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why there is no answer, and how many seconds to wait for one; None if there will be none."""

    reason: str
    wait: float | None = None


def split_batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Cut texts into lists that one request may hold."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == BATCH_TEXTS or size + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def read_answer(answer: Json, count: int) -> Matrix:
    """Read the vectors of `count` texts in their order; raises ValueError."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise ValueError("its answer has no list `data`")
    vectors = dict(_read_item(item, place) for place, item in enumerate(data))
    if len(data) != count or vectors.keys() != set(range(count)):
        raise ValueError(f"it gave {len(data)} vectors for {count} texts")
    if len({len(vector) for vector in vectors.values()}) > 1:
        raise ValueError("it gave vectors of different lengths")
    return np.stack([vectors[place] for place in range(count)])


def _read_item(item: Json, place: int) -> "tuple[int, Matrix]":
    if not isinstance(item, dict):
        raise ValueError(f"item {place} of its answer is not an object")
    index = item.get("index", place)
    if type(index) is not int:
        raise ValueError(f"item {place} of its answer has no whole number as index")
    try:
        return index, parse_numbers(item.get("embedding"))
    except ValueError as error:
        raise ValueError(f"item {place} of its answer: {error}") from None


def _tell(response: "Response") -> str:
    """Say what a server said that refused: its status and, where it gave one, its message."""
    try:
        body = cast(Json, response.json())
    except ValueError:
        body = None
    error = body.get("error", body) if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    told = message if isinstance(message, str) else re.sub(r"<[^>]*>", " ", response.text)
    return f"HTTP {response.status_code} {response.reason_phrase}: {told}".rstrip(": ")


def _wait(response: "Response") -> float | None:
    if response.status_code != _TOO_MANY and not response.is_server_error:
        return None
    asked = response.headers.get("retry-after", "")
    return float(asked) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", asked) else 0


_TOO_MANY: Final = 429


def check_url(url: str) -> str | None:
    """Say what is wrong with the address of a server, None if nothing is."""
    try:
        parts = urlsplit(url)
        legal = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError as error:
        return str(error)
    if not legal or not url.isprintable() or " " in url:
        return "expected an address such as http://localhost:11434/v1"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "an address is stored and shown: it must not hold a key, nor anything after ? or #"
    return None
