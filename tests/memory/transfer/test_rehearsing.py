"""A dry run: it tells what an import would come to, and leaves nothing behind."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import Clock, open_at, temporary_memory
from tests.memory.transfer.test_exporting import PACK

from winnow.memory import Memory
from winnow.memory.transfer import importing

MATTER: Mapping[str, Any] = {"schema": "legal.Matter", "id": "MAT-1000", "fields": {"title": "A"}}


def rehearse(memory: Memory, *objects: Mapping[str, Any], **options: Any) -> None:
    """See that a dry run tells what an import then comes to."""
    before = memory.engine.store.last_change()
    foretold = memory.admin.import_(objects=objects, dry_run=True, **options)
    assert memory.engine.store.last_change() == before
    answer = memory.admin.import_(objects=objects, **options)
    assert (foretold.dry_run, answer.dry_run) == (True, None)
    assert foretold == replace(answer, dry_run=True, as_of=foretold.as_of)


def test_memories_and_entities_are_foretold(memory: Memory) -> None:
    memory.store("Same", id="a", kind="claim")
    memory.store("Before", id="b")
    memory.store("Gone", id="c")
    memory.delete("c")
    rehearse(
        memory,
        {"id": "a", "text": "Same"},
        {"id": "b", "text": "After"},
        {"id": "c", "text": "Back"},
        {"id": "d", "text": "New"},
        {"id": "e", "text": "Over", "expiresAt": "2020-01-01"},
        {"id": "f", "text": "Bad", "kind": "recipe"},
        MATTER,
        {**MATTER, "fields": {"titel": "A"}},
    )


def test_a_line_that_speaks_of_an_earlier_one_is_foretold(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "BATCH", 2)
    one: Mapping[str, Any] = {"id": "a", "text": "One"}
    two: Mapping[str, Any] = {"id": "a", "text": "Two"}
    other: Mapping[str, Any] = {**MATTER, "fields": {"title": "B"}}
    rehearse(memory, one, one, two, two, MATTER, MATTER, other, other, one)


def test_what_a_pack_that_would_come_in_defines_is_known(memory: Memory, tmp_path: Path) -> None:
    with open_at(tmp_path / "other.db", Clock()) as other:
        (tmp_path / "shelf.yaml").write_text(PACK, encoding="utf-8")
        other.admin.import_(objects=[], pack=str(tmp_path / "shelf.yaml"))
        other.admin.set_namespace("default", language="german", auto_classify="regex_only")
        other.admin.export(str(tmp_path / "all.jsonl"))
    foretold = memory.admin.import_(str(tmp_path / "all.jsonl"), dry_run=True)
    answer = memory.admin.import_(str(tmp_path / "all.jsonl"))
    assert foretold == replace(answer, dry_run=True, as_of=foretold.as_of)
    assert (answer.packs > 0, answer.namespaces) == (True, 1)


memories = st.fixed_dictionaries({"id": st.sampled_from("abc"), "text": st.sampled_from("xyz")})
titles = st.fixed_dictionaries({"title": st.sampled_from("xy")})
entities = st.fixed_dictionaries(
    {"schema": st.just("legal.Matter"), "id": st.just("MAT-1000"), "fields": titles}
)
objects = st.lists(memories | entities | st.just({"text": "x", "kind": "no"}), max_size=6)


@given(objects, objects)
@settings(max_examples=40)
def test_any_lines_are_foretold(
    before: list[Mapping[str, Any]], lines: list[Mapping[str, Any]]
) -> None:
    with temporary_memory() as memory:
        memory.admin.import_(objects=before)
        rehearse(memory, *lines)
