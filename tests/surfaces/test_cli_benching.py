"""`winnow bench`: a table for people, the figures as JSON and lines, one line for what is wrong."""

from pathlib import Path

import pytest
from tests.surfaces.running import lines_of, matter, run_winnow

COLUMNS = ["of", "operation", "share", "candidates", "p50", "p95", "answer", "filters"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("bench") / "w.db")
    for number in range(12):
        words = ("store", f"the river bank {number}", "--tags", f"t{number % 3}")
        assert run_winnow("--store", path, *words).code == 0
    matters = lines_of(*(matter(f"MAT-100{number}") for number in range(3)))
    assert run_winnow("--store", path, "import", "-", input=matters).code == 0
    return path


def test_a_table_has_each_operation_with_times_candidates_and_the_size(store: str) -> None:
    ran = run_winnow("--store", store, "bench", "--calls", "2")
    assert (ran.code, ran.err) == (0, "")
    head, *rows = ran.out.splitlines()
    assert head.split() == COLUMNS
    assert [row.split()[1] for row in rows[:3]] == ["recall", "list", "count"]
    assert rows[0].split()[:4] == ["memories", "recall", "100.000%", "12"]
    assert "memories 12, legal.Matter 3; queries: 2; first read:" in ran.out


def test_in_json_and_in_lines_are_the_same_figures(store: str) -> None:
    ran = run_winnow("--store", store, "bench", "--calls", "1", "--json")
    assert ran.json["totals"] == {"memories": 12, "legal.Matter": 3}
    first = ran.json["figures"][0]
    assert (first["operation"], first["candidates"], first["calls"]) == ("recall", 12, 1)
    plain = run_winnow("--store", store, "bench", "--calls", "1", "--plain")
    lines = [line.split("\t")[:5] for line in plain.out.splitlines()]
    names = ("of", "operation", "share", "candidates", "calls")
    assert lines == [[str(one[name]) for name in names] for one in ran.json["figures"]]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--calls", "0"], "/calls: expected a whole number from 1"),
        (["--calls", "many"], "/calls: expected a whole number from 1"),
        (["--namespace", "none"], "/namespace: none has nothing to ask about yet"),
        (["--namespace", " "], "/namespace: a namespace has a name"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(store: str, words: list[str], told: str) -> None:
    ran = run_winnow("--store", store, "bench", *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert told in ran.err


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    ran = run_winnow("--store", str(tmp_path / "none.db"), "bench")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert list(tmp_path.iterdir()) == []
