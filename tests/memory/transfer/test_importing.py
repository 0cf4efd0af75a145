"""Importing: what is read, and what is refused with the place of each fault."""

import json
from array import array
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.importing import MATTER, put
from tests.memory.remembering import Clock, open_at, set_namespace, temporary_memory
from tests.memory.transfer.test_exporting import PACK

from winnow.access import Access, Scope
from winnow.errors import Forbidden, InvalidRequest, NotFound, PackError
from winnow.kinds import KINDS
from winnow.memory import Memory
from winnow.memory.transfer.preparing import Preparation
from winnow.operations.memories import MemoryRecord
from winnow.operations.reports import ImportAnswer
from winnow.packs import builtin_packs
from winnow.store.memories import NamespaceRow, Record
from winnow.wire import encode

PLACES = [
    *("text", "id", "namespace", "kind", "tags", "metadata", "vector", "history", "createdAt"),
    *("updatedAt", "schema", "fields", "pack", "source", "content", "settings", "counter", "spent"),
    *("candidates", "value", "base64", "at", "before", "deleted", "embedder", "importance"),
]
odd_texts = st.text(st.characters() | st.sampled_from("\ud800\udcff\0"), max_size=4)
json_scalars = st.none() | st.booleans() | st.integers() | st.floats() | odd_texts


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.sampled_from(PLACES) | odd_texts
    return st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4)


def refused(memory: Memory, *objects: object) -> list[str]:
    answer = memory.admin.import_(entities=objects)  # pyright: ignore[reportArgumentType]
    assert (answer.added, answer.refused) == (0, len(objects))
    return [str(fault) for fault in answer.errors]


def matter(**fields: object) -> Mapping[str, object]:
    return {"schema": MATTER, "id": "MAT-1000", "fields": fields}


def shown(memory: Memory) -> Mapping[str, Any]:
    (hit,) = memory.recall(schema=MATTER).entities
    return hit.fields


def test_values_of_python_are_read_as_json_has_them(memory: Memory) -> None:
    put(
        memory,
        "MAT-1000",
        openedDate=date(2024, 3, 5),
        closedDate=datetime(2024, 3, 5, 14, 30, tzinfo=UTC),
        escrowPct=Decimal("12.5"),
        dealValueUSD=Decimal(45_000_000),
        relatedMatters=("MAT-1001", None),
    )
    assert shown(memory) == {
        "openedDate": "2024-03-05",
        "closedDate": "2024-03-05T14:30:00Z",
        "escrowPct": 12.5,
        "dealValueUSD": 45_000_000,
        "relatedMatters": ("MAT-1001",),
    }


def test_a_second_import_replaces_what_it_names_and_null_clears(memory: Memory) -> None:
    put(memory, "MAT-1000", escrowPct=12, title="Atlas", status="Active")
    put(memory, "MAT-1000", escrowPct={"value": None}, title={"candidates": []})
    assert shown(memory) == {"status": "Active"}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({}, "an object has a value (write null for none), or candidates"),
        ({"confidence": "INFERRED"}, "an object has a value (write null for none), or candidates"),
        ({"value": 5, "candidates": [6]}, "candidates stands alone"),
        ({"candidates": [5], "confidence": "INFERRED"}, "candidates stands alone"),
        ({"candidates": 5}, "candidates is a list, got number 5"),
        ({"value": {"a": 1}}, "expected a number, got object {'a': 1}"),
        ({"value": 5, "confidence": "extracted"}, "did you mean 'EXTRACTED'?"),
        ({"value": 5, "evidence": {"path": "a.md", "line": True}}, "a line, a number"),
        ({"value": 5, "evidence": {"line": 3}}, "evidence has a path"),
        ({"value": 5, "evidence": {"path": "\ud800"}}, "the evidence holds half of a surrogate"),
        ("12", "expected a number, got text '12'"),
        (True, "expected a number, got boolean true"),
        (float("nan"), "is not a finite number"),
        ({1, 2}, "expected a number, got set {1, 2}"),
    ],
)
def test_nothing_that_is_said_of_a_value_is_passed_over(
    memory: Memory, value: object, told: str
) -> None:
    (fault,) = refused(memory, matter(escrowPct=value))
    assert fault.startswith("/lines/1/fields/escrowPct: ")
    assert told in fault


