"""`winnow demo`: it says what it shows, and answers in JSON like any command."""

from pathlib import Path

import pytest
from tests.surfaces.running import Ran, run_winnow


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return run_winnow("demo", str(tmp_path_factory.mktemp("demo") / "new"))


def test_the_demo_shows_the_five(told: Ran) -> None:
    assert (told.code, told.err) == (0, "")
    assert "5 of 12 match" in told.out


def test_in_json_it_is_the_answer_alone_and_it_can_use_a_store(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    ran = run_winnow("--store", str(store), "demo", str(tmp_path / "new"), "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["filteredEntities"] == 5
    assert store.exists()
    assert not (tmp_path / "new" / "winnow.db").exists()


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("mine")
    ran = run_winnow("demo", str(tmp_path))
    assert ran.code == 1
    assert ran.err.count("\n") == 1
