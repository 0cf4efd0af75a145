"""What goes wrong, as RFC 9457 has it: a status, and a JSON object that says what it was."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from starlette.responses import Response

from winnow import errors
from winnow.errors import WinnowError
from winnow.values import Json
from winnow.wire import encode_error

PROBLEM = "application/problem+json"


class Refusal(Exception):
    """A request that is refused before any operation sees it."""

    def __init__(
        self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        self.status = status
        self.code = code
        self.headers = dict(headers or {})
        super().__init__(detail)


@dataclass(frozen=True, slots=True)
class Problem:
    """A status, what is said of it, and headers that go with it."""

    status: int
    body: dict[str, Json]
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def respond(self, request_id: str) -> Response:
        """Return the response."""
        text = json.dumps({**self.body, "requestId": request_id}, ensure_ascii=False)
        content = text.encode("utf-8", "backslashreplace")
        return Response(content, self.status, self.headers, PROBLEM)


# The status of each class of errors; each has one of its own here or none.
STATUSES: Mapping[type[WinnowError], int] = {
    errors.InvalidRequest: 422,
    errors.PackError: 422,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.ReadOnly: 409,
    errors.Forbidden: 403,
    errors.OntologyDisabled: 409,
    errors.NotAvailable: 501,
    errors.StoreError: 503,
    errors.DamagedStore: 503,
    errors.VaultError: 422,
    errors.NoEmbedder: 409,
    errors.EmbedderError: 502,
    errors.SourceError: 502,
    errors.TooSlow: 504,
    errors.Cancelled: 503,
    errors.WinnowError: 500,
}


def describe(error: Exception) -> Problem:
    """Say what went wrong; of a fault of ours nothing but that it was one."""
    if isinstance(error, Refusal):
        body = _body(error.status, error.code, str(error))
        return Problem(error.status, body, error.headers)
    if isinstance(error, WinnowError):
        status = next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)
        told = encode_error(error)
        body = _body(status, error.code, str(told.pop("message")))
        return Problem(status, {**body, **told})
    detail = "a fault of the server's own; its log has more under the id of the request"
    return Problem(500, _body(500, "internal_error", detail))


def _body(status: int, code: str, detail: str) -> dict[str, Json]:
    return {
        "type": f"urn:winnow:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
    }
