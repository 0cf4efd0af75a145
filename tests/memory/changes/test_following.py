"""What goes with a memory that is deleted, or a note that is gone, and what comes back with it."""

from collections.abc import Sequence
from pathlib import Path
from typing import LiteralString

import pytest
from tests.memory.remembering import Clock, ids, store_all
from tests.vault.making import make_vault

from winnow.access import Access, Scope
from winnow.errors import Forbidden, NotFound, VaultError
from winnow.memory import Memory
from winnow.memory.changes import deleting
from winnow.store.sqlite.connection import Connection


def count_rows(memory: Memory, *tables: LiteralString) -> list[int]:
    """Count the rows of tables behind the back of a store."""
    connection = Connection(Path(memory.engine.label), "mode=rw")
    try:
        statements: list[LiteralString] = ["SELECT count(*) FROM " + one for one in tables]
        return [connection.one(tuple[int], one)[0] for one in statements]
    finally:
        connection.close()


def shown(memory: Memory) -> Sequence[object]:
    return memory.list(order_by="id", limit=1_000).memories or ()


@pytest.fixture
def many(memory: Memory) -> Memory:
    """More memories than any page holds: 1,500 to go, 50 to stay, and others' of the same sort."""
    rows = [{"id": f"r{n:04}", "text": f"river {n}", "kind": "claim"} for n in range(1_500)]
    rows += [{"id": f"s{n:04}", "text": f"shore {n}", "kind": "goal"} for n in range(50)]
    store_all(memory, [*rows, *({**row, "namespace": "other"} for row in rows[-60:])])
    return memory


def test_f98_a_delete_takes_all_pages_in_one_change_and_nothing_of_others(many: Memory) -> None:
    before = many.recall().as_of.change
    answer = many.delete(kinds="claim", expected_count=1_500)
    assert (answer.deleted, answer.as_of.change) == (1_500, before + 1)
    assert answer.ids == [f"r{n:04}" for n in range(1_000)]
    assert many.count(namespace="default").count == 50
    assert many.count(namespace="other").count == 60


