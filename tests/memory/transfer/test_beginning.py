"""New memories that an import begins many at a time are those that it would merge one by one."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import temporary_memory

from winnow.columns.terms import decode_terms
from winnow.memory import Memory
from winnow.memory.transfer import incoming

NAMES = ("default", "given", "ruled", "none")
VECTORS = st.sampled_from([[1.0, 0.5], [0, 2], [1.0], "x"])
LINES = st.fixed_dictionaries(
    {"text": st.sampled_from(["alpha beta", "We decided to ship", "", "café 设备", "x-86 the"])},
    optional={
        "id": st.sampled_from(["a", "b", "c", "m1", "é", ""]),
        "title": st.sampled_from(["Alpha", "Über alles", ""]),
        "namespace": st.sampled_from(NAMES),
        "kind": st.sampled_from(["claim", "nonsense"]),
        "tags": st.sampled_from([["a", "b,c"], []]),
        "entity": st.just("chopper"),
        "memoryType": st.sampled_from(["semantic", "odd"]),
        "importance": st.sampled_from([0, 0.25, 1, 3]),
        "source": st.just("mail"),
        "metadata": st.sampled_from([{"n": 1, "s": "é"}, {"deep": {"a": [1, None]}}, {}, 7]),
        "vector": VECTORS,
        "createdAt": st.just("2020-01-01T00:00:00.000Z"),
        "expiresAt": st.sampled_from(["2030-01-01", "2020-01-01"]),
    },
)
# What an export has: all there is of a memory.
BYTES = st.sampled_from(["AACAPwAAAAA=", "AAAAQAAAgD8=", "AAA="])
HISTORIES: list[Any] = [
    *([], [], {}),
    [{"at": "2021-01-01T00:00:00.000Z", "before": {"text": "alpha"}}],
]
WHOLE = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["a", "b", "c", ""]),
        "text": st.sampled_from(["alpha beta", "We decided to ship", "café 设备"]),
        "kind": st.sampled_from(["claim", "of-a-newer-version", ""]),
        "createdAt": st.sampled_from(["2020-01-01T00:00:00.000Z", "2020-13-01", 7]),
        "updatedAt": st.just("2021-01-01T00:00:00.000Z"),
        "history": st.sampled_from(HISTORIES),
    },
    optional={
        "namespace": st.sampled_from(NAMES),
        "kindProvenance": st.sampled_from(["rule", "declared"]),
        "tags": st.just(["a", "b,c"]),
        "metadata": st.sampled_from([{"n": 1, "s": "é"}, {"u": {"untyped": "5"}}, {"x": [1]}]),
        "vector": st.sampled_from([{}, {"model": "mine"}, [1.0, 2.0]])
        | st.fixed_dictionaries({"base64": BYTES}, optional={"model": st.just("mine")}),
        "deletedAt": st.just("2026-03-01T00:00:00.000Z"),
        "expiresAt": st.sampled_from(["2030-01-01", "2020-01-01"]),
    },
)


def refuse(*_: object) -> bool:
    """Leave every memory to the merging."""
    return False


def take_in(lines: list[dict[str, Any]], *, at_once: bool) -> tuple[Any, list[Any]]:
    """Import lines into a new store; return the answer, and all that is stored of them."""
    with temporary_memory() as memory, pytest.MonkeyPatch.context() as patch:
        if not at_once:
            patch.setattr(incoming, "_is_new", refuse)
        memory.admin.set_namespace("given", embedder="external:2")
        memory.admin.set_namespace("ruled", auto_classify="regex_only", language="german")
        memory.admin.set_namespace("none", embedder="none")
        answer = memory.admin.import_(objects=lines)
        again = memory.admin.import_(objects=lines)
        assert again.added == again.changed == 0 or len(lines) != len(
            {one.get("id") for one in lines}
        )
        with memory.engine.store.write() as writer:
            known = writer.records.term_ids(["alpha", "beta", "decid", "ship", "caf", "设备", "x"])
        numbers = {number: term for term, number in known.items()}
        found: list[Any] = []
        for name in NAMES:
            for batch in memory.engine.store.records.scan_versions(name):
                for one in batch:
                    bags = decode_terms([one.record.terms])
                    named = [numbers.get(number) for number in bags.terms.tolist()]
                    counted = sorted(map(str, zip(named, bags.counts.tolist(), strict=True)))
                    found.append((replace(one.record, terms=b""), counted, one.history))
        return (answer.memories, answer.refused, answer.errors, answer.warnings), found


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES | WHOLE, min_size=1, max_size=12))
def test_they_are_the_same_and_answered_alike(lines: list[dict[str, Any]]) -> None:
    assert take_in(lines, at_once=True) == take_in(lines, at_once=False)


SAID = st.fixed_dictionaries(
    {"text": st.sampled_from(["alpha beta", "We decided to ship", "café 设备", "x-86 the"])},
    optional={
        "title": st.sampled_from(["Alpha", "Über alles"]),
        "namespace": st.sampled_from(["default", "ruled"]),
        "kind": st.just("claim"),
        "tags": st.sampled_from([["a", "b,c"], ["A", "a", " "]]),
        "entity": st.just("chopper"),
        "memory_type": st.just("semantic"),
        "importance": st.sampled_from([0, 0.25, 1]),
        "source": st.just("mail"),
        "metadata": st.sampled_from([{"n": 1, "s": "é", "x": 0.5}, {"deep": {"a": [1, None]}}]),
        "expires_at": st.just("2030-01-01"),
    },
)
GIVEN = st.fixed_dictionaries(
    {"text": st.just("alpha"), "namespace": st.just("given"), "vector": st.just([1.0, 0.5])}
)


def export(memory: Memory) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "all.jsonl"
        memory.admin.export(str(path))
        return path.read_text("utf-8")


@settings(max_examples=30, deadline=None)
@given(st.lists(SAID | GIVEN, min_size=1, max_size=8))
def test_imported_or_stored_one_by_one_they_are_exported_alike(said: list[dict[str, Any]]) -> None:
    named: list[dict[str, Any]] = [{"id": f"r{k}", **one} for k, one in enumerate(said)]
    with temporary_memory() as imported, temporary_memory() as stored:
        for memory in (imported, stored):
            memory.admin.set_namespace("given", embedder="external:2")
            memory.admin.set_namespace("ruled", auto_classify="regex_only", language="german")
        assert imported.admin.import_(objects=named).added == len(named)
        for one in named:
            stored.store(**one)
        lines = export(imported)
        assert lines == export(stored)
        with temporary_memory() as again, tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "all.jsonl"
            path.write_text(lines, "utf-8")
            again.admin.import_(path=str(path))
            assert export(again) == lines