def test_faults_name_their_line_and_their_place(memory: Memory) -> None:
    assert refused(
        memory,
        ["not", "an", "object"],
        {"id": "MAT-1000", "fields": {}},
        {"schema": 5, "id": "MAT-1000", "fields": {}},
        {"schema": MATTER, "id": "MAT-1000", "fields": {}, "k~/x": 1},
        matter(escrowPct=1, escrow_pct=2),
    ) == [
        "/lines/1: expected an object, got list ['not', 'an', 'object']",
        "/lines/2/schema: expected the name of a schema, got null",
        "/lines/3/schema: expected the name of a schema, got number 5",
        "/lines/4/k~0~1x: unknown key 'k~/x' (allowed: schema, id, fields, namespace)",
        "/lines/5/fields/escrow_pct: escrowPct stands twice",
    ]
    (fault,) = refused(memory, matter(**{"a/b": 1}))
    assert fault.startswith("/lines/1/fields/a~1b: unknown field 'a/b'")


def test_a_bad_line_of_a_file_changes_nothing_and_the_others_go_in(
    memory: Memory, tmp_path: Path
) -> None:
    file = tmp_path / "all.jsonl"
    lines = [json.dumps(matter(escrowPct=12)), "{", "[" * 100_000, "", '{"id": 1, "id": 2}']
    file.write_text("\ufeff" + "\r\n".join(lines), encoding="utf-8")
    answer = memory.admin.import_(str(file))
    assert (answer.added, answer.refused) == (1, 3)
    told = [str(fault) for fault in answer.errors]
    assert told[0].startswith("/lines/2: not a JSON object: ")
    assert told[1:] == [
        "/lines/3: not a JSON object: it is nested too deep",
        "/lines/5: not a JSON object: key 'id' stands twice",
    ]
    assert shown(memory) == {"escrowPct": 12}
    with pytest.raises(NotFound, match="No such file"):
        memory.admin.import_(str(tmp_path / "none.jsonl"))


@pytest.mark.parametrize("one", [5, "text", {"schema": MATTER}])
def test_one_thing_is_not_taken_for_several(memory: Memory, one: Any) -> None:
    with pytest.raises(InvalidRequest, match=r"/entities: expected objects, one after the other"):
        memory.admin.import_(entities=one)
    with pytest.raises(InvalidRequest, match=r"/objects: expected objects, one after the other"):
        memory.admin.import_(objects=one)
    cases: list[dict[str, Any]] = [
        {"objects": [], "entities": []},
        {"path": "-", "objects": []},
        {},
    ]
    for twice in cases:
        with pytest.raises(InvalidRequest, match="/path: give a file, or objects, and not both"):
            memory.admin.import_(**twice)


def test_objects_may_come_one_by_one(memory: Memory) -> None:
    def stream() -> Iterator[Mapping[str, object]]:
        for number in range(1000, 1003):
            yield {"schema": MATTER, "id": f"MAT-{number}", "fields": {}}

    assert memory.admin.import_(entities=stream()).added == 3


# --- memories ----------------------------------------------------------------------------------


def bring(memory: Memory, *objects: Mapping[str, object], **options: Any) -> ImportAnswer:
    answer = memory.admin.import_(objects=objects, **options)
    assert answer.errors == []
    return answer


def faults(memory: Memory, *objects: object) -> list[str]:
    answer = memory.admin.import_(objects=objects)  # pyright: ignore[reportArgumentType]
    assert (answer.added, answer.changed, answer.refused) == (0, 0, len(objects))
    return [str(fault) for fault in answer.errors]


def everything(memory: Memory) -> list[MemoryRecord]:
    return list(memory.list(limit=1_000, order_by="id").memories or ())


