"""What the command line shows of words and notes beside a schema."""

from pathlib import Path

import pytest
from tests.surfaces.running import run_winnow

from winnow.demo.notes import write_firm


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store of the notes of the demo's firm."""
    folder: Path = tmp_path_factory.mktemp("words")
    write_firm(folder / "notes")
    path = str(folder / "w.db")
    assert run_winnow("index", str(folder / "notes"), "--store", path).code == 0
    return path


def lines(store: str, *arguments: str) -> list[str]:
    ran = run_winnow(*arguments, "--schema", "legal.Matter", "--store", store)
    assert ran.code == 0, ran.err
    return ran.out.splitlines()


def test_what_is_ranked_inside_a_schema_is_shown_with_its_score(store: str) -> None:
    first, head, best, *_ = lines(store, "recall", "northwind software carve-out")
    assert first.startswith("legal.Matter by northwind software carve-out")
    assert head.split() == ["score", "id", "text", "where"]
    score, name, *_ = best.split()
    assert 0 < float(score) <= 1
    assert name == "MAT-2401"


def test_what_the_budget_leaves_out_is_named(store: str) -> None:
    told = lines(store, "recall", "escrow", "--limit", "2", "--budget-tokens", "1")
    assert sum("was left out: about" in line for line in told) == 2
    assert "12 of 12 match, 0 shown, 0 undetermined" in told


@pytest.mark.parametrize("command", ["recall", "list", "aggregate"])
def test_conditions_of_notes_are_repeated(store: str, command: str) -> None:
    """F03."""
    told = lines(store, command, "--kind", "decision", "--where", "escrowPct > 1")
    assert 'with a note where kind in ("decision")' in told
    assert any("where escrowPct > 1" in line for line in told)
    assert any(line.startswith("0 ") and " match" in line for line in told)


def test_relevance_orders_the_exact_set(store: str) -> None:
    asked = ("--where", "escrowPct > 1", "--order-by", "relevance", "--limit", "1")
    told = lines(store, "recall", "northwind software carve-out", *asked)
    assert any(line.startswith("MAT-2401") for line in told)
