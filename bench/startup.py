"""How long the command takes to start: `winnow --help`, `winnow --version`, one small recall."""

import subprocess
import sys
import tempfile
from pathlib import Path

import winnow
from bench.measure import print_table, time_calls
from bench.recall import entities

COMMAND = str(Path(sys.executable).parent / "winnow")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "firm.db"
        with winnow.open(store) as memory:
            memory.admin.import_(entities=entities(12))
        ask = ("--store", str(store), "count", "--schema", "legal.Matter", "--json")
        cases = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "winnow --help": [COMMAND, "--help"],
            "winnow recall --help": [COMMAND, "recall", "--help"],
            "winnow count --json": [COMMAND, *ask],
        }
        rows = [
            {"command": name, "wall p50 (best..worst)": str(_time_command(command))}
            for name, command in cases.items()
        ]
    print_table("Start of the command", rows)
    return 0


def _time_command(command: list[str]) -> object:
    return time_calls(
        lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), runs=11, warm_up=2
    )


if __name__ == "__main__":
    sys.exit(main())