def test_a_plain_line_is_stored_as_a_memory_is(memory: Memory) -> None:
    told: dict[str, Any] = {
        "title": "Title",
        "kind": "claim",
        "tags": "law, #ip",
        "entity": "chopper",
        "memory_type": "semantic",
        "importance": 1,
        "source": "mail",
        "metadata": {"n": 1},
        "expires_at": "2030",
    }
    answer = bring(memory, {"id": "a", "text": "Some words", **told})
    assert (answer.memories.added, answer.entities.added) == (1, 0)
    stored = memory.store("Some words", id="b", **told)
    assert replace(memory.get("a"), id="b") == replace(stored, duplicates=None)
    assert {one.id for one in memory.recall("words").memories} == {"a", "b"}


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_plain_line_that_says_nothing_is_refused_as_store_does(memory: Memory, text: str) -> None:
    (told,) = faults(memory, {"id": "a", "text": text})
    assert told == "/lines/1/text: it is blank: say what to remember, or give a title"
    bring(memory, {"id": "b", "text": text, "title": "Title"})
    times = dict.fromkeys(("createdAt", "updatedAt"), "2024-03-05")
    bring(memory, {"id": "c", "text": text, "kind": "claim", "history": [], **times})
    assert [one.id for one in memory.list(order_by="id").memories or ()] == ["b", "c"]


def test_names_are_read_in_both_spellings_and_null_is_absent(memory: Memory) -> None:
    bring(memory, {"id": "a", "text": "a", "memoryType": "episodic", "title": None, "tags": None})
    bring(memory, {"id": "b", "text": "a", "memory_type": "episodic", "created_at": "2024-03-05"})
    assert memory.get("a").memory_type == memory.get("b").memory_type == "episodic"
    assert memory.get("b").created_at == "2024-03-05T00:00:00.000Z"
    (told,) = faults(memory, {"text": "a", "memoryType": "episodic", "memory_type": "episodic"})
    assert told == "/lines/1/memoryType: memoryType stands twice"


def test_a_line_without_an_id_gets_one_from_its_content(memory: Memory) -> None:
    one: Mapping[str, object] = {"text": "The same", "metadata": {"a": 1, "b": 2}}
    turned: Mapping[str, object] = {"metadata": {"b": 2, "a": 1}, "text": "The same"}
    other: Mapping[str, object] = {"text": "The same", "metadata": {"a": 1, "b": 3}}
    answer = bring(memory, one, other, turned, {**one, "namespace": "work"})
    assert (answer.added, answer.unchanged) == (3, 1)
    assert bring(memory, one, other).unchanged == 2
    places = [(found.namespace, found.id) for found in everything(memory)]
    assert len(set(places)) == 3
    assert memory.store("Another").id == "m1"


def test_what_a_plain_line_does_not_name_stays(memory: Memory, clock: Clock) -> None:
    bring(memory, {"id": "a", "text": "First", "title": "T", "metadata": {"x": 1}, "kind": "claim"})
    clock.move(hours=1)
    before = memory.get("a")
    same = bring(memory, {"id": "a", "text": "First", "metadata": {"x": 1}})
    assert same.memories.unchanged == 1
    assert memory.get("a") == before
    assert bring(memory, {"id": "a", "text": "Other", "metadata": {"y": 2}}).changed == 1
    after = memory.get("a")
    assert after == replace(
        before,
        text="Other",
        metadata={"x": 1, "y": 2},
        updated_at="2026-03-05T13:00:00.500Z",
    )
    assert [one.id for one in memory.recall("other").memories] == ["a"]
    (version,) = memory.engine.store.records.find_versions("default", ["a"]).values()
    assert [past.before and past.before.text for past in version.history] == ["First"]


def test_lines_of_one_file_come_one_after_the_other(memory: Memory) -> None:
    answer = bring(
        memory,
        {"id": "a", "text": "One", "title": "T"},
        {"id": "a", "text": "Two"},
        {"id": "a", "text": "Two"},
        {"id": "b", "text": "Three"},
    )
    assert (answer.added, answer.changed, answer.unchanged) == (2, 1, 1)
    assert (memory.get("a").title, memory.get("a").text) == ("T", "Two")


def test_a_deleted_memory_comes_back_by_a_plain_line_as_a_new_one(memory: Memory) -> None:
    memory.store("Old", id="a", title="Old title")
    memory.delete("a")
    assert bring(memory, {"id": "a", "text": "New"}).added == 1
    assert (memory.get("a").text, memory.get("a").title) == ("New", None)


