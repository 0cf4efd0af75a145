import pytest
from tests.store.making import (
    MATTER,
    add_entities,
    add_notes,
    add_vault,
    entity,
    fields_of,
    ids_after,
    note,
    note_key,
    plain,
    said,
)

from winnow.errors import InvalidRequest
from winnow.records import Candidate, Confidence, Evidence, Method
from winnow.store.base import Contribution, ImportCounts
from winnow.store.sqlite.store import SqliteStore


def test_imports_are_counted_by_what_they_did(store: SqliteStore) -> None:
    with store.write() as writer:
        first = writer.put_entities("default", [entity("M-1", a=1), entity("M-2", a=1)])
    with store.write() as writer:
        second = writer.put_entities(
            "default", [entity("M-1", a=1), entity("M-2", a=2), entity("M-3")]
        )
    assert first == ImportCounts(added=2, changed=0, unchanged=0)
    assert second == ImportCounts(added=1, changed=1, unchanged=1)


def test_a_named_field_is_replaced_and_the_others_stay(store: SqliteStore) -> None:
    add_entities(store, entity("M-1", a=1, b=("x", "y")))
    add_entities(store, entity("M-1", a=2.0))
    assert fields_of(store, "M-1") == {"a": 2.0, "b": ["x", "y"]}


def test_a_field_without_candidates_is_cleared(store: SqliteStore) -> None:
    add_entities(store, entity("M-1", a=1, b=2))
    add_entities(store, Contribution(MATTER, "M-1", {"a": ()}))
    assert fields_of(store, "M-1") == {"b": 2}


def test_an_equal_import_is_no_change(store: SqliteStore) -> None:
    last = add_entities(store, entity("M-1", a=1, b=2))
    assert add_entities(store, entity("M-1", b=2), entity("M-1", a=1)) == last
    assert add_entities(store, Contribution(MATTER, "M-1", {"c": ()})) == last


def test_a_value_of_another_type_is_a_change(store: SqliteStore) -> None:
    add_entities(store, entity("M-1", a=1))
    add_entities(store, entity("M-1", a=True))
    assert fields_of(store, "M-1") == {"a": True}
    assert repr(fields_of(store, "M-1")) == "{'a': True}"


def test_an_entity_given_twice_at_once_takes_both_in_order(store: SqliteStore) -> None:
    with store.write() as writer:
        counts = writer.put_entities(
            "default", [entity("M-1", a=1, b=1), entity("M-2"), entity("M-1", a=2)]
        )
    assert counts == ImportCounts(added=2, changed=0, unchanged=0)
    assert fields_of(store, "M-1") == {"a": 2, "b": 1}


def test_an_entity_without_fields_is_live(store: SqliteStore) -> None:
    add_entities(store, entity("M-1"))
    assert fields_of(store, "M-1") == {}


def test_namespaces_and_schemas_keep_equal_ids_apart(store: SqliteStore) -> None:
    add_entities(store, entity("X-1", a=1), entity("X-1", schema="legal.Client", a=2))
    add_entities(store, entity("X-1", a=3), namespace="other")
    assert store.schemas() == [
        ("default", "legal.Client", 1),
        ("default", MATTER, 1),
        ("other", MATTER, 1),
    ]
    (batch,) = store.scan_entities(MATTER, 0)
    assert (batch.ids, batch.namespaces) == (["X-1", "X-1"], ["default", "other"])
    assert batch.fields == [{"a": 1}, {"a": 3}]


def test_imported_values_without_evidence_point_to_the_import(store: SqliteStore) -> None:
    own = Evidence("mail.txt", 3, "ten percent")
    inferred = (Candidate(10, Confidence.INFERRED, Method.LLM, own), Candidate(9))
    add_entities(store, Contribution(MATTER, "M-1", {"a": inferred, **plain(b=1)}))
    (found,) = store.read_entities([store.find_entity("default", MATTER, "M-1") or 0])
    here = Evidence(f"winnow://{MATTER}/M-1")
    assert found.fields == {
        "a": (inferred[0], Candidate(9, evidence=here)),
        "b": (Candidate(1, evidence=here),),
    }


