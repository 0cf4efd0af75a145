"""The doctor finds what is wrong, says what it would do, and loses no memory by doing it."""

import os
import time
from pathlib import Path
from typing import LiteralString

import pytest
from tests.memory.remembering import Clock, open_at, store_all
from tests.store.sqlite.upkeep.test_check import CASES

from winnow import app
from winnow.access import Access, Scope
from winnow.app import open_memory, repair_memory
from winnow.embed.base import Embedder
from winnow.errors import DamagedStore, Forbidden, StoreError
from winnow.memory import Memory
from winnow.memory.state import archive
from winnow.operations.upkeep import DoctorAnswer
from winnow.store.segments import Derived, Segment
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.upkeep import check, purging
from winnow.store.sqlite.upkeep.files import name_part
from winnow.store.sqlite.upkeep.surroundings import LEFT_BEHIND


def codes(answer: DoctorAnswer) -> list[str]:
    return [one.code for one in answer.problems]


def break_rows(path: Path, *statements: LiteralString) -> None:
    """Change a store's rows behind its back, as damage or another program would."""
    connection = Connection(path, "mode=rw")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def count_memories(path: Path) -> int:
    """Count the rows of memories, whatever can be read of them."""
    connection = Connection(path, "mode=rw")
    (count,) = connection.one(tuple[int], "SELECT count(*) FROM record")
    connection.close()
    return count


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "winnow.db"


@pytest.fixture
def filled(memory: Memory) -> Memory:
    store_all(memory, [{"id": f"r{n}", "text": f"a river of number {n}"} for n in range(6)])
    memory.store("...", id="dots")
    memory.store("🦉", id="owl")
    memory.delete("r5")
    return memory


def test_a_whole_store_is_sound_and_tells_what_it_is_made_of(filled: Memory) -> None:
    answer = filled.admin.doctor()
    assert (answer.sound, answer.problems, answer.repaired) == (True, [], None)
    assert set(answer.versions) == {"winnow-memory", "apsw", "numpy", "sqlite", "store"}
    ((model, count),) = answer.models.items()
    assert (model.split()[0], count) == ("static-wn256", 7)
    assert answer.as_of == filled.recall().as_of


def test_a_check_changes_nothing(filled: Memory, path: Path) -> None:
    before = filled.recall(limit=100)
    filled.admin.doctor()
    assert filled.recall(limit=100) == before


@pytest.mark.parametrize(("code", "statement"), [(code, one) for code, one, _ in CASES])
def test_what_a_repair_can_mend_a_second_one_does_not_find(
    filled: Memory, clock: Clock, path: Path, code: str, statement: LiteralString
) -> None:
    filled.close()
    break_rows(path, "PRAGMA foreign_keys = OFF", statement)
    if code == "no_change_number":
        return  # nothing can be asked of such a store
    with open_at(path, clock) as memory:
        found = memory.admin.doctor()
        answer = memory.admin.repair()
        assert {one.code for one in answer.repaired or ()} >= {
            one.code for one in found.problems if one.repair is not None
        }
        assert all(one.repair is None for one in answer.problems)
        again = memory.admin.repair()
        assert not again.repaired
        assert again.problems == answer.problems
    assert count_memories(path) == 8


# --- vectors and words ---------------------------------------------------------------------------


def test_vectors_that_were_lost_are_found_and_made_again(
    filled: Memory, clock: Clock, path: Path
) -> None:
    before = filled.recall("river")
    filled.close()
    break_rows(path, "DELETE FROM vector WHERE record IN (1, 3)")
    with open_at(path, clock) as memory:
        (problem,) = memory.admin.doctor().problems
        told = (problem.code, problem.where, problem.count, problem.serious)
        assert told == ("missing_vectors", "default", 2, True)
        answer = memory.admin.repair()
        assert (answer.sound, answer.problems) == (True, [])
        assert [one.code for one in answer.repaired or ()] == ["missing_vectors"]
        again = memory.recall("river")
        assert [(hit.id, hit.score) for hit in again.memories] == [
            (hit.id, hit.score) for hit in before.memories
        ]


def test_records_without_words_lack_no_vector(filled: Memory) -> None:
    found = filled.engine.store.upkeep.find_bare(
        "default", next(iter(filled.admin.doctor().models))
    )
    assert len(found) >= 1  # of an owl nothing is made
    assert filled.admin.doctor().problems == []


def test_vectors_of_another_embedder_are_told_and_made_if_that_needs_nobody_else(
    memory: Memory,
) -> None:
    memory.admin.set_namespace("default", embedder="none")
    store_all(memory, [{"id": f"r{n}", "text": "river"} for n in range(3)])
    memory.admin.set_namespace("default", embedder="static")
    (problem,) = memory.admin.doctor().problems
    assert (problem.code, problem.count, problem.serious) == ("stale_vectors", 3, False)
    assert memory.admin.repair().problems == []
    assert memory.admin.namespace("default").stale_vectors == 0


