"""A backup holds everything, and what it holds comes back as it was."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import WHOLE, Clock, open_at, set_namespace, store_all
from tests.vault.making import make_vault

import winnow
from winnow.access import Access, Scope
from winnow.app import restore_memory
from winnow.errors import Conflict, Forbidden, InvalidRequest, StoreError
from winnow.memory import Memory

MATTER = {"schema": "legal.Matter", "id": "MAT-2388", "fields": {"escrowPct": 12}}


def exported(memory: Memory, folder: Path) -> bytes:
    """All that an export writes, in bytes."""
    file = folder / "export.jsonl"
    memory.admin.export(str(file), replace=True)
    return file.read_bytes()


@pytest.fixture
def filled(memory: Memory, clock: Clock, tmp_path: Path) -> Memory:
    """Memories with all fields and histories, deleted and expired ones, notes, entities, a key."""
    store_all(memory, [{"id": f"r{n}", "text": f"river {n}"} for n in range(5)])
    memory.store("whole", id="whole", **WHOLE)
    memory.store("设备 🦉", id="设备", namespace="odd")
    memory.update("r1", text="another text", tags=["b"])
    memory.delete("r2")
    memory.store("soon over", id="over", ttl_seconds=10)
    clock.move(seconds=60)
    memory.admin.set_namespace("given", embedder="external:2")
    memory.store("with a vector", namespace="given", vector=[1, 2])
    vault = make_vault(
        tmp_path / "vault", {"a.md": "# A note\n\nText.\n\nCLAWQL_MATTER_ID=MAT-2390\n"}
    )
    memory.admin.index(str(vault))
    assert memory.admin.import_(entities=[MATTER]).refused == 0
    memory.admin.create_key("reader", scopes=["read"])
    return memory


def test_a_backup_tells_what_it_holds(filled: Memory, tmp_path: Path) -> None:
    answer = filled.admin.backup(str(tmp_path / "copy.db"))
    assert answer.path == str(tmp_path / "copy.db")
    assert answer.bytes == (tmp_path / "copy.db").stat().st_size
    assert answer.as_of == filled.recall().as_of
    counts = answer.namespaces["default"]
    assert (counts["memories"], counts["deleted"], counts["entities"]) == (5, 1, 2)
    assert counts["pieces"] == filled.count(where="path is not null").count
    assert answer.warnings is None


def test_f104_what_is_backed_up_and_restored_exports_to_the_same_bytes(
    filled: Memory, clock: Clock, tmp_path: Path
) -> None:
    before = exported(filled, tmp_path)
    seen = filled.recall(limit=1_000)
    filled.admin.backup(str(tmp_path / "copy.db"))
    restore_memory(tmp_path / "copy.db", tmp_path / "new" / "winnow.db")
    with open_at(tmp_path / "new" / "winnow.db", clock) as restored:
        assert exported(restored, tmp_path) == before
        assert restored.recall(limit=1_000) == seen
        assert restored.recall(schema="legal.Matter") == filled.recall(schema="legal.Matter")
        assert restored.admin.keys().keys == filled.admin.keys().keys
        assert restored.undelete("r2").text == "river 2"
        assert restored.admin.doctor().problems == []


TEXTS = st.text(max_size=20)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("store"), st.integers(0, 4), TEXTS),
        st.tuples(st.just("delete"), st.integers(0, 4), st.just("")),
        st.tuples(st.just("purge"), st.integers(0, 4), st.just("")),
    ),
    max_size=8,
)


def change(memory: Memory, what: str, number: int, text: str) -> None:
    name = f"r{number}"
    if what == "store":
        store_all(memory, [{"id": name, "text": text or "x", "metadata": {"n": text}}])
    elif memory.count(where=f"id = {name}").count:
        memory.delete(name, purge=what == "purge")


@settings(max_examples=15)  # each opens stores three or four times
@given(CHANGES, CHANGES)
def test_a_restore_undoes_exactly_what_came_after_the_backup(
    first: list[tuple[str, int, str]], then: list[tuple[str, int, str]]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, clock = Path(name), Clock()
        path, copy = folder / "w.db", folder / "copy.db"
        with open_at(path, clock) as memory:
            for one in first:
                change(memory, *one)
            before = exported(memory, folder)
            memory.admin.backup(str(copy))
            for one in then:
                change(memory, *one)
            after = exported(memory, folder)
        answer = restore_memory(copy, path, replace=True)
        with open_at(path, clock) as memory:
            assert exported(memory, folder) == before
            assert memory.admin.doctor().problems == []
        if answer.kept is not None:
            restore_memory(answer.kept, path, replace=True)
            with open_at(path, clock) as memory:
                assert exported(memory, folder) == after


def test_programs_that_had_the_store_open_are_told_to_open_it_again(
    filled: Memory, clock: Clock, tmp_path: Path
) -> None:
    filled.recall("river")
    filled.admin.backup(str(tmp_path / "copy.db"))
    filled.store("later", id="later")
    answer = winnow.restore(tmp_path / "copy.db", tmp_path / "winnow.db", replace=True)
    assert answer.namespaces["default"]["memories"] == 5
    asked: list[Any] = [
        lambda: filled.recall("river"),
        lambda: filled.count(),
        lambda: filled.list(schema="legal.Matter"),
        lambda: filled.store("lost?"),
        lambda: filled.delete(all=True),
    ]
    for ask in asked:
        with pytest.raises(StoreError, match="open it again"):
            ask()
    with open_at(tmp_path / "winnow.db", clock) as again:
        assert again.count(where="id = later").count == 0
        again.store("not lost", id="later")
    with open_at(tmp_path / "winnow.db", clock) as again:
        assert again.get("later").text == "not lost"


def test_keys_that_work_again_are_told(filled: Memory, tmp_path: Path) -> None:
    filled.admin.backup(str(tmp_path / "copy.db"))
    filled.admin.revoke_key("reader")
    answer = restore_memory(tmp_path / "copy.db", tmp_path / "winnow.db", replace=True)
    assert answer.warnings == ["keys that the store no longer had work again: reader"]


def test_settings_that_nobody_has_used_yet_come_back_too(memory: Memory, tmp_path: Path) -> None:
    set_namespace(memory, "firm", language="de")
    memory.admin.backup(str(tmp_path / "copy.db"))
    restore_memory(tmp_path / "copy.db", tmp_path / "new.db")
    with winnow.open(tmp_path / "new.db") as restored:
        assert restored.admin.namespace("firm").language == "de"


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "  ", "-", "a\0b"])
def test_a_name_that_is_none_is_a_fault(memory: Memory, path: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        memory.admin.backup(path)
    assert [fault.pointer for fault in caught.value.faults] == ["/path"]


def test_an_earlier_backup_is_replaced_only_if_that_is_said(memory: Memory, tmp_path: Path) -> None:
    target = str(tmp_path / "copy.db")
    memory.admin.backup(target)
    memory.store("text")
    with pytest.raises(Conflict, match="--replace"):
        memory.admin.backup(target)
    assert memory.admin.backup(target, replace=True).namespaces["default"]["memories"] == 1


def test_only_who_may_do_everything_copies_everything(memory: Memory, tmp_path: Path) -> None:
    for access in (
        Access(frozenset(Scope), frozenset({"default"})),
        Access(frozenset({Scope.READ, Scope.WRITE})),
    ):
        with pytest.raises(Forbidden):
            memory.restricted(access).admin.backup(str(tmp_path / "copy.db"))
    assert not (tmp_path / "copy.db").exists()


def test_a_path_may_be_a_path_or_text(memory: Memory, tmp_path: Path) -> None:
    path: Any = tmp_path / "copy.db"
    assert memory.admin.backup(path).path == str(path)