def test_a_line_whose_time_is_over_is_left_out_and_counted(memory: Memory) -> None:
    """F81: a boundary of the clock, too."""
    memory.store("Stays", id="a")
    answer = bring(
        memory,
        {"id": "a", "text": "Over", "expiresAt": "2026-03-05T12:00:00.500Z"},
        {"id": "b", "text": "Over", "expiresAt": "2020-01-01"},
        {"id": "c", "text": "Not over", "expiresAt": "2026-03-05T12:00:00.501Z"},
    )
    assert (answer.memories.added, answer.memories.expired) == (1, 2)
    assert [one.id for one in everything(memory)] == ["a", "c"]
    assert memory.get("a").text == "Stays"


WHOLE: Mapping[str, object] = {
    "id": "a",
    "text": "Whole",
    "kind": "observation",
    "createdAt": "2026-01-01T00:00:00.000Z",
    "updatedAt": "2026-01-02T00:00:00.000Z",
    "history": [],
}


def test_a_line_with_a_history_says_everything(memory: Memory) -> None:
    memory.store("Before", id="a", title="Title", metadata={"x": 1}, tags=["t"])
    assert bring(memory, WHOLE).changed == 1
    found = memory.get("a")
    assert (found.title, found.metadata, found.tags) == (None, {}, ())
    assert (found.kind_provenance, found.created_at) == (None, "2026-01-01T00:00:00.000Z")
    assert bring(memory, WHOLE).unchanged == 1
    assert [one.id for one in memory.recall("whole").memories] == ["a"]


def test_a_kind_of_a_newer_version_is_kept_in_a_line_that_says_everything(memory: Memory) -> None:
    newer = {**WHOLE, "kind": "vision", "kindProvenance": "telepathy", "memoryType": "cellular"}
    bring(memory, newer)
    (version,) = memory.engine.store.records.find_versions("default", ["a"]).values()
    record = version.record
    assert (record.kind, record.kind_provenance, record.memory_type) == (
        "vision",
        "telepathy",
        "cellular",
    )
    assert [one.id for one in memory.recall(kinds="observation").memories] == ["a"]
    assert faults(memory, {"text": "Plain", "kind": "vision"}) == [
        f"/lines/1/kind: invalid kind 'vision' (expected one of: {', '.join(KINDS)})"
    ]


def test_memories_without_a_kind_get_one_by_the_policy_of_their_namespace(memory: Memory) -> None:
    memory.admin.set_namespace("rules", auto_classify="regex_only")
    line = {"text": "Decision: we go on"}
    bring(memory, line, {**line, "namespace": "rules"}, {**line, "kind": "goal"})
    found = {(one.namespace, one.kind, one.kind_provenance) for one in everything(memory)}
    assert found == {
        ("default", "observation", "channel_derived"),
        ("rules", "decision", "regex"),
        ("default", "goal", "declared"),
    }


def test_a_vector_is_taken_where_the_caller_gives_them(memory: Memory) -> None:
    set_namespace(memory, "v", embedder="external:2")
    packed = {"base64": "AACAPwAAAAA="}  # 1.0, 0.0
    bring(
        memory,
        {"id": "a", "text": "a", "namespace": "v", "vector": [0, 1]},
        {"id": "b", "text": "b", "namespace": "v", "vector": packed},
        {"id": "c", "text": "c", "namespace": "v"},
    )
    hits = memory.recall(vector=[1, 0], namespace="v").memories
    assert [hit.id for hit in hits[:2]] == ["b", "a"]
    assert faults(
        memory,
        {"text": "a", "vector": [0, 1]},
        {"text": "a", "namespace": "v", "vector": [0, 1, 2]},
        {"text": "a", "namespace": "v", "vector": {"base64": "AACAPwAAAAA=", "model": "x"}},
        {"text": "a", "namespace": "v", "vector": {"base64": "AAA="}},
        {"text": "a", "namespace": "v", "vector": "AACAPwAAAAA="},
        {"text": "a", "namespace": "v", "vector": {"base64": "AACAfwAAAAA="}},
        {"text": "a", "namespace": "v", "vector": np.zeros((1, 2))},
        {"text": "a", "namespace": "v", "vector": np.zeros(3)},
    ) == [
        "/lines/1/vector: this namespace makes its own vectors; set its embedder to"
        " external:DIMENSION",
        "/lines/2/vector: expected 2 numbers, got 3",
        "/lines/3/vector/model: unknown key 'model' (allowed: base64)",
        "/lines/4/vector/base64: expected 1 to 65536 numbers of 4 bytes, got 2 bytes",
        "/lines/5/vector: expected an object {base64} or a list of numbers, got text"
        " 'AACAPwAAAAA='",
        "/lines/6/vector: one of its numbers is not finite",
        "/lines/7/vector: expected an array of one dimension, got 1 x 2",
        "/lines/8/vector: expected 2 numbers, got 3",
    ]


