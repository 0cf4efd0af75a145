from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import SourceError
from winnow.providers.base import Found
from winnow.providers.reading import (
    DEEPEST_METADATA,
    LONGEST_PATH,
    LONGEST_TEXT,
    LONGEST_TITLE,
    level_scores,
    read_answer,
)
from winnow.values import Json

GOOD = Found("A note", "Its text", "notes/a.md", 0.5, {"source_type": "web", "tags": ["x", None]})


def found_with(**parts: object) -> Found:
    """A result as a provider may make it that nobody checked the types of."""
    make = cast("Callable[..., Found]", Found)
    return make(**{"title": "t", "text": "x", **parts})


def complaint(**parts: object) -> str | None:
    reading = read_answer([found_with(**parts), GOOD], 10)
    assert reading.found == (GOOD,)
    return reading.complaint


def scores(*given: object) -> list[float | None]:
    return [one.score for one in level_scores([found_with(score=score) for score in given])]


def test_a_good_answer_is_kept_as_it_is() -> None:
    reading = read_answer((GOOD, found_with(score=0.9)), 10)
    assert [one.title for one in reading.found] == ["A note", "t"]
    assert reading.found[0] == GOOD
    assert reading.complaint is None


@given(st.integers(0, 30), st.integers(0, 30))
def test_no_more_than_the_limit_are_taken_and_the_first_of_them(count: int, limit: int) -> None:
    answer = [found_with(title=str(place)) for place in range(count)]
    titles = [one.title for one in read_answer(answer, limit).found]
    assert titles == [str(place) for place in range(min(count, limit))]


@pytest.mark.parametrize("answer", [None, "text", b"bytes", 7, {"results": []}, iter([GOOD])])
def test_what_is_no_list_is_an_error_that_names_its_type(answer: object) -> None:
    name = "null" if answer is None else type(answer).__name__
    with pytest.raises(SourceError, match=f"its answer is no list of results, but of type {name}"):
        read_answer(answer, 10)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"title": None}, "result 1 has a title of type null"),
        ({"text": b"x"}, "result 1 has a text of type bytes"),
        ({"path": 7}, "result 1 has a path of type int"),
        ({"metadata": None}, "result 1 has metadata of type NoneType"),
        ({"metadata": [1]}, "result 1 has metadata of type list"),
        ({"metadata": {7: 1}}, "result 1 has a metadata key of type int"),
        (
            {"metadata": {"a": [{1, 2}]}},
            "result 1 has metadata that JSON has no form for, of type set",
        ),
        (
            {"metadata": {"a": float("nan")}},
            "result 1 has metadata that JSON has no form for, of type float",
        ),
        (
            {"metadata": {"a": 10**5000}},
            "result 1 has metadata that JSON has no form for, of type int",
        ),
    ],
)
def test_a_result_that_is_none_is_left_out_and_said(parts: dict[str, object], told: str) -> None:
    expected = told.replace("of type NoneType", "of type null")
    assert complaint(**parts) == f"left out: {expected}"


def test_of_several_the_first_is_described_and_the_rest_counted() -> None:
    answer = [GOOD, {"title": "x"}, GOOD, None, "x"]
    reading = read_answer(answer, 10)
    assert reading.found == (GOOD, GOOD)
    assert reading.complaint == "left out: result 2 is of type dict, not Found, and 2 more"


def test_metadata_that_holds_itself_is_left_out() -> None:
    loop: dict[str, object] = {}
    loop["loop"] = loop
    expected = f"left out: result 1 has metadata more than {DEEPEST_METADATA} levels deep"
    assert complaint(metadata=loop) == expected


def test_an_endless_answer_is_not_read_to_its_end() -> None:
    class Endless(Sequence[object]):
        def __getitem__(self, index: object) -> "Sequence[object]":
            return []

        def __len__(self) -> int:
            return 2**31

    reading = read_answer(Endless(), 10)
    assert reading.found == ()
    assert "and 1999 more" in str(reading.complaint)


@given(st.lists(st.floats(0, 1)))
def test_scores_from_0_to_1_are_kept_to_6_digits(given: list[float]) -> None:
    assert scores(*given) == [round(score, 6) for score in given]
    assert "-0.0" not in map(str, scores(*given, -0.0))


def test_a_score_may_be_any_real_number() -> None:
    assert scores(1, 0, np.float32(0.5), np.float64(0.25)) == [1, 0, 0.5, 0.25]


@pytest.mark.parametrize(
    "odd", [None, -0.1, 1.1, 17, float("nan"), float("inf"), "0.5", True, Decimal("0.5"), 10**400]
)
def test_one_score_that_is_none_takes_all_away(odd: object) -> None:
    assert scores(0.9, odd, 0.1) == [None, None, None]


def test_long_texts_are_cut() -> None:
    long = found_with(title="t" * 99_999, text="x" * 99_999, metadata={"k": "m" * 99_999})
    (one,) = read_answer([long], 1).found
    assert (len(one.title), len(one.text)) == (LONGEST_TITLE, LONGEST_TEXT)
    assert len(str(one.metadata["k"])) == LONGEST_TEXT


@given(st.text(), st.text(), st.text())
def test_whatever_is_read_can_be_encoded(title: str, text: str, path: str) -> None:
    odd = "\ud800"
    given = Found(title + odd, text + odd, path + odd, None, {odd: [odd]})
    (one,) = read_answer([given], 1).found
    repr((one.title, one.text, one.path, one.metadata)).encode()
    f"{one.title}{one.text}{one.path}{one.metadata}".encode()


@pytest.mark.parametrize(
    "path",
    [
        "javascript:alert(1)",
        "JavaScript : alert(1)",
        " \x01java\nscript:alert(1)",
        "data:text/html,<script>",
        "vbscript:x",
        "",
        " \n",
        "x" * (LONGEST_PATH + 1),
    ],
)
def test_a_path_that_a_browser_would_run_is_none(path: str) -> None:
    assert read_answer([found_with(path=path)], 1).found[0].path is None


@pytest.mark.parametrize(
    "path", ["https://a.example/b?c#d", "notes/javascript: the parts.md", "C:\\notes\\a.md"]
)
def test_any_other_path_is_kept(path: str) -> None:
    assert read_answer([found_with(path=path)], 1).found[0].path == path


JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON))
def test_metadata_that_is_json_stays_as_it_is(metadata: dict[str, Json]) -> None:
    reading = read_answer([found_with(metadata=metadata)], 1)
    assert reading.found[0].metadata == metadata
    assert reading.complaint is None