def test_f98_a_delete_that_fails_half_way_has_deleted_nothing(
    many: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove = deleting._remove

    def remove_then_fail(*arguments: object) -> int:
        remove(*arguments)  # pyright: ignore[reportArgumentType]
        raise OSError("a disk has failed")

    monkeypatch.setattr(deleting, "_remove", remove_then_fail)
    for purge in (False, True):
        with pytest.raises(OSError, match="disk"):
            many.delete(kinds="claim", all=True, purge=purge)
    assert many.count(namespace="default").count == 1_550
    assert count_rows(many, "record", "vector", "purged") == [1_610, 1_610, 0]


def test_f98_what_is_purged_leaves_no_vector_no_history_and_no_words(memory: Memory) -> None:
    store_all(memory, [{"id": f"r{n}", "text": f"rare{n} river"} for n in range(4)])
    for number in range(3):
        memory.update(f"r{number}", text=f"seldom{number} river")
    memory.delete("r0")
    assert count_rows(memory, "record", "vector", "past") == [4, 4, 4]
    assert memory.delete("r0", purge=True).deleted == 1
    assert memory.delete(where="id in (r1, r2)", all=True, purge=True).deleted == 2
    assert count_rows(memory, "record", "vector", "past") == [1, 1, 0]
    with memory.engine.store.write() as writer:
        writer.records.prune_terms()
    words = [*(f"rare{n}" for n in range(4)), *(f"seldom{n}" for n in range(3)), "river"]
    assert set(memory.engine.store.records.find_terms(words)) == {"rare3", "river"}
    assert ids(memory.recall("seldom1")) == ["r3"]
    assert memory.admin.doctor().problems == []


def test_who_deleted_by_a_filter_can_bring_all_of_it_back(memory: Memory, clock: Clock) -> None:
    store_all(memory, [{"id": f"r{n}", "text": f"river {n}", "tags": ("a",)} for n in range(5)])
    memory.update("r1", text="another river")
    before, versions = shown(memory), memory.engine.store.records.count(["default"], 0)
    clock.move(days=1)
    answer = memory.delete(tags="a", all=True)
    assert answer.ids == ["r0", "r1", "r2", "r3", "r4"]
    assert memory.delete(tags="a", all=True).ids == []
    clock.move(days=29)
    for one in answer.ids:
        memory.undelete(one)
    assert shown(memory) == before
    assert memory.engine.store.records.count(["default"], 0) == versions
    assert set(ids(memory.recall("river"))) == set(answer.ids)


def test_a_key_brings_back_what_it_deleted_in_its_own_namespaces_alone(memory: Memory) -> None:
    for namespace in ("own", "other"):
        memory.store("text", id="m1", namespace=namespace)
    memory.delete("m1", namespace="other")
    bound = memory.restricted(Access(frozenset({Scope.READ, Scope.WRITE}), frozenset({"own"})))
    (name,) = bound.delete(expected_count=1, namespace="own").ids
    assert bound.undelete(name, namespace="own").text == "text"
    with pytest.raises(Forbidden):
        bound.undelete("m1", namespace="other")
    reader = memory.restricted(Access(frozenset({Scope.READ})))
    with pytest.raises(Forbidden):
        reader.undelete("m1", namespace="other")


def test_a_dry_run_names_what_would_go(memory: Memory) -> None:
    store_all(memory, [{"id": f"r{n}", "text": "x"} for n in range(3)])
    tried = memory.delete(where="id <> r1", dry_run=True)
    assert tried.ids == ["r0", "r2"]
    assert memory.delete(where="id <> r1", expected_count=2).ids == tried.ids
    assert memory.delete("r1", dry_run=True).ids == ["r1"]


def test_what_has_expired_is_over_and_no_deletion_that_could_be_undone(
    memory: Memory, clock: Clock
) -> None:
    memory.store("text", id="over", ttl_seconds=10)
    memory.store("text", id="both", ttl_seconds=10)
    memory.delete("both")
    clock.move(seconds=10)
    for name in ("over", "both"):
        with pytest.raises(NotFound):
            memory.undelete(name)
        with pytest.raises(NotFound):
            memory.delete(name)
    assert memory.store("new", id="over").text == "new"


def test_f98_a_namespace_is_emptied_only_by_its_name(memory: Memory) -> None:
    for namespace in ("default", "firm", "other"):
        memory.store("text", namespace=namespace)
    assert memory.delete(expected_count=1).deleted == 1  # the one that is meant where none is named
    assert memory.delete(expected_count=1, namespace="firm").deleted == 1
    assert memory.count().count == memory.count(namespace="other").count == 1


# --- notes ---------------------------------------------------------------------------------------

NOTES = {
    f"n{number}.md": f"# Note {number}\n\nSee [[n{(number + 1) % 8}]].\n\n"
    f"CLAWQL_MATTER_ID=MAT-{2400 + number}\nCLAWQL_STATUS=Active\n"
    for number in range(8)
}


def test_f100_pieces_links_and_entities_go_with_their_note(memory: Memory, tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "vault", NOTES)
    memory.admin.index(str(vault))
    assert memory.count(schema="legal.Matter").count == 8
    before = count_rows(memory, "note", "contribution", "record", "vector")
    (vault / "n0.md").unlink()
    assert memory.admin.index(str(vault)).removed == 1
    after = count_rows(memory, "note", "contribution", "record", "vector")
    assert [was - now for was, now in zip(before, after, strict=True)] == [
        1,
        1,
        before[2] // 8,
        before[3] // 8,
    ]
    assert memory.count(schema="legal.Matter").count == 7
    assert memory.count(where="path = n0.md").count == 0
    near = memory.recall(where="path = n7.md", max_depth=1, limit=100).memories
    assert "n0.md" not in {hit.path for hit in near}
    assert memory.admin.doctor().problems == []


def test_f100_a_vault_that_vanishes_takes_nothing_with_it_unless_that_is_said(
    memory: Memory, tmp_path: Path
) -> None:
    vault = make_vault(tmp_path / "vault", NOTES)
    memory.admin.index(str(vault))
    away = vault.rename(tmp_path / "unmounted")
    with pytest.raises(VaultError, match="--prune"):
        memory.admin.index(str(vault))
    vault.mkdir()
    answer = memory.admin.index(str(vault))
    assert (answer.kept, answer.removed) == (8, 0)
    assert memory.count(schema="legal.Matter").count == 8
    vault.rmdir()
    away.rename(vault)
    assert memory.admin.index(str(vault)).unchanged == 8
    for number in range(6):
        (vault / f"n{number}.md").unlink()
    assert memory.admin.index(str(vault)).kept == 6
    assert memory.admin.index(str(vault), prune=True).removed == 6
    assert memory.count(schema="legal.Matter").count == 2
    assert memory.admin.doctor().problems == []
