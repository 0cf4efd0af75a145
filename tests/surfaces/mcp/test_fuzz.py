"""Whatever a client sends as arguments, it gets a result; the server lives on."""

import asyncio
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client
from tests.surfaces.mcp.connecting import PATIENCE
from tests.surfaces.running import IDS

from winnow.errors import WinnowError
from winnow.memory import Memory
from winnow.operations import OPERATIONS, Operation
from winnow.surfaces.mcp import McpServer
from winnow.values import Json
from winnow.wire import arguments

ROWS = {one.tool: one for one in OPERATIONS.values() if one.tool}
CODES = {kind.code for kind in WinnowError.__subclasses__()}

_texts = st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(
    ("escrowPct", "legal.Matter", "escrowPct >= 10", "[]", "{}", "null", "a", "0", *IDS)
)
_scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _texts
_operators = st.sampled_from(("eq", "gte", "in", "not", "and", "or", "between", "isNull", "any"))
_json: st.SearchStrategy[Json] = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(_texts | _operators, inner, max_size=4)
        | st.lists(inner, max_size=2).map(json.dumps)
    ),
    max_leaves=12,
)


@st.composite
def calls(draw: st.DrawFn, row: Operation) -> dict[str, Json]:
    """Arguments of a tool: mostly its own names, with any values."""
    names = [one.wire_name for one in arguments(row.request) if not one.raw]
    known = draw(st.dictionaries(st.sampled_from(names), _json, max_size=5))
    if "path" in known:
        known["path"] = "/no/such/folder"  # not whatever there is on this machine
    return known | draw(st.dictionaries(_texts, _json, max_size=1))


@st.composite
def any_call(draw: st.DrawFn) -> tuple[str, dict[str, Json]]:
    name = draw(st.sampled_from(sorted(ROWS)))
    return name, draw(calls(ROWS[name]))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    several=st.lists(any_call(), min_size=1, max_size=10), mode=st.sampled_from(("legacy", "auto"))
)
def test_any_arguments_give_a_result(
    memory: Memory, several: list[tuple[str, dict[str, Json]]], mode: str
) -> None:
    async def talk() -> list[Any]:
        server = McpServer(lambda _request: memory, "full").make()
        async with asyncio.timeout(PATIENCE), Client(server, mode=mode) as client:
            results = [await client.call_tool(name, given) for name, given in several]
            assert (await client.list_tools()).tools
            return results

    for result in asyncio.run(talk()):
        if result.is_error:
            assert result.structured_content["code"] in CODES
            assert result.content[0].text
