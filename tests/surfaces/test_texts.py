"""Arguments as texts."""

import pytest

from winnow.operations import OPERATIONS
from winnow.operations.requests import RecallRequest
from winnow.surfaces.texts import FLAG, KINDS, PAIRS, TEXT, TEXTS, Kind, kind_of, read_texts
from winnow.wire import arguments

RECALL = {one.name: one for one in arguments(RecallRequest)}
STORE = {one.name: one for one in arguments(OPERATIONS["store"].request)}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("query", TEXT),
        ("limit", KINDS[int]),
        ("min_score", KINDS[float]),
        ("include_confidence_tags", FLAG),
        ("tags", TEXT),
        ("filters", TEXT),
        ("fusion", TEXT),
        ("budget_tokens", KINDS[int]),
    ],
)
def test_the_type_of_an_argument_says_how_it_is_written(name: str, kind: Kind) -> None:
    assert kind_of(RECALL[name]) is kind


def test_what_is_an_object_alone_is_written_in_pairs_too() -> None:
    assert kind_of(STORE["metadata"]) is PAIRS


@pytest.mark.parametrize(
    ("text", "value"),
    [("12", 12), ("-3", -3), ("+7", 7), ("1_0", "1_0"), ("٣", "٣"), ("1.0", "1.0"), ("", "")],
)
def test_whole_numbers_are_read_in_plain_digits(text: str, value: object) -> None:
    assert read_texts(KINDS[int], [text]) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5", 0.5), (".5", 0.5), ("1", 1.0), ("1e-3", 0.001), ("nan", "nan"), ("inf", "inf")],
)
def test_numbers_are_read_and_what_is_none_stays_text(text: str, value: object) -> None:
    assert read_texts(KINDS[float], [text]) == value


def test_a_number_of_too_many_digits_stays_text() -> None:
    assert read_texts(KINDS[int], ["9" * 5_000]) == "9" * 5_000


def test_what_is_given_twice_is_a_list_and_a_listed_one_is_always() -> None:
    assert read_texts(TEXT, ["a", "b"]) == ["a", "b"]
    assert read_texts(TEXT, ["a"]) == "a"
    assert read_texts(TEXTS, ["a"]) == ["a"]