def test_the_same_vector_comes_in_many_forms(memory: Memory, tmp_path: Path) -> None:
    set_namespace(memory, "v", embedder="external:2")
    packed = np.array([0.1, -2], "<f4").tobytes()
    forms = [
        *([0.1, -2], (0.1, -2), np.array([0.1, -2]), np.array([0.1, -2], np.float32)),
        *(array("f", [0.1, -2]), packed, {"base64": b64encode(packed).decode()}),
    ]
    lines = [{"id": f"r{k}", "text": "a", "vector": form} for k, form in enumerate(forms)]
    answer = memory.admin.import_(objects=lines, namespace="v")
    assert (answer.added, answer.refused) == (len(forms), 0)
    long = tmp_path / "long.jsonl"  # of numbers: the codec reads such a line
    padded = {"id": "long", "text": "a" * 600, "vector": [0.1, -2]}
    long.write_text(json.dumps(padded), encoding="utf-8")
    assert memory.admin.import_(path=str(long), namespace="v").added == 1
    (batch,) = memory.engine.store.records.scan_versions("v")
    assert {one.record.vector for one in batch} == {packed}
    assert memory.admin.import_(objects=lines, namespace="v").unchanged == len(forms)


def test_bytes_are_read_and_kept_where_they_are_no_text(memory: Memory) -> None:
    bring(memory, {"id": "a", "text": {"base64": "w7xiZXI="}, "title": {"base64": "/w=="}})
    assert memory.get("a").text == "über"
    assert encode(memory.get("a").title) == {"base64": "/w=="}
    assert faults(
        memory,
        {"text": "a", "kind": {"base64": "/w=="}},
        {"text": "a", "tags": [{"base64": "/w=="}]},
        {"text": {"base64": "/"}},
    ) == [
        f"/lines/1/kind: invalid kind '{{'base64': '/w=='}}' (expected one of: {', '.join(KINDS)})",
        "/lines/2/tags/0: these bytes are not UTF-8",
        "/lines/3/text: expected bytes as base64, got text '/'",
    ]


