import io
import shlex
import tempfile
from pathlib import Path

import pytest
from rich.console import Console
from tests.surfaces.running import run_winnow

from winnow.app import open_memory
from winnow.demo import run_demo
from winnow.demo.firm import questions
from winnow.errors import VaultError


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "new"


@pytest.fixture(scope="module")
def told(place: Path) -> str:
    """What the demo prints, 80 characters wide and without colors."""
    text = io.StringIO()
    answer = run_demo(Console(file=text, width=80), place)
    assert list(answer.entity_ids) == questions()[0].answer
    return text.getvalue()


def test_the_five_are_told_with_their_values_and_where_these_stand(told: str, place: Path) -> None:
    lines = told.splitlines()
    answer = questions()[0].answer
    assert isinstance(answer, list)
    heads = [line for line in lines if line.startswith("  MAT-") and "escrowPct" in line]
    assert [line.split()[0] for line in heads[: len(answer)]] == answer
    assert "  MAT-2462  Lakeview growth equity: escrowPct 11, nonCompeteMonths 19" in lines
    quoted = [line.split(maxsplit=1) for line in lines if line.startswith("    Memory/")]
    assert len(quoted) == 10
    for source, quote in quoted:
        path, _, number = source.rpartition(":")
        note = (place / "vault" / path).read_text(encoding="utf-8").splitlines()
        assert note[int(number) - 1] == quote


def test_near_misses_and_the_undetermined_one_are_told_with_the_reason(told: str) -> None:
    words = [" ".join(line.split()) for line in told.splitlines()]
    assert "MAT-2390 Ashford carve-out lite escrowPct 9, 1 short of 10" in words
    assert "MAT-2405 Beacon term sheet nonCompeteMonths 18, not more than 18" in words
    assert "MAT-2444 Fjord consulting escrowPct is missing in the notes" in words


def test_it_is_plain_text_that_fits_80_columns_but_for_what_is_to_be_typed(told: str) -> None:
    assert told.isascii()
    assert "\x1b" not in told
    shown, _, typed = told.partition("Try next\n")
    assert max(map(len, shown.splitlines())) <= 80
    assert all(line.startswith("  ") for line in typed.splitlines())


def test_what_is_to_be_typed_works(told: str, place: Path) -> None:
    lines = told.partition("Try next\n")[2].splitlines()
    first, *commands = (shlex.split(line) for line in lines[1:])
    assert first == ["export", f"WINNOW_STORE={place / 'winnow.db'}"]
    assert [command[1] for command in commands] == ["explain", "recall", "aggregate", "schema"]
    for name, *arguments in commands:
        ran = run_winnow(*arguments, env={"WINNOW_STORE": str(place / "winnow.db")})
        assert (name, ran.code, ran.err) == ("winnow", 0, "")
        assert ran.out


def test_a_terminal_gets_the_same_words_in_color(told: str, tmp_path: Path) -> None:
    text = io.StringIO()
    run_demo(Console(file=text, width=80, force_terminal=True, color_system="standard"), tmp_path)
    assert "\x1b[1;32m5 of 12 match" in text.getvalue()


def test_without_a_folder_the_notes_go_to_a_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run_demo(Console(quiet=True))
    (made,) = tmp_path.iterdir()
    assert made.name.startswith("winnow-demo-")
    assert (made / "vault" / "Memory" / "MAT-2388-cedar-peak-minority.md").is_file()


def test_in_a_store_that_exists_it_keeps_to_its_own_namespace(tmp_path: Path) -> None:
    store = tmp_path / "mine.db"
    for name in ("first", "second"):
        answer = run_demo(Console(quiet=True), tmp_path / name, store=store)
        assert (answer.scanned_entities, answer.filtered_entities) == (12, 5)
    with open_memory(store) as memory:
        assert memory.count(schema="legal.Matter", namespace="demo").count == 12


def test_a_folder_with_anything_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("mine")
    with pytest.raises(VaultError, match="not empty"):
        run_demo(Console(quiet=True), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.md"]


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VaultError, match="can't be used"):
        run_demo(Console(quiet=True), tmp_path / "file" / "demo")
