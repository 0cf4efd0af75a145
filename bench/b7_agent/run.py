"""Runs the agents at 12 and 250 matters, enforces the caps of their tasks, and prints the turns."""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import winnow
from bench.b7_agent.agent import Arm, by_filter, by_filter_at_once, by_reading, run
from bench.b7_agent.task import CHARACTERS_A_TOKEN, Grade, Task, ToolLog, load_task
from bench.measure import print_table
from winnow.demo.firm import matters
from winnow.demo.notes import write_firm

SIZES = (12, 250)
TYPED = "institutional-knowledge-enumerate-ontology"
ANY_TOOLS = "institutional-knowledge-enumerate"
FILTERED = ("schema", "filters")
SCRIPT = "from winnow.surfaces.cli.main import main; main()"


@dataclass(frozen=True)
class Case:
    """An arm of the comparison: the agent, its task, and whether it has to pass."""

    name: str
    arm: Arm
    task: str
    profile: str
    must_give: tuple[str, ...]
    passes: bool


CASES = (
    Case("schema, then filters", by_filter, TYPED, "core", FILTERED, passes=True),
    Case("filters at once", by_filter_at_once, TYPED, "core", FILTERED, passes=True),
    Case("reading notes one by one", by_reading, ANY_TOOLS, "full", (), passes=False),
)


@dataclass(frozen=True)
class Outcome:
    """What a run of a case came to."""

    log: ToolLog
    found: list[str]
    grade: Grade
    shown_tokens: int


def main(sizes: tuple[int, ...] = SIZES) -> int:
    rows: list[dict[str, str]] = []
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            store = make_firm(Path(folder), size)
            for case in CASES:
                outcome = asyncio.run(try_case(case, store, size))
                rows.append(_row(case, size, outcome))
                wrong += case.passes and not outcome.grade.passed
    print_table("B-7.1 by an agent, over MCP on stdio", rows)
    return 1 if wrong else 0


def make_firm(folder: Path, size: int) -> Path:
    """Write and index the notes of a firm; return its store."""
    vault, store = folder / f"vault-{size}", folder / f"firm-{size}.db"
    write_firm(vault, size)
    with winnow.open(store) as memory:
        memory.admin.index(str(vault))
    return store


def expected(size: int) -> Iterator[str]:
    for one in matters(size):
        if (one.escrow_pct or 0) >= 10 and (one.non_compete_months or 0) > 18:
            yield one.id


async def try_case(case: Case, store: Path, size: int) -> Outcome:
    """Start a server for an agent, list its tools, let it work, and grade it."""
    args = ["-c", SCRIPT, "--store", str(store), "mcp", "--profile", case.profile]
    server = StdioServerParameters(command=sys.executable, args=args)
    task: Task = load_task(case.task)
    with tempfile.TemporaryDirectory() as folder:
        async with Client(stdio_client(server)) as client:
            tools = (await client.list_tools()).tools
            shown = sum(
                len(one.model_dump_json(by_alias=True, include=_SHOWN, exclude_none=True))
                for one in tools
            )
            log, found = await run(client, case.arm, Path(folder))
    grade = task.grade(log, found, list(expected(size)), case.must_give)
    return Outcome(log, found, grade, shown // CHARACTERS_A_TOKEN)


_SHOWN = {"name", "description", "input_schema"}  # what a client gives its model


def _row(case: Case, size: int, outcome: Outcome) -> dict[str, str]:
    log, grade = outcome.log, outcome.grade
    return {
        "agent": case.name,
        "matters": f"{size:,}",
        "turns": str(len(log.turns)),
        "calls": str(log.calls),
        "tokens": f"{log.tokens:,}",
        "tools shown (tokens)": f"{outcome.shown_tokens:,}",
        "seconds": f"{log.seconds:.1f}",
        "score": f"{grade.score:.2f}",
        "within the caps": "yes" if not grade.faults else "no: " + "; ".join(grade.faults),
    }


if __name__ == "__main__":
    sys.exit(main())
