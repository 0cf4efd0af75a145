"""Exporting: what is written, and that an import of it makes the same store."""

import json
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.importing import MATTER
from tests.memory.remembering import (
    START,
    Clock,
    open_at,
    set_namespace,
    temporary_memory,
)
from tests.store.remembering import metadata, texts

from winnow.access import Access, Scope
from winnow.errors import Conflict, Forbidden, InvalidRequest, NotFound
from winnow.filter.plain import copy_plain
from winnow.filter.raw import Untyped, from_bytes
from winnow.memory import Memory
from winnow.memory.changes.sweeping import RETENTION
from winnow.memory.times import milliseconds
from winnow.memory.transfer.archive import show_version
from winnow.store.memories import Past, Record, Version

NOW = milliseconds(START)


def export(memory: Memory, folder: Path, **conditions: Any) -> str:
    file = folder / "all.jsonl"
    memory.admin.export(str(file), replace=True, **conditions)
    return file.read_text(encoding="utf-8")


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n") if line]


def about(text: str, key: str) -> list[dict[str, Any]]:
    return [line for line in lines(text) if key in line]


def ids(text: str) -> list[tuple[str, str]]:
    return [(line["namespace"], line["id"]) for line in about(text, "text")]


def bring(memory: Memory, text: str, folder: Path) -> Any:
    file = folder / "brought.jsonl"
    file.write_text(text, encoding="utf-8")
    answer = memory.admin.import_(str(file))
    assert answer.errors == []
    return answer


def fill(memory: Memory, clock: Clock) -> None:
    """Store something of everything."""
    memory.store("A plain one")
    memory.store(
        "One with all there is",
        title="Title",
        kind="claim",
        tags=["law/ip", "a, b"],
        entity="chopper",
        memory_type="semantic",
        importance=0.25,
        source="mail",
        metadata={"n": 2**53 + 1, "x": {"y": [True, 1, 1.0, None, "ü"]}},
        expires_at="2030-01-01",
    )
    clock.move(hours=1)
    memory.update("m1", text="A changed one", metadata={"n": 1})
    clock.move(hours=1)
    memory.update("m1", metadata={"n": True})
    memory.store("To be deleted")
    memory.delete("m3")
    memory.store("Deleted and brought back", id="back")
    memory.delete("back")
    memory.undelete("back")
    memory.store("Elsewhere", namespace="work", id="m9")
    memory.store("Purged", id="m50")
    memory.delete("m50", purge=True)
    set_namespace(memory, "vectors", embedder="external:3", governance=OFF)
    memory.store("With a vector", namespace="vectors", id="v1", vector=[0.1, -2.5e-7, 3])
    memory.store("Without one", namespace="vectors", id="v2")
    memory.delete(memory.store("An id", namespace="vectors").id, namespace="vectors", purge=True)
    entity = {"schema": MATTER, "id": "MAT-1000", "fields": FIELDS}
    memory.admin.import_(objects=[entity, {**entity, "namespace": "work", "fields": {}}])


OFF = {"auto_classify_kind": "off"}
EVIDENCE = {"path": "a/b.md", "line": 3, "quote": "of 12%"}
FIELDS: Mapping[str, object] = {
    "escrowPct": {"value": 12.5, "confidence": "INFERRED", "method": "llm", "evidence": EVIDENCE},
    "title": {"candidates": ["Atlas", {"value": "Borealis", "confidence": "INFERRED"}]},
    "openedDate": "2024-03",
    "relatedMatters": ["MAT-1001", "MAT-1002"],
    "dealValueUSD": 45_000_000,
}


