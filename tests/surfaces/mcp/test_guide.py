"""docs/mcp.md says what is so."""

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.mcp.connecting import (
    PATIENCE,
    converse_by_stdio,
    data_of,
    lines_of,
    replies_in,
    request,
)
from tests.surfaces.running import typed

from winnow.surfaces.mcp.bounds import CHARACTERS_A_TOKEN
from winnow.surfaces.mcp.tools import list_tools, tool_rows

PAGE = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")
SETTINGS, CALL = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))

SCHEMAS = tuple(f"legal.{name}" for name in ("Attorney", "Client", "Document", "Matter"))


def test_the_tools_of_the_guide_are_those_of_the_code() -> None:
    told = re.findall(r"^\| `(\w+)` \| [^|]+ \| (yes)? ?\|$", PAGE, re.MULTILINE)
    assert {name for name, _ in told} == set(tool_rows("full"))
    assert {name for name, core in told if core} == set(tool_rows("core"))


def test_the_guide_says_how_much_the_list_of_tools_is() -> None:
    rows = re.findall(r"^\| [^|]+ \| ([\d,]+) \| ([\d,]+) \|$", PAGE, re.MULTILINE)
    told = [[int(figure.replace(",", "")) for figure in row] for row in rows]
    shown = {"name", "description", "input_schema"}
    assert len(told) == 2
    for figures, members in zip(told, (None, shown), strict=True):
        for figure, profile in zip(figures, ("core", "full"), strict=True):
            texts = (
                one.model_dump_json(by_alias=True, exclude_none=True, include=members)
                for one in list_tools(profile, SCHEMAS)
            )
            assert figure == pytest.approx(sum(map(len, texts)) / CHARACTERS_A_TOKEN, rel=0.1)


def test_the_settings_of_the_guide_start_a_server(store: str) -> None:
    entry = SETTINGS["mcpServers"]["winnow"]
    assert entry["command"] == "winnow"
    args = [store if one.endswith(".db") else one for one in entry["args"]]
    ran = subprocess.run(
        typed(*args), input=lines_of(request(1, "ping")).encode(), capture_output=True, check=True
    )
    assert [one["id"] for one in replies_in(ran.stdout.decode())] == [1]


def test_the_call_of_the_guide_gives_the_five(firm: Callable[[int], str]) -> None:
    async def talk(client: Any) -> Any:
        return await client.call_tool(CALL["name"], CALL["arguments"])

    found = data_of(converse_by_stdio(firm(12), talk))
    assert found["entityIds"] == ["MAT-2388", "MAT-2401", "MAT-2415", "MAT-2450", "MAT-2462"]


def test_the_line_of_the_guide_is_answered_without_a_handshake(store: str) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    echo, line, pipe, command, *args = shlex.split(block.replace("\\\n", ""))
    assert (echo, pipe, command) == ("echo", "|", "winnow")
    ran = subprocess.run(
        typed("--store", store, *args), input=line.encode(), capture_output=True, timeout=PATIENCE
    )
    (reply,) = replies_in(ran.stdout.decode())
    assert "memory_kind_vocab" in json.dumps(reply["result"]["structuredContent"])