def test_metadata_of_a_plain_line_are_what_they_are(memory: Memory) -> None:
    odd = {"x": {"base64": "/w=="}, "y": {"object": 5}, "base64:/w==": 1, "z": {"untyped": "5"}}
    bring(memory, {"id": "a", "text": "a", "metadata": odd})
    assert memory.get("a").metadata == odd == memory.store("b", metadata=odd).metadata


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"text": 5}, "/text: expected text, got number 5"),
        ({"text": "\ud800"}, "/text: text '\\ud800' has half a surrogate pair"),
        ({"text": "a", "id": " "}, "/id: an id is not blank"),
        ({"text": "a", "titel": "b"}, "/titel: unknown key 'titel'; did you mean 'title'?"),
        ({"text": "a", "ttlSeconds": 5}, "/ttlSeconds: unknown key 'ttlSeconds'"),
        ({"text": "a", "kind": ""}, "/kind: invalid kind ''"),
        ({"text": "a", "kind": ["claim"]}, "/kind: invalid kind '['claim']'"),
        ({"text": "a", "kindProvenance": "declared"}, "/kindProvenance: it stands only beside"),
        ({"text": "a", "deletedAt": "2026-01-01"}, "/deletedAt: it stands only beside history"),
        ({"text": "a", "memoryType": "Episodic"}, "did you mean 'episodic'?"),
        ({"text": "a", "tags": ["a", 5]}, "/tags/1: expected text, got number 5"),
        ({"text": "a", "tags": {"a": 1}}, "/tags: expected a list of tags"),
        ({"text": "a", "importance": 1.5}, "/importance: expected a number from 0 to 1, got"),
        ({"text": "a", "importance": True}, "/importance: expected a number from 0 to 1, got"),
        ({"text": "a", "importance": float("nan")}, "/importance: expected a number from 0 to 1"),
        ({"text": "a", "metadata": [1]}, "/metadata: expected an object of keys and values"),
        ({"text": "a", "metadata": {"x": [float("inf")]}}, "/metadata/x/0: inf is not a number"),
        ({"text": "a", "createdAt": "soon"}, "/createdAt: "),
        ({"text": "a", "createdAt": 5}, "/createdAt: expected a time as text"),
        ({"text": "a", "namespace": ""}, "/namespace: a namespace has a name"),
        ({"text": "a", "namespace": 5}, "/namespace: expected text, got number 5"),
        ({"history": [], "text": "a"}, "/id: this key is required beside history"),
        ({**WHOLE, "kind": ""}, "/kind: a kind is not blank"),
        ({**WHOLE, "history": {}}, "/history: expected a list of changes"),
        ({**WHOLE, "history": [{"at": "2026-01-01"}]}, "/history/0: a change is an object"),
        ({**WHOLE, "history": [{"at": 1, "deleted": True}]}, "/history/0/at: expected a time"),
        (
            {**WHOLE, "history": [{"at": "2026-01-01", "before": {"id": "b"}}]},
            "/history/0/before/id: unknown key 'id'",
        ),
        ({**WHOLE, "vector": [1, 2]}, "/vector: beside history it is an object"),
        ({"title": "a"}, ": expected a memory, which has text, or an entity: schema, id, fields"),
    ],
    ids=str,
)
def test_a_line_with_a_fault_is_refused_with_its_place(
    memory: Memory, line: Mapping[str, object], told: str
) -> None:
    found = faults(memory, line)
    assert any(one.startswith("/lines/1") and told in one for one in found), found
    assert everything(memory) == []


