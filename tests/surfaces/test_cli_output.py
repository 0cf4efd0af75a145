"""What is printed, on terminals and elsewhere, in any encoding."""

import io
import json
import os
import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surfaces.running import (
    BOTH,
    IDS,
    Ran,
    Winnow,
    lines_of,
    matter,
    run_winnow,
    spawn_winnow,
    start_winnow,
)

from winnow.evaluation.report import BenchAnswer, EvaluationAnswer
from winnow.operations import OPERATIONS
from winnow.operations.upkeep import RestoreAnswer
from winnow.surfaces.cli.page import Column, Page
from winnow.surfaces.cli.plain import in_one_line
from winnow.surfaces.cli.render import WRITERS
from winnow.surfaces.cli.render.parts import fields_of

ON_MATTERS = ("--schema", "legal.Matter")
NARROW: Mapping[str, Mapping[str, str]] = {
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "ascii": {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    "C": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
}
ONES = [
    ("recall", *ON_MATTERS, "--where", BOTH, "--near-misses", "3"),
    ("list", *ON_MATTERS),
    ("explain", IDS[1], *ON_MATTERS, "--where", BOTH),
    ("schema", "legal.Matter"),
    ("schema",),
    ("aggregate", *ON_MATTERS, "--group-by", "status", "--metrics", "histogram(escrowPct, 2)"),
    ("lint",),
    ("doctor",),
]


def words(ran: Ran) -> list[str]:
    """The lines that were printed, with one space between words."""
    assert ran.code == 0
    return [" ".join(line.split()) for line in ran.out.splitlines()]


def test_every_answer_can_be_written() -> None:
    answers = {one for row in OPERATIONS.values() for one in (row.answer, row.several) if one}
    assert set(WRITERS) == {*answers, BenchAnswer, EvaluationAnswer, RestoreAnswer}


def test_recall_tells_the_filter_then_the_values_then_what_is_near_and_open(ask: Winnow) -> None:
    told = words(ask("recall", *ON_MATTERS, "--where", BOTH, "--near-misses", "3"))
    place = f"winnow://legal.Matter/{IDS[0]}"
    expected = [
        f"legal.Matter where {BOTH} at EXTRACTED",
        f"{IDS[0]} escrowPct 10 EXTRACTED {place}",
        f"nonCompeteMonths 24 EXTRACTED {place}",
        f"{IDS[1]} escrowPct >= 10 9 1",
        f"{IDS[2]} not in the answer nonCompeteMonths: missing",
        "2 of 4 match, 2 shown, 1 undetermined",
    ]
    assert [line for line in told if line in expected] == expected


def test_recall_shows_where_a_value_stands_in_a_note(tmp_path: Path, notes: Path) -> None:
    store = ("--store", str(tmp_path / "s.db"))
    assert run_winnow(*store, "index", str(notes)).code == 0
    told = words(run_winnow(*store, "recall", *ON_MATTERS, "--where", "escrowPct = 12"))
    assert "MAT-2388 escrowPct 12 EXTRACTED MAT-2388.md:4 CLAWQL_ESCROW_PCT=12" in told


def test_all_values_of_a_conflict_are_shown(tmp_path: Path, notes: Path) -> None:
    (notes / "other.md").write_text("CLAWQL_MATTER_ID=MAT-2388\nCLAWQL_ESCROW_PCT=14\n")
    store = ("--store", str(tmp_path / "s.db"))
    run_winnow(*store, "index", str(notes))
    asked = ("--where", "escrowPct > 11", "--confidence-minimum", "AMBIGUOUS")
    told = words(run_winnow(*store, "recall", *ON_MATTERS, *asked))
    assert "MAT-2388 escrowPct 12 AMBIGUOUS MAT-2388.md:4 CLAWQL_ESCROW_PCT=12" in told
    assert "escrowPct 14 AMBIGUOUS other.md:2 CLAWQL_ESCROW_PCT=14" in told


def test_count_prints_the_number_alone(ask: Winnow) -> None:
    ran = ask("count", *ON_MATTERS, "--where", BOTH)
    assert ran.out == "2\n"
    assert ran.err.splitlines()[0] == "winnow: 1 undetermined"


def test_explain_draws_a_tree_of_signs(ask: Winnow) -> None:
    asked = "escrowPct >= 10 and not (nonCompeteMonths > 18 or status = Active)"
    told = words(ask("explain", IDS[2], *ON_MATTERS, "--where", asked))
    assert told[0].startswith(f"{IDS[2]} matches (undetermined) escrowPct >= 10 and")
    assert [line.partition(" EXTRACTED")[0] for line in told[1:]] == [
        "? and",
        "├── ✓ escrowPct 12 >= 10",
        "└── ? not",
        "└── ? or",
        "├── ? nonCompeteMonths > 18: unknown missing",
        '└── ✗ status "Closed" != "Active"',
    ]


def test_figures_stand_in_columns(ask: Winnow) -> None:
    metrics = "count,max(nonCompeteMonths),histogram(escrowPct, 2)"
    told = words(ask("aggregate", *ON_MATTERS, "--group-by", "status", "--metrics", metrics))
    assert told[0] == "group count max(nonCompeteMonths) histogram(escrowPct, 2)"
    assert told[1].startswith("Active 2 36 10")
    assert told[-1] == "4 match, 0 undetermined"


def test_groups_by_several_fields_have_a_column_for_each(ask: Winnow) -> None:
    told = words(ask("aggregate", *ON_MATTERS, "--group-by", "status,client"))
    assert told[0] == "status client count"
    assert "Closed CLT-0001 1" in told


def test_schema_tells_types_units_operators_and_the_values_seen(ask: Winnow) -> None:
    told = "\n".join(words(ask("schema", "legal.Matter")))
    assert re.search(r"^escrowPct number percent 9 – 15 4 ", told, re.MULTILINE)
    assert re.search(r"^status enum Active, Closed, Pending, OnHold 4 ", told, re.MULTILINE)
    assert re.search(r"^number eq ne in nin gt gte lt lte between isNull$", told, re.MULTILINE)
    assert re.search(r"^client ref legal.Client", told, re.MULTILINE)


def test_the_example_of_a_schema_is_a_command_that_runs(ask: Winnow) -> None:
    (example,) = re.findall(r"^example: winnow (.+)$", ask("schema").out, re.MULTILINE)
    assert ask(*shlex.split(example)).out.startswith(f"legal.Matter where {BOTH}")


def test_lint_tells_path_and_line(tmp_path: Path, notes: Path) -> None:
    (notes / "bad.md").write_text("CLAWQL_MATTER_ID=MAT-2389\nCLAWQL_ESCROW_PCT=lots\n")
    store = ("--store", str(tmp_path / "s.db"))
    indexed = words(run_winnow(*store, "index", str(notes)))
    told = words(run_winnow(*store, "lint"))
    assert "entities: 2 legal.Matter" in indexed
    assert any(line.startswith("bad.md:2: unreadable_value ") for line in told)
    assert "legal.Matter lacks escrowPct in 1" in told


def test_an_import_tells_what_it_refused(tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "s.db"))
    ran = run_winnow(*store, "import", "-", input=lines_of(matter("nobody")))
    assert "refused /lines/1/id: text 'nobody' is no id" in ran.out


