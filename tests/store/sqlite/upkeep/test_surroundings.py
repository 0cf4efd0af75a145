"""What lies about a store: files for its owner alone, none left behind, room for a copy."""

import os
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.remembering import memory, put

from winnow.store.segments import new_name
from winnow.store.sqlite.store import SqliteStore, open_store
from winnow.store.sqlite.upkeep.files import make_beside, name_part
from winnow.store.sqlite.upkeep.surroundings import (
    LEFT_BEHIND,
    close_files,
    find_left,
    find_open,
    find_surroundings,
    remove_files,
)


def codes(path: Path, *named: str) -> list[str]:
    return [one.code for one in find_surroundings(path, named)]


def make_old(file: Path) -> Path:
    then = time.time() - LEFT_BEHIND - 60
    os.utime(file, (then, then))
    return file


def test_f122_all_files_of_a_store_are_for_its_owner_alone(store: SqliteStore, path: Path) -> None:
    previous = os.umask(0)
    try:
        with closing(open_store(path.with_name("other.db"))) as other:
            put(other, memory("m1"))
            assert codes(other.path) == []
            assert {one.stat().st_mode & 0o777 for one in other.path.parent.glob("other.db*")} == {
                0o600,
                0o700,
            }
    finally:
        os.umask(previous)
    assert codes(path) == []


@pytest.mark.parametrize("side", ["", "-wal", "-shm", ".d", ".d/lock"])
def test_what_others_may_read_is_told_and_taken_away(
    store: SqliteStore, path: Path, side: str
) -> None:
    put(store, memory("m1"))
    file = Path(f"{path}{side}")
    before = file.stat().st_mode
    file.chmod(before | 0o044)
    (problem,) = find_surroundings(path, ())
    assert (problem.code, problem.where, problem.count) == ("open_files", file.name, 1)
    close_files(find_open(path))
    assert file.stat().st_mode == before
    assert codes(path) == []


def test_files_that_were_left_behind_are_told_once_they_are_old(
    store: SqliteStore, path: Path
) -> None:
    folder = path.with_name(path.name + ".d")
    parts = [name_part(path), name_part(folder / path.name)]
    segments = [folder / new_name(), folder / new_name()]
    for file in (*parts, *segments):
        file.touch(0o600)
    assert codes(path) == []  # somebody may be writing them
    for file in (*parts, *segments):
        make_old(file)
    left = find_left(path, [segments[0].name])
    assert set(left) == {*parts, segments[1]}
    assert codes(path, segments[0].name) == ["litter"]
    remove_files(left)
    assert codes(path, segments[0].name) == []
    assert segments[0].exists()
    assert path.exists()


def test_files_of_others_are_no_litter(store: SqliteStore, path: Path) -> None:
    folder = path.with_name(path.name + ".d")
    strangers = [
        name_part(path.with_name("other.db")),
        path.with_name(f".{path.name}.part"),
        path.with_name(f"{path.name}.part"),
        folder / "notes.txt",
    ]
    for file in strangers:
        file.touch(0o600)
        make_old(file)
    (folder / f".{path.name}.00000000.part").mkdir(0o700)
    assert find_left(path, ()) == []


def test_a_disk_without_room_for_a_second_copy_is_told(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count(_: Path) -> int:
        return 1_000

    monkeypatch.setattr("winnow.store.sqlite.upkeep.surroundings.count_free", count)
    (problem,) = find_surroundings(path, ())
    assert (problem.code, problem.repair, problem.serious) == ("little_room", None, False)
    assert "1,000 bytes are free" in problem.detail


def test_what_never_came_to_its_place_is_removed_with_all_beside_it(tmp_path: Path) -> None:
    with make_beside(tmp_path / "copy.db") as beside:
        beside.with_name(beside.name + "-journal").touch()
        assert beside.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == []
