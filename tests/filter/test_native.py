"""What only Python has is spelled as the other surfaces write it."""

from array import array
from collections import deque
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from types import MappingProxyType
from typing import cast
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.filter.native import spell, spell_seconds
from winnow.filter.plain import copy_plain
from winnow.values import read_moment

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=timezone(timedelta(hours=2)))
SPELLED: list[tuple[object, object]] = [
    (date(2026, 3, 5), "2026-03-05"),
    (datetime(2026, 3, 5, 12, 0), "2026-03-05T12:00:00"),  # in the configured zone
    (NOON, "2026-03-05T12:00:00+02:00"),
    (np.datetime64("2026-03-05"), "2026-03-05"),
    (np.datetime64("2026-03"), "2026-03"),
    (Path("notes"), "notes"),
    (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (np.int64(-7), -7),
    (np.uint8(7), 7),
    (np.float32(0.5), 0.5),
    (np.float64(0.25), 0.25),
    (np.bool_(True), True),
    (np.str_("open"), "open"),
    (np.array([1, 2]), [1, 2]),
    (array("d", [0.5]), [0.5]),
    ({3, 1, 2}, [1, 2, 3]),
    (frozenset({"b", "a"}), ["a", "b"]),
    ({"x": 1}.keys(), ["x"]),
    (MappingProxyType({"a": 1}), {"a": 1}),
]


@pytest.mark.parametrize(("value", "spelled"), SPELLED)
def test_a_value_of_python_is_spelled_as_json(value: object, spelled: object) -> None:
    assert spell(value) == spelled
    assert copy_plain([value], "") == ([spelled], [])
    assert copy_plain({"a": {"in": value}}, "") == ({"a": {"in": spelled}}, [])


@pytest.mark.parametrize("value", [timedelta(hours=1), object(), b"abc", deque([1])])
def test_what_json_has_nothing_for_is_left_and_refused(value: object) -> None:
    assert spell(value) is value
    (fault,) = copy_plain([value], "/at")[1]
    assert fault.pointer == "/at/0"
    assert type(value).__name__ in fault.detail


@given(st.datetimes(timezones=st.timezones()))
def test_a_time_is_read_as_the_instant_that_it_is(moment: datetime) -> None:
    spelled = spell(moment)
    assert isinstance(spelled, str)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert read_moment(spelled, UTC).start == (moment - epoch) // timedelta(microseconds=1)


@given(st.sets(st.integers() | st.text(max_size=2) | st.dates()))
def test_a_set_is_spelled_the_same_however_it_was_filled(values: set[object]) -> None:
    spelled = cast("Iterable[object]", spell(values))
    turned = dict.fromkeys(sorted(values, key=repr, reverse=True))
    assert spelled == spell(turned.keys()) == spell(frozenset(values))
    assert copy_plain(values, "")[0] == [*map(spell, spelled)]


@given(st.timedeltas(timedelta(days=-999_999), timedelta(days=999_999)))
def test_a_span_is_never_cut_short(span: timedelta) -> None:
    assert timedelta(0) <= timedelta(seconds=spell_seconds(span)) - span < timedelta(seconds=1)
