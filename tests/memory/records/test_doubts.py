"""Tests on metadata that no value is of the right kind for, and what is said of them."""

from collections.abc import Sequence
from typing import Any

import pytest
from tests.memory.remembering import store_all

from winnow.access import Access, Scope
from winnow.filter.raw import Untyped
from winnow.memory import Memory

METADATA: dict[str, Any] = {
    "quoted": "50",
    "number": 50,
    "flag": True,
    "list": ["a", 1],
    "object": {"inner": "x"},
    "untyped": Untyped("80"),
    "word": Untyped("eighty"),
}


def only(warnings: Sequence[str] | None) -> str:
    assert warnings is not None
    (told,) = warnings
    return told


@pytest.fixture
def stored(memory: Memory) -> Memory:
    """Two memories with every kind of value."""
    store_all(memory, [{"id": f"m{n}", "text": "text", "metadata": METADATA} for n in range(2)])
    return memory


@pytest.mark.parametrize("method", ["recall", "list", "count", "aggregate"])
@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("quoted > 40", "quoted is a text in 2 memories; it is compared with a number here"),
        ("not quoted = 50", "quoted is a text in 2 memories; it is compared with a number here"),
        ("quoted between 1 and 99", "quoted is a text in 2 memories; it is compared with a number"),
        ("number = '50'", "number is a number in 2 memories; it is compared with a text here"),
        ("number contains '5'", "number is a number in 2 memories; it is compared with a text"),
        ("number has 50", "number is a number in 2 memories; it is tested as a list here"),
        ("flag = 'true'", "flag is true or false in 2 memories; it is compared with a text here"),
        ("flag != 1", "flag is true or false in 2 memories; it is compared with a number here"),
        ("list = 'a'", "list is a list in 2 memories; it is compared with a text here"),
        ("object = 1", "object is an object in 2 memories; it is compared with a number here"),
        ("object.inner = 1", "object.inner is a text in 2 memories; it is compared with a number"),
        ("word > 40", "word is a text in 2 memories; it is compared with a number here"),
        ("untyped = true", "untyped is a text in 2 memories; it is compared with true or false"),
    ],
)
def test_a_test_that_no_kind_of_value_fits_is_told_everywhere(
    stored: Memory, method: str, where: str, told: str
) -> None:
    warnings = getattr(stored, method)(where=where).warnings
    assert len(warnings) == 1
    assert warnings[0].startswith(told)


@pytest.mark.parametrize(
    "where",
    [
        *("quoted = '50'", "quoted > 2026-01-01", "number > 40", "flag = true", "list has 'b'"),
        *(
            "list any = 'b'",
            "quoted is null",
            "object is not null",
            "quoted ~GT 40",
            "untyped > 99",
        ),
        *("untyped = '80'", "number in ('x', 3)", "object.inner = 'y'", "importance > 2"),
    ],
)
def test_a_test_that_some_value_could_meet_is_not_doubted(stored: Memory, where: str) -> None:
    assert stored.count(where=where).warnings is None


def test_a_year_among_texts_is_told_how_to_be_written(memory: Memory) -> None:
    memory.store("text", metadata={"finished": "2022-07-04"})
    told = only(memory.count(where="finished < 2023").warnings)
    assert told.endswith('it is compared with a number here (a year is written "2023")')
    assert memory.count(where='finished < "2023"').count == 1


def test_one_value_of_the_kind_is_enough(stored: Memory) -> None:
    assert stored.count(where="quoted > 60").warnings
    stored.store("text", id="last", metadata={"quoted": 70})
    assert stored.count(where="quoted > 60").warnings is None
    stored.delete("last")
    assert stored.count(where="quoted > 60").warnings


def test_only_values_that_may_be_seen_count(stored: Memory) -> None:
    stored.store("text", namespace="theirs", metadata={"quoted": 70})
    own = stored.restricted(Access(frozenset({Scope.READ}), frozenset({"default"})))
    told = only(own.count(where="quoted > 60").warnings)
    assert told == "quoted is a text in 2 memories; it is compared with a number here"
    assert stored.count(where="quoted > 60").warnings is None
