"""The command starts without what it does not need."""

import subprocess
import sys

import pytest

HEAVY = (
    "numpy",
    "apsw",
    "pydantic",
    "lark",
    "rich",
    "yaml",
    "watchfiles",
    "mcp",
    "starlette",
    "winnow.app",
)
SCRIPT = """
import sys
from winnow.surfaces.cli.main import main
try:
    main()
except SystemExit as stop:
    assert stop.code == {code}, stop.code
print(*(name for name in {heavy!r} if name in sys.modules), sep=",", file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["--help"], 0),
        (["recall", "--help"], 0),
        (["index", "--help"], 0),
        (["completion", "bash"], 0),
        (["completion", "bash", "--", "recall", "--sch"], 0),
        (["mcp", "--help"], 0),
        (["--version"], 0),
        (["recall", "--limt"], 2),
    ],
)
def test_help_and_usage_load_nothing_heavy(args: list[str], code: int) -> None:
    script = SCRIPT.format(code=code, heavy=HEAVY)
    ran = subprocess.run(
        [sys.executable, "-c", script, *args], capture_output=True, text=True, check=True
    )
    assert ran.stderr.splitlines()[-1:] == [""]


def test_the_package_is_the_command() -> None:
    command = [sys.executable, "-m", "winnow", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("winnow ")


def test_an_interrupt_while_modules_are_loaded_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from winnow.__main__ import main
    from winnow.surfaces.cli.failures import INTERRUPTED

    class Interrupted:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "winnow.surfaces.cli.main":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "winnow.surfaces.cli.main", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == INTERRUPTED
    assert capsys.readouterr() == ("", "")
