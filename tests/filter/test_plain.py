"""Whatever is passed as JSON is copied as plain JSON."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from winnow.filter.plain import copy_plain

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from(["\ud800", object(), 10**400])
)
KEYS = st.text(max_size=3) | st.sampled_from(["\ud800", 7])


@given(st.dictionaries(KEYS, SCALARS, max_size=4))
def test_an_object_is_copied_as_it_is_inside_of_a_list(given_object: dict[Any, Any]) -> None:
    alone, wrong = copy_plain(given_object, "/at")
    inside, all_wrong = copy_plain([given_object], "")
    assert repr([alone]) == repr(inside)
    assert [one.detail for one in wrong] == [one.detail for one in all_wrong]
    assert alone is not given_object
