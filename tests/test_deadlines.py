"""Deadlines: the sooner of several ends holds, and work that looks at them stops."""

import math
import time
from threading import Thread

import pytest

from winnow.deadlines import Stop, check, find_stop, limit, read_seconds, uncounted, watch
from winnow.errors import Cancelled, InvalidRequest, TooSlow

OVER = 1e-9  # seconds: over as soon as one looks


def test_without_a_limit_nothing_is_stopped() -> None:
    check("working")
    with limit(None):
        check("working")


def test_what_takes_too_long_says_what_it_was_doing_and_how_to_allow_more() -> None:
    with limit(OVER), pytest.raises(TooSlow) as raised:
        check("sorting")
    assert raised.value.code == "too_slow"
    assert "sorting" in str(raised.value)
    assert "WINNOW_TIME_LIMIT" in str(raised.value)


def test_of_two_limits_the_sooner_holds_whichever_is_inside() -> None:
    for outer, inner in ((OVER, 1_000.0), (1_000.0, OVER), (OVER, None)):
        with limit(outer), limit(inner), pytest.raises(TooSlow):
            check("working")


def test_behind_the_block_the_limit_is_gone() -> None:
    with pytest.raises(ValueError, match="x"), limit(OVER):
        raise ValueError("x")
    check("working")


def test_whoever_does_not_wait_any_more_ends_the_work() -> None:
    stop = Stop()
    with limit(1_000, stop), limit(500):
        check("working")
        assert find_stop() is stop
        stop.request()
        with pytest.raises(Cancelled, match="while reading"):
            check("reading")


def test_a_limit_is_one_of_its_own_thread() -> None:
    seen: list[Stop] = []
    stop = Stop()
    with limit(None, stop):
        thread = Thread(target=lambda: seen.append(find_stop()))
        thread.start()
        thread.join()
    assert seen[0] is not stop


def test_items_are_watched_as_they_come() -> None:
    stop, got = Stop(), list[int]()

    def count() -> None:
        for item in watch(range(100), "counting", stride=10):
            got.append(item)
            if item == 25:
                stop.request()

    with limit(None, stop), pytest.raises(Cancelled):
        count()
    assert got == list(range(30))
    assert list(watch(range(5), "counting")) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("text", "seconds"), [("30", 30.0), ("0.5", 0.5), ("0", None)])
def test_a_number_of_seconds_is_read_and_0_is_no_limit(text: str, seconds: float | None) -> None:
    assert read_seconds(text, "/x") == seconds


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "", "soon", str(-math.inf)])
def test_what_is_no_number_of_seconds_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        read_seconds(text, "/WINNOW_TIME_LIMIT")
    assert raised.value.faults[0].pointer == "/WINNOW_TIME_LIMIT"


def test_what_is_done_for_all_requests_is_not_counted() -> None:
    with limit(0.05):
        with uncounted():
            time.sleep(0.06)
        check("working")
        time.sleep(0.06)
        with pytest.raises(TooSlow):
            check("working")
    with uncounted():
        check("working")
