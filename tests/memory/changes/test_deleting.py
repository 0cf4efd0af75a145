"""Taking memories away: by id, by all conditions, and back again."""

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.memory.remembering import (
    Clock,
    everything,
    ids,
    open_at,
    store_all,
    temporary_memory,
)

from winnow.access import Access, Scope
from winnow.errors import Conflict, Forbidden, InvalidRequest, NotFound, ReadOnly
from winnow.memory import Memory
from winnow.store.base import Writer
from winnow.wire import camel_case

DAY = 86_400


def left(memory: Memory, **asked: Any) -> list[str]:
    found = memory.list(order_by="id", limit=1_000, **asked).memories
    assert found is not None
    return [record.id for record in found]


def faults_of(memory: Memory, **asked: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRequest) as caught:
        memory.delete(**asked)
    return [(fault.pointer, fault.detail) for fault in caught.value.faults]


@pytest.fixture
def stored(memory: Memory) -> Memory:
    """Nine memories: of three kinds, with three tags, and one of each in another namespace."""
    rows = [
        {
            "id": f"r{n}",
            "text": "river",
            "kind": ("claim", "goal", "event")[n % 3],
            "tags": ("abc"[n // 3],),
            "metadata": {"n": n},
        }
        for n in range(9)
    ]
    store_all(memory, [*rows, *({**row, "namespace": "other"} for row in rows[:3])])
    return memory


# --- by conditions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "gone"),
    [
        ({"kinds": "claim"}, "036"),
        ({"kinds": "claim,goal", "tags": "a"}, "01"),
        ({"where": "n >= 7"}, "78"),
        ({"filters": {"n": {"lt": 2}}, "kinds": ["goal"]}, "1"),
        ({"filters": [{"field": "n", "op": "EQ", "value": "4"}]}, "4"),
        ({"entity": "nobody"}, ""),
        ({"since": "2999"}, ""),
        ({"kinds": "bogus"}, ""),
        ({"where": "n >= 0"}, "012345678"),
    ],
)
def test_all_that_match_go_and_nothing_else(
    stored: Memory, asked: Mapping[str, Any], gone: str
) -> None:
    tried = stored.delete(**asked, dry_run=True)
    assert (tried.matched, tried.deleted, tried.dry_run) == (len(gone), 0, True)
    assert len(left(stored)) == 12
    answer = stored.delete(**asked, all=True)
    assert (answer.matched, answer.deleted, answer.dry_run) == (len(gone), len(gone), None)
    assert (answer.filters, answer.where) == (tried.filters, tried.where)
    assert answer.warnings == tried.warnings
    kept = [f"r{n}" for n in range(9) if str(n) not in gone]
    assert left(stored, namespace="default") == kept
    assert left(stored, namespace="other") == ["r0", "r1", "r2"]


def test_f69_a_delete_touches_the_namespace_that_it_names_and_tells_of_nothing_else(
    stored: Memory,
) -> None:
    assert stored.delete(all=True, namespace="other", tags="a").deleted == 3
    assert len(left(stored)) == 9
    nothing = stored.delete(kinds="claim", all=True, namespace="nowhere")
    assert (nothing.matched, nothing.deleted) == (0, 0)


def test_a_whole_namespace_goes_by_its_number_and_not_by_all_alone(stored: Memory) -> None:
    for asked in ({}, {"namespace": "other"}):
        ((pointer, detail),) = faults_of(stored, all=True, **asked)
        assert pointer == "/all"
        assert "this means every memory of the namespace" in detail
    count = stored.delete(dry_run=True, namespace="other").matched
    assert stored.delete(expected_count=count, namespace="other").deleted == 3
    assert len(left(stored)) == 9


def test_what_a_filter_deleted_can_be_brought_back_unless_it_was_purged(stored: Memory) -> None:
    before = stored.get("r1")
    stored.delete(where="n = 1", all=True)
    assert stored.undelete("r1") == before
    stored.delete(where="n = 1", all=True, purge=True)
    with pytest.raises(NotFound):
        stored.undelete("r1")


def test_what_was_deleted_can_still_be_purged(stored: Memory) -> None:
    stored.delete("r1")
    assert stored.delete("r1", purge=True, dry_run=True).matched == 1
    with pytest.raises(NotFound):
        stored.delete("r1")
    assert stored.delete("r1", purge=True).deleted == 1
    with pytest.raises(NotFound):
        stored.delete("r1", purge=True)
    with pytest.raises(NotFound):
        stored.undelete("r1")


def test_an_expected_count_has_to_be_right(stored: Memory) -> None:
    with pytest.raises(Conflict, match="3 match, and 4 were expected"):
        stored.delete(kinds="claim", expected_count=4)
    assert len(left(stored)) == 12
    assert stored.delete(kinds="claim", expected_count=3).deleted == 3
    assert stored.delete(kinds="claim", expected_count=0).deleted == 0


def test_the_number_that_is_meant_has_to_be_said_in_one_way(stored: Memory) -> None:
    assert faults_of(stored)[0][0] == "/id"
    conditions: list[dict[str, Any]] = [{"kinds": "claim"}, {"where": "n = 1"}, {"tags": []}]
    for asked in conditions:
        ((pointer, detail),) = faults_of(stored, **asked)
        assert pointer == "/all"
        assert all(name in detail for name in ("dryRun", "expectedCount", "all"))
    for asked in (
        {"all": True, "dry_run": True},
        {"all": True, "expected_count": 3},
        {"dry_run": True, "expected_count": 3},
    ):
        assert faults_of(stored, kinds="claim", **asked)
    assert len(left(stored)) == 12


def test_an_id_and_conditions_are_never_given_together(stored: Memory) -> None:
    for asked in ({"kinds": "claim"}, {"where": "n = 1"}, {"all": True}, {"expected_count": 1}):
        assert faults_of(stored, id="r1", **asked)
    assert len(left(stored)) == 12


def test_entities_are_not_deleted_by_a_filter(stored: Memory) -> None:
    ((pointer, detail),) = faults_of(stored, schema="legal.Matter", all=True)
    assert pointer == "/schema"
    assert "notes and imports" in detail


@pytest.mark.parametrize(
    "asked",
    [
        {"where": "kind = bogus"},
        {"where": "n >"},
        {"filters": {"@bogus": 1}},
        {"since": "soon"},
        {"kinds": ["claim", 3]},
        {"namespace": ""},
        {"bogus": 1},
    ],
)
def test_what_is_wrong_with_a_condition_deletes_nothing(
    stored: Memory, asked: Mapping[str, Any]
) -> None:
    assert faults_of(stored, all=True, **asked)
    assert len(left(stored)) == 12


def test_pieces_of_notes_stay_and_are_counted(stored: Memory, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "note.md").write_text("---\nkind: claim\n---\n# A note\n\nText.\n", encoding="utf-8")
    stored.admin.index(str(vault))
    tried = stored.delete(kinds="claim", dry_run=True)
    assert (tried.matched, tried.deleted, tried.read_only) == (3, 0, 1)
    with pytest.raises(Conflict, match="3 match"):
        stored.delete(kinds="claim", expected_count=4)
    answer = stored.delete(kinds="claim", all=True)
    assert (answer.matched, answer.deleted, answer.read_only) == (3, 3, 1)
    assert stored.count(kinds="claim", namespace="default").count == 1


def test_an_expired_memory_neither_matches_nor_is_counted(memory: Memory, clock: Clock) -> None:
    memory.store("text", id="passes", ttl_seconds=10)
    memory.store("text", id="stays")
    clock.move(seconds=10)
    assert memory.delete(expected_count=1, dry_run=False).matched == 1


def test_a_key_deletes_in_its_namespaces_alone(stored: Memory) -> None:
    seen = stored.restricted(Access(frozenset(Scope), frozenset({"other"})))
    with pytest.raises(Forbidden):
        seen.delete(where="n >= 0", all=True, namespace="nowhere")
    assert seen.delete(where="n >= 0", all=True).deleted == 3
    reader = stored.restricted(Access(frozenset({Scope.READ})))
    with pytest.raises(Forbidden):
        reader.delete(where="n >= 0", all=True)
    assert len(left(stored)) == 9


@given(st.lists(st.integers(0, 5), max_size=12), st.integers(-1, 6), st.booleans())
def test_a_dry_run_tells_what_would_be_deleted(numbers: list[int], bound: int, purge: bool) -> None:
    with temporary_memory() as memory:
        rows = enumerate(numbers)
        store_all(memory, ({"id": f"r{n}", "text": "x", "metadata": {"n": m}} for n, m in rows))
        where = f"n >= {bound}"
        tried = memory.delete(where=where, dry_run=True)
        answer = memory.delete(where=where, expected_count=tried.matched, purge=purge)
        assert answer.deleted == tried.matched == sum(number >= bound for number in numbers)
        assert memory.count().count == sum(number < bound for number in numbers)


# --- while others write --------------------------------------------------------------------------


def test_what_another_one_writes_before_is_taken_into_account(tmp_path: Path, clock: Clock) -> None:
    with open_at(tmp_path / "w.db", clock) as here, open_at(tmp_path / "w.db", clock) as there:
        store_all(here, ({"id": f"r{n}", "text": "x"} for n in range(3)))
        assert here.count().count == 3
        late = before_writing(here, lambda: there.store("new", id="late", kind="claim"))
        with late, pytest.raises(Conflict, match="4 match, and 3 were expected"):
            here.delete(expected_count=3)
        with before_writing(here, lambda: there.update("r1", kind="claim")):
            assert here.delete(kinds="claim", all=True).deleted == 2
        assert left(there) == ["r0", "r2"]


@contextmanager
def before_writing(memory: Memory, act: Callable[[], object]) -> Generator[None]:
    """Let somebody act when a write has been asked for and has not begun."""
    store = memory.engine.store
    write = store.write

    def late() -> AbstractContextManager[Writer]:
        act()
        return write()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "write", late)
        yield