def test_bad_lines_of_memories_stop_no_others(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    rows = [json.dumps({"text": f"Good {number}"}) for number in range(3)]
    file.write_text("\n".join([rows[0], "{", rows[1], '{"text": 1}', rows[2]]), encoding="utf-8")
    answer = memory.admin.import_(str(file))
    assert (answer.memories.added, answer.refused) == (3, 2)
    assert [fault.pointer for fault in answer.errors] == ["/lines/2", "/lines/4/text"]
    assert len(everything(memory)) == 3


def test_an_id_of_a_piece_of_a_note_is_refused(memory: Memory, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "one.md").write_text("# One\n\nA piece.\n", encoding="utf-8")
    memory.admin.index(str(vault))
    (piece,) = everything(memory)
    answer = memory.admin.import_(objects=[{**WHOLE, "id": piece.id}, WHOLE])
    assert (answer.added, answer.refused) == (1, 1)
    assert str(answer.errors[0]).startswith("/lines/1/id: ")
    assert "is a piece of the note 'one.md'; change it there" in str(answer.errors[0])
    assert memory.get(piece.id) == piece


# --- namespaces, packs, access -----------------------------------------------------------------


def test_lines_go_where_they_say_or_else_where_the_import_says(memory: Memory) -> None:
    bring(memory, {"text": "a"}, {"text": "b", "namespace": "x"}, namespace="work")
    assert {(one.namespace, one.text) for one in everything(memory)} == {("work", "a"), ("x", "b")}


def test_a_line_of_a_namespace_sets_it_before_the_memories_of_its_batch(memory: Memory) -> None:
    answer = bring(
        memory,
        {"text": "a", "namespace": "v", "vector": [1, 2]},
        {"namespace": "v", "settings": {"embedder": "external:2", "later": [1]}, "counter": 7},
    )
    assert (answer.namespaces, answer.memories.added) == (1, 1)
    assert memory.engine.store.records.namespace("v") == NamespaceRow(
        "v", {"embedder": "external:2", "later": [1]}, 7
    )
    assert memory.store("Next", namespace="v").id == "m8"
    again = {"namespace": "v", "settings": {"embedder": "external:2", "later": [1]}, "counter": 3}
    assert bring(memory, again).namespaces == 0
    assert memory.store("Next", namespace="v").id == "m9"


def test_words_are_found_after_a_namespace_gets_another_language(memory: Memory) -> None:
    memory.store("Die Häuser", namespace="de")
    bring(memory, {"namespace": "de", "settings": {"language": "german"}})
    assert memory.recall("Haus", namespace="de").memories[0].components is not None
    keyword = memory.recall("Haus", namespace="de").memories[0].components
    assert keyword is not None
    assert keyword.keyword == 1.0
    assert memory.engine.store.records.namespace("de").settings == {"language": "german"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"settings": []}, "/settings: expected an object of settings"),
        ({"settings": {"embedder": "sttic"}}, "/settings/embedder: unknown embedder 'sttic'"),
        ({"settings": {"language": 5}}, "/settings/language: expected text, got number 5"),
        ({"settings": {}, "counter": -1}, "/counter: expected a whole number"),
        ({"settings": {}, "spent": 5}, "/spent: expected a list of numbers"),
        ({"settings": {}, "countr": 5}, "/countr: unknown key 'countr'; did you mean 'counter'?"),
        ({"pack": "firm"}, "/source: this key is required"),
        ({"pack": "firm", "source": "x", "content": "a: ["}, "/content: "),
        ({"pack": "other", "source": "x", "content": PACK}, "/pack: 'other' is called 'firm'"),
        ({"pack": 5, "source": "x", "content": PACK}, "/pack: expected text, got number 5"),
    ],
    ids=str,
)
def test_a_namespace_or_a_pack_with_a_fault_is_refused_with_its_place(
    memory: Memory, line: Mapping[str, object], told: str
) -> None:
    found = faults(memory, line)
    assert any(one.startswith("/lines/1") and told in one for one in found), found
    assert memory.engine.store.packs() == []
    assert memory.engine.store.records.namespaces() == []


def test_another_definition_of_a_pack_is_refused(memory: Memory, tmp_path: Path) -> None:
    line = {"pack": "firm", "source": "/a/firm.yaml", "content": PACK}
    assert bring(memory, line).packs == 1
    assert bring(memory, line).packs == 0
    assert faults(memory, {**line, "content": PACK + "# other\n"}) == [
        "/lines/1/pack: 'firm' is defined otherwise by /a/firm.yaml"
    ]
    file = tmp_path / "broken.yaml"
    file.write_text("pack: [", encoding="utf-8")
    with pytest.raises(PackError, match=r"broken\.yaml"):
        memory.admin.import_(objects=[line], pack=str(file))


def test_of_a_pack_that_ships_with_winnow_this_version_counts(memory: Memory) -> None:
    line = {"pack": "legal", "source": "builtin", "content": "pack: legal\nschemas: {}\n"}
    assert bring(memory, line).packs == 1
    (stored,) = memory.engine.store.packs()
    (shipped,) = (pack for pack in builtin_packs() if pack.name == "legal")
    assert stored.text == shipped.text


def test_lines_of_namespaces_that_may_not_be_seen_are_refused(memory: Memory) -> None:
    bound = memory.restricted(Access(frozenset(Scope), frozenset({"work"})))
    answer = bound.admin.import_(
        objects=[
            {"text": "in", "namespace": "work"},
            {"text": "out", "namespace": "default"},
            {"namespace": "default", "settings": {"language": "german"}},
            {"schema": MATTER, "id": "MAT-1000", "fields": {}, "namespace": "other"},
            {"pack": "firm", "source": "x", "content": PACK, "namespace": "other"},
        ],
        namespace="work",
    )
    assert (answer.added, answer.refused) == (1, 4)
    assert [fault.pointer for fault in answer.errors] == [
        f"/lines/{number}/namespace" for number in (2, 3, 4, 5)
    ]
    assert {row.name for row in memory.engine.store.records.namespaces()} == {"work"}
    assert bound.admin.import_(objects=[{"text": "in its only namespace"}]).added == 1
    two = memory.restricted(Access(frozenset(Scope), frozenset({"work", "play"})))
    with pytest.raises(Forbidden):
        two.admin.import_(objects=[{"text": "out"}])