@pytest.mark.parametrize("typed", ONES, ids=lambda typed: typed[0])
@pytest.mark.parametrize("charset", ["cp1252", "ascii"])
def test_a_narrow_encoding_loses_nothing_but_beauty(
    store: str, typed: tuple[str, ...], charset: str
) -> None:
    """F112: people get plain signs, and escapes for what has none."""
    ran = run_winnow("--store", store, *typed, charset=charset)
    assert (ran.code, ran.err) == (0, "")
    assert not re.search(r"\\u25|\\u27", ran.out)  # lines of tables, and signs
    assert r"\u8bbe\u5907 deal" in ran.out or typed[0] != "list"


def test_so_it_is_in_a_process_of_its_own(store: str) -> None:
    """F112"""
    typed = ("--store", store, "list", *ON_MATTERS)
    ran = spawn_winnow(*typed, env=NARROW["cp1252"], encoding="cp1252")
    assert (ran.code, ran.err) == (0, "")
    assert "Atlas – Borealis" in ran.out
    assert r"\u8bbe\u5907 deal" in ran.out


@pytest.mark.parametrize("env", NARROW.values(), ids=NARROW)
def test_json_is_utf8_whatever_the_terminal_is(store: str, env: Mapping[str, str]) -> None:
    """F112"""
    ran = spawn_winnow("--store", store, "list", *ON_MATTERS, "--json", env=env)
    assert (ran.code, ran.err) == (0, "")
    titles = [hit["fields"]["title"] for hit in ran.json["items"]]
    assert titles[:2] == ["Atlas – Borealis", "设备 deal"]
    assert "设备" in ran.out


