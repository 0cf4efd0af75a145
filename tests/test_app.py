"""Opening a store: which file, in which zone, and what is no store."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from inspect import signature
from operator import attrgetter
from pathlib import Path

import pytest
from tests.surfaces.http.serving import API, client_of

import winnow
from winnow.errors import InvalidRequest, NotAvailable, StoreError
from winnow.operations import OPERATIONS
from winnow.wire import arguments


def test_a_store_is_made_where_none_is(tmp_path: Path) -> None:
    with winnow.open(str(tmp_path / "new" / "winnow.db")) as memory:
        assert memory.admin.doctor().sound
    assert (tmp_path / "new" / "winnow.db").is_file()


def test_the_environment_names_the_store_where_none_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINNOW_STORE", str(tmp_path / "own.db"))
    with winnow.open() as memory:
        assert memory.admin.doctor().store == str(tmp_path / "own.db")


def test_a_store_that_is_not_available_is_refused_when_the_environment_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WINNOW_STORE", "postgresql://host/name")
    with pytest.raises(NotAvailable):
        winnow.open()
    assert list(tmp_path.iterdir()) == []


def test_f49_a_switch_that_is_neither_on_nor_off_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for word, is_on in (("1", True), ("On", True), ("", True), ("0", False), (" NO ", False)):
        monkeypatch.setenv("WINNOW_ONTOLOGY", word)
        with winnow.open(tmp_path / "winnow.db") as memory:
            assert bool(memory.schema_names()) is is_on
    monkeypatch.setenv("WINNOW_ONTOLOGY", "maybe")
    with pytest.raises(InvalidRequest, match="/WINNOW_ONTOLOGY: unknown value 'maybe'"):
        winnow.open(tmp_path / "winnow.db")


def test_dates_are_in_the_zone_that_is_given(tmp_path: Path) -> None:
    """F72."""
    opened = {"schema": "legal.Matter", "id": "MAT-1000"}
    at = {"fields": {"openedDate": "2024-03-30T23:00:00Z"}}
    with winnow.open(tmp_path / "winnow.db", timezone="Europe/Berlin") as memory:
        memory.admin.import_(entities=[opened | at])
        assert memory.count(schema="legal.Matter", where="openedDate = 2024-03-31").count == 1
    with winnow.open(tmp_path / "winnow.db") as memory:
        assert memory.count(schema="legal.Matter", where="openedDate = 2024-03-31").count == 0


@pytest.mark.parametrize(
    ("open_", "kind", "told"),
    [
        (lambda: winnow.open(""), StoreError, "no store is named"),
        (lambda: winnow.open("."), StoreError, "is a folder, not a store"),
        (lambda: winnow.open("a\0b"), StoreError, "can't be the path of a store"),
        (lambda: winnow.open("none.db", create=False), StoreError, "there is no store at none.db"),
        (lambda: winnow.open("postgresql://x"), NotAvailable, "not available yet"),
        (lambda: winnow.open(":memory:"), StoreError, "a store is a file; for one that goes away"),
        (lambda: winnow.open("file:x?mode=memory"), StoreError, "TemporaryDirectory"),
        (lambda: winnow.open("x.db", timezone="Mars/Phobos"), InvalidRequest, "'Mars/Phobos'"),
    ],
)
def test_what_is_no_store_is_refused_in_words(
    open_: Callable[[], object],
    kind: type[Exception],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=told):
        open_()
    assert list(tmp_path.iterdir()) == []


# --- the package as a program meets it -----------------------------------------------------------


def test_completion_knows_all_that_the_package_has() -> None:
    shown = dir(winnow)
    assert set(winnow.__all__) <= set(shown)
    assert all(getattr(winnow, name) is not None for name in shown)
    assert [name for name in shown if not name.startswith("__")] == [
        *("Memory", "errors", "open", "restore", "to_json")
    ]
    with pytest.raises(AttributeError, match="module 'winnow' has no attribute 'opne'"):
        getattr(winnow, "opne")  # noqa: B009  # a type checker knows that there is none


@pytest.mark.parametrize("name", ["errors", "open", "restore", "Memory", "to_json"])
def test_each_name_of_the_package_is_there_without_an_import_of_its_own(name: str) -> None:
    code = f"import winnow; winnow.{name}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_help_shows_how_a_store_is_opened_and_what_a_method_takes(tmp_path: Path) -> None:
    assert [*signature(winnow.open).parameters][:2] == ["path", "timezone"]
    assert (winnow.open.__name__, winnow.Memory.recall.__name__) == ("open", "recall")
    with winnow.open(tmp_path / "winnow.db") as memory:
        for row in OPERATIONS.values():
            taken = signature(attrgetter(row.method)(memory)).parameters
            assert {*taken} == {one.name for one in fields(row.request)}
            assert [one for one in taken.values() if one.default is one.empty] == [
                taken[one.name] for one in arguments(row.request) if one.required
            ]


def test_an_answer_is_written_as_the_http_api_writes_it(tmp_path: Path) -> None:
    with winnow.open(tmp_path / "winnow.db") as memory:
        memory.store("Café at noon")
        answer = memory.recall("café")
        text = winnow.to_json(answer)
        with client_of(memory) as client:
            assert client.get(f"{API}/recall?q=café").text == text
    assert "Café" in text
    assert json.loads(winnow.to_json(answer, indent=2)) == json.loads(text)
    assert winnow.to_json(answer.hits) == json.dumps(json.loads(text)["hits"], ensure_ascii=False)
    assert winnow.to_json("half \ud800") == '"half \\ud800"'
    with pytest.raises(TypeError, match="Path is not part of an answer"):
        winnow.to_json(tmp_path)
