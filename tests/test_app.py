"""Opening a store: which file, in which zone, and what is no store."""

from collections.abc import Callable
from pathlib import Path

import pytest

import winnow
from winnow.errors import InvalidRequest, NotAvailable, StoreError


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