def test_nothing_is_lost_or_deleted_twice_when_many_delete_and_store(
    tmp_path: Path, clock: Clock
) -> None:
    deleted: list[int] = []
    stop = threading.Event()
    with open_at(tmp_path / "w.db", clock) as here, open_at(tmp_path / "w.db", clock) as there:

        def take(memory: Memory) -> None:
            while not stop.is_set():
                deleted.append(memory.delete(kinds="claim", all=True).deleted)

        takers = [threading.Thread(target=take, args=(one,)) for one in (here, there)]
        for taker in takers:
            taker.start()
        for number in range(30):
            here.store("text", kind=("claim", "goal")[number % 2])
        stop.set()
        for taker in takers:
            taker.join()
        deleted.append(here.delete(kinds="claim", all=True).deleted)
        assert (sum(deleted), here.count().count) == (15, 15)


# --- by id -------------------------------------------------------------------------------------


def test_a_dry_run_by_id_deletes_nothing(stored: Memory) -> None:
    answer = stored.delete("r1", dry_run=True)
    assert (answer.matched, answer.deleted, answer.dry_run) == (1, 0, True)
    assert "r1" in left(stored)
    with pytest.raises(NotFound):
        stored.delete("nobody", dry_run=True)


def test_a_dry_run_changes_nothing_at_all(stored: Memory, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "note.md").write_text("# A note\n\nText.\n", encoding="utf-8")
    stored.admin.index(str(vault))
    before = stored.recall().as_of
    stored.delete("r1", dry_run=True)
    stored.delete(all=False, dry_run=True, kinds="claim")
    (piece,) = ids(stored.recall(where="path is not null"))
    with pytest.raises(ReadOnly):
        stored.delete(piece, dry_run=True)
    assert stored.recall().as_of == before


