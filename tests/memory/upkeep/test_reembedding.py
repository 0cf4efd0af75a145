"""Making vectors and terms again."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.memory.embedding import LOCAL, Toy, put_toy, vectors_of
from tests.memory.remembering import set_namespace, store_all
from tests.vault.making import make_vault

import winnow
from winnow.access import Access, Scope
from winnow.errors import EmbedderError, Forbidden
from winnow.memory import Memory
from winnow.memory.upkeep import reembedding
from winnow.memory.upkeep.reembedding import BATCH

STATIC = "static-wn256"


def fill(memory: Memory, count: int, namespace: str = "default") -> list[str]:
    names = [f"r{number}" for number in range(count)]
    records = [{"id": one, "text": f"text of {one}", "namespace": namespace} for one in names]
    store_all(memory, records)
    return names


@pytest.fixture
def toy(memory: Memory) -> Toy:
    """The embedder of the default namespace from now on."""
    made = put_toy(memory)
    set_namespace(memory, "default", embedder=LOCAL)
    return made


def switch(memory: Memory, spec: str = LOCAL, namespace: str = "default") -> None:
    set_namespace(memory, namespace, embedder=spec)


# --- what is made ------------------------------------------------------------------------------


def test_every_memory_gets_a_vector_of_the_embedder_of_now(memory: Memory) -> None:
    names = fill(memory, 5)
    toy = put_toy(memory)
    switch(memory)
    answer = memory.admin.reembed()
    assert (answer.records, answer.made, answer.left) == (5, 5, 0)
    assert answer.models == {"default": toy.identity}
    assert answer.warnings is None
    assert {model for _, model in vectors_of(memory, names)} == {toy.identity}
    assert memory.admin.namespace("default").stale_vectors == 0
    assert sorted(toy.texts) == [f"text of {one}" for one in names]


def test_pieces_of_notes_get_one_too(memory: Memory, tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "vault", {"a.md": "# One\nfirst\n\n# Two\nsecond\n"})
    memory.admin.index(str(vault))
    put_toy(memory)
    switch(memory)
    assert memory.admin.namespace("default").stale_vectors == 2
    assert memory.admin.reembed().made == 2
    assert memory.admin.namespace("default").stale_vectors == 0


def test_a_second_run_makes_nothing(memory: Memory) -> None:
    fill(memory, 5)
    toy = put_toy(memory)
    switch(memory)
    memory.admin.reembed()
    before, asked = memory.engine.store.last_change(), len(toy.asked)
    answer = memory.admin.reembed()
    assert (answer.records, answer.made, answer.left) == (5, 0, 0)
    assert (memory.engine.store.last_change(), len(toy.asked)) == (before, asked)


def test_all_makes_every_vector_again(memory: Memory, toy: Toy) -> None:
    fill(memory, 5)
    toy.asked.clear()
    assert memory.admin.reembed(all=True).made == 5
    assert len(toy.texts) == 5


def test_a_text_without_a_vector_is_done_all_the_same(memory: Memory, toy: Toy) -> None:
    store_all(memory, [{"text": "", "id": "blank"}])
    memory.store("text", id="a")
    answer = memory.admin.reembed(all=True)
    assert (answer.records, answer.made, answer.left) == (2, 1, 0)
    assert vectors_of(memory, ["blank"]) == [(None, toy.identity)]


def test_nothing_else_of_a_memory_changes(memory: Memory) -> None:
    memory.store("text", id="a", title="Title", tags="x", kind="claim")
    before = memory.get("a")
    toy = put_toy(memory)
    switch(memory)
    memory.admin.reembed()
    assert memory.get("a") == before
    assert toy.texts == ["Title\ntext"]
    key = memory.engine.store.records.find("default", "a")
    assert key is not None
    assert len(memory.engine.store.records.history(key)) == 0


def test_vectors_made_anew_are_those_of_a_store_that_never_had_others(
    memory: Memory, tmp_path: Path
) -> None:
    names = fill(memory, 20)
    expected = vectors_of(memory, names)
    switch(memory, "external:3")
    for name in names:
        memory.update(name, vector=[1, 2, 3])
    switch(memory, "static")
    assert memory.admin.reembed().made == 20
    assert vectors_of(memory, names) == expected


# --- which namespaces --------------------------------------------------------------------------


def test_all_namespaces_are_done_or_the_one_that_is_named(memory: Memory) -> None:
    for name in ("one", "two"):
        fill(memory, 3, name)
        switch(memory, LOCAL, name)
    toy = put_toy(memory)
    answer = memory.admin.reembed(namespace="one")
    assert (answer.records, answer.made, dict(answer.models)) == (3, 3, {"one": toy.identity})
    assert memory.admin.namespace("two").stale_vectors == 3
    assert memory.admin.reembed().made == 3


@pytest.mark.parametrize(("spec", "words"), [("none", "no embedder"), ("external:3", "given")])
def test_where_no_vectors_are_made_that_is_said(memory: Memory, spec: str, words: str) -> None:
    fill(memory, 3)
    switch(memory, spec)
    before = vectors_of(memory, ["r0"])
    answer = memory.admin.reembed(all=True)
    assert (answer.records, answer.made, answer.left, answer.models) == (3, 0, 0, {})
    assert answer.warnings
    assert "'default'" in answer.warnings[0]
    assert words in answer.warnings[0]
    assert vectors_of(memory, ["r0"]) == before


def test_others_namespaces_are_not_touched(memory: Memory) -> None:
    fill(memory, 3, "secret")
    fill(memory, 2, "mine")
    put_toy(memory)
    for name in ("secret", "mine"):
        switch(memory, LOCAL, name)
    guest = memory.restricted(Access(frozenset(Scope), frozenset({"mine"})))
    answer = guest.admin.reembed()
    assert (answer.records, answer.made, list(answer.models)) == (2, 2, ["mine"])
    assert memory.admin.namespace("secret").stale_vectors == 3
    with pytest.raises(Forbidden):
        guest.admin.reembed(namespace="secret")


# --- while it runs -----------------------------------------------------------------------------


def test_it_is_told_how_far_it_is(memory: Memory) -> None:
    fill(memory, 2 * BATCH + 1)
    put_toy(memory)
    switch(memory)
    told: list[tuple[int, int, str]] = []
    memory.admin.reembed_with_progress(
        progress=lambda done, total, stage: told.append((done, total, stage))
    )
    total, stage = 2 * BATCH + 1, "embedding default"
    assert told == [(one, total, stage) for one in (BATCH, 2 * BATCH, 2 * BATCH + 1)]


def test_others_write_while_the_embedder_works_and_are_not_overwritten(
    memory: Memory, tmp_path: Path
) -> None:
    fill(memory, 3)
    toy = put_toy(memory)
    switch(memory)

    def write() -> None:
        toy.meanwhile = lambda: None
        with winnow.open(tmp_path / "winnow.db") as other:
            put_toy(other, toy)
            other.update("r0", text="newer words")
            other.update("r1", tags="x")
            other.delete("r2")

    toy.meanwhile = write
    answer = memory.admin.reembed()
    assert (answer.records, answer.made, answer.left) == (2, 1, 0)
    alone = put_toy(memory, Toy())
    again = memory.store("newer words", id="same")
    assert vectors_of(memory, ["r0"]) == vectors_of(memory, [again.id])
    assert memory.get("r1").tags == ("x",)
    assert alone.texts == ["newer words"]


def test_an_embedder_that_fails_leaves_what_was_done(memory: Memory) -> None:
    fill(memory, BATCH + 5)
    toy = put_toy(memory)
    switch(memory)

    def break_down() -> None:
        toy.broken = len(toy.asked) > 1

    toy.meanwhile = break_down
    with pytest.raises(EmbedderError, match=rf"out of order; {BATCH} of {BATCH + 5} .* goes on"):
        memory.admin.reembed()
    assert memory.admin.namespace("default").stale_vectors == 5
    toy.meanwhile, toy.broken = (lambda: None), False
    assert memory.admin.reembed().made == 5


KILLED = """
import os, signal, sys
import winnow
from tests.memory.embedding import Toy, put_toy
with winnow.open(sys.argv[1]) as memory:
    toy = put_toy(memory)
    def die():
        if len(toy.asked) > 2:
            os.kill(os.getpid(), signal.SIGKILL)
    toy.meanwhile = die
    memory.admin.reembed()