def test_a_memory_that_somebody_changes_meanwhile_is_looked_at_again(
    memory: Memory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F92."""
    memory.store("Old", id="a", title="T")
    tries: list[int] = []
    prepare = Preparation.prepare

    def disturb(self: Preparation, records: Sequence[Record]) -> object:
        tries.append(len(records))
        if len(tries) == 1:
            with open_at(Path(memory.engine.label), clock) as other:
                other.update("a", title="Changed", metadata={"x": 1})
                other.store("Unrelated")
        return prepare(self, records)

    monkeypatch.setattr(Preparation, "prepare", disturb)
    answer = bring(memory, {"id": "a", "text": "New"}, {"id": "b", "text": "Other"})
    assert (answer.added, answer.changed, len(tries)) == (1, 1, 2)
    found = memory.get("a")
    assert (found.title, found.text, found.metadata) == ("Changed", "New", {"x": 1})


@settings(max_examples=50, deadline=None)
@given(st.lists(st.recursive(json_scalars, nested, max_leaves=8), max_size=4))
def test_f14_whatever_an_object_is_the_import_goes_on(objects: list[Any]) -> None:
    # What has settings speaks of a namespace, and counts only if it changes one.
    objects = [one for one in objects if not (isinstance(one, dict) and "settings" in one)]
    with temporary_memory() as memory:
        answer = memory.admin.import_(objects=[*objects, {"text": "good"}])
        assert answer.added + answer.refused + answer.unchanged == len(objects) + 1
        assert answer.memories.added >= 1


@pytest.mark.parametrize("time", ["yesterday", "now", "-30d"])
def test_a_time_that_depends_on_the_day_of_the_import_is_refused(memory: Memory, time: str) -> None:
    answer = memory.admin.import_(objects=[{"id": "a", "text": "b", "createdAt": time}])
    assert (answer.added, answer.refused) == (0, 1)
    assert answer.errors[0].pointer == "/lines/1/createdAt"
    assert "is not a date" in answer.errors[0].detail


def test_an_export_comes_back_where_its_embedder_can_not_be_asked(
    memory: Memory, tmp_path: Path
) -> None:
    memory.store("A text with a vector.", id="a", namespace="n")
    path = str(tmp_path / "out.jsonl")
    memory.admin.export(path)
    with temporary_memory() as other:
        nowhere = "openai:text-embedding-3-small@http://127.0.0.1:9/v1"
        with other.engine.store.write() as writer:
            writer.records.put_namespace(NamespaceRow("n", {"embedder": nowhere}))
        lines = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
        answer = other.admin.import_(objects=[line for line in lines if "text" in line])
        assert (answer.added, answer.refused) == (1, 0)
        bare = other.admin.import_(objects=[{"text": "b", "namespace": "n", "vector": [1.0]}])
        assert (bare.added, bare.refused) == (0, 1)


def test_a_line_without_an_id_is_named_by_all_numbers_of_its_vector(memory: Memory) -> None:
    set_namespace(memory, "v", embedder="external:1500")
    one, other = np.zeros(1_500, np.float32), np.zeros(1_500, np.float32)
    one[0] = other[0] = 1.0
    other[700] = 0.5
    lines = [{"text": "chunk", "namespace": "v", "vector": each} for each in (one, other)]
    assert memory.admin.import_(objects=lines).added == 2
    forms: list[object] = [one.tolist(), array("f", one), one.data, one.tobytes()]
    again = [{"text": "chunk", "namespace": "v", "vector": each} for each in forms]
    assert memory.admin.import_(objects=again).unchanged == 4
