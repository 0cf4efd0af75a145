"""`backup`, `restore` and `doctor --repair` as they are typed."""

import json
from pathlib import Path

import pytest
from tests.surfaces.running import Ran, run_winnow

from winnow.store.sqlite.connection import Connection


@pytest.fixture
def store(tmp_path: Path) -> str:
    path = str(tmp_path / "winnow.db")
    for text in ("a river", "a shore"):
        assert run_winnow("--store", path, "store", text).code == 0
    return path


@pytest.fixture
def backup(store: str, tmp_path: Path) -> str:
    target = str(tmp_path / "copy.db")
    assert run_winnow("--store", store, "backup", target).code == 0
    return target


def texts(store: str) -> list[str]:
    ran = run_winnow("--store", store, "list", "--order-by", "id", "--json")
    return [item["text"] for item in ran.json["items"]]


def refused(ran: Ran, code: int, *told: str) -> None:
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.count("\n") == 1
    assert all(one in ran.err for one in told), ran.err


# --- backup --------------------------------------------------------------------------------------


def test_a_backup_tells_counts_bytes_change_and_time(store: str, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    people = run_winnow("--store", store, "backup", str(target))
    assert people.code == 0
    assert f"{target.stat().st_size:,} bytes" in people.out
    assert "default: 2 memories" in people.out
    assert "as of change 2, 2" in people.out
    told = run_winnow("--store", store, "backup", str(target), "--replace", "--json").json
    assert (told["bytes"], told["asOf"]["change"]) == (target.stat().st_size, 2)
    assert told["namespaces"]["default"]["memories"] == 2
    plain = run_winnow("--store", store, "backup", str(target), "--replace", "--plain").out
    assert plain.split("\t")[2:] == [str(told["version"]), "2", "1", "2", "0", "0", "0\n"]


def test_a_backup_that_would_overwrite_something_is_refused(store: str, backup: str) -> None:
    before = Path(backup).read_bytes()
    refused(run_winnow("--store", store, "backup", backup), 1, "already", "--replace")
    assert Path(backup).read_bytes() == before


@pytest.mark.parametrize("side", ["", "-wal", ".d/copy.db"])
def test_a_backup_into_the_store_is_bad_input(store: str, side: str) -> None:
    refused(run_winnow("--store", store, "backup", f"{store}{side}", "--replace"), 2, "/path")
    assert texts(store) == ["a river", "a shore"]


def test_a_store_that_is_not_there_gives_no_backup_and_is_not_made(tmp_path: Path) -> None:
    ran = run_winnow("--store", str(tmp_path / "no.db"), "backup", str(tmp_path / "copy.db"))
    refused(ran, 1, "there is no store")
    assert list(tmp_path.iterdir()) == []


# --- restore -------------------------------------------------------------------------------------


def test_a_restore_into_a_new_store(backup: str, tmp_path: Path) -> None:
    new = str(tmp_path / "new.db")
    ran = run_winnow("--store", new, "restore", backup)
    assert ran.code == 0
    assert "default: 2 memories" in ran.out
    assert "what it held before" not in ran.out
    assert texts(new) == ["a river", "a shore"]


def test_a_restore_over_a_store_has_to_be_asked_for_and_keeps_what_was_there(
    store: str, backup: str
) -> None:
    assert run_winnow("--store", store, "store", "later").code == 0
    refused(run_winnow("--store", store, "restore", backup), 1, "--replace", "kept")
    assert texts(store) == ["a river", "a shore", "later"]
    told = run_winnow("--store", store, "restore", backup, "--replace", "--json").json
    assert texts(store) == ["a river", "a shore"]
    again = run_winnow("--store", store, "restore", told["kept"], "--replace", "--plain")
    assert again.code == 0
    assert texts(store) == ["a river", "a shore", "later"]
    kept = again.out.rstrip("\n").split("\t")[-1]
    people = run_winnow("--store", store, "restore", kept, "--replace").out
    assert "what it held before is in" in people


def test_what_is_no_backup_is_refused(store: str, tmp_path: Path) -> None:
    letter = tmp_path / "letter"
    letter.write_text("a letter", encoding="utf-8")
    told = ("not a Winnow store", "no backup", "was opened")
    for path, words in zip((letter, tmp_path / "none", store), told, strict=True):
        new = str(tmp_path / "new.db")
        refused(run_winnow("--store", new, "restore", str(path)), 1, words)
    refused(run_winnow("restore"), 2, "required")
    assert not (tmp_path / "new.db").exists()


# --- doctor --------------------------------------------------------------------------------------


def break_rows(store: str) -> None:
    connection = Connection(Path(store), "mode=rw")
    connection.execute("INSERT INTO vector VALUES (99, x'00000000')")
    connection.close()


def test_a_repair_tells_what_it_mended_and_the_next_finds_nothing(store: str) -> None:
    break_rows(store)
    found = run_winnow("--store", store, "doctor")
    assert found.code == 1
    assert "vector: 1 vectors are of records that are gone" in found.out
    assert "doctor --repair would remove them" in found.out
    plain = run_winnow("--store", store, "doctor", "--plain").out
    assert "problem lost_vectors\tvector: 1 vectors are of records that are gone\n" in plain
    mended = run_winnow("--store", store, "doctor", "--repair")
    assert mended.code == 0
    assert "mended vector: 1 vectors" in mended.out
    again = run_winnow("--store", store, "doctor", "--repair", "--json")
    assert (again.code, again.json["problems"], again.json["repaired"]) == (0, [], [])
    assert "repaired" not in run_winnow("--store", store, "doctor", "--json").json


def test_what_is_of_no_harm_is_told_and_no_failure(store: str) -> None:
    Path(store).chmod(0o644)
    ran = run_winnow("--store", store, "doctor")
    assert ran.code == 0
    assert "can be read by others" in ran.out
    assert run_winnow("--store", store, "doctor", "--repair").code == 0
    assert Path(store).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("where", ["first bytes", "inside", "cut"])
@pytest.mark.parametrize("typed", [("doctor",), ("doctor", "--repair")])
def test_a_damaged_store_is_told_and_left_as_it_is(
    store: str, where: str, typed: tuple[str, ...]
) -> None:
    path = Path(store)
    whole = path.read_bytes()
    damaged = {
        "first bytes": b"\0" * 100 + whole[100:],
        "inside": whole[:8192] + b"\xff" * 24576 + whole[32768:],
        "cut": whole[: len(whole) // 8192 * 4096],
    }[where]
    path.write_bytes(damaged)
    people = run_winnow("--store", store, *typed)
    assert people.code == 1
    assert "is not sound" in people.out
    assert "restore the last backup: winnow restore FILE --replace" in people.out
    ran = run_winnow("--store", store, *typed, "--json")
    assert ran.code == 1
    assert json.loads(ran.out)["sound"] is False
    assert {one["code"] for one in json.loads(ran.out)["problems"]} == {"damaged"}
    assert run_winnow("--store", store, *typed, "--plain").out.startswith("sound\tfalse\n")
    assert path.read_bytes() == damaged


def test_a_file_of_another_program_is_an_error_and_no_damage(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    connection = Connection(other, "mode=rwc")
    connection.execute("CREATE TABLE own (x)")
    connection.close()
    refused(run_winnow("--store", str(other), "doctor"), 1, "another program")


def test_doctor_leaves_a_backup_as_it_is(tmp_path: Path) -> None:
    store, backup, again = (str(tmp_path / name) for name in ("a.db", "b.backup", "x.db"))
    run_winnow("--store", store, "store", "Token rotation was approved", "--id", "d1")
    assert run_winnow("--store", store, "backup", backup).code == 0
    content, around = Path(backup).read_bytes(), sorted(tmp_path.iterdir())
    ran = run_winnow("--store", backup, "doctor", "--json")
    assert (ran.code, ran.json["sound"], ran.json["problems"]) == (0, True, [])
    assert Path(backup).read_bytes() == content
    assert sorted(tmp_path.iterdir()) == around
    assert run_winnow("--store", again, "restore", backup).code == 0
    assert run_winnow("--store", again, "get", "d1", "--json").json["id"] == "d1"
