"""Two agents that answer B-7.1 with the tools of a server. Scripted, so that a run is repeatable.

What a model would do in its head, such as to judge a note that it has read, is done here by rule;
what it would send and get goes over the wire.
"""

import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from mcp import Client

from bench.b7_agent.task import ToolLog, Turn

Arm: TypeAlias = Callable[["Desk"], Awaitable[list[str]]]
QUESTION = "all matters with an escrow of at least 10 % and a non-compete of more than 18 months"
CRITERIA = {"escrowPct": {"gte": 10}, "nonCompeteMonths": {"gt": 18}}
PAGE = 25


class Desk:
    """What an agent works with: the tools, whose calls are logged, and a place for its answer."""

    def __init__(self, client: Client, log: ToolLog, answer: Path) -> None:
        self._client = client
        self._log = log
        self._answer = answer

    async def call(self, name: str, **arguments: Any) -> Mapping[str, Any]:
        """Call a tool, and log what went over the wire."""
        result = await self._client.call_tool(name, arguments)
        sent = json.dumps({"name": name, "arguments": arguments}, separators=(",", ":"))
        got = result.model_dump_json(by_alias=True, exclude_none=True, include=_READ)
        self._log.turns.append(Turn(name, arguments, len(sent) + len(got)))
        if result.is_error or result.structured_content is None:
            raise RuntimeError(got)
        return result.structured_content

    def write(self, ids: list[str]) -> list[str]:
        """Write matters.json."""
        self._answer.write_text(json.dumps(ids), encoding="utf-8")
        self._log.turns.append(Turn("write", {"path": self._answer.name}, len(json.dumps(ids))))
        return ids


_READ = {"content", "structured_content"}


async def run(client: Client, arm: Arm, folder: Path) -> tuple[ToolLog, list[str]]:
    """Let an agent work; return its log, and what it wrote."""
    log, answer = ToolLog(), folder / "matters.json"
    start = time.perf_counter()
    await arm(Desk(client, log, answer))
    log.seconds = time.perf_counter() - start
    return log, json.loads(answer.read_text(encoding="utf-8"))


async def by_filter(desk: Desk) -> list[str]:
    """Look up the fields, ask once, write."""
    described = await desk.call("memory_schema", schema="legal.Matter")
    known = {field["name"] for field in described["schemas"][0]["fields"]}
    if not CRITERIA.keys() <= known:
        raise RuntimeError("the fields of the question are not known")
    return await by_filter_at_once(desk)


async def by_filter_at_once(desk: Desk) -> list[str]:
    """Ask once, with what the description of the tool has told, and write."""
    found = await desk.call(
        "memory_recall", query=QUESTION, schema="legal.Matter", filters=CRITERIA
    )
    return desk.write(found["entityIds"])


async def by_reading(desk: Desk) -> list[str]:
    """Search in words, read every note of a matter, judge it, write. The counter-example."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = await desk.call("memory_recall", query=QUESTION, limit=PAGE, cursor=cursor)
        for hit in page["hits"]:
            if "MAT-" in hit["path"]:
                note = await desk.call("memory_get", id=hit["id"])
                found += _judge(note["text"])
        cursor = page.get("cursor")
        if cursor is None:
            return desk.write(found)


def _judge(note: str) -> list[str]:
    """Return the id of a matter if its note says that both criteria hold."""
    told = dict(re.findall(r"^CLAWQL_(\w+)=(.*)$", note, re.MULTILINE))
    escrow, months = (int(told.get(key, 0)) for key in ("ESCROW_PCT", "NONCOMPETE_MONTHS"))
    return [told["MATTER_ID"]] if escrow >= 10 and months > 18 else []