def test_f104_an_import_of_an_export_makes_the_same_store(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    fill(memory, clock)
    first = export(memory, tmp_path)
    with open_at(tmp_path / "other.db", clock) as other:
        answer = bring(other, first, tmp_path)
        assert (answer.memories.added, answer.entities.added) == (7, 2)
        assert export(other, tmp_path) == first
        last = other.engine.store.last_change()
        again = bring(other, first, tmp_path)
        assert (again.added, again.changed, again.unchanged) == (0, 0, 9)
        assert other.engine.store.last_change() == last
        assert other.engine.store.upkeep.check() == []
        assert other.get("m2") == memory.get("m2")
        assert other.undelete("m3").text == "To be deleted"
        assert other.store("Next").id == "m4"
        assert other.explain("MAT-1000", schema=MATTER, where="escrowPct > 10") == replace(
            memory.explain("MAT-1000", schema=MATTER, where="escrowPct > 10"),
            as_of=other.engine.as_of(),
        )


def test_an_imported_memory_is_found_as_it_was(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    fill(memory, clock)
    with open_at(tmp_path / "other.db", clock) as other:
        bring(other, export(memory, tmp_path), tmp_path)
        queries: list[dict[str, Any]] = [
            {"query": "changed plain"},
            {"query": "with all", "kinds": "claim"},
            {"query": "", "vector": [1, 0, 0], "namespace": "vectors"},
        ]
        for query in queries:
            assert other.recall(**query).memories == memory.recall(**query).memories


def test_an_export_begins_with_namespaces_and_has_an_order(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    fill(memory, clock)
    text = export(memory, tmp_path)
    assert lines(text)[:3] == [
        {"namespace": "default", "settings": {}, "counter": 3, "spent": [50]},
        {
            "namespace": "vectors",
            "settings": {
                "embedder": "external:3",
                "governance": {"auto_classify_kind": "off"},
            },
            "counter": 1,
        },
        {"namespace": "work", "settings": {}, "counter": 0},
    ]
    assert ids(text) == sorted(ids(text))
    assert text.index('"text"') < text.index('"schema"')


def test_a_line_has_the_names_that_answers_have(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    fill(memory, clock)
    (line,) = (one for one in about(export(memory, tmp_path), "text") if one["id"] == "m2")
    vector = line.pop("vector")
    assert list(vector) == ["model", "base64"]
    assert line == {
        "namespace": "default",
        "id": "m2",
        "text": "One with all there is",
        "title": "Title",
        "kind": "claim",
        "kindProvenance": "declared",
        "entity": "chopper",
        "memoryType": "semantic",
        "tags": ["law/ip", "a, b"],
        "importance": 0.25,
        "source": "mail",
        "metadata": {"n": 2**53 + 1, "x": {"y": [True, 1, 1.0, None, "ü"]}},
        "createdAt": "2026-03-05T12:00:00.500Z",
        "updatedAt": "2026-03-05T12:00:00.500Z",
        "expiresAt": "2030-01-01T00:00:00.000Z",
        "history": [],
    }


def test_a_history_has_what_was_different_the_last_change_first(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    fill(memory, clock)
    text = export(memory, tmp_path)
    histories = {line["id"]: line["history"] for line in about(text, "text")}
    assert histories["m1"] == [
        {
            "at": "2026-03-05T14:00:00.500Z",
            "before": {"metadata": {"n": 1}, "updatedAt": "2026-03-05T13:00:00.500Z"},
        },
        {
            "at": "2026-03-05T13:00:00.500Z",
            "before": {
                "text": "A plain one",
                "metadata": None,
                "updatedAt": "2026-03-05T12:00:00.500Z",
            },
        },
    ]
    at = "2026-03-05T14:00:00.500Z"
    assert histories["back"] == [{"at": at, "deleted": True}, {"at": at, "before": {}}]


def test_f81_what_has_expired_or_was_deleted_long_ago_is_not_written(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    memory.store("short", id="m7", ttl_seconds=60)
    memory.store("gone", id="gone")
    memory.delete("gone")
    assert len(ids(export(memory, tmp_path))) == 2
    clock.move(seconds=60)
    text = export(memory, tmp_path)
    assert ids(text) == [("default", "gone")]
    assert lines(text)[0]["spent"] == [7]
    clock.move(milliseconds=RETENTION - 60_000 - 1)
    assert ids(export(memory, tmp_path)) == [("default", "gone")]
    clock.move(milliseconds=1)
    assert ids(export(memory, tmp_path)) == []


def test_vectors_can_be_left_out_and_are_made_again(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    memory.store("A cat on a mat")
    whole, bare = export(memory, tmp_path), export(memory, tmp_path, vectors=False)
    assert "vector" not in about(bare, "text")[0]
    with open_at(tmp_path / "other.db", clock) as other:
        bring(other, bare, tmp_path)
        assert export(other, tmp_path) == whole
        assert bring(other, bare, tmp_path).unchanged == 1


def test_a_memory_that_has_no_vector_gets_none_by_its_export(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    set_namespace(memory, "default", embedder="none")
    memory.store("Without")
    set_namespace(memory, "default", embedder="static")
    text = export(memory, tmp_path)
    assert about(text, "text")[0]["vector"] == {}
    with open_at(tmp_path / "other.db", clock) as other:
        bring(other, text, tmp_path)
        assert export(other, tmp_path) == text
        assert [one.id for one in other.recall("without").memories] == ["m1"]


# --- what is chosen ----------------------------------------------------------------------------


def test_conditions_choose_among_memories(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    fill(memory, clock)
    cases: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
        ({"kinds": "claim"}, [("default", "m2")]),
        ({"where": "text startsWith 'a'"}, [("default", "m1")]),
        ({"filters": {"n": {"gt": 1}}}, [("default", "m2")]),
        ({"tags": "law"}, [("default", "m2")]),
        ({"namespace": "work"}, [("work", "m9")]),
        ({"where": "importance > 0.9"}, []),
    ]
    for conditions, expected in cases:
        assert ids(export(memory, tmp_path, **conditions)) == expected
    chosen = export(memory, tmp_path, where="importance <= 1")
    assert ids(chosen) == [one for one in ids(export(memory, tmp_path)) if one[1] != "m3"]
    assert about(chosen, "schema") == []


def test_a_blank_condition_is_none(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    fill(memory, clock)
    assert export(memory, tmp_path, where=" ", filters="") == export(memory, tmp_path)


def test_a_schema_chooses_its_entities(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    fill(memory, clock)
    every = about(export(memory, tmp_path), "schema")
    assert about(export(memory, tmp_path, schema=MATTER), "schema") == every
    some = export(memory, tmp_path, schema=MATTER, where="dealValueUSD >= 45000000")
    assert about(some, "schema") == every[:1]
    assert about(some, "text") == []
    assert about(export(memory, tmp_path, schema="legal.Client"), "schema") == []


def test_notes_are_left_out_with_what_they_alone_say(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "one.md").write_text("# MAT-1000\n\nescrowPct:: 10\nstatus:: Active\n", "utf-8")
    (vault / "two.md").write_text("# MAT-2000\n\nescrowPct:: 20\n", "utf-8")
    memory.admin.index(str(vault))
    memory.admin.import_(
        objects=[{"schema": MATTER, "id": "MAT-1000", "fields": {"escrowPct": 11}}]
    )
    memory.store("A memory")
    answer = memory.admin.export(str(tmp_path / "all.jsonl"))
    assert (answer.memories, answer.entities, answer.pieces) == (1, 1, 2)
    text = (tmp_path / "all.jsonl").read_text("utf-8")
    assert about(text, "schema") == [
        {"namespace": "default", "schema": MATTER, "id": "MAT-1000", "fields": {"escrowPct": 11}}
    ]
    both = export(memory, tmp_path, schema=MATTER)
    assert about(both, "schema") == about(text, "schema")
    assert memory.admin.export(str(tmp_path / "none.jsonl"), tags="none").pieces == 0


PACK = """\
pack: firm
schemas:
  Room:
    id: {pattern: "R-[0-9]+"}
    fields:
      seats: {type: integer}
"""


def test_packs_come_before_the_entities_that_need_them(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    (tmp_path / "firm.yaml").write_text(PACK, encoding="utf-8")
    room = {"schema": "firm.Room", "id": "R-1", "fields": {"seats": 8}}
    refused = memory.admin.import_(objects=[room])
    assert refused.refused == 1
    answer = memory.admin.import_(objects=[room], pack=str(tmp_path / "firm.yaml"))
    assert (answer.packs, answer.entities.added) == (1, 1)
    text = export(memory, tmp_path)
    (pack,) = about(text, "pack")
    assert (pack["pack"], pack["content"]) == ("firm", PACK)
    assert about(export(memory, tmp_path, schema="firm.Room"), "pack") == [pack]
    assert about(export(memory, tmp_path, schema=MATTER), "pack") == []
    with open_at(tmp_path / "other.db", clock) as other:
        assert bring(other, text, tmp_path).packs == 1
        assert other.count(schema="firm.Room", where="seats > 7").count == 1
        assert export(other, tmp_path) == text
        assert bring(other, text, tmp_path).packs == 0


def test_namespaces_that_may_not_be_seen_are_not_written(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    fill(memory, clock)
    bound = memory.restricted(Access(frozenset(Scope), frozenset({"work"})))
    text = export(bound, tmp_path)
    assert {line["namespace"] for line in lines(text)} == {"work"}
    assert ids(text) == [("work", "m9")]
    for conditions in ({"schema": MATTER}, {"where": "importance <= 1"}):
        found = lines(export(bound, tmp_path, **conditions))
        assert {line["namespace"] for line in found} == {"work"}
    with pytest.raises(Forbidden):
        export(bound, tmp_path, namespace="default")
    with pytest.raises(NotFound, match=r"unknown namespace 'wrok'; did you mean 'work'"):
        export(memory, tmp_path, namespace="wrok")
    with pytest.raises(Forbidden):
        export(memory.restricted(Access(frozenset({Scope.READ}))), tmp_path)


def test_an_export_shows_one_state_whatever_is_written_meanwhile(
    memory: Memory, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory, clock)
    expected = export(memory, tmp_path)
    with open_at(Path(memory.engine.label), clock) as other:

        def show(version: Version, **options: bool) -> Any:
            other.store(f"Beside {version.record.id}", namespace="zz")
            other.update("m1", text=f"Beside {version.record.id}")
            return show_version(version, **options)

        monkeypatch.setattr("winnow.memory.transfer.exporting.show_version", show)
        assert export(memory, tmp_path) == expected
        monkeypatch.undo()
        assert len(ids(export(memory, tmp_path))) == 2 * len(ids(expected))


# --- files -------------------------------------------------------------------------------------


def test_a_file_is_replaced_when_all_is_written_and_only_its_owner_reads_it(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("One")
    folder = tmp_path / "out"
    folder.mkdir()
    file = folder / "all.jsonl"
    old = export(memory, folder)
    memory.store("Two")
    file.chmod(0o644)

    def fail(*_: object, **__: object) -> Any:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr("winnow.memory.transfer.exporting.show_version", fail)
        with pytest.raises(RuntimeError):
            memory.admin.export(str(file), replace=True)
    assert file.read_text(encoding="utf-8") == old
    assert [one.name for one in folder.iterdir()] == ["all.jsonl"]
    (folder / "link").symlink_to(file)
    memory.admin.export(str(folder / "link"), replace=True)
    assert len(lines(file.read_text(encoding="utf-8"))) == 3
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (folder / "link").is_symlink()


def test_no_file_is_overwritten_unasked(memory: Memory, tmp_path: Path) -> None:
    memory.store("One")
    file = tmp_path / "notes.txt"
    for text in ("Buy milk\n", ""):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(Conflict, match=r"there is a file .*notes.txt already; with replace"):
            memory.admin.export(str(file))
        assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("text", ["Buy milk\n", '{"text": "a plain object"}\n'])
def test_what_is_no_export_is_never_replaced(memory: Memory, tmp_path: Path, text: str) -> None:
    memory.store("One")
    file = tmp_path / "notes.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRequest, match="is no export of Winnow, and is never replaced"):
        memory.admin.export(str(file), replace=True)
    assert file.read_text(encoding="utf-8") == text


def test_a_file_that_comes_while_an_export_is_written_is_kept(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("One")
    file = tmp_path / "notes.txt"

    def show(version: Version, **options: Any) -> Any:
        file.write_text("Buy milk\n", encoding="utf-8")
        return show_version(version, **options)

    monkeypatch.setattr("winnow.memory.transfer.exporting.show_version", show)
    with pytest.raises(Conflict):
        memory.admin.export(str(file))
    assert [one.name for one in tmp_path.glob("*notes*")] == ["notes.txt"]
    assert file.read_text(encoding="utf-8") == "Buy milk\n"


def test_a_pipe_is_written_to(memory: Memory, tmp_path: Path) -> None:
    memory.store("One", metadata={"long": "text " * 50_000})
    expected = export(memory, tmp_path)
    reader, writer = os.pipe()
    thread = Thread(target=memory.admin.export, args=(f"/dev/fd/{writer}",))
    with open(reader, encoding="utf-8") as pipe:
        thread.start()
        found = "".join(pipe.readline() for _ in lines(expected))
        os.close(writer)
        thread.join()
    assert found == expected


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("no/such/folder.jsonl", "/path: can't write"),
        (".", "/path: can't write"),
        ("winnow.db", "/path: this is the store itself"),
        ("", "/path: this can't be the name of a file"),
        ("a\0b", "/path: this can't be the name of a file"),
    ],
)
def test_a_path_that_can_not_be_written_is_refused(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, told: str
) -> None:
    memory.store("One")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidRequest, match=told):
        memory.admin.export(path)
    assert memory.get("m1").text == "One"


# --- whatever there is -------------------------------------------------------------------------

names = texts.filter(str.strip)
raws = st.binary(min_size=1, max_size=4).map(from_bytes)
untyped = (texts | raws).map(Untyped)
wrapped = st.dictionaries(st.sampled_from(["untyped", "base64", "object"]), texts, max_size=1)
keys = texts | raws | texts.map("base64:{}".format)
everything_in_metadata = metadata | st.dictionaries(keys, untyped | wrapped | texts, max_size=3)
times = st.integers(NOW - 10**10, NOW)


def is_legal(found: Mapping[str, Any]) -> bool:
    """Tell whether metadata could have been stored: JSON, and untyped texts beside it."""
    return not any(
        copy_plain(value, "")[1] for value in found.values() if not isinstance(value, Untyped)
    )


wholes = st.builds(
    Record,
    namespace=names,
    id=names | raws,
    text=texts | raws,
    title=texts | raws,
    kind=names,
    kind_provenance=st.none() | texts,
    entity=st.none() | texts | raws,
    memory_type=st.none() | texts,
    tags=st.lists(texts, max_size=2).map(tuple),
    importance=st.floats(0, 1),
    source=st.none() | texts | raws,
    metadata=everything_in_metadata.filter(is_legal),
    created_at=times,
    updated_at=times,
    expires_at=st.none() | st.integers(NOW + 1, NOW + 10**10),
    vector=st.none() | st.binary(min_size=4, max_size=4),
    model=st.none() | names,
)


@st.composite
def versions(draw: st.DrawFn) -> Version:
    record = draw(wholes)
    place = {"namespace": record.namespace, "id": record.id, "vector": None, "model": None}
    before = st.none() | wholes.map(lambda one: replace(one, **place))
    history = draw(st.lists(st.builds(Past, at=times, before=before), max_size=3))
    deleted_at = draw(st.none() | st.integers(NOW - RETENTION + 1, NOW))
    return Version(record, deleted_at, tuple(history))


def place_of(version: Version) -> tuple[str, str]:
    return version.record.namespace, version.record.id


def everything(memory: Memory) -> list[str]:
    found: Iterable[Version] = (
        version
        for row in memory.engine.store.records.namespaces()
        for batch in memory.engine.store.records.scan_versions(row.name)
        for version in batch
    )
    return [
        repr(replace(one, record=replace(one.record, terms=b""), key=0, change=0)) for one in found
    ]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(versions(), max_size=3, unique_by=lambda one: (one.record.namespace, one.record.id))
)
def test_f104_whatever_a_store_keeps_of_memories_comes_back(found: list[Version]) -> None:
    """Kinds of a newer version too, and what no surface has ever written."""
    with temporary_memory() as memory, temporary_memory() as other:
        folder = Path(memory.engine.label).parent
        with memory.engine.store.write() as writer:
            writer.records.restore(found)
        text = export(memory, folder)
        bring(other, text, folder)
        assert everything(other) == everything(memory)
        assert export(other, folder) == text
        assert bring(other, text, folder).unchanged == len(found)


# Values as JSON has them, by the field of a Matter.
VALUES: Mapping[str, st.SearchStrategy[object]] = {
    "title": texts,
    "status": st.sampled_from(["Active", "OnHold"]),
    "escrowPct": st.integers(0, 100) | st.floats(0, 100),
    "dealValueUSD": st.integers(0, 2**62),
    "openedDate": st.sampled_from(["2024", "2024-03", "2024-03-05", "2024-03-05T14:30:00+02:00"]),
    "client": st.sampled_from(["CLT-0001", "CLT-0002"]),
    "relatedMatters": st.lists(st.sampled_from(["MAT-1001", "MAT-1002"]), max_size=2),
}
evidence = st.fixed_dictionaries(
    {"path": texts}, optional={"line": st.none() | st.integers(1, 9), "quote": st.none() | texts}
)


def candidates(value: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    told = st.fixed_dictionaries(
        {"value": value},
        optional={
            "confidence": st.sampled_from(["EXTRACTED", "INFERRED", "AMBIGUOUS"]),
            "method": st.sampled_from(["machine_readable", "pattern", "llm"]),
            "evidence": st.none() | evidence,
        },
    )
    one = value | told
    return one | st.fixed_dictionaries({"candidates": st.lists(one, max_size=3)})


fields_of_matters = st.fixed_dictionaries(
    {}, optional={name: candidates(value) for name, value in VALUES.items()}
)


@settings(max_examples=30, deadline=None)
@given(st.lists(fields_of_matters, max_size=3))
def test_f104_whatever_was_imported_of_entities_comes_back(
    found: list[Mapping[str, object]],
) -> None:
    with temporary_memory() as memory, temporary_memory() as other:
        folder = Path(memory.engine.label).parent
        objects = [
            {"schema": MATTER, "id": f"MAT-100{number}", "fields": fields}
            for number, fields in enumerate(found)
        ]
        assert memory.admin.import_(objects=objects).errors == []
        text = export(memory, folder)
        assert len(about(text, "schema")) == len(found)
        bring(other, text, folder)
        assert export(other, folder) == text
        for again in (memory, other):
            assert bring(again, text, folder).unchanged == len(found)
