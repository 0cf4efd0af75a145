"""docs/resp.md: its sessions run as they are shown, and its lists are complete."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.surfaces.resp.speaking import Error, Line, Status
from tests.surfaces.resp.test_conformance import SCENARIOS

from winnow.memory import Memory
from winnow.surfaces.resp.config import PARAMETERS
from winnow.surfaces.resp.table import TABLE

PAGE = (Path(__file__).parents[3] / "docs" / "resp.md").read_text(encoding="utf-8")


def sessions() -> Iterator[tuple[str, str]]:
    """Each command of the page, and what is shown below it."""
    for block in re.findall(r"```redis\n(.*?)```", PAGE, re.DOTALL):
        for part in re.split(r"^> ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown.rstrip("\n")


def as_redis_cli_shows(reply: Any, indent: str = "") -> str:
    match reply:
        case Status(text):
            return text
        case Error(text):
            return f"(error) {text}"
        case None:
            return "(nil)"
        case bytes():
            return f'"{reply.decode()}"'
        case int():
            return f"(integer) {reply}"
        case []:
            return "(empty array)"
        case _:
            return "\n".join(items_as_redis_cli_shows(reply, indent)).removeprefix(indent)


def items_as_redis_cli_shows(reply: list[Any], indent: str) -> Iterator[str]:
    width = len(str(len(reply)))
    for number, item in enumerate(reply, 1):
        head = f"{indent}{number:>{width}}) "
        yield head + as_redis_cli_shows(item, " " * len(head))


def test_the_sessions_of_the_page_run_as_they_are_shown(line: Line, memory: Memory) -> None:
    found = [*sessions()]
    assert len(found) >= 15
    for command, shown in found:
        assert as_redis_cli_shows(line.say(*shlex.split(command))) == shown, command
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    counted, recalled = (eval(one, {"memory": memory}) for one in code.splitlines())
    assert counted.count == 1
    assert [one.id for one in recalled.memories or ()] == ["s1"]
    assert memory.undelete("m4", namespace="user:123").text == "Lives in Lyon"


def test_the_page_names_every_command_and_every_limit() -> None:
    table = PAGE.partition("## Commands")[2].partition("## Differences")[0]
    named = {name.lower() for name in re.findall(r"`([A-Z.]+)`", table)}
    assert named == set(TABLE)
    assert set(PARAMETERS) == set(re.findall(r"`((?:mem|sweep)-[a-z-]+)`", table))


def test_the_page_names_every_step_that_differs() -> None:
    rows = PAGE.partition("| Klyro | Winnow | Steps |")[2].partition("\n\n")[0]
    named: set[tuple[str, int]] = set()
    for name, numbers in re.findall(r"`([a-z0-9_]+)` ([0-9–, ]+)", rows):
        for part in filter(None, map(str.strip, numbers.split(","))):
            first, _, last = part.partition("–")
            named |= {(name, number) for number in range(int(first), int(last or first) + 1)}
    differ = {
        (scenario["name"], number)
        for scenario in SCENARIOS.values()
        for number, step in enumerate(scenario["steps"])
        if step.get("quirk")
    }
    assert named == differ
