"""Columns in files beside the store: whoever uses them answers as who reads all rows."""

import json
import logging
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import Clock, open_at
from tests.memory.state import crashing

from winnow.columns.files import PART, Array, Seal, write_arrays
from winnow.columns.table import Part
from winnow.errors import NotFound, StoreError
from winnow.memory import Memory
from winnow.memory.state import archive
from winnow.memory.state.archive import Archive, Piece
from winnow.memory.state.entities import Parts
from winnow.store.base import StoredPack
from winnow.store.segments import ENDING, find_litter
from winnow.store.sqlite.segments import SqliteSegmentWriter
from winnow.values import Json
from winnow.wire import encode_text

WORDS = ("river", "bank", "money", "zebra", "straße", "设备")
MATTER = "legal.Matter"


@pytest.fixture(autouse=True)
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write every row to a file, and merge two parts already."""
    for name, value in {"_MOST": 1, "_FEWEST": 1, "_MANY": 3}.items():
        monkeypatch.setattr(archive, name, value)


class _NoFiles:
    """Does without files while it is entered."""

    def __enter__(self) -> None:
        self._patch = pytest.MonkeyPatch()

        def nothing(*_: object) -> None:
            pass

        self._patch.setattr(Archive, "load", nothing)
        self._patch.setattr(Archive, "offer", nothing)

    def __exit__(self, *_: object) -> None:
        self._patch.undo()


def settle(memory: Memory) -> None:
    """Ask, so that what is new is written, and wait for it."""
    for _ in range(2):  # what comes while a file is being written has to wait for the next question
        ask(memory)
        memory.engine.shelves.finish()
        memory.engine.ontology.finish()


def ask(memory: Memory) -> list[Any]:
    """Ask for all that stands in columns, postings and vectors."""
    answers = [
        memory.recall("the river bank by 设备", limit=50),
        memory.recall("money", where="metadata.n >= 2", limit=50),
        memory.recall("zebra", where="tags has law", limit=50),
        memory.list(limit=100),
        memory.list(where="text contains 'straße'", order_by="updatedAt:desc", limit=100),
        memory.list(where="metadata.when > 2026-02", limit=100),
        memory.aggregate(metrics=["count", "avg(importance)"], group_by="kind"),
        memory.list(schema=MATTER, order_by="title", limit=100),
        memory.count(schema=MATTER, where="escrowPct >= 10 and status = Active"),
    ]
    return [json.loads(encode_text(answer)) for answer in answers]


def files_of(path: Path) -> list[str]:
    return sorted(
        one.name for one in path.with_name(path.name + ".d").iterdir() if ENDING in one.name
    )


def named(memory: Memory) -> set[str]:
    found = memory.engine.store.segments.list()
    return {one.file for derived in found for one in derived.segments}


STEP = st.tuples(
    st.sampled_from(["store", "store", "store", "update", "delete", "undelete", "entity", "ask"]),
    st.integers(0, 5),
    st.integers(0, 5),
)


def act(memory: Memory, clock: Clock, kind: str, number: int, other: int) -> None:
    """Do one thing; what there is nothing to do for is left."""
    name = f"r{number}"
    clock.move(seconds=number)
    if kind == "store":
        memory.store(
            f"the {WORDS[number]} and the {WORDS[other]}",
            id=name,
            tags=["law", f"law/{other}"][: other % 3],
            metadata={"n": other, "when": f"2026-0{number + 1}", "deep": {"k": [number, "x"]}},
            ttl_seconds=40 if other == 0 else None,
        )
    elif kind in {"update", "delete", "undelete"}:
        with suppress(NotFound):
            getattr(memory, kind)(name, **({"importance": other / 5} if kind == "update" else {}))
    elif kind == "entity":
        fields = {"title": WORDS[number], "escrowPct": other * 4, "status": "Active"}
        line = {"schema": MATTER, "id": f"MAT-{1000 + number}", "fields": fields}
        assert memory.admin.import_(objects=[line]).refused == 0
    elif kind == "ask":
        settle(memory)


@settings(max_examples=25, deadline=None)
@given(st.lists(STEP, min_size=3, max_size=25))
def test_files_change_no_answer(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    path, clock = tmp_path_factory.mktemp("store") / "w.db", Clock()
    with open_at(path, clock) as memory:
        for step in steps:
            act(memory, clock, *step)
        settle(memory)
        kept = ask(memory)
        with _NoFiles(), open_at(path, clock) as plain:
            assert ask(plain) == kept
    with open_at(path, clock) as fresh:
        assert ask(fresh) == kept
        assert set(files_of(path)) == named(fresh)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store whose columns stand in files."""
    path = tmp_path / "w.db"
    with open_at(path, Clock()) as memory:
        for number in range(6):
            act(memory, Clock(), "store", number, number)
            act(memory, Clock(), "entity", number, number)
        settle(memory)
        assert named(memory)
    return path


