"""Arguments as clients send them: lists as texts, nulls, and both spellings of a name."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.operations.changes import StoreRequest
from winnow.operations.requests import RecallRequest
from winnow.wire import decode

_tags = st.lists(st.text(st.characters(codec="utf-8"), max_size=5), max_size=4)


def tags_of(value: object) -> object:
    request, faults = decode(StoreRequest, {"text": "x", "tags": value})
    assert request is not None
    assert not faults
    return request.tags


@given(tags=_tags, indent=st.sampled_from((None, 1)))
def test_a_list_that_was_sent_as_its_json_is_read(tags: list[str], indent: int | None) -> None:
    assert tags_of(json.dumps(tags, indent=indent)) == tags


@pytest.mark.parametrize(
    "text", ["law, tax", "[draft] law", "[1]", "[", '{"a": 1}', '["a", 1]', "[" * 5_000, "[]]"]
)
def test_a_text_that_is_no_list_of_texts_stays_a_text(text: str) -> None:
    assert tags_of(text) == text


def test_sort_keys_can_be_sent_as_json() -> None:
    order = [{"field": "escrowPct", "direction": "desc"}, "id"]
    request, faults = decode(RecallRequest, {"orderBy": json.dumps(order)})
    assert request is not None
    assert (request.order_by, faults) == (order, [])


def test_a_query_is_never_taken_for_a_list() -> None:
    request, faults = decode(RecallRequest, {"query": '["a"]', "where": '["a"]'})
    assert request is not None
    assert (request.query, request.where, faults) == ('["a"]', '["a"]', [])


def test_an_argument_that_is_null_is_absent() -> None:
    request, faults = decode(RecallRequest, {"limit": None, "kinds": None, "query": None})
    assert (request, faults) == (RecallRequest(), [])


@pytest.mark.parametrize("value", ["10", 10.5, True, [10], {}])
def test_a_number_is_not_read_from_anything_else(value: object) -> None:
    _, (fault,) = decode(RecallRequest, {"limit": value})
    assert fault.pointer == "/limit"
    assert "a whole number" in fault.detail


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("orderBy", [{"field": "a", "dir": "asc"}], "/orderBy/0/dir: unknown key 'dir' "),
        ("orderBy", ["a", {"feld": "a"}], "/orderBy/1/feld: unknown key 'feld'; did you mean "),
        ("orderBy", [{"field": "a", "Direction": "asc"}], "/orderBy/0/Direction: unknown key "),
        ("orderBy", [{"field": 1}], "/orderBy/0/field: expected text, got number 1"),
        (
            "orderBy",
            [{"field": "a", "direction": "up"}],
            "/orderBy/0/direction: unknown value 'up'",
        ),
        ("filters", [{"field": "a"}, None], "/filters/1: expected an object, got null"),
        ("tags", ["a", 1], "/tags/1: expected text, got number 1"),
    ],
)
def test_f29b_f120_what_is_wrong_inside_a_value_is_told_at_its_place(
    name: str, value: object, told: str
) -> None:
    _, faults = decode(RecallRequest, {name: value})
    assert any(str(fault).startswith(told) for fault in faults)


def test_f29b_a_key_that_is_unknown_is_told_with_those_that_are_known() -> None:
    _, faults = decode(RecallRequest, {"orderBy": [{"field": "a", "dir": "asc"}]})
    assert [fault.detail for fault in faults] == ["unknown key 'dir' (allowed: field, direction)"]
