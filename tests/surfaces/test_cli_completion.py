"""What a shell completes, and the scripts that make it ask."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.surfaces.running import APP, run_winnow
from typer.main import get_command

from winnow.kinds import KINDS
from winnow.operations import OPERATIONS
from winnow.surfaces.cli import programs
from winnow.surfaces.cli.completion import complete
from winnow.surfaces.cli.evaluating import READERS
from winnow.surfaces.cli.hooks import EVENTS
from winnow.surfaces.cli.installing import PROFILES
from winnow.surfaces.cli.shells import SCRIPTS
from winnow.surfaces.clients import CLIENTS

LEGAL = ["legal.Attorney", "legal.Client", "legal.Document", "legal.Matter"]


def offered(*words: str, store: str | None = None) -> list[str]:
    return [one.value for one in complete(get_command(APP), words, store)]


def test_every_command_and_every_option_is_offered() -> None:
    groups = {operation.command[0] for operation in OPERATIONS.values()}
    assert groups < set(offered(""))
    for operation in OPERATIONS.values():
        *group, name = operation.command
        assert name in offered(*group, name[:2])
        options = offered(*operation.command, "--")
        assert {"--store", "--json", "--plain", "--help"} < set(options)


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (("rec",), ["recall"]),
        (("--json", "rec"), ["recall"]),
        (("--store", "recall", "und"), ["undelete"]),
        (("namespace", "s"), ["set"]),
        (("recall", "--near"), ["--near-misses"]),
        (("recall", "--fusion", ""), ["linear", "rrf"]),
        (("recall", "--fusion", "=", "r"), ["rrf"]),
        (
            (
                "recall",
                "--fusion=r",
            ),
            ["--fusion=rrf"],
        ),
        (("recall", "--limit", "5", "--fusion", "l"), ["linear"]),
        (("store", "text", "--kind", "cl"), ["claim"]),
        (("recall", "--kinds", "claim,dec"), ["claim,decision"]),
        (("recall", "--kind", ""), list(KINDS)),
        (("recall", "--schema", "legal.M"), ["legal.Matter"]),
        (("schema", ""), LEGAL),
        (("install", "cu"), ["cursor"]),
        (("recall", "--", "--near"), []),
        (("recall", "words", ""), []),
        (("recall", "--where", ""), []),
        (("nothing", ""), offered("")),
    ],
)
def test_the_last_word_is_completed(words: tuple[str, ...], values: list[str]) -> None:
    assert offered(*words, store="/nowhere/at/all.db") == values


def test_schemas_and_namespaces_are_those_of_the_store(tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    pack = tmp_path / "shelf.yaml"
    pack.write_text(
        "pack: shelf\nschemas:\n  Book:\n    id: {pattern: 'BK-[0-9]+'}\n    fields: {}\n",
        encoding="utf-8",
    )
    line = '{"schema": "shelf.Book", "id": "BK-1", "fields": {}}\n'
    typed = ("import", "-", "--pack", str(pack), "--namespace", "home", "--store", store)
    assert run_winnow(*typed, input=line).code == 0
    assert offered("recall", "--schema", "", store=store) == [*LEGAL, "shelf.Book"]
    assert offered("--store", store, "recall", "--schema", "sh") == ["shelf.Book"]
    assert offered("recall", f"--store={store}", "--namespace", "h") == ["home"]


def test_a_store_that_cannot_be_read_offers_what_ships(tmp_path: Path) -> None:
    (tmp_path / "s.db").write_bytes(b"not a store" * 1000)
    assert offered("schema", "", store=str(tmp_path / "s.db")) == LEGAL
    assert offered("schema", "", store=str(tmp_path / "new.db")) == LEGAL
    assert not (tmp_path / "new.db").exists()


def test_the_choices_of_programs_are_those_of_the_code() -> None:
    assert programs.CLIENTS.split("|") == list(CLIENTS)
    assert programs.EVENTS.split("|") == list(EVENTS)
    assert programs.PROFILES.split("|") == list(PROFILES)
    assert programs.FORMATS.split("|") == list(READERS)
    assert programs.SHELLS.split("|") == list(SCRIPTS)


def test_the_command_prints_a_line_an_offer_with_what_it_means() -> None:
    ran = run_winnow("completion", "fish", "--", "recall", "--near")
    assert ran.out == "--near-misses\tshow this many that one test alone keeps out\n"


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_asks_the_command_for_its_shell(shell: str) -> None:
    ran = run_winnow("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert f"completion {shell} --" in ran.out


def test_another_shell_is_refused() -> None:
    ran = run_winnow("completion", "tcsh")
    assert (ran.code, ran.out) == (2, "")
    assert "allowed: bash, zsh, fish" in ran.err


def test_bash_completes(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("winnow")
    script = """
        source <("$1" completion bash)
        COMP_WORDS=("$1" recall --fusion =)
        COMP_CWORD=3
        _winnow "$1"
        printf '%s\n' "${COMPREPLY[@]}"
    """
    ran = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", str(program)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert (ran.stdout, ran.stderr) == ("linear\nrrf\n", "")
