"""`--plain`: lines for scripts, a tab between columns, and nothing else on standard output."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surfaces.running import BOTH, IDS, MATTERS, Ran, lines_of, matter, run_winnow

from winnow.surfaces.cli.lines import SHEETS
from winnow.surfaces.cli.lines.found import ENTITIES, MEMORIES, PARTS
from winnow.surfaces.cli.lines.kept import CAPABILITIES, DOCTOR, FIELDS, NAMESPACES, SCHEMAS
from winnow.surfaces.cli.lines.sheet import Sheet, write_row
from winnow.surfaces.cli.render import WRITERS

ON_MATTERS = ("--schema", "legal.Matter")
TYPED = {
    ("recall", *ON_MATTERS, "--where", BOTH): ENTITIES,
    ("list", *ON_MATTERS): ENTITIES,
    ("recall", "river"): MEMORIES,
    ("list",): MEMORIES,
    ("get", "m1"): MEMORIES,
    ("explain", IDS[1], *ON_MATTERS, "--where", BOTH): PARTS,
    ("schema",): SCHEMAS,
    ("schema", "legal.Matter"): FIELDS,
    ("namespace", "list"): NAMESPACES,
    ("namespace", "get", "default"): NAMESPACES,
    ("doctor",): DOCTOR,
    ("capabilities",): CAPABILITIES,
}


def cells(ran: Ran) -> list[list[str]]:
    assert ran.code == 0, ran.err
    return [line.split("\t") for line in ran.out.splitlines()]


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store of the matters, and of two memories."""
    store = str(tmp_path_factory.mktemp("lines") / "w.db")
    matters = [matter(one, **fields) for one, fields in zip(IDS, MATTERS, strict=True)]
    assert run_winnow("--store", store, "import", "-", input=lines_of(*matters)).code == 0
    for text in ("the river\nbank", "a bank\tof money"):
        assert run_winnow("--store", store, "store", text, "--tags", "a,b").code == 0
    return store


def test_every_answer_has_its_lines() -> None:
    assert set(SHEETS) == set(WRITERS)


@pytest.mark.parametrize(("typed", "sheet"), TYPED.items(), ids=map(" ".join, TYPED))
def test_every_line_has_every_column(full: str, typed: tuple[str, ...], sheet: Sheet) -> None:
    ran = run_winnow("--store", full, *typed, "--plain")
    assert {len(line) for line in cells(ran)} == {len(sheet.columns)}
    assert "\x1b" not in ran.out
    assert run_winnow("--plain", *typed, "--store", full) == ran


def test_a_record_is_one_line_whatever_its_text_is(full: str) -> None:
    texts = [line[MEMORIES.columns.index("text")] for line in cells(listed(full))]
    assert texts == ["a bank of money", "the river bank"]


def listed(store: str, *options: str) -> Ran:
    return run_winnow("--store", store, "list", *options, "--plain")


def test_lines_say_what_json_says(full: str) -> None:
    told = run_winnow("--store", full, "list", *ON_MATTERS, "--json").json
    lines = cells(run_winnow("--store", full, "list", *ON_MATTERS, "--plain"))
    names = ENTITIES.columns
    assert [line[names.index("entityId")] for line in lines] == list(IDS)
    fields = [json.loads(line[names.index("fields")]) for line in lines]
    assert [one["escrowPct"] for one in fields] == [
        hit["fields"]["escrowPct"] for hit in told["items"]
    ]


def test_what_is_no_record_goes_to_standard_error(full: str) -> None:
    typed = ("recall", *ON_MATTERS, "--where", BOTH, "--near-misses", "1", "--limit", "1")
    ran = run_winnow("--store", full, *typed, "--plain")
    assert len(cells(ran)) == 1
    undetermined, near, more = ran.err.splitlines()
    assert undetermined == "winnow: 1 undetermined"
    assert near == f"winnow: near miss {IDS[1]}: escrowPct >= 10, not 9"
    assert more.startswith("winnow: more with --cursor ")


def test_what_a_recall_cost_stands_beside_its_records(full: str) -> None:
    ran = run_winnow("--store", full, "recall", "--profile", "--plain")
    assert ran.out == run_winnow("--store", full, "recall", "--plain").out
    assert "winnow: filter: " in ran.err
    assert "0 vectors compared" in ran.err


def test_no_record_is_no_line(full: str) -> None:
    assert run_winnow("--store", full, "list", "--tag", "zebra", "--plain") == Ran(0, "", "")


def test_the_id_of_what_was_stored_is_the_first_cell(tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "w.db"))
    (line,) = cells(run_winnow(*store, "store", "one", "--plain"))
    assert line[0] == "m1"


def test_an_import_counts_and_its_refusals_stand_beside(tmp_path: Path) -> None:
    lines = lines_of(matter("MAT-1111"), matter("nobody"))
    ran = run_winnow("--store", str(tmp_path / "w.db"), "import", "-", "--plain", input=lines)
    assert (ran.code, ran.out) == (1, "1\t0\t0\t1\t0\n")
    assert ran.err.startswith("winnow: refused /lines/")


def test_figures_have_the_key_the_count_and_the_metrics(full: str) -> None:
    typed = ("aggregate", *ON_MATTERS, "--metrics", "max(escrowPct),count", "--plain")
    grouped = run_winnow("--store", full, *typed, "--group-by", "status")
    assert cells(grouped) == [["Active", "2", "15"], ["Closed", "2", "12"]]
    assert cells(run_winnow("--store", full, *typed)) == [["4", "15"]]


def test_both_forms_between_a_group_and_its_command_are_read(full: str) -> None:
    ran = run_winnow("namespace", "--plain", "--store", full, "list")
    assert cells(ran)[0][0] == "default"


@given(st.lists(st.one_of(st.none(), st.booleans(), st.text(), st.lists(st.text())), min_size=1))
def test_a_row_is_one_line_with_a_cell_for_each_value(row: list[object]) -> None:
    line = write_row(row)
    assert line.count("\t") == len(row) - 1
    assert len(line.splitlines()) <= 1


def test_cells_are_written_as_they_are_read() -> None:
    assert write_row([None, True, 1.5, ("a", "b"), {"k": [1]}, [{"a": 1}]]) == (
        '\ttrue\t1.5\ta,b\t{"k": [1]}\t[{"a": 1}]'
    )
