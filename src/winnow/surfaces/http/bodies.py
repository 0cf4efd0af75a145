"""The body of a request: how long it may be, how long it may take, and that it is JSON."""

import asyncio
from email.message import Message
from typing import cast

from starlette.datastructures import Headers
from starlette.types import Receive

from winnow.errors import Fault, InvalidRequest
from winnow.filter.decode import load_json
from winnow.surfaces.http.limits import Limits
from winnow.surfaces.http.problems import Refusal
from winnow.values import describe


class Gone(Exception):
    """The client has gone before its request was all there."""


async def read_body(headers: Headers, receive: Receive, limits: Limits) -> bytes:
    """Read a body within its limits; what is refused is not read to its end."""
    announced = headers.get("content-length", "")
    if announced.isdigit() and int(announced[:_DIGITS]) > limits.body:
        raise _too_long(limits)
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await _collect(receive, limits)
    except TimeoutError:
        detail = f"the body was not there within {limits.body_seconds:g} seconds"
        raise Refusal(408, "body_too_slow", detail, _CLOSE) from None


def refuse_body(headers: Headers) -> None:
    """Refuse a body where none is read."""
    length = headers.get("content-length", "0")
    if length.strip("0") or "transfer-encoding" in headers:
        detail = "this request has no body: its arguments stand in the address"
        raise Refusal(400, "body_not_read", detail, _CLOSE)


def read_object(headers: Headers, body: bytes) -> dict[str, object]:
    """Return the JSON object that a body is; an empty body says nothing."""
    if not body:
        return {}
    _check_type(headers)
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refusal(400, "malformed_json", f"the body is not UTF-8: {error}") from None
    try:
        found = load_json(text, "")
    except InvalidRequest as error:
        raise Refusal(400, "malformed_json", _tell_of_json(error)) from None
    if not isinstance(found, dict):
        detail = f"expected an object of arguments, got {describe(found)}"
        raise InvalidRequest([Fault("", detail)])
    return cast(dict[str, object], found)


def _tell_of_json(error: InvalidRequest) -> str:
    told = [
        f"{one.detail.removeprefix('not JSON: ')}"
        + ("" if one.position is None else f" (character {one.position + 1})")
        + (f" ({one.pointer})" if one.pointer else "")
        for one in error.faults
    ]
    return f"the body is not JSON: {'; '.join(told)}"


_DIGITS = 19  # of a number that is too large already
# What is left of a body is not worth reading.
_CLOSE = {"connection": "close"}


async def _collect(receive: Receive, limits: Limits) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Gone
        body += message.get("body", b"")
        if len(body) > limits.body:
            raise _too_long(limits)
        if not message.get("more_body", False):
            return bytes(body)


def _too_long(limits: Limits) -> Refusal:
    return Refusal(413, "body_too_long", f"a body has at most {limits.body:,} bytes", _CLOSE)


def _check_type(headers: Headers) -> None:
    named = headers.get("content-type", "")
    if named == "application/json" and "content-encoding" not in headers:
        return
    message = Message()
    message["content-type"] = named
    kind, charset = message.get_content_type(), message.get_param("charset", "utf-8")
    plain = "content-encoding" not in headers or headers["content-encoding"] == "identity"
    is_json = kind == "application/json" or (kind.startswith("application/") and "+json" in kind)
    if not is_json or str(charset).lower() not in ("utf-8", "utf8") or not plain:
        detail = "the body has to be JSON in UTF-8: send Content-Type: application/json"
        raise Refusal(415, "unsupported_media_type", detail)
