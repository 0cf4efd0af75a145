"""What pieces of notes, and memories that come by the hundred, get beside their text."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.memory.answering import answering, text_of, with_model
from tests.memory.remembering import set_namespace
from tests.providers.serving import Endpoint
from tests.vault.making import make_vault, write

from winnow.embed.model import ModelEmbedder
from winnow.errors import EmbedderError
from winnow.memory import Memory
from winnow.memory.changes.saying import begin
from winnow.memory.times import milliseconds
from winnow.memory.transfer.preparing import Preparation
from winnow.store.memories import Record

RULES: dict[str, Any] = {"governance": {"auto_classify_kind": "regex_only"}}
THEN_LLM: dict[str, Any] = {"governance": {"auto_classify_kind": "regex_then_llm"}}
NOTES = {
    "decided.md": "We decided to use Postgres.\n",
    "declared.md": "---\nkind: plan\n---\nWe decided to use Postgres.\n",
    "wrong.md": "---\nkind: hunch\n---\nWe decided to use Postgres.\n",
    "plain.md": "Nothing of note.\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", NOTES)


def kinds(memory: Memory) -> dict[str, tuple[str, str | None]]:
    found = memory.recall(sources=["vault"], limit=100).memories
    return {hit.path: (hit.kind, hit.kind_provenance) for hit in found}


@pytest.fixture
def asking(memory: Memory) -> Iterator[tuple[Memory, Endpoint]]:
    """The store with a model that calls everything a goal."""
    with answering(lambda _: "goal") as (model, endpoint):
        yield with_model(memory, model), endpoint


# --- kinds of notes ----------------------------------------------------------------------------


def test_a_note_s_kind_is_its_own_word_or_else_that_of_the_rules(
    memory: Memory, vault: Path
) -> None:
    set_namespace(memory, "default", **RULES)
    memory.admin.index(str(vault))
    assert kinds(memory) == {
        "decided.md": ("decision", "regex"),
        "declared.md": ("plan", "declared"),
        "wrong.md": ("decision", "regex"),
        "plain.md": ("observation", "channel_derived"),
    }
    (finding,) = [one for one in memory.admin.lint().findings if one.path == "wrong.md"]
    assert "hunch" in finding.detail


def test_without_a_policy_a_note_is_an_observation(memory: Memory, vault: Path) -> None:
    memory.admin.index(str(vault))
    found = kinds(memory)
    assert found.pop("declared.md") == ("plan", "declared")
    assert set(found.values()) == {("observation", "channel_derived")}


def test_another_policy_has_the_notes_read_again(memory: Memory, vault: Path) -> None:
    memory.admin.index(str(vault))
    assert memory.admin.index(str(vault)).read == 0
    memory.admin.set_namespace("default", auto_classify="regex_only")
    assert kinds(memory)["decided.md"] == ("observation", "channel_derived")
    assert memory.admin.index(str(vault)).read == len(NOTES)
    assert kinds(memory)["decided.md"] == ("decision", "regex")
    assert memory.admin.index(str(vault)).read == 0
    memory.admin.set_namespace("default", auto_classify="off")
    memory.admin.index(str(vault))
    assert kinds(memory)["decided.md"] == ("observation", "channel_derived")


def test_the_model_is_asked_about_pieces_that_no_rule_fits(
    asking: tuple[Memory, Endpoint], vault: Path
) -> None:
    memory, endpoint = asking
    set_namespace(memory, "default", **THEN_LLM)
    memory.admin.index(str(vault))
    assert kinds(memory)["plain.md"] == ("goal", "llm")
    assert kinds(memory)["decided.md"] == ("decision", "regex")
    assert [text_of(one) for one in endpoint.asked] == ["Nothing of note."]


def test_pieces_that_stay_are_not_asked_about_again(
    asking: tuple[Memory, Endpoint], vault: Path
) -> None:
    memory, endpoint = asking
    set_namespace(memory, "default", **THEN_LLM)
    write(vault, "plain.md", "# One\nfirst\n\n# Two\nsecond\n")
    memory.admin.index(str(vault))
    before = len(endpoint.asked)
    write(vault, "plain.md", "# One\nfirst\n\n# Two\nsecond, changed\n")
    memory.admin.index(str(vault))
    assert [text_of(one) for one in endpoint.asked[before:]] == ["# Two\nsecond, changed"]


def test_the_run_tells_when_it_asks(asking: tuple[Memory, Endpoint], vault: Path) -> None:
    memory, _ = asking
    set_namespace(memory, "default", **THEN_LLM)
    told: list[tuple[int, int, str]] = []
    memory.admin.index_with_progress(
        path=str(vault), progress=lambda done, total, stage: told.append((done, total, stage))
    )
    assert (1, 1, "asking for kinds") in told


def test_a_model_that_is_gone_is_told_and_stops_no_index(memory: Memory, tmp_path: Path) -> None:
    notes = {f"{number}.md": f"plain {number}\n" for number in range(20)}
    set_namespace(memory, "default", **THEN_LLM)
    with answering(lambda _: None) as (model, endpoint):
        answer = with_model(memory, model).admin.index(str(make_vault(tmp_path / "many", notes)))
    assert (answer.notes, len(endpoint.asked)) == (20, 8)
    assert answer.warnings
    assert "12 more" in answer.warnings[0]


# --- memories ----------------------------------------------------------------------------------


def records(memory: Memory, *fields: dict[str, Any]) -> list[Record]:
    return [
        replace(begin("default", f"r{number}", milliseconds(memory.engine.clock())), **one)
        for number, one in enumerate(fields)
    ]


def prepare(memory: Memory, preparation: Preparation, *fields: dict[str, Any]) -> list[Record]:
    finish = preparation.prepare(records(memory, *fields))
    with memory.engine.write() as writer:
        return list(finish(writer.records))


def test_memories_keep_what_they_have_and_get_what_they_lack(memory: Memory) -> None:
    set_namespace(memory, "default", **RULES)
    silent, known, given = prepare(
        memory,
        Preparation(memory.engine),
        {"text": "We decided to wait."},
        {"text": "We decided to wait.", "kind": "observation", "kind_provenance": None},
        {"text": "text", "kind": "claim", "vector": b"\0" * 12, "model": "mine"},
    )
    assert (silent.kind, silent.kind_provenance) == ("decision", "regex")
    assert (known.kind, known.kind_provenance) == ("observation", None)
    assert (given.vector, given.model) == (b"\0" * 12, "mine")
    assert silent.vector == known.vector
    assert silent.vector
    assert all(one.terms for one in (silent, known, given))


def test_an_embedder_that_fails_leaves_them_without_a_vector_and_that_is_told(
    memory: Memory,
) -> None:
    def fail() -> Any:
        raise EmbedderError("out of order")

    set_namespace(memory, "default", embedder="openai:gone@http://127.0.0.1:9/v1")
    spec = memory.engine.workshop.settings("default").embedder
    memory.engine.workshop._embedders[spec] = ModelEmbedder(fail)
    preparation = Preparation(memory.engine)
    made = prepare(memory, preparation, {"text": "one"}, {"text": "two"})
    assert [(one.vector, one.model) for one in made] == [(None, None)] * 2
    assert preparation.warn() == ["2 have no vector until `winnow reembed` has run: out of order"]


def test_nobody_is_waited_for_in_a_transaction(asking: tuple[Memory, Endpoint]) -> None:
    memory, endpoint = asking

    def wait() -> Any:
        raise AssertionError("the embedder was asked")

    set_namespace(memory, "default", embedder="openai:slow@http://127.0.0.1:9/v1", **THEN_LLM)
    spec = memory.engine.workshop.settings("default").embedder
    memory.engine.workshop._embedders[spec] = ModelEmbedder(wait)
    preparation = Preparation(memory.engine)
    with memory.engine.write() as writer:
        finish = preparation.hasten(records(memory, {"text": "plain"}))
        (made,) = finish(writer.records)
    assert (made.kind, made.vector, made.model) == ("observation", None, None)
    assert endpoint.asked == []
    assert preparation.warn()
