"""Search in Onyx (once Danswer), by its documented `POST /search`.

Source: "Search with the API" in Onyx's developer documentation; docs/providers.md says which.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from winnow.errors import SourceError
from winnow.providers.base import Found
from winnow.providers.server import PAUSES, Refusal, Server
from winnow.providers.variables import read_address, read_key, read_names
from winnow.values import Json

LONGEST_QUERY: Final = 2_048  # characters; Onyx refuses a longer one


def open_onyx(settings: Mapping[str, str]) -> "Onyx | None":
    """Return the client that settings describe, None without WINNOW_ONYX_URL."""
    url = read_address(settings, "WINNOW_ONYX_URL")
    if url is None:
        return None
    scope = {part: read_names(settings, variable) for part, variable in _SCOPES.items()}
    server = Server(f"{url}/search", read_key(settings, "WINNOW_ONYX_KEY"))
    return Onyx(server, {part: names for part, names in scope.items() if names})


# What Onyx calls each restriction, and the variable that holds it.
_SCOPES: Final[Mapping[str, str]] = {
    "sources": "WINNOW_ONYX_SOURCES",
    "document_sets": "WINNOW_ONYX_DOCUMENT_SETS",
}


class Onyx:
    """A provider that asks an Onyx server. It gives no scores, only an order."""

    def __init__(self, server: Server, scope: Mapping[str, Sequence[str]] | None = None) -> None:
        self._server = server
        self._scope: dict[str, Json] = {part: [*names] for part, names in (scope or {}).items()}

    def search(self, query: str, limit: int, timeout: float) -> Sequence[Found]:
        """Return the sections that Onyx finds, of documents that the key may see."""
        asked = query.strip()[:LONGEST_QUERY].encode("utf-8", "replace").decode()
        body: Json = {"query": asked, "skip_query_expansion": True, **self._scope}
        answer = self._server.post(body, timeout, PAUSES)
        if isinstance(answer, Refusal):
            hint = _HINTS.get(answer.status or 0)
            raise SourceError(f"{answer} ({hint})" if hint else str(answer))
        return read_results(answer, limit)


_ADDRESS: Final = "is WINNOW_ONYX_URL that of the API, such as https://cloud.onyx.app/api?"
_HINTS: Final[Mapping[int, str]] = {
    200: _ADDRESS,
    307: _ADDRESS,
    401: "check WINNOW_ONYX_KEY",
    403: "WINNOW_ONYX_KEY must be allowed to search",
    404: _ADDRESS,
    405: _ADDRESS,
}


def read_results(answer: Json, limit: int) -> list[Found]:
    """Read the first results of an answer; raises SourceError."""
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise SourceError(f"its answer has no list `results` ({_ADDRESS})")
    return [_read_result(item, place) for place, item in enumerate(results[:limit], 1)]


def _read_result(item: Json, place: int) -> Found:
    if not isinstance(item, dict):
        raise SourceError(f"result {place} of its answer is not an object")
    link = item.get("link")
    return Found(
        title=_require_text(item, "title", place),
        text=_require_text(item, "content", place),
        path=link if isinstance(link, str) else None,
        metadata={name: item[name] for name in _METADATA if item.get(name) is not None},
    )


# Several sections of one document have the same `citation_id`.
_METADATA: Final = ("citation_id", "source_type", "updated_at")


def _require_text(item: Mapping[str, Json], name: str, place: int) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise SourceError(f"result {place} of its answer has no text `{name}`")
    return value