def test_an_import_and_a_note_of_one_entity_add_up(store: SqliteStore) -> None:
    vault = add_vault(store)
    add_notes(store, vault, note("a.md", said("a.md", "M-1", a=2)))
    with store.write() as writer:
        counts = writer.put_entities("default", [entity("M-1", a=1)])
    assert counts == ImportCounts(added=0, changed=1, unchanged=0)
    assert fields_of(store, "M-1") == {"a": (Candidate(1), Candidate(2))}


def test_an_entity_that_died_can_be_imported(store: SqliteStore) -> None:
    vault = add_vault(store)
    add_notes(store, vault, note("a.md", said("a.md", "M-1", a=2)))
    with store.write() as writer:
        writer.delete_notes([note_key(store, vault, "a.md")])
    with store.write() as writer:
        assert writer.put_entities("default", [entity("M-1")]) == ImportCounts(1, 0, 0)
    assert ids_after(store, 0) == ["M-1"]


@pytest.mark.parametrize("value", ["\ud800", "a\udfff"])
def test_a_lone_surrogate_is_refused_and_nothing_of_its_batch_is_kept(
    store: SqliteStore, value: str
) -> None:
    with store.write() as writer:
        writer.put_entities("default", [entity("M-0")])
        for bad in (entity("M-2", a=value), entity(value), entity("M-2", schema=value)):
            with pytest.raises(InvalidRequest, match="lone surrogate"):
                writer.put_entities("default", [entity("M-1"), bad])
    assert ids_after(store, 0) == ["M-0"]
    assert store.upkeep.check() == []


def test_names_that_were_undone_with_a_failure_are_made_anew(store: SqliteStore) -> None:
    with store.write() as writer:
        with pytest.raises(InvalidRequest):
            writer.put_entities("new", [entity("M-1"), entity("\ud800")])
        writer.put_entities("other", [entity("M-1", schema="other.Schema")])
        writer.put_entities("new", [entity("M-1")])
    assert store.schemas() == [("new", MATTER, 1), ("other", "other.Schema", 1)]


def test_a_namespace_needs_a_name(store: SqliteStore) -> None:
    with store.write() as writer, pytest.raises(InvalidRequest, match="needs a name"):
        writer.put_entities("", [entity("M-1")])


def test_ids_with_any_character_are_found_again(store: SqliteStore) -> None:
    names = ["a", "a\0", "a\0b", "A", "é", "e\u0301", "𝔘", "", " ", "';--"]
    for _ in range(2):
        add_entities(store, *(entity(name, a=name) for name in names))
    assert ids_after(store, 0) == sorted(names)
    keys = [store.find_entity("default", MATTER, name) or 0 for name in names]
    assert [one.id for one in store.read_entities(keys)] == names


def test_what_was_imported_is_read_alone_by_schema_and_id(store: SqliteStore) -> None:
    vault = add_vault(store)
    add_notes(store, vault, note("a.md", said("a.md", "MAT-1", status="Active")))
    evidence = Evidence("b.md", 3, "a quote")
    told = Contribution(
        MATTER,
        "MAT-1",
        {"escrowPct": (Candidate(12, Confidence.INFERRED, Method.LLM, evidence), Candidate(13))},
    )
    other = entity("MAT-2", title="Two", tags=("a", "b"))
    client = entity("CLT-1", schema="legal.Client")
    add_entities(store, other, told, client)
    add_entities(store, entity("MAT-3"), namespace="work")
    assert [one for batch in store.imported.scan("default") for one in batch] == [
        client,
        told,
        other,
    ]
    assert [one.entity for batch in store.imported.scan("work") for one in batch] == ["MAT-3"]
    assert list(store.imported.scan("nowhere")) == []


def test_what_was_imported_is_read_by_key(store: SqliteStore) -> None:
    vault = add_vault(store)
    add_notes(store, vault, note("a.md", said("a.md", "MAT-1", status="Active")))
    add_entities(store, entity("MAT-2"))
    keys = [store.find_entity("default", MATTER, name) or 0 for name in ("MAT-2", "MAT-1")]
    assert store.imported.read([*keys, 99]) == [entity("MAT-2"), None, None]
