"""What a request says of a memory: read, emptied, or refused with nothing changed."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import LONE, WHOLE, everything, pointers, temporary_memory

from winnow.errors import InvalidRequest
from winnow.memory import Memory

# --- clear -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "empty"),
    [
        ("title", None),
        ("tags", ()),
        ("entity", None),
        ("memoryType", None),
        ("memory_type", None),
        ("importance", 0.5),
        ("source", None),
        ("metadata", {}),
        ("expiresAt", None),
        ("expires_at", None),
    ],
)
def test_f77_clear_empties_a_field(memory: Memory, name: str, empty: object) -> None:
    memory.store("text", **WHOLE)
    memory.update("m1", clear=[name])
    attribute = {"memoryType": "memory_type", "expiresAt": "expires_at"}.get(name, name)
    assert getattr(memory.get("m1"), attribute) == empty


def test_clear_empties_one_key_of_the_metadata(memory: Memory) -> None:
    memory.store("text", metadata={"a.b": 1, "a": {"b": 2, "d": 3}, "c": None})
    for never in ("metadata.never", "metadata.a.b.x", "metadata.c.x", "metadata.a.never"):
        assert memory.update("m1", clear=never) == memory.get("m1")
    assert memory.get("m1").metadata == {"a.b": 1, "a": {"b": 2, "d": 3}, "c": None}
    left = memory.update("m1", clear="metadata.a.b").metadata
    assert left == {"a.b": 1, "a": {"d": 3}, "c": None}
    left = memory.update("m1", clear=['metadata."a.b"', "metadata.c", "metadata.a"]).metadata
    assert left == {}


def test_clear_comes_before_what_is_said(memory: Memory) -> None:
    memory.store("text", tags=["a"])
    assert memory.update("m1", clear=["tags"], tags=["b"]).tags == ("b",)


@pytest.mark.parametrize(
    "name", ["text", "id", "createdAt", "tag", "", "title.x", "metadata.", 'metadata."', "a.b"]
)
def test_what_cannot_be_emptied_is_an_error_that_says_what_can(memory: Memory, name: str) -> None:
    memory.store("text", **WHOLE)
    before = everything(memory)
    with pytest.raises(InvalidRequest, match=r"metadata\.KEY") as caught:
        memory.update("m1", clear=["title", name])
    assert pointers(caught.value) == ["/clear/1"]
    assert everything(memory) == before


# --- faults ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"importance": 1.01}, "/importance"),
        ({"importance": -0.01}, "/importance"),
        ({"importance": float("nan")}, "/importance"),
        ({"id": ""}, "/id"),
        ({"id": " "}, "/id"),
        ({"namespace": ""}, "/namespace"),
        ({"namespace": "  "}, "/namespace"),
        ({"text": LONE}, "/text"),
        ({"title": LONE}, "/title"),
        ({"id": LONE}, "/id"),
        ({"namespace": LONE}, "/namespace"),
        ({"entity": LONE}, "/entity"),
        ({"source": LONE}, "/source"),
        ({"tags": ["fine", LONE]}, "/tags/1"),
        ({"metadata": {"a": [LONE]}}, "/metadata/a/0"),
        ({"metadata": {LONE: 1}}, "/metadata"),
        ({"metadata": {"a": float("inf")}}, "/metadata/a"),
        ({"metadata": {"a": b"bytes"}}, "/metadata/a"),
        ({"metadata": "[1]"}, "/metadata"),
        ({"metadata": "{"}, "/metadata"),
        ({"metadata": "3"}, "/metadata"),
        ({"memory_type": "procedural"}, "/memoryType"),
        ({"expires_at": "soon"}, "/expiresAt"),
        ({"expires_at": "2026-02-30"}, "/expiresAt"),
        ({"expires_at": "2020"}, "/expiresAt"),  # F70: it would be gone at once
        ({"expires_at": "9999-12-31T23:59:59-05:00"}, "/expiresAt"),
        ({"ttl_seconds": 0}, "/ttlSeconds"),
        ({"ttl_seconds": 10**13}, "/ttlSeconds"),
        ({"ttl_seconds": 10**30}, "/ttlSeconds"),
        ({"ttl_seconds": 5, "expires_at": "2030"}, "/expiresAt"),
        ({"vector": [1.0]}, "/vector"),
        ({"vector": "no JSON"}, "/vector"),
        ({"if_exists": "ignore"}, "/ifExists"),
        ({"tag": "a"}, "/tag"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_stored(
    memory: Memory, wrong: Mapping[str, Any], pointer: str
) -> None:
    memory.store("before", id="a")
    before = everything(memory)
    request: dict[str, Any] = {"text": "text", **wrong}
    with pytest.raises(InvalidRequest) as caught:
        memory.store(**request)
    assert {one.split("/float")[0] for one in pointers(caught.value)} == {pointer}
    assert everything(memory) == before
    if "if_exists" not in wrong and "id" not in wrong:
        with pytest.raises(InvalidRequest) as caught:
            memory.update("a", **request)
        assert {one.split("/float")[0] for one in pointers(caught.value)} == {pointer}
        assert everything(memory) == before


@pytest.mark.parametrize("kind", ["", "Claim", "claim ", "bogus", "all"])
def test_f60_a_wrong_kind_is_refused_in_these_words(memory: Memory, kind: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        memory.store("text", kind=kind)
    (fault,) = caught.value.faults
    assert fault.pointer == "/kind"
    assert fault.detail == (
        f"invalid kind '{kind}' (expected one of: observation, reflection, persona, concept,"
        " entity, claim, relation, event, conversation, decision, goal, plan, step, told,"
        " instruction, intervention)"
    )
    assert not memory.recall().memories


def test_all_faults_are_told_at_once(memory: Memory) -> None:
    with pytest.raises(InvalidRequest) as caught:
        memory.store(
            LONE,
            importance=2,
            kind="Claim",
            id=" ",
            tags=[LONE],
            metadata="{",
            expires_at="soon",
            vector=[1],
            nonsense=1,  # pyright: ignore[reportCallIssue]
        )
    told = ["/nonsense", "/importance", "/text", "/kind", "/tags/0", "/metadata", "/expiresAt"]
    assert pointers(caught.value) == [*told, "/id", "/vector"]


@pytest.mark.parametrize("ask", ["get", "update", "delete", "undelete"])
@pytest.mark.parametrize("wrong", [{"id": LONE}, {"id": " "}, {"namespace": LONE, "id": "a"}])
def test_ids_and_namespaces_are_read_alike_everywhere(
    memory: Memory, ask: str, wrong: Mapping[str, str]
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        getattr(memory, ask)(**wrong)
    assert pointers(caught.value) == [f"/{next(iter(wrong))}"]


def test_f36_metadata_sets_none_of_a_memorys_own_fields(memory: Memory) -> None:
    own = {"id": "x", "namespace": "other", "kind": "bogus", "text": "y", "importance": 7}
    stored = memory.store("text", metadata=own)
    assert (stored.id, stored.namespace, stored.kind, stored.text) == (
        *("m1", "default", "observation", "text"),
    )
    assert stored.metadata == own


def test_f50_f55_tags_are_cleaned_and_never_split_in_a_list(memory: Memory) -> None:
    assert memory.store("t", tags=["a,b", "", " ", " Law ", "#law", "LAW"]).tags == ("a,b", "Law")
    assert memory.store("t", tags="a, b,,a").tags == ("a", "b")
    assert memory.store("t", tags=["# y", "##z", "law/", "Law", "/"]).tags == ("y", "z", "law")
    assert memory.store("t", tags=["caf\u00e9", "cafe\u0301"]).tags == ("caf\u00e9",)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
plain_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@pytest.fixture(scope="module")
def shared() -> Iterator[Memory]:
    """One store for all cases of a property."""
    with temporary_memory() as opened:
        yield opened


@settings(max_examples=40)
@given(plain_texts, plain_texts, st.floats(0, 1))
def test_whatever_text_is_stored_comes_back(
    shared: Memory, text: str, key: str, importance: float
) -> None:
    title = f"{text}."  # words enough, if the text is blank
    stored = shared.store(text, title=title, metadata={key: text}, importance=importance)
    assert shared.get(stored.id) == replace(stored, duplicates=None)
    assert (stored.text, stored.title, stored.metadata) == (text, title, {key: text})
    assert stored.importance == importance


@settings(max_examples=40)
@given(json_values)
def test_metadata_of_any_shape_is_kept_and_can_be_recalled(shared: Memory, value: Any) -> None:
    stored = shared.store("text", metadata=json.dumps({"key": value}))
    assert stored.metadata == {"key": value}
    (hit,) = shared.recall("text", where=f'id = "{stored.id}"').memories
    assert hit.metadata == {"key": value}