def test_a_delete_can_be_undone_for_thirty_days(memory: Memory, clock: Clock) -> None:
    memory.store("text", id="a")
    memory.delete("a")
    clock.move(days=30, milliseconds=-1)
    memory.undelete("a")
    memory.delete("a")
    clock.move(days=30)
    with pytest.raises(NotFound):
        memory.undelete("a")


HOLDS = (
    "this holds for every memory: give a condition that does not, or expectedCount with their"
    " number, which dryRun tells"
)


@pytest.mark.parametrize(
    "empty",
    [
        {"tags": []},
        {"kinds": ""},
        {"where": " ", "filters": {}},
        {"tags": (), "where": ""},
        {"tags": ["", "#"], "kinds": [" "]},
        {"tags": " , ", "kinds": ","},
        {"filters": "{}"},
        {"filters": " [ ] "},
        {"filters": "null"},
        {"filters": {"and": []}},
        {"filters": {"and": [{}, {"or": [{"id": "a"}, {}]}]}, "tags": [" "]},
        {"kinds": "all"},
        {"kinds": "All", "tags": ""},
        {"kinds": ["claim", "all"]},
        {"where": "id not in ()"},
        {"where": "kind = claim or not (id in ())"},
        {"filters": {"id": {"nin": []}}},
        {"filters": {"not": {"or": []}}},
        {"confidence_minimum": "INFERRED"},
    ],
)
def test_f98_a_condition_that_holds_for_everything_does_not_take_everything(
    stored: Memory, empty: Mapping[str, Any]
) -> None:
    named = sorted(f"/{camel_case(one)}" for one in empty)
    for change in (stored.delete, partial(stored.retype, kind="goal")):
        with pytest.raises(InvalidRequest) as caught:
            change(all=True, **empty)
        assert sorted(fault.pointer for fault in caught.value.faults) == named
        assert {fault.detail for fault in caught.value.faults} == {HOLDS}
    assert len(left(stored)) == 12
    asked: Mapping[str, Any] = {**empty, "tags": "a"}
    assert stored.delete(all=True, **asked).deleted == 3