def test_errors_reach_a_narrow_terminal_too(store: str) -> None:
    """F112"""
    ran = spawn_winnow("--store", store, "schema", "设备", env=NARROW["cp1252"])
    assert ran.code == 2
    assert r"\u8bbe\u5907" in ran.err


def test_a_note_cannot_act_on_the_terminal(ask: Winnow) -> None:
    ran = ask("list", *ON_MATTERS)
    assert "\x1b" not in ran.out
    assert r"Cedar [bold]\x1b[31m" in ran.out


def test_there_is_color_on_demand_and_none_where_it_is_not_wanted(ask: Winnow) -> None:
    def colored(**env: str) -> bool:
        return "\x1b" in ask("list", *ON_MATTERS, env={"TERM": "xterm", **env}).out

    assert not colored()
    assert colored(FORCE_COLOR="1")
    assert (
        "\x1b[36m"
        not in ask(
            "list", *ON_MATTERS, env={"TERM": "xterm", "FORCE_COLOR": "1", "NO_COLOR": "1"}
        ).out
    )


def test_no_color_means_no_escape_at_all(ask: Winnow) -> None:
    forced = {"TERM": "xterm", "FORCE_COLOR": "1"}
    for wanted in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in ask("list", *ON_MATTERS, env={**forced, **wanted}).out
    assert "\x1b" not in ask("list", *ON_MATTERS, "--plain", env=forced).out


def test_there_is_color_on_a_terminal_and_only_there(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    typed = ("--store", store, "list", *ON_MATTERS)
    env = {"TERM": "xterm"}
    master, terminal = os.openpty()
    with start_winnow(*typed, env=env, stdout=terminal) as process:
        os.close(terminal)
        shown = b"".join(iter(lambda: read_terminal(master), b""))
    os.close(master)
    assert process.returncode == 0
    assert b"\x1b[1mMAT-2388" in shown
    assert "\x1b" not in spawn_winnow(*typed, env=env).out


def read_terminal(master: int) -> bytes:
    """What was written to a terminal; nothing once it is closed."""
    try:
        return os.read(master, 65536)
    except OSError:
        return b""


def test_columns_stand_one_below_the_other_in_wide_signs_too() -> None:
    stream = io.StringIO()
    rows = [["设备会议", "x"], ["ab", "x"], ["カナ 한글", "x"]]
    Page(stream).table([Column("a"), Column("b")], rows)
    lines = [line.rstrip() for line in stream.getvalue().splitlines()[1:]]
    assert {sum(map(width, line)) for line in lines} == {len("カナ 한글") * 2 - 1 + 2 + 1}


def width(sign: str) -> int:
    """How many columns of a terminal a sign takes."""
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def test_on_a_narrow_screen_a_text_stands_below_the_rest_of_its_row(ask: Winnow) -> None:
    ask("store", "the river bank " * 9, "--id", "long", "--tag", "narrow")
    asked = ("recall", "river", "--tag", "narrow")
    _, head, _, first, *text = ask(*asked, env={"COLUMNS": "60"}).out.splitlines()
    assert head.split() == ["score", "id,", "kind,", "where,", "text"]
    assert first.split()[1:] == ["long", "observation", "winnow://default/long"]
    assert text[0].strip().startswith("the river bank the river")
    assert max(map(len, text)) <= 60
    _, head, row, *_ = ask(*asked).out.splitlines()
    assert head.split() == ["score", "id", "kind", "text", "where"]
    assert "the river bank the river" in row


def test_a_narrow_screen_breaks_lines_and_loses_nothing(ask: Winnow) -> None:
    typed = ("recall", *ON_MATTERS, "--where", BOTH, "--near-misses", "3")
    wide, narrow = ask(*typed), ask(*typed, env={"COLUMNS": "60"})
    rules = [line for line in narrow.out.splitlines() if line.startswith("─")]
    assert rules
    assert max(map(len, rules)) <= 60
    assert letters(narrow.out) == letters(wide.out)


def letters(text: str) -> Counter[str]:
    return Counter("".join(text.replace("─", "").split()))


@given(st.text())
def test_a_text_of_others_stays_one_line_and_harmless(text: str) -> None:
    line = in_one_line(text)
    assert len(line.splitlines()) <= 1
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", line)
    line.encode("utf-8")


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_a_harmless_text_stays_as_it_is(text: str) -> None:
    assert in_one_line(text) == text


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=4))
def test_a_table_has_a_line_for_each_row_where_nobody_looks(rows: list[list[str]]) -> None:
    stream = io.StringIO()
    Page(stream).table([Column("a"), Column("b", whole=True)], rows)
    assert len(stream.getvalue().split("\n")) == len(rows) + 2


