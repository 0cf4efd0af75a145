"""Memories on the command line: stored, recalled, changed and deleted."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.surfaces.running import Ran, Winnow, run_winnow

from winnow.app import open_memory
from winnow.wire import encode


@pytest.fixture
def ask(tmp_path: Path) -> Winnow:
    """Runs the command on a store of its own."""

    def run(*args: str, input: str | None = None, env: Mapping[str, str] | None = None) -> Ran:
        return run_winnow("--store", str(tmp_path / "w.db"), *args, input=input, env=env)

    return run


def test_what_is_stored_is_answered_and_read_back(ask: Winnow) -> None:
    options = ("--tags", "law/ip,b", "--metadata", '{"project": "x"}', "--kind", "claim")
    more = ("--importance", "0.9", "--entity", "chopper", "--memory-type", "semantic")
    stored = ask("store", "the river bank", *options, *more, "--json")
    assert (stored.code, stored.err) == (0, "")
    assert stored.json["id"] == "m1"
    assert stored.json["tags"] == ["law/ip", "b"]
    assert stored.json["metadata"] == {"project": "x"}
    assert stored.json["kindProvenance"] == "declared"
    assert ask("get", "m1", "--json").json == stored.json


def test_recall_has_the_payload_of_python(ask: Winnow, tmp_path: Path) -> None:
    ask("store", "the river bank", "--kind", "claim")
    ask("store", "a bank of money")
    ran = ask("recall", "bank", "--kinds", "claim", "--json")
    with open_memory(tmp_path / "w.db") as memory:
        assert ran.json == encode(memory.recall("bank", kinds="claim"))
    assert [hit["id"] for hit in ran.json["hits"]] == ["m1"]
    assert not {"entityIds", "undetermined", "schema", "memories"} & set(ran.json)


def test_recall_shows_people_a_table_and_what_was_asked(ask: Winnow) -> None:
    ask("store", "the [bold]river[/bold] \x1b[31mbank", "--metadata", '{"n": 10}')
    ask("store", "zebra")
    ran = ask("recall", "river", "--where", "metadata.n >= 10", "--limit", "1")
    assert "where metadata.n >= 10" in ran.out
    assert "[bold]river[/bold]" in ran.out
    assert "\x1b[31m" not in ran.out
    assert ran.out.endswith("1 of 2 match, 1 shown\n")


def test_recall_tells_of_more_of_warnings_and_of_what_was_dropped(ask: Winnow) -> None:
    for text in ("river " * 40, "river", "river too"):
        ask("store", text)
    ran = ask("recall", "river", "--limit", "2", "--kinds", "observation,bogus")
    assert "--cursor" in ran.out
    assert "'bogus'" in ran.out + ran.err
    cut = ask("recall", "river", "--budget-tokens", "5")
    assert "m1 was left out" in cut.out


def test_scores_and_weights_are_read_as_numbers(ask: Winnow) -> None:
    ask("store", "river", "--importance", "1")
    ask("store", "zebra", "--importance", "0.25")
    ran = ask("recall", "river", "--min-score", "0.5", "--mmr", "0.7", "--json")
    assert [hit["importance"] for hit in ran.json["hits"]] == [1.0]


def test_people_see_a_memory_with_what_is_known_of_it(ask: Winnow) -> None:
    ask("store", "twice")
    ran = ask("store", "twice", "--title", "Again", "--tags", "a,b", "--source", "mail")
    for part in ("m2", "observation", "Again", "twice", "tags: a, b", "source: mail"):
        assert part in ran.out
    assert "same text as: m1" in ran.out


def test_update_delete_and_undelete(ask: Winnow) -> None:
    ask("store", "text", "--tags", "a", "--metadata", '{"a": 1, "b": 2}')
    updated = ask("update", "m1", "--clear", "tags,metadata.a", "--text", "new", "--json").json
    assert (updated["text"], updated["tags"], updated["metadata"]) == ("new", [], {"b": 2})
    assert ask("delete", "m1").out == "1 match, 1 deleted\nids: m1\n"
    assert ask("list", "--deleted", "--plain").out.startswith("m1\t")
    gone = ask("get", "m1")
    assert (gone.code, gone.out) == (1, "")
    assert gone.err == "winnow: no memory has the id 'm1' in namespace 'default'\n"
    assert ask("undelete", "m1", "--json").json["text"] == "new"
    assert ask("delete", "m1", "--purge", "--json").json["deleted"] == 1
    assert ask("undelete", "m1").code == 1


def test_many_are_deleted_and_brought_back_at_once(ask: Winnow) -> None:
    for number in range(3):
        ask("store", f"text {number}", "--tag", "draft")
    assert ask("delete", "--all").code == 2
    told = ask("delete", "--tag", "draft", "--all").out.splitlines()
    assert told[1:] == ["3 match, 3 deleted", "ids: m1, m2, m3"]
    assert ask("undelete", "--ids", "m1,m2").out == "2 brought back\nids: m1, m2\n"
    assert ask("undelete", "--deleted-since", "1h", "--plain").out == "1\tm3\n"
    assert ask("list", "--plain").out.count("\n") == 3


@pytest.mark.parametrize(
    "wrong",
    [
        ("store", "text", "--kind", "Claim"),
        ("store", "text", "--kind", ""),
        ("store", "text", "--importance", "2"),
        ("store", "text", "--importance", "much"),
        ("store", "text", "--metadata", "{"),
        ("store", "text", "--expires-at", "soon"),
        ("store", "text", "--ttl-seconds", "99999999999999"),
        ("store", "text", "--namespace", ""),
        ("store", "text", "--id", " "),
        ("store", "text", "--vector", "[1]"),
        ("store",),
        ("recall", "text", "--where", "importance >"),
        ("recall", "text", "--vector", "[1]"),
        ("recall", "text", "--min-score", "7"),
        ("update", "m1", "--clear", "text"),
    ],
)
def test_f119_bad_input_is_one_line_and_exit_code_2(ask: Winnow, wrong: tuple[str, ...]) -> None:
    ask("store", "before")
    ran = ask(*wrong)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("winnow: ")
    assert ran.err.count("\n") == 1
    assert ask("recall", "--json").json["scannedEntities"] == 1


def test_a_wrong_kind_is_refused_in_the_words_of_every_surface(ask: Winnow) -> None:
    ran = ask("store", "text", "--kind", "Claim")
    assert "invalid kind 'Claim' (expected one of: observation, reflection, persona," in ran.err


def test_text_of_every_script_goes_in_and_comes_out(ask: Winnow) -> None:
    for text in ("我们部署了设备", "новая книга", 'it\'s "quoted"', "--", "-5 degrees"):
        assert json.loads(ask("store", "--json", "--", text).out)["text"] == text
    assert ask("recall", "设备", "--json").json["hits"][0]["text"] == "我们部署了设备"


def test_recall_shows_what_links_led_to_and_what_other_systems_found(
    ask: Winnow, tmp_path: Path
) -> None:
    vault = tmp_path / "notes"
    vault.mkdir()
    (vault / "a.md").write_text("river [[b]]\n", encoding="utf-8")
    (vault / "b.md").write_text("plain\n", encoding="utf-8")
    ask("index", str(vault))
    offered = {"WINNOW_PROVIDER_CODEGRAPH": "tests.providers.offered:Codegraph"}
    asked = ("--limit", "1", "--max-depth", "1", "--sources", "vault,codegraph,pageindex")
    ran = ask("recall", "river", *asked, env=offered)
    assert (ran.code, ran.err) == (0, "")
    assert "b.md (links away: 1)" in " ".join(ran.out.split())
    assert "src/a.py" in ran.out
    assert "pageindex: no provider: " in ran.out
    assert "2 of 2 match, 2 shown" in ran.out


def test_list_count_and_aggregate_take_the_spellings_of_recall(ask: Winnow, tmp_path: Path) -> None:
    ask("store", "the river bank", "--kind", "claim", "--tag", "a", "--meta", "n=3", "--title", "T")
    ask("store", "a bank of money", "--kind", "goal", "--tag", "a/b", "--entity", "chopper")
    ask("store", "zebra " * 100, "--namespace", "other")
    conditions = ("--kind", "claim,goal", "--tag", "a", "--where", "n >= 3")
    listed = ask("list", *conditions)
    assert "where metadata.n >= 3 and kind in" in listed.out
    for part in ("m1", "claim", "T: the river bank", "default"):
        assert part in listed.out
    assert listed.out.endswith("1 match, 1 shown\n")
    with open_memory(tmp_path / "w.db") as memory:
        asked = memory.list(kinds="claim,goal", tags="a", where="n >= 3")
        assert ask("list", *conditions, "--json").json == encode(asked)
    assert ask("count", "--tag", "a").out == "2\n"
    assert ask("count", "--entity", "chopper", "--json").json["count"] == 1
    figures = ask("aggregate", "--group-by", "kind", "--metrics", "count, sum(n)")
    assert figures.out.splitlines()[0].split() == ["group", "count", "sum(metadata.n)"]
    page = ask("list", "--limit", "1", "--order-by", "n:desc")
    assert "m1" in page.out
    cursor = page.out.split("--cursor ")[1].strip()
    rest = ask("list", "--limit", "2", "--order-by", "n:desc", "--cursor", cursor)
    assert "zebra" in rest.out
    assert "…" in rest.out


def test_delete_by_conditions_says_how_many_before_it_is_done(ask: Winnow) -> None:
    for number in range(3):
        ask("store", "text", "--kind", ("claim", "goal")[number % 2], "--meta", f"n={number}")
    unsaid = ask("delete", "--kind", "claim")
    assert (unsaid.code, unsaid.out) == (2, "")
    assert "one of --dry-run, --expected-count and --all" in unsaid.err
    tried = ask("delete", "--kind", "claim", "--dry-run")
    assert tried.out.endswith("2 match; nothing was deleted\nids: m1, m3\n")
    missed = ask("delete", "--kind", "claim", "--expected-count", "3")
    assert (missed.code, missed.out) == (1, "")
    assert missed.err == "winnow: 2 match, and 3 were expected; nothing was changed\n"
    assert ask("count").out == "3\n"
    assert ask("delete", "--where", "n = 0", "--expected-count", "1").code == 0
    assert ask("delete", "--kind", "claim", "--all", "--json").json["deleted"] == 1
    assert ask("count").out == "1\n"


# --- standard input ----------------------------------------------------------------------------


def test_a_text_of_several_lines_comes_from_standard_input(ask: Winnow) -> None:
    stored = ask("store", "-", "--kind", "event", "--json", input="Größe\n\n- one\n").json
    assert (stored["text"], stored["kind"]) == ("Größe\n\n- one", "event")
    assert ask("get", "m1", "--json").json["text"] == stored["text"]
    assert "- for standard input" in ask("store", "--help").out


def test_a_new_text_comes_from_standard_input_too(ask: Winnow) -> None:
    ask("store", "old")
    changed = ask("update", "m1", "--text", "-", "--json", input="new\n- one\n").json
    assert changed["text"] == "new\n- one"
    assert ask("get", "m1", "--json").json["text"] == "new\n- one"
    assert "- for standard input" in ask("update", "--help").out
    assert ask("update", "m1", "--title", "-").code == 0


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_standard_input_is_nothing_to_remember(ask: Winnow, text: str) -> None:
    ran = ask("store", "-", input=text)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "winnow: /text: it is blank: say what to remember, or give a title\n"
    assert ask("count").out.strip() == "0"


def test_an_argument_that_is_no_pair_is_told_what_one_is(ask: Winnow) -> None:
    ran = ask("store", "text", "--meta", "foo")
    assert ran.code == 2
    assert "KEY=VALUE" in ran.err
    assert "not JSON" not in ran.err
