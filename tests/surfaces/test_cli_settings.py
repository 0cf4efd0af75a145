"""Kinds, namespaces, embedders and capabilities on the command line."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.surfaces.running import Ran, Winnow, run_winnow

from winnow.app import open_memory
from winnow.kinds import KINDS
from winnow.wire import encode


@pytest.fixture
def ask(tmp_path: Path) -> Winnow:
    """Runs the command on a store of its own."""

    def run(*args: str, input: str | None = None, env: Mapping[str, str] | None = None) -> Ran:
        return run_winnow("--store", str(tmp_path / "w.db"), *args, input=input, env=env)

    return run


# --- kinds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["", "Claim", "hunch"])
def test_f61_a_kind_that_is_none_is_bad_input_and_nothing_is_stored(ask: Winnow, kind: str) -> None:
    ran = ask("store", "text", "--kind", kind)
    assert ran.code == 2
    assert f"invalid kind '{kind}' (expected one of: {', '.join(KINDS)})" in ran.err
    assert ask("recall", "--json").json["hits"] == []


def test_seed_003_kind_is_a_filter_of_recall(ask: Winnow) -> None:
    for kind in ("claim", "decision", "event"):
        ask("store", "token rotation", "--kind", kind)
    ran = ask("recall", "token rotation", "--kind", "claim,decision", "--json")
    assert sorted(hit["kind"] for hit in ran.json["hits"]) == ["claim", "decision"]
    assert len(ask("recall", "token", "--kind", "ALL", "--json").json["hits"]) == 3
    warned = ask("recall", "token", "--kind", "claim,clam", "--json").json
    assert [hit["kind"] for hit in warned["hits"]] == ["claim"]
    assert "'clam'; did you mean 'claim'?" in warned["warnings"][0]
    assert ask("recall", "token", "--kind", "clam", "--json").json["hits"] == []


def test_one_memory_gets_another_kind(ask: Winnow, tmp_path: Path) -> None:
    ask("store", "text")
    ran = ask("retype", "m1", "--kind", "claim", "--json")
    assert (ran.code, ran.json["changed"]) == (0, 1)
    assert ask("get", "m1", "--json").json["kind"] == "claim"
    shown = ask("retype", "m1", "--kind", "goal").out
    assert "claim" in shown
    assert "1 match, 1 changed" in shown


def test_many_are_retyped_after_a_look_at_them(ask: Winnow) -> None:
    ask("store", "We decided to wait.")
    ask("store", "plain")
    dry = ask("retype", "--auto", "--dry-run")
    assert "2 match, 1 would change" in dry.out
    assert ask("get", "m1", "--json").json["kind"] == "observation"
    assert ask("retype", "--auto", "--expected-count", "3").code == 1
    ran = ask("retype", "--auto", "--expected-count", "2", "--json")
    assert ran.json["sample"] == [
        {
            "id": "m1",
            "namespace": "default",
            "before": "observation",
            "kind": "decision",
            "kindProvenance": "regex",
        }
    ]


def test_retyping_many_needs_a_word_that_they_are_meant(ask: Winnow) -> None:
    ask("store", "text", "--tags", "x")
    ran = ask("retype", "--kind", "claim", "--tag", "x")
    assert ran.code == 2
    assert "--dry-run, --expected-count and --all" in ran.err
    assert ask("get", "m1", "--json").json["kind"] == "observation"


# --- namespaces --------------------------------------------------------------------------------


def test_a_policy_is_set_and_is_at_work(ask: Winnow) -> None:
    ran = ask("namespace", "set", "work", "--auto-classify", "regex_only")
    assert (ran.code, "regex_only" in ran.out) == (0, True)
    ask("store", "We decided to wait.", "--namespace", "work")
    assert ask("get", "m1", "--namespace", "work", "--json").json["kind"] == "decision"


@pytest.mark.parametrize(
    "governance",
    [
        '{"auto_classify_kind": "regex_only"}',
        '{"governance": {"auto_classify_kind": "regex_only"}}',
    ],
)
def test_seed_003_governance_is_set_as_json(ask: Winnow, governance: str) -> None:
    ran = ask("namespace", "set", "work", "--governance", governance, "--json")
    assert ran.json["governance"] == {"auto_classify_kind": "regex_only"}
    assert ask("namespace", "get", "work", "--json").json == ran.json


def test_namespaces_are_listed(ask: Winnow, tmp_path: Path) -> None:
    ask("store", "text", "--namespace", "work")
    ask("namespace", "set", "other", "--embedder", "none")
    ran = ask("namespace", "list", "--json")
    with open_memory(tmp_path / "w.db") as memory:
        assert ran.json == encode(memory.admin.namespaces())
    assert [one["name"] for one in ran.json["namespaces"]] == ["default", "other", "work"]
    for word in ("default", "other", "work", "static", "english"):
        assert word in ask("namespace", "list").out


def test_what_is_wrong_with_a_setting_is_bad_input(ask: Winnow) -> None:
    for name, value in (("embedder", "statik"), ("language", "klingon"), ("governance", "{")):
        ran = ask("namespace", "set", "work", f"--{name}", value)
        assert (ran.code, name in ran.err, "Traceback" in ran.err) == (2, True, False)
    assert ask("namespace", "get", "work").code == 1


def test_another_embedder_is_told_with_what_to_do_and_then_done(ask: Winnow) -> None:
    ask("namespace", "set", "default", "--embedder", "external:3")
    for number in range(3):
        ask("store", f"text {number}", "--vector", "[1, 2, 3]")
    ran = ask("namespace", "set", "default", "--embedder", "static")
    assert "3 have no vector of static: run `winnow reembed`" in ran.out
    assert "judged by keyword" in ask("recall", "text").out
    done = ask("reembed")
    assert done.out == "3 vectors made; 3 records\n"
    assert "judged by keyword" not in ask("recall", "text").out
    assert ask("reembed", "--json").json["made"] == 0


# --- capabilities ------------------------------------------------------------------------------


def test_capabilities_are_shown(ask: Winnow, tmp_path: Path) -> None:
    ask("store", "text")
    ran = ask("capabilities", "--json")
    with open_memory(tmp_path / "w.db") as memory:
        assert ran.json == encode(memory.capabilities())
    assert ran.json["memory_kind_vocab"]["vocabulary"] == list(KINDS)
    assert set(ask("capabilities", "v2", "--json").json) == {"accept", "tools"}
    shown = ask("capabilities").out
    for word in ("version 3", "memory_recall", "intervention", "llm.classify_kind", "static"):
        assert word in shown
    assert "version 1" in ask("capabilities", "1").out
    refused = ask("capabilities", "9")
    assert (refused.code, "allowed: 1, 2, 3" in refused.err) == (2, True)