def test_a_deletion_by_conditions_is_of_one_namespace(stored: Memory) -> None:
    assert stored.delete(tags="a", all=True).deleted == 3
    assert stored.delete(tags="a", namespace="other", all=True).deleted == 3


def test_what_is_purged_leaves_no_bytes_in_the_file_or_in_its_backup(tmp_path: Path) -> None:
    words = ("An Amber Letter", "amber/tag", "Amber Title", "amber: meta")
    with open_at(tmp_path / "w.db", Clock()) as memory:
        long = " ".join(["Amber Letter,"] * 2_000)
        for text in (words[0], long):
            stored = memory.store(text, tags=[words[1]], title=words[2], metadata={"a": words[3]})
            memory.update(stored.id, importance=0.7)
            memory.delete(stored.id, purge=True)
        memory.admin.backup(str(tmp_path / "backup"))
    for file in (tmp_path / "w.db", tmp_path / "backup"):
        content = file.read_bytes()
        assert [one for one in (*words, "Amber Letter,") if one.encode() in content] == []


# --- a name that is misspelled -----------------------------------------------------------------

MISSPELLED: tuple[dict[str, Any], ...] = (
    {"where": "not projct = atlas"},
    {"where": "projct != atlas"},
    {"where": "projct is null"},
    {"where": "kind = claim or projct not in (atlas)"},
    {"where": "project = atlas or projct = atlas"},
    {"filters": {"not": {"metadata.projct": "atlas"}}},
    {"filters": [{"field": "projct", "op": "NE", "value": "atlas"}]},
)
CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("delete", {}),
    ("retype", {"kind": "goal"}),
    ("retype", {"auto": True}),
)
DESTROYING = pytest.mark.parametrize(("method", "more"), CHANGES)


@pytest.fixture
def projects(memory: Memory) -> Memory:
    for number, project in enumerate(("atlas", "atlas", "other")):
        memory.store("text", id=f"p{number}", metadata={"project": project})
    return memory


@DESTROYING
@pytest.mark.parametrize("asked", MISSPELLED, ids=str)
def test_what_matches_by_a_key_that_nothing_has_is_never_changed(
    projects: Memory, method: str, more: dict[str, Any], asked: dict[str, Any]
) -> None:
    before = everything(projects)
    count = projects.count(**asked).count
    for said in ({"all": True}, {"expected_count": count}):
        with pytest.raises(InvalidRequest) as caught:
            getattr(projects, method)(**more, **asked, **said)
        (fault,) = caught.value.faults
        assert fault.pointer.startswith(("/where", "/filters"))
        assert "no memory has the key projct" in fault.detail
        assert "did you mean project?" in fault.detail
        assert f"{count} match all the same" in fault.detail
    assert everything(projects) == before


@DESTROYING
def test_a_dry_run_still_tells_how_many_and_that_the_change_would_be_refused(
    projects: Memory, method: str, more: dict[str, Any]
) -> None:
    answer = getattr(projects, method)(**more, where="not projct = atlas", dry_run=True)
    assert answer.matched == 3
    assert "did you mean project?" in answer.warnings[0]
    refused = "the change itself would be refused, as a name is not known"
    assert answer.warnings[-1] == refused
    nothing = getattr(projects, method)(**more, where="projct = atlas", dry_run=True)
    assert refused not in nothing.warnings


@DESTROYING
def test_a_key_of_another_namespace_is_unknown_in_this_one(
    projects: Memory, method: str, more: dict[str, Any]
) -> None:
    projects.store("text", namespace="beta", metadata={"projct": 1})
    before = everything(projects)
    for asked in ({}, {"namespace": "default"}):
        with pytest.raises(InvalidRequest, match="no memory has the key projct"):
            getattr(projects, method)(**more, **asked, where="not projct = atlas", all=True)
    assert everything(projects) == before


@DESTROYING
def test_what_matches_nothing_can_be_run_again_and_again(
    projects: Memory, method: str, more: dict[str, Any]
) -> None:
    for said in ({"all": True}, {"expected_count": 0}):
        answer = getattr(projects, method)(**more, where="stage = draft", **said)
        assert answer.matched == 0
        (told,) = answer.warnings
        assert told.startswith("no memory has the key stage in its metadata")


def test_a_key_that_only_others_have_is_unknown_too(projects: Memory) -> None:
    projects.store("text", namespace="theirs", metadata={"projct": 1})
    own = projects.restricted(Access(frozenset(Scope), frozenset({"default"})))
    with pytest.raises(InvalidRequest, match="no memory has the key projct"):
        own.delete(where="not projct = atlas", all=True)
    assert len(left(projects, namespace="default")) == 3