def test_a_repair_asks_no_server_for_vectors(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.admin.set_namespace("default", embedder="none")
    store_all(memory, [{"id": "r1", "text": "river"}])
    memory.admin.set_namespace("default", embedder="static")

    def may_wait(_: Embedder | None) -> bool:
        return True

    monkeypatch.setattr("winnow.memory.upkeep.soundness.may_wait", may_wait)
    (problem,) = memory.admin.repair().problems
    assert (problem.code, problem.repair) == ("stale_vectors", None)
    assert "winnow reembed --namespace default" in problem.detail


def test_words_of_the_language_before_are_told_and_found_again(memory: Memory) -> None:
    store_all(memory, [{"id": "r1", "text": "die Verträge"}])
    with memory.engine.store.write() as writer:
        row = memory.engine.store.records.namespace("default")
        settings = {**row.settings, "language": "de", "analysed": False}
        writer.spaces.put_settings("default", settings)
    (problem,) = memory.admin.doctor().problems
    assert (problem.code, problem.where, problem.serious) == ("other_language", "default", False)
    assert memory.admin.repair().problems == []
    assert [hit.id for hit in memory.recall("Vertrag").memories] == ["r1"]


def test_terms_that_are_damaged_are_made_again(filled: Memory, clock: Clock, path: Path) -> None:
    filled.close()
    break_rows(path, "UPDATE record SET terms = x'ffffff7f' WHERE id IN ('r1', 'r2')")
    with open_at(path, clock) as memory:
        (problem,) = memory.admin.doctor().problems
        assert (problem.code, problem.count) == ("wrong_terms", 2)
        assert memory.admin.repair().problems == []
        assert "r1" in [hit.id for hit in memory.recall("number").memories]


# --- files ---------------------------------------------------------------------------------------


def test_files_are_closed_and_litter_is_removed(filled: Memory, path: Path) -> None:
    litter = name_part(path)
    litter.touch(0o600)
    then = time.time() - LEFT_BEHIND - 60
    os.utime(litter, (then, then))
    path.chmod(0o644)
    assert sorted(codes(filled.admin.doctor())) == ["litter", "open_files"]
    assert filled.admin.doctor().sound
    answer = filled.admin.repair()
    assert answer.problems == []
    assert sorted(one.code for one in answer.repaired or ()) == ["litter", "open_files"]
    assert not litter.exists()
    assert path.stat().st_mode & 0o777 == 0o600


def test_files_of_columns_that_are_gone_or_cut_are_made_again(filled: Memory) -> None:
    store = filled.engine.store
    segment = Segment("", "0" * 16 + ".seg", 0, 5, 100, 0, None)
    with store.write() as writer:
        writer.segments.put(Derived("records", "stamp", 1, [segment]))
    (problem,) = filled.admin.doctor().problems
    assert (problem.code, problem.where, problem.serious) == ("stale_files", segment.file, False)
    assert filled.admin.repair().problems == []
    assert list(store.segments.list()) == []
    assert filled.count().count == 7


def test_a_file_of_columns_with_one_other_byte_is_made_again(
    filled: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_MOST", "_FEWEST"):
        monkeypatch.setattr(archive, name, 1)
    filled.count()
    filled.store("One more, so that there is something to write.")
    filled.count()
    filled.engine.shelves.finish()
    segments = filled.engine.store.segments
    (file,) = {segment.file for derived in segments.list() for segment in derived.segments}
    assert filled.admin.doctor().problems == []
    data = bytearray((segments.folder / file).read_bytes())
    data[-1] ^= 1
    (segments.folder / file).write_bytes(data)
    (problem,) = filled.admin.doctor().problems
    assert (problem.code, problem.where) == ("stale_files", file)
    assert filled.admin.repair().problems == []
    assert filled.count().count == 8


def test_a_long_list_of_what_was_purged_is_emptied_by_who_is_alone(
    filled: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (check, purging):
        monkeypatch.setattr(module, "MOST_PURGED", 0)
    filled.delete("r1", purge=True)
    assert codes(filled.admin.repair()) == ["many_purged"]
    assert codes(repair_memory(path)) == ["many_purged"]
    filled.close()
    answer = repair_memory(path)
    assert (answer.problems, [one.code for one in answer.repaired or ()]) == ([], ["many_purged"])


# --- damage --------------------------------------------------------------------------------------


def test_a_damaged_store_is_told_and_never_touched(
    filled: Memory, clock: Clock, path: Path
) -> None:
    filled.close()
    content = bytearray(path.read_bytes())
    content[8192:20480] = b"\xff" * 12288
    path.write_bytes(content)
    with open_at(path, clock) as memory:
        found, repaired = memory.admin.doctor(), memory.admin.repair()
        for answer in (found, repaired):
            assert not answer.sound
            assert set(codes(answer)) == {"damaged"}
        assert (found.repaired, repaired.repaired) == (None, [])
    assert path.read_bytes() == bytes(content)


def test_a_store_that_can_not_be_opened_is_told_in_the_same_way(filled: Memory, path: Path) -> None:
    filled.close()
    content = b"\0" * 100 + path.read_bytes()[100:]
    path.write_bytes(content)
    with pytest.raises(DamagedStore) as caught:
        open_memory(path)
    answer = app.describe_damage(path, caught.value)
    assert (answer.sound, codes(answer), answer.store) == (False, ["damaged"], str(path))
    assert answer.as_of is None
    with pytest.raises(StoreError):
        repair_memory(path)
    assert path.read_bytes() == content


def test_only_who_may_do_everything_checks_or_repairs_everything(memory: Memory) -> None:
    bound = memory.restricted(Access(frozenset(Scope), frozenset({"default"})))
    for ask in (bound.admin.doctor, bound.admin.repair):
        with pytest.raises(Forbidden):
            ask()
    reader = memory.restricted(Access(frozenset({Scope.READ})))
    with pytest.raises(Forbidden):
        reader.admin.repair()
