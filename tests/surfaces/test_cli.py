"""`winnow`, from the words that are typed to what is printed, on a store that an import filled."""

import json
from pathlib import Path

import pytest
from tests.surfaces.running import BOTH, IDS, Winnow, lines_of, matter, run_winnow

from winnow import __version__
from winnow.operations import OPERATIONS

ON_MATTERS = ("--schema", "legal.Matter")
TYPED = [
    ("recall", *ON_MATTERS),
    ("count", *ON_MATTERS),
    ("list", *ON_MATTERS),
    ("aggregate", *ON_MATTERS),
    ("explain", IDS[0], *ON_MATTERS),
    ("schema",),
    ("lint",),
    ("doctor",),
]


@pytest.mark.parametrize("typed", TYPED, ids=lambda typed: typed[0])
def test_json_is_one_document_and_all_that_is_printed(ask: Winnow, typed: tuple[str, ...]) -> None:
    ran = ask(*typed, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("\n") == 1
    assert isinstance(ran.json, dict)


@pytest.mark.parametrize("typed", TYPED, ids=lambda typed: typed[0])
def test_store_and_json_stand_before_or_after_the_command(
    store: str, typed: tuple[str, ...]
) -> None:
    before = run_winnow("--store", store, "--json", *typed)
    after = run_winnow(*typed, "--json", "--store", store)
    assert before == after
    assert before.json["asOf"]["change"] > 0


def test_the_store_is_named_by_the_environment_too(store: str) -> None:
    ran = run_winnow("count", *ON_MATTERS, env={"WINNOW_STORE": store})
    assert ran.out == "4\n"


def test_a_store_named_after_the_command_wins_over_the_others(store: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    ran = run_winnow(
        "--store", other, "count", *ON_MATTERS, "--store", store, env={"WINNOW_STORE": other}
    )
    assert ran.out == "4\n"
    assert not Path(other).exists()


def test_recall_answers_with_the_exact_set(ask: Winnow) -> None:
    answer = ask("recall", *ON_MATTERS, "--where", BOTH, "--near-misses", "5", "--json").json
    assert answer["entityIds"] == [IDS[0], IDS[3]]
    assert [miss["entityId"] for miss in answer["nearMisses"]] == [IDS[1]]
    assert [one["entityId"] for one in answer["undetermined"]["sample"]] == [IDS[2]]


def test_a_filter_in_json_says_the_same_as_one_in_text(ask: Winnow) -> None:
    filters = json.dumps({"escrowPct": {"gte": 10}, "nonCompeteMonths": {"gt": 18}})
    in_json = ask("recall", *ON_MATTERS, "--filters", filters, "--json")
    assert in_json == ask("recall", *ON_MATTERS, "--where", BOTH, "--json")
    assert in_json.json["where"] == BOTH


def test_the_words_of_a_query_stand_without_a_name(ask: Winnow) -> None:
    ran = ask("recall", "both terms", *ON_MATTERS, "--where", BOTH, "--json")
    assert ran.json["query"] == "both terms"


@pytest.mark.parametrize(
    "orders",
    [
        ("--order-by", "status,escrowPct:desc"),
        ("--order-by", "status", "--order-by", "escrowPct:desc"),
    ],
)
def test_sort_keys_are_given_with_commas_or_one_by_one(
    ask: Winnow, orders: tuple[str, ...]
) -> None:
    answer = ask("recall", *ON_MATTERS, *orders, "--json").json
    assert answer["entityIds"] == [IDS[3], IDS[0], IDS[2], IDS[1]]


@pytest.mark.parametrize("flag", ["--include-confidence-tags", "--no-include-confidence-tags"])
def test_a_switch_has_an_opposite(ask: Winnow, flag: str) -> None:
    (hit, *_) = ask("recall", *ON_MATTERS, flag, "--json").json["hits"]
    assert ("fieldConfidence" in hit) == (not flag.startswith("--no-"))


def test_the_minimum_of_confidence_is_passed_on(ask: Winnow) -> None:
    ran = ask("recall", *ON_MATTERS, "--confidence-minimum", "INFERRED", "--json")
    assert ran.json["confidenceMinimum"] == "INFERRED"


def test_cursors_lead_through_all_pages(ask: Winnow) -> None:
    typed = ("list", *ON_MATTERS, "--limit", "1", "--json")
    page = ask(*typed).json
    seen = list(page["items"])
    while page["truncated"]:
        page = ask(*typed, "--cursor", page["cursor"]).json
        seen += page["items"]
    assert [hit["entityId"] for hit in seen] == list(IDS)


def test_metrics_come_by_group(ask: Winnow) -> None:
    typed = ("--group-by", "status", "--metrics", "count,max(nonCompeteMonths)")
    answer = ask("aggregate", *ON_MATTERS, *typed, "--json").json
    figures = {one["key"]: one["metrics"]["max(nonCompeteMonths)"] for one in answer["groups"]}
    assert figures == {"Active": 36, "Closed": 24}


def test_explain_takes_the_id_without_a_name(ask: Winnow) -> None:
    answer = ask("explain", IDS[1], *ON_MATTERS, "--where", BOTH, "--json").json
    assert (answer["entityId"], answer["matched"]) == (IDS[1], False)
    assert answer["explanation"]["parts"][0]["text"] == "escrowPct 9 < 10"


def test_schema_describes_the_one_that_is_named(ask: Winnow) -> None:
    (described,) = ask("schema", "legal.Matter", "--json").json["schemas"]
    escrow = next(field for field in described["fields"] if field["name"] == "escrowPct")
    assert (escrow["unit"], escrow["lowest"], escrow["highest"]) == ("percent", 9, 15)


def test_import_reads_standard_input_as_utf8(tmp_path: Path) -> None:
    """F112: with a byte order mark too, as editors on Windows write it."""
    store = str(tmp_path / "s.db")
    lines = "\ufeff" + json.dumps(matter("MAT-1111", title="Grüße 设备"), ensure_ascii=False)
    ran = run_winnow("--store", store, "import", "-", input=lines)
    assert (ran.code, ran.out) == (0, "1 added, 0 changed, 0 unchanged\n")
    (hit,) = run_winnow("--store", store, "list", *ON_MATTERS, "--json").json["items"]
    assert hit["fields"]["title"] == "Grüße 设备"


def test_an_import_that_refuses_a_line_takes_the_others_and_fails(tmp_path: Path) -> None:
    """F119: what is done in part is not a success."""
    typed = ("--store", str(tmp_path / "s.db"), "import", "-", "--json")
    ran = run_winnow(*typed, input=lines_of(matter("MAT-1111"), matter("nobody")))
    assert ran.code == 1
    assert (ran.json["added"], ran.json["refused"]) == (1, 1)
    assert run_winnow(*typed, input=lines_of(matter("MAT-1111"))).code == 0


@pytest.mark.parametrize("typed", [("--version",), ("recall", "--version")])
def test_the_version_is_told_everywhere(typed: tuple[str, ...]) -> None:
    assert run_winnow(*typed).out == f"winnow {__version__}\n"


def test_without_a_command_the_help_is_shown() -> None:
    assert run_winnow() == run_winnow("--help")
    assert run_winnow().code == 0


def test_every_operation_is_a_command_with_its_summary() -> None:
    listed = run_winnow("--help").out
    for operation in OPERATIONS.values():
        *group, name = operation.command
        assert f"\n  {name} " in (run_winnow(*group, "--help").out if group else listed)
        shown = run_winnow(*operation.command, "--help").out
        assert operation.summary in " ".join(shown.split())