def answers_of(path: Path) -> list[Any]:
    with open_at(path, Clock()) as memory:
        return ask(memory)


def plain_answers_of(path: Path) -> list[Any]:
    with _NoFiles():
        return answers_of(path)


def scanned(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many records a fresh process reads from the rows to answer."""
    with open_at(path, Clock()) as memory:
        counted: list[int] = []
        scan = memory.engine.store.records.scan

        def count(after: int, *, vectors: bool = False) -> Iterator[Any]:
            for batch in scan(after, vectors=vectors):
                counted.append(len(batch.keys))
                yield batch

        monkeypatch.setattr(memory.engine.store.records, "scan", count)
        ask(memory)
        return sum(counted)


def test_a_fresh_process_reads_no_rows_that_stand_in_a_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scanned(path, monkeypatch) == 0
    with _NoFiles():
        assert scanned(path, monkeypatch) == 6


def test_writing_files_moves_no_change_number(path: Path) -> None:
    with open_at(path, Clock()) as memory:
        before = memory.engine.store.last_change()
        memory.store("one more")
        after = memory.engine.store.last_change()
        settle(memory)
        assert memory.engine.store.last_change() == after
        assert after.number == before.number + 1


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-64])


def _replace(file: Path) -> None:
    file.write_bytes(b"x" * file.stat().st_size)


def _garble(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:16] + b"x" * (file.stat().st_size - 16))


DAMAGES: Mapping[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": lambda file: file.write_bytes(b""),
    "cut": _cut,
    "another": _replace,
    "garbage": _garble,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_wrong_with_a_file_is_seen_and_the_rows_are_read(
    path: Path, damage: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = plain_answers_of(path)
    for name in files_of(path):
        DAMAGES[damage](path.with_name("w.db.d") / name)
    with caplog.at_level(logging.WARNING):
        assert answers_of(path) == expected
    # What was written then is whole again.
    assert scanned(path, monkeypatch) == 0
    assert answers_of(path) == expected


def test_files_of_another_program_are_not_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = plain_answers_of(path)
    monkeypatch.setattr(archive, "_FORMAT", -1)
    assert scanned(path, monkeypatch) == 6
    assert answers_of(path) == expected
    assert scanned(path, monkeypatch) == 0


def test_a_folder_that_can_not_be_written_takes_nothing_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "write_arrays", refuse)
    path = tmp_path / "w.db"
    with open_at(path, Clock()) as memory, caplog.at_level(logging.WARNING):
        for number in range(6):
            act(memory, Clock(), "store", number, number)
            settle(memory)
        assert memory.count().count == 6
    assert "No space left" in caplog.text
    assert "river" not in caplog.text
    assert files_of(path) == []


@pytest.mark.parametrize("kind", [MemoryError, KeyError, TypeError, ValueError, RuntimeError])
def test_whatever_keeps_files_from_being_written_takes_nothing_away(
    tmp_path: Path,
    kind: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(*_: object) -> None:
        raise kind("river")

    monkeypatch.setattr(archive, "write_arrays", refuse)
    with open_at(tmp_path / "w.db", Clock()) as memory, caplog.at_level(logging.WARNING):
        memory.store("the river")
        settle(memory)
        assert memory.count().count == 1
    assert kind.__name__ in caplog.text
    assert "river" not in caplog.text


def test_where_no_thread_can_be_begun_all_goes_on_without_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with open_at(tmp_path / "w.db", Clock()) as memory, caplog.at_level(logging.WARNING):
        memory.store("the river")
        with monkeypatch.context() as patch:
            patch.setattr(Thread, "start", refuse)
            settle(memory)
            assert memory.count().count == 1
        memory.store("the bank")
        settle(memory)
        assert named(memory)
    assert "RuntimeError" in caplog.text


def test_what_could_not_be_named_is_written_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("No space left on device")

    with open_at(path, Clock()) as memory, caplog.at_level(logging.WARNING):
        with monkeypatch.context() as patch:
            patch.setattr(SqliteSegmentWriter, "put", refuse)
            memory.store("one")
            settle(memory)
        for number in range(3):
            memory.store(f"another {number}")
            settle(memory)
            assert named(memory) == set(files_of(path))
    assert "are not used" not in caplog.text


def test_parts_whose_file_another_program_took_away_are_written_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with open_at(path, Clock()) as memory, caplog.at_level(logging.WARNING):
        settle(memory)
        with monkeypatch.context() as patch:
            patch.setattr(archive, "_FORMAT", -1)
            with open_at(path, Clock()) as other:  # of another version, with files of its own
                settle(other)
        memory.store("one more")
        settle(memory)
        assert named(memory) == set(files_of(path))
    assert "are not used" not in caplog.text


def test_one_question_is_enough_to_write_memories_and_entities(tmp_path: Path) -> None:
    with open_at(tmp_path / "w.db", Clock()) as memory:
        act(memory, Clock(), "store", 1, 1)
        act(memory, Clock(), "entity", 1, 1)
        with memory.engine.store.segments.claim():  # both begin before any of them is done
            ask(memory)
        memory.engine.shelves.finish()
        memory.engine.ontology.finish()
        topics = [one.topic for one in memory.engine.store.segments.list()]
        assert topics == [f"entities:{MATTER}", "records"]


def test_parts_that_need_no_merging_are_left_as_they_are(tmp_path: Path) -> None:
    with open_at(tmp_path / "w.db", Clock()) as memory:
        for batch in (9, 3, 1):  # each is more than twice as much as all after it
            lines = [
                {"schema": MATTER, "id": f"MAT-{batch}00{number}", "fields": {"title": "river"}}
                for number in range(batch)
            ]
            assert memory.admin.import_(objects=lines).refused == 0
            settle(memory)
        derived = memory.engine.store.segments.find(f"entities:{MATTER}")
        assert derived is not None
        assert [one.rows for one in derived.segments] == [9, 3, 1]
        assert memory.count(schema=MATTER).count == 13


def test_litter_of_a_crash_is_taken_away_and_nothing_else(path: Path) -> None:
    folder = path.with_name("w.db.d")
    for name in (f"abc{ENDING}", f"def{ENDING}{PART}", "mine.txt"):
        (folder / name).write_bytes(b"x")
    with open_at(path, Clock()) as memory:
        memory.store("one more")
        settle(memory)
        assert set(files_of(path)) == named(memory)
        assert list(find_litter(folder, named(memory))) == []
    assert (folder / "mine.txt").exists()


def test_litter_that_can_not_be_taken_away_keeps_nothing_from_being_written(path: Path) -> None:
    stuck = path.with_name("w.db.d") / f"abc{ENDING}"
    stuck.mkdir()
    with open_at(path, Clock()) as memory:
        before = named(memory)
        memory.store("one more")
        settle(memory)
        assert named(memory) != before
        assert set(files_of(path)) == {*named(memory), stuck.name}


def test_many_parts_become_one(path: Path) -> None:
    with open_at(path, Clock()) as memory:
        for number in range(12):
            memory.store(f"another {number}")
            settle(memory)
        derived = memory.engine.store.segments.find("records")
        assert derived is not None
        assert len(derived.segments) < 4
        assert sum(one.rows for one in derived.segments) < 24
        assert set(files_of(path)) == named(memory)
        assert memory.count().count == 18


PACK = """
pack: shop
schemas:
  Item:
    id: {{pattern: 'I[0-9]+', keys: [id], example: I1}}
    fields:
      made: {{type: {kind}}}
"""


def put_pack(memory: Memory, kind: str) -> None:
    """Keep a pack whose field is of a kind, and let it be known."""
    with memory.engine.store.write() as writer:
        writer.put_pack(StoredPack("default", "shop", "shop.yaml", PACK.format(kind=kind)))
    memory.engine.ontology.catalog("default")


def put_item(memory: Memory, number: int) -> None:
    line = {"schema": "shop.Item", "id": f"I{number}", "fields": {"made": f"2026-0{number}-01"}}
    assert memory.admin.import_(objects=[line]).refused == 0


def count_items(memory: Memory) -> int | None:
    return memory.count(schema="shop.Item", where="made >= 2026-02").count


def test_parts_are_merged_by_the_packs_that_their_files_are_named_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge = Parts.merge

    def change_packs(self: Parts, pieces: Sequence[Piece[Part]]) -> Piece[Part] | None:
        put_pack(memory, "string")
        return merge(self, pieces)

    with open_at(tmp_path / "w.db", Clock()) as memory:
        put_pack(memory, "date")
        with monkeypatch.context() as patch:
            patch.setattr(Parts, "merge", change_packs)
            for number in range(1, 4):
                put_item(memory, number)
                assert count_items(memory) == number - 1
                memory.engine.ontology.finish()
        put_pack(memory, "date")
        assert count_items(memory) == 2
    with open_at(tmp_path / "w.db", Clock()) as fresh:
        assert count_items(fresh) == 2


def test_closing_waits_for_what_is_written_by_packs_that_have_changed_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, done = Event(), Event(), list[str]()

    def write(path: Path, title: Json, arrays: Sequence[Array]) -> Seal:
        begun.set()
        go_on.wait(10)
        seal = write_arrays(path, title, arrays)
        done.append(path.name)
        return seal

    monkeypatch.setattr(archive, "write_arrays", write)
    with open_at(tmp_path / "w.db", Clock()) as memory:
        put_pack(memory, "date")
        put_item(memory, 1)
        count_items(memory)
        assert begun.wait(10)
        put_pack(memory, "string")
        Timer(0.2, go_on.set).start()
    assert done


def test_processes_use_each_others_files(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_at(path, Clock()) as one, open_at(path, Clock()) as two:
        ask(two)
        one.store("a fresh word: gorse")
        settle(one)
        written: list[object] = []

        def note(*arguments: object) -> None:
            written.append(arguments)

        monkeypatch.setattr(archive, "write_arrays", note)
        assert [hit.text for hit in two.recall("gorse").memories][:1] == ["a fresh word: gorse"]
        settle(two)
        assert ask(two) == ask(one)
        assert written == []


def test_answers_stay_right_while_files_are_written_and_merged(path: Path) -> None:
    with open_at(path, Clock()) as memory:
        stop: list[bool] = []
        wrong: list[object] = []

        def read() -> None:
            while not stop:
                answer = memory.list(where="metadata.n >= 0", limit=1_000)
                ids = [one.id for one in answer.memories or ()]
                if len(set(ids)) != len(ids) or len(ids) < 6:
                    wrong.append(ids)

        reader = Thread(target=read)
        reader.start()
        try:
            for number in range(40):
                memory.store("more", id=f"x{number % 7}", metadata={"n": number})
        finally:
            stop.append(True)
            reader.join()
        assert wrong == []
        settle(memory)
        assert memory.count(where="metadata.n >= 0").count == 13


@pytest.mark.parametrize("step", crashing.STEPS)
def test_a_process_that_is_killed_at_any_step_leaves_right_answers_and_no_litter_for_long(
    path: Path, step: str
) -> None:
    command = [sys.executable, "-m", "tests.memory.state.crashing", str(path), step]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    stored = [one.text for one in plain_list(path)]
    assert sorted(stored)[:1] == ["new 0"]
    assert answers_of(path) == plain_answers_of(path)
    with open_at(path, Clock()) as memory:
        memory.store("one more")
        settle(memory)
        assert set(files_of(path)) == named(memory)
        assert sorted(one.text for one in memory.list(limit=100).memories or ()) == sorted(
            [*stored, "one more"]
        )


def plain_list(path: Path) -> Any:
    with _NoFiles(), open_at(path, Clock()) as memory:
        return memory.list(limit=100).memories