"""


def test_a_run_that_is_killed_goes_on_where_it_stopped(memory: Memory, tmp_path: Path) -> None:
    fill(memory, 3 * BATCH)
    switch(memory)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "winnow.db")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    put_toy(memory)
    assert memory.admin.namespace("default").stale_vectors == BATCH
    assert memory.admin.reembed().made == BATCH


# --- terms -------------------------------------------------------------------------------------


def keyword(memory: Memory, query: str) -> list[str]:
    hits = memory.recall(query, limit=50).memories
    return sorted(hit.id for hit in hits if hit.components and hit.components.keyword)


def test_another_language_that_was_cut_short_is_told_and_then_finished(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("die Häuser", id="a")

    def fail(*_: object) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(reembedding, "encode_terms", fail)
        with pytest.raises(KeyboardInterrupt):
            memory.admin.set_namespace("default", language="german")
    assert keyword(memory, "Haus") == []
    warnings = memory.recall("Haus").warnings
    assert warnings
    assert "winnow reembed --namespace default" in warnings[0]
    memory.admin.reembed()
    assert keyword(memory, "Haus") == ["a"]
    assert memory.recall("Haus").warnings is None


def test_all_makes_the_terms_again_too(memory: Memory) -> None:
    memory.store("die Häuser", id="a")
    set_namespace(memory, "default", language="german")  # behind the back of set_namespace
    assert keyword(memory, "Haus") == []
    memory.admin.reembed()
    assert keyword(memory, "Haus") == []
    memory.admin.reembed(all=True)
    assert keyword(memory, "Haus") == ["a"]
