"""What recall says of vectors that another embedder has made."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.embedding import LOCAL, put_toy
from tests.memory.remembering import set_namespace, store_all, temporary_memory
from tests.vault.making import make_vault

from winnow.access import Access, Scope
from winnow.memory import Memory


def fill(memory: Memory, count: int = 4, namespace: str = "default", **fields: Any) -> None:
    texts = [{"id": f"r{n}", "text": f"text {n}", "namespace": namespace} for n in range(count)]
    store_all(memory, [{**one, **fields} for one in texts])


def told(memory: Memory, query: str = "text", **conditions: Any) -> list[str]:
    return list(memory.recall(query, **conditions).warnings or ())


def stale(count: int, namespace: str = "default") -> str:
    return (
        f"{count} in {namespace!r} are judged by keyword: their vectors are of another embedder;"
        " run `winnow reembed`"
    )


def test_vectors_of_another_embedder_are_told_until_they_are_made_again(memory: Memory) -> None:
    fill(memory)
    assert told(memory) == []
    put_toy(memory)
    set_namespace(memory, "default", embedder=LOCAL)
    assert told(memory) == [stale(4)]
    hits = memory.recall("text").memories
    assert len(hits) == 4
    assert all(hit.components and hit.components.vector is None for hit in hits)
    memory.store("text 5")
    assert told(memory) == [stale(4)]
    memory.admin.reembed()
    assert told(memory) == []


def test_only_candidates_count(memory: Memory, tmp_path: Path) -> None:
    fill(memory, 3)
    memory.store("text", id="a", tags="x")
    put_toy(memory)
    set_namespace(memory, "default", embedder=LOCAL)
    memory.store("text", id="b", tags="y")
    memory.delete("r0")
    assert told(memory) == [stale(3)]
    assert told(memory, tags="x") == [stale(1)]
    assert told(memory, tags="y") == []
    vault = make_vault(tmp_path / "vault", {"a.md": "text\n"})
    memory.admin.index(str(vault))
    assert told(memory, sources=["vault"]) == []


def test_without_a_query_nothing_is_said(memory: Memory) -> None:
    fill(memory)
    put_toy(memory)
    set_namespace(memory, "default", embedder=LOCAL)
    assert told(memory, "") == []
    assert told(memory, order_by="createdAt") == []


@pytest.mark.parametrize("asked", [{}, {"where": "id is not null", "order_by": "relevance"}])
def test_a_query_inside_a_schema_tells_of_the_notes_that_it_judges_so(
    memory: Memory, tmp_path: Path, asked: Mapping[str, Any]
) -> None:
    fill(memory)
    notes = {f"{n}.md": f"CLAWQL_MATTER_ID=MAT-200{n}\n\ntext\n" for n in range(2)}
    memory.admin.index(str(make_vault(tmp_path / "vault", notes)))
    assert told(memory, schema="legal.Matter", **asked) == []
    put_toy(memory)
    set_namespace(memory, "default", embedder=LOCAL)
    assert told(memory, schema="legal.Matter", **asked) == [stale(2)]


def test_f101_vectors_that_the_caller_has_to_give_again_are_told_too(memory: Memory) -> None:
    fill(memory, 3)
    memory.admin.set_namespace("default", embedder="external:2")
    memory.store("text", vector=[1, 0])
    (warning,) = told(memory, vector=[1, 0])
    assert warning.startswith("3 in 'default' are judged by keyword")
    assert warning.endswith("of another embedder; give them their vectors")


@pytest.mark.parametrize("spec", ["none", "external:3"])
def test_where_no_vectors_are_made_none_are_asked_for(memory: Memory, spec: str) -> None:
    fill(memory)
    set_namespace(memory, "default", embedder=spec)
    assert not any("reembed" in one for one in told(memory))


def test_each_namespace_is_told_for_itself(memory: Memory) -> None:
    fill(memory, 2, "one")
    fill(memory, 3, "two")
    fill(memory, 4, "good")
    put_toy(memory)
    for name in ("one", "two"):
        set_namespace(memory, name, embedder=LOCAL)
    assert told(memory) == [stale(2, "one"), stale(3, "two")]
    assert told(memory, namespace="good") == []
    assert told(memory, namespace="two") == [stale(3, "two")]


def test_others_namespaces_are_never_told_of(memory: Memory) -> None:
    fill(memory, 2, "secret")
    fill(memory, 3, "mine")
    put_toy(memory)
    set_namespace(memory, "secret", embedder=LOCAL)
    guest = memory.restricted(Access(frozenset(Scope), frozenset({"mine"})))
    assert told(guest) == []
    assert told(memory) == [stale(2, "secret")]


def test_an_embedder_that_gives_no_answer_is_told_once(memory: Memory) -> None:
    fill(memory)
    toy = put_toy(memory)
    toy.broken = True
    set_namespace(memory, "default", embedder=LOCAL)
    (warning,) = told(memory)
    assert "out of reach" in warning


@given(st.lists(st.tuples(st.sampled_from("ab"), st.booleans(), st.booleans()), max_size=10))
@settings(max_examples=15, deadline=None)
def test_as_many_are_told_as_have_such_a_vector(rows: list[tuple[str, bool, bool]]) -> None:
    with temporary_memory() as memory:
        put_toy(memory)
        for is_new in (False, True):
            for space in "ab":
                set_namespace(memory, space, embedder=LOCAL if is_new else "static")
            for number, (space, new, tagged) in enumerate(rows):
                if new == is_new:
                    tags = "x" if tagged else None
                    memory.store("text", id=f"r{number}", namespace=space, tags=tags)
            memory.recall("text")
        counts = {
            space: sum((one, new) == (space, False) and tagged for one, new, tagged in rows)
            for space in "ab"
        }
        expected = [stale(count, space) for space, count in counts.items() if count]
        assert told(memory, tags="x") == expected
