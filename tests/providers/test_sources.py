from collections.abc import Callable, Mapping, Sequence
from threading import Barrier, Event
from typing import cast

import pytest

from winnow.errors import SourceError
from winnow.providers import Answers, Found, Provider, Remark, Sources
from winnow.providers.lane import MOST_AT_ONCE

SOON = 60.0  # seconds; far more than any of these sources takes
ONE, TWO = Found("One", "first", "a.md", 0.5), Found("Two", "second", score=0.25)
Search = Callable[[str, int, float], Sequence[Found]]


class Speechless(Exception):
    def __str__(self) -> str:
        raise LookupError


class Scripted:
    """A provider that does what a test says."""

    def __init__(self, search: Search) -> None:
        self.search = search


def sources(settings: Mapping[str, str] | None = None, /, **searches: Search) -> Sources:
    def find(name: str, _: Mapping[str, str]) -> Provider | None:
        return Scripted(searches[name]) if name in searches else None

    return Sources(settings or {}, find)


def returning(answer: object) -> Search:
    return lambda query, limit, timeout: cast("Sequence[Found]", answer)


def raising(error: BaseException) -> Search:
    def search(query: str, limit: int, timeout: float) -> Sequence[Found]:
        raise error

    return search


def note(search: Search, settings: Mapping[str, str] | None = None) -> str:
    """What is said of a source that fails, while another goes on."""
    asked = sources(settings, bad=search, good=returning([ONE]))
    answers = asked.ask(["bad", "good"], "q", 5, SOON)
    assert answers.found == {"good": (ONE,)}
    (remark,) = answers.remarks
    assert remark.source == "bad"
    return remark.note


def test_each_source_answers_in_the_order_in_which_it_was_named() -> None:
    asked = sources(a=returning([ONE, TWO]), b=returning([]), c=returning([TWO]))
    answers = asked.ask(["c", "a", "b", "a"], "q", 5)
    assert answers == Answers({"c": (TWO,), "a": (ONE, TWO), "b": ()}, ())
    assert list(answers.found) == ["c", "a", "b"]


def test_a_provider_gets_the_query_the_limit_and_the_time() -> None:
    seen: list[tuple[str, int, float]] = []

    def search(query: str, limit: int, timeout: float) -> Sequence[Found]:
        seen.append((query, limit, timeout))
        return [ONE, TWO]

    answers = sources(a=search).ask(["a"], "who knows", 1, 7.5)
    assert seen == [("who knows", 1, 7.5)]
    assert answers.found == {"a": (ONE,)}


def test_the_time_is_that_of_the_settings_where_none_is_given() -> None:
    seen: list[float] = []

    def search(query: str, limit: int, timeout: float) -> Sequence[Found]:
        seen.append(timeout)
        return []

    sources({"WINNOW_SOURCE_TIMEOUT": "2.5"}, a=search).ask(["a"], "q", 1)
    sources(a=search).ask(["a"], "q", 1)
    assert seen == [2.5, 10]


def test_a_time_that_is_none_is_said_of_each_source() -> None:
    answers = sources({"WINNOW_SOURCE_TIMEOUT": "soon"}, a=returning([ONE])).ask(["a", "b"], "q", 1)
    assert [remark.source for remark in answers.remarks] == ["a", "b"]
    assert answers.remarks[0].note.startswith("not asked: WINNOW_SOURCE_TIMEOUT: expected seconds")


def test_sources_are_asked_at_the_same_time() -> None:
    meeting = Barrier(3, timeout=SOON)  # none of them goes on before all have come

    def search(query: str, limit: int, timeout: float) -> Sequence[Found]:
        meeting.wait()
        return [ONE]

    answers = sources(a=search, b=search, c=search).ask("abc", "q", 1, SOON)
    assert list(answers.found) == ["a", "b", "c"]


@pytest.mark.parametrize("query", ["", " \n"])
def test_without_a_query_no_source_is_asked(query: str) -> None:
    answers = sources(a=raising(AssertionError())).ask(["a"], query, 1)
    assert answers == Answers({}, (Remark("a", "not asked: it needs a query"),))


def test_a_source_without_a_provider_says_how_to_get_one() -> None:
    told = [remark.note for remark in sources().ask(["onyx", "codegraph"], "q", 1).remarks]
    assert told == [
        "no provider: set WINNOW_ONYX_URL and WINNOW_ONYX_KEY",
        "no provider: install a package that has one,"
        " or set WINNOW_PROVIDER_CODEGRAPH=module:attribute",
    ]


