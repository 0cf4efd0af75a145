"""Schemas can be read by an address."""

import json
from typing import Any

import pytest
from mcp import MCPError
from tests.surfaces.mcp.connecting import MODES, converse

from winnow.memory import Memory
from winnow.wire import encode

ALL = "winnow://schemas"


@pytest.mark.parametrize("mode", MODES)
def test_every_schema_is_a_resource(memory: Memory, mode: str) -> None:
    async def addresses(client: Any) -> Any:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        return [one.uri for one in listed], [one.uri_template for one in templates]

    every = [ALL, *(f"{ALL}/{name}" for name in memory.schema_names())]
    assert converse(memory, addresses, mode=mode) == (every, [f"{ALL}/{{name}}"])


@pytest.mark.parametrize("name", [None, "legal.Matter"])
def test_a_resource_is_what_memory_schema_answers(memory: Memory, name: str | None) -> None:
    async def read(client: Any) -> Any:
        return await client.read_resource(f"{ALL}/{name}" if name else ALL)

    (content,) = converse(memory, read).contents
    assert content.mime_type == "application/json"
    assert json.loads(content.text) == encode(memory.schema(name))


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (f"{ALL}/legal.Mater", "did you mean 'legal.Matter'?"),
        ("winnow://schema", "did you mean 'winnow://schemas'?"),
        (f"{ALL}/", "unknown resource"),
        ("file:///etc/passwd", "unknown resource"),
    ],
)
def test_an_address_that_there_is_not_is_refused_with_the_nearest(
    memory: Memory, address: str, told: str
) -> None:
    async def read(client: Any) -> str:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(address)
        return refused.value.message

    assert told in converse(memory, read)
