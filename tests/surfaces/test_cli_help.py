"""What `--help` shows, and that its examples run."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from tests.surfaces.running import APP, matter, run_winnow
from tools.make_reference import list_commands
from typer.core import TyperGroup
from typer.main import get_command

from winnow.demo.notes import write_firm
from winnow.operations import OPERATIONS, Effect
from winnow.operations.requests import Conditions
from winnow.surfaces.cli.examples import EXAMPLES
from winnow.surfaces.cli.help import CHAPTERS, SECTIONS
from winnow.wire import arguments

PROJECT = Path(__file__).parents[2]
COMMANDS = dict(list_commands(cast(TyperGroup, get_command(APP))))
QUESTIONS = [one.name for one in OPERATIONS.values() if issubclass(one.request, Conditions)]


def shown(*words: str) -> str:
    ran = run_winnow(*words, "--help")
    assert (ran.code, ran.err) == (0, "")
    return ran.out


@pytest.mark.parametrize("group", [(), ("namespace",), ("keys",)])
def test_a_group_alone_shows_its_help(group: tuple[str, ...]) -> None:
    assert run_winnow(*group).out == shown(*group)
    assert run_winnow(*group).code == 0


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_a_help_is_short_for_help_and_fits_a_screen(name: str) -> None:
    words = name.split()
    assert run_winnow(*words, "-h").out == shown(*words)
    prose, _, _ = shown(*words).partition("\nExamples:")
    assert max(map(len, prose.splitlines())) <= 80


def test_all_commands_are_listed_by_what_they_are_for_with_all_that_is_said_of_them() -> None:
    listed = " ".join(shown().split())
    for name, command in COMMANDS.items():
        told = name.split()[0] if " " in name else f"{name} {command.help}"
        assert told in listed
    assert "More:" not in listed  # each stands in a chapter
    assert all(f"{title}: " in listed for title in CHAPTERS)


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_decides_comes_first_in_the_help_of_a_question(name: str) -> None:
    listed = shown(name)
    options = [f"  --{one.replace('_', '-')}" for one in SECTIONS["What matches"]]
    places = [listed.index(one) for one in options]
    assert places == sorted(places)
    assert listed.index("What matches:") < listed.index("Of every command:")


def test_the_sections_of_the_help_name_arguments_that_there_are() -> None:
    known = {one.name for name in QUESTIONS for one in arguments(OPERATIONS[name].request)}
    assert {one for names in SECTIONS.values() for one in names} <= known


def test_what_is_off_has_one_name_in_the_help_and_what_is_on_has_two() -> None:
    assert "--no-dry-run" not in shown("delete")
    assert "--no-include-confidence-tags" in shown("recall")


# --- examples ------------------------------------------------------------------------------------

UNENDING = "winnow index ~/notes --watch"
EXAMPLE_LINES = [(name, line) for name, lines in EXAMPLES.items() for line in lines.splitlines()]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with the files that the examples speak of."""
    home = tmp_path_factory.mktemp("home")
    write_firm(home / "notes")
    (home / "shelf.yaml").write_bytes((PROJECT / "examples/library/pack.yaml").read_bytes())
    line = str(matter("MAT-9999", title="Elsewhere")).replace("'", '"')
    entity = '{"type":"entity","name":"Atlas","entityType":"project","observations":[]}'
    for name, text in {
        "memories.jsonl": line,
        "memory.jsonl": entity,
        "tickets.csv": "Key,Body,Labels\nT-1,It broke,a;b\n",
        "old-notes/crane.md": "The crane is new.",
    }.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.setenv("HOME", str(home))
        patch.setenv("WINNOW_STORE", str(home / "w.db"))
        for number in range(3):
            run_winnow("store", f"draft {number}", "--id", f"d{number}", "--tag", "draft")
        yield home


@pytest.mark.parametrize(("name", "line"), EXAMPLE_LINES, ids=[line for _, line in EXAMPLE_LINES])
def test_an_example_of_the_help_runs(desk: Path, name: str, line: str) -> None:
    """In the order in which they stand there."""
    assert f"  {line}\n" in shown(*name.split())
    if line == UNENDING:
        return
    typed, *_ = re.split(r" [<>] (?=[^\s']+$)", line)
    read = line.partition(" < ")[2]
    text = (desk / read).read_text(encoding="utf-8") if read else None
    _, *words = [word.replace("~", str(desk)) for word in shlex.split(typed)]
    ran = run_winnow(*words, input=text)
    assert ran.code == 0, ran.err
    assert ran.out


# --- what is destroyed ---------------------------------------------------------------------------

# Why something is destroyed without a `--dry-run` to look at it first.
SEEN_BEFORE = {"keys revoke": "one key, by its name; `keys list` shows it"}


def test_whatever_destroys_can_be_tried_first() -> None:
    destroying = {one.name for one in OPERATIONS.values() if one.effect is Effect.DESTROY}
    tried = {name for name in destroying if "--dry-run" in shown(*name.split())}
    assert destroying - tried == set(SEEN_BEFORE)
    assert "--dry-run" in shown("retype")