def test_a_provider_is_opened_once_and_again_only_where_that_failed() -> None:
    opened: list[str] = []

    def find(name: str, _: Mapping[str, str]) -> Provider | None:
        opened.append(name)
        if len(opened) == 1:
            raise SourceError("its graph is being built")
        return Scripted(returning([ONE]))

    asked = Sources({}, find)
    assert opened == []
    first, second, third = (asked.ask(["a"], "q", 1, SOON) for _ in range(3))
    assert first == Answers({}, (Remark("a", "its graph is being built"),))
    assert second == third == Answers({"a": (ONE,)}, ())
    assert opened == ["a", "a"]


# --- failures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("search", "told"),
    [
        (raising(SourceError("HTTP 401: no")), "HTTP 401: no"),
        (raising(OSError("graph is gone")), "failed: OSError: graph is gone"),
        (raising(ValueError()), "failed: ValueError"),
        (raising(Speechless()), "failed: Speechless"),
        (raising(SystemExit(3)), "failed: SystemExit: 3"),
        (raising(RecursionError("too deep")), "failed: RecursionError: too deep"),
        (raising(SourceError("a\n b\x00")), "a b\x00"),
        (raising(OSError("\ud800")), "failed: OSError: ?"),
        (returning(None), "its answer is no list of results, but of type null"),
        (returning("text"), "its answer is no list of results, but of type str"),
        (cast(Search, input), "failed: TypeError: "),
    ],
)
def test_a_failure_or_nonsense_is_said_and_does_not_stop_the_others(
    search: Search, told: str
) -> None:
    assert note(search).startswith(told)


def test_a_long_remark_is_cut() -> None:
    assert len(note(raising(OSError("x" * 10_000)))) == 400


def test_a_remark_does_not_show_a_secret_of_the_settings() -> None:
    settings = {"GRAPH_TOKEN": "hunter-2", "SHORT_KEY": "a", "PATHS": "failed"}
    told = note(raising(OSError("GET https://graph?token=hunter-2")), settings)
    assert told == "failed: OSError: GET https://graph?token=***"


def test_some_results_that_are_none_are_left_out_and_said() -> None:
    answers = sources(a=returning([None, ONE])).ask(["a"], "q", 5, SOON)
    assert answers.found == {"a": (ONE,)}
    assert answers.remarks == (Remark("a", "left out: result 1 is of type null, not Found"),)


def test_a_source_that_hangs_is_not_waited_for() -> None:
    released = Event()

    def hang(query: str, limit: int, timeout: float) -> Sequence[Found]:
        released.wait()
        return [ONE]

    try:
        asked = sources(slow=hang, good=returning([TWO]))
        answers = asked.ask(["slow", "good"], "q", 5, timeout=0.5)
    finally:
        released.set()
    assert answers == Answers({"good": (TWO,)}, (Remark("slow", "no answer in time"),))


def test_a_source_that_hangs_again_and_again_is_not_asked_any_more() -> None:
    released = Event()

    def hang(query: str, limit: int, timeout: float) -> Sequence[Found]:
        released.wait()
        return [ONE]

    asked = sources(slow=hang)
    try:
        for _ in range(MOST_AT_ONCE):
            asked._source("slow").ask("q", 1, 1)
        (remark,) = asked.ask(["slow"], "q", 1, SOON).remarks
    finally:
        released.set()
    assert remark.note == f"{MOST_AT_ONCE} earlier calls are not done yet"


def test_opening_that_hangs_is_not_waited_for_either() -> None:
    released = Event()

    def find(name: str, _: Mapping[str, str]) -> Provider | None:
        released.wait()
        return None

    try:
        (remark,) = Sources({}, find).ask(["a"], "q", 1, timeout=0.05).remarks
    finally:
        released.set()
    assert remark == Remark("a", "no answer in time")


def test_a_source_is_connected_if_it_has_a_provider_and_none_is_asked() -> None:
    def refuse(query: str, limit: int, timeout: float) -> Sequence[Found]:
        raise AssertionError("it was asked")

    assert sources(a=refuse).connected(["a", "b", "a"]) == {"a": True, "b": False}


def test_a_provider_that_can_t_be_opened_is_not_connected() -> None:
    def find(name: str, _: Mapping[str, str]) -> Provider | None:
        raise SourceError("its settings are wrong") if name == "a" else OSError("no such graph")

    assert Sources({}, find).connected(["a", "b"]) == {"a": False, "b": False}


def test_a_provider_that_hangs_is_not_waited_for() -> None:
    released = Event()

    def find(name: str, _: Mapping[str, str]) -> Provider | None:
        released.wait()
        return Scripted(returning([]))

    try:
        assert Sources({}, find).connected(["a"], timeout=0.05) == {"a": False}
    finally:
        released.set()
