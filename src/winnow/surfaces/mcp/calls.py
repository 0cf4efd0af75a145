"""One call of a tool: from its arguments to what an agent gets, whatever happens."""

import json
import logging
import os
from collections.abc import Mapping
from functools import cache
from operator import attrgetter
from typing import cast

from mcp_types import CallToolResult, TextContent

from winnow.errors import Fault, InvalidRequest, WinnowError
from winnow.memory import Memory
from winnow.surfaces.mcp.bounds import MOST_CHARACTERS, fit
from winnow.surfaces.mcp.doubles import complain_of_double
from winnow.surfaces.mcp.summaries import UNTRUSTED, summarize
from winnow.surfaces.mcp.tools import MARK, ToolRow
from winnow.surfaces.texts import KINDS, Kind, kind_of
from winnow.values import Json, describe
from winnow.wire import arguments as arguments_of
from winnow.wire import encode, encode_error

_log = logging.getLogger(__name__)
_WHOLE = frozenset(("memory_get",))  # there is no other way to read a long text
_LONGEST_COMPLAINT = 2_000  # characters; the structured error has it all


def call_tool(memory: Memory, row: ToolRow, arguments: object) -> CallToolResult:
    """Carry out a call. What is wrong with it is part of the result, for the agent to mend."""
    try:
        given = _read_texts(row.operation.request, _read_arguments(arguments))
        answer = attrgetter(row.operation.method)(memory)(**given)
        payload = cast(dict[str, Json], encode(answer))
        if row.holds_texts:
            payload = {MARK: UNTRUSTED, **payload}
        return _result(payload, summarize(answer), whole=row.name in _WHOLE)
    except WinnowError as error:
        return _complain(error)
    except Exception as error:  # noqa: BLE001  # an agent gets an answer, and the log what it was
        return _give_up(row, error)


def _read_arguments(arguments: object) -> Mapping[str, object]:
    """Return the arguments; some clients send all of them as one text of JSON."""
    if isinstance(arguments, str):
        arguments = _load(arguments)
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise _not_an_object(arguments)
    return cast(Mapping[str, object], arguments)


def _read_texts(request: type, given: Mapping[str, object]) -> Mapping[str, object]:
    """Read numbers, true and false that were sent as text, as models do now and then."""
    kinds = _plain_kinds(request)
    return {
        name: kinds[name].read(value) if isinstance(value, str) and name in kinds else value
        for name, value in given.items()
    }


@cache
def _plain_kinds(request: type) -> Mapping[str, Kind]:
    """Return how numbers and flags are written, by each spelling of their arguments."""
    known = ((one, kind_of(one)) for one in arguments_of(request))
    plain = [(one, kind) for one, kind in known if kind in KINDS.values()]
    return {name: kind for one, kind in plain for name in (one.name, one.wire_name, *one.aliases)}


def _load(text: str) -> object:
    if double := complain_of_double(text.encode("utf-8", "surrogatepass")):
        raise InvalidRequest([Fault("", double)])
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise _not_an_object(text) from None


def _not_an_object(arguments: object) -> InvalidRequest:
    return InvalidRequest([Fault("", f"arguments are an object, got {describe(arguments)}")])


def _complain(error: WinnowError) -> CallToolResult:
    told = f"{error.code}: {error}"
    if len(told) > _LONGEST_COMPLAINT:
        told = f"{told[:_LONGEST_COMPLAINT]} …"
    if isinstance(error, InvalidRequest) and any(map(_speaks_of_fields, error.faults)):
        told += "\nmemory_schema lists the schemas, their fields, units and operators."
    return _result(encode_error(error), told, is_error=True)


def _speaks_of_fields(fault: Fault) -> bool:
    return fault.pointer.startswith(("/filters", "/where", "/schema", "/orderBy", "/groupBy"))


def _give_up(row: ToolRow, error: Exception) -> CallToolResult:
    # Neither the log nor the answer repeats what a message may quote of memories.
    debugging = bool(os.environ.get("WINNOW_DEBUG"))
    _log.error("%s failed: %s", row.name, type(error).__name__, exc_info=debugging)
    told = f"internal error in {row.name} ({type(error).__name__}); the server's log has it"
    payload: dict[str, Json] = {"code": "internal_error", "message": told}
    return _result(payload, told, is_error=True)


def _result(
    payload: dict[str, Json], told: str, *, whole: bool = False, is_error: bool = False
) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=_writable(told))],
        structured_content=_readable(payload, whole),
        is_error=is_error,
    )


def _writable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _readable(payload: dict[str, Json], whole: bool) -> dict[str, Json]:
    """Return an answer that a client can read, and an agent take in."""
    text = json.dumps(payload, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair, as in the path of a vault
        payload = json.loads(text.encode("utf-8", "replace"))
    return payload if whole or len(text) <= MOST_CHARACTERS else fit(payload)