def test_a_table_has_no_rule_and_few_spaces_where_nobody_looks() -> None:
    stream = io.StringIO()
    rows = [["a", "1", "long " * 50, "x"], ["abc", "22", "", "y"]]
    columns = [Column("id"), Column("n", number=True), Column("text", long=True), Column("z")]
    Page(stream).table(columns, rows)
    assert stream.getvalue().splitlines() == [
        "id    n  text  z",
        f"a     1  {'long ' * 50}  x",
        "abc  22  -  y",
    ]


@pytest.mark.parametrize(
    ("filters", "fields"),
    [
        ({}, []),
        ({"a": {"gte": 1}, "b.c": "x"}, ["a", "b.c"]),
        ({"or": [{"a": 1}, {"not": {"b": {"any": {"c": 1}}}}], "a": {"lt": 2}}, ["a", "b"]),
    ],
)
def test_the_fields_of_a_filter_are_told_once_each(filters: Any, fields: list[str]) -> None:
    assert fields_of(filters) == fields


ACTING = "\x1b[2J\x9b31m\x07\x7f\u202eevil\u2066\u200f\U000e0041 end"


ALLOWED: Mapping[tuple[str, ...], set[str]] = {
    (): {"\n"},
    ("--plain",): {"\n", "\t"},
    ("--json",): {"\n", "\U000e0041"},
}


@pytest.mark.parametrize("how", ALLOWED)
def test_a_stored_text_does_nothing_to_a_terminal(tmp_path: Path, how: tuple[str, ...]) -> None:
    store = ("--store", str(tmp_path / "w.db"))
    named = ("--title", ACTING, "--tags", ACTING, "--entity", ACTING, "--source", ACTING)
    run_winnow(*store, "store", ACTING, "--id", ACTING, *named, "--metadata", '{"k": "\\u009b"}')
    for command in (("get", ACTING), ("list",), ("recall", "evil"), ("check", "evil")):
        ran = run_winnow(*store, *command, *how)
        assert ran.code == 0
        unseen = {sign for sign in ran.out + ran.err if unicodedata.category(sign) in ("Cc", "Cf")}
        assert unseen <= ALLOWED[how]
    ran = run_winnow(*store, "get", "no\x1b[2Jsuch\u202e", *how)
    assert ran.code == 1
    assert "\x1b" not in ran.err
    assert "\u202e" not in ran.err
    assert json.loads(run_winnow(*store, "get", ACTING, "--json").out)["text"] == ACTING
