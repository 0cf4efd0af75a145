"""The command, run in this process and in one of its own, and what it is asked about."""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, Protocol

from typer.testing import CliRunner

from winnow.surfaces.cli.main import make_app

APP = make_app()
SCRIPT = "import sys; from winnow.surfaces.cli.main import main; sys.exit(main())"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Winnow(Protocol):
    def __call__(
        self, *args: str, input: str | None = None, env: Mapping[str, str] | None = None
    ) -> Ran: ...


def run_winnow(
    *args: str,
    input: str | None = None,
    env: Mapping[str, str] | None = None,
    charset: str = "utf-8",
) -> Ran:
    """Run the command in this process."""
    result = CliRunner(charset).invoke(APP, list(args), input=input, env=env)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def typed(*args: str) -> list[str]:
    """Return what starts the command in a process of its own."""
    return [sys.executable, "-c", SCRIPT, *args]


def start_winnow(*args: str, **settings: Any) -> Popen[bytes]:
    """Start the command in a process of its own."""
    env = {**os.environ, **settings.pop("env", {})}
    stdout, stderr = settings.pop("stdout", PIPE), settings.pop("stderr", PIPE)
    stdin = settings.pop("stdin", None)
    return Popen(typed(*args), env=env, stdin=stdin, stdout=stdout, stderr=stderr)


def spawn_winnow(*args: str, encoding: str = "utf-8", **settings: Any) -> Ran:
    """Run the command in a process of its own."""
    with start_winnow(*args, **settings) as process:
        out, err = process.communicate()
    return Ran(process.returncode, out.decode(encoding), err.decode(encoding))


MATTERS: tuple[Mapping[str, Any], ...] = (
    {"title": "Atlas – Borealis", "escrowPct": 10, "nonCompeteMonths": 24, "status": "Active"},
    {"title": "设备 deal", "escrowPct": 9, "nonCompeteMonths": 24, "status": "Closed"},
    {"title": "Fjord consulting", "escrowPct": 12, "status": "Closed", "client": "CLT-0001"},
    {"title": "Cedar [bold]\x1b[31m", "escrowPct": 15, "nonCompeteMonths": 36, "status": "Active"},
)
IDS = tuple(f"MAT-{number}" for number in range(2388, 2388 + len(MATTERS)))
BOTH = "escrowPct >= 10 and nonCompeteMonths > 18"


def lines_of(*objects: Mapping[str, Any]) -> str:
    return "".join(json.dumps(one) + "\n" for one in objects)


def matter(entity_id: str, **fields: Any) -> Mapping[str, Any]:
    return {"schema": "legal.Matter", "id": entity_id, "fields": fields}


def write_note(vault: Path, matter_id: str, *, escrow: int) -> None:
    text = f"# {matter_id}\n\nCLAWQL_MATTER_ID={matter_id}\nCLAWQL_ESCROW_PCT={escrow}\n"
    (vault / f"{matter_id}.md").write_text(text, encoding="utf-8")
