"""From stored entries to a column: what counts, and what is left out."""

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.columns.vectors import VALUES, build

from winnow.columns.arrays import Entry
from winnow.columns.entries import build_column
from winnow.records import Candidate, Confidence
from winnow.schema import Field
from winnow.values import PACK_TYPES, Type, Value

EXTRACTED, INFERRED, AMBIGUOUS = Confidence.EXTRACTED, Confidence.INFERRED, Confidence.AMBIGUOUS
NUMBER, DAY = Field("n", Type.INTEGER), Field("d", Type.DATE)
NUMBERS = Field("ns", Type.INTEGER, is_list=True)


def summary(field: Field, entries: list[Entry]) -> object:
    """What a column holds: the values, levels, and the other values of a conflict."""
    column = build_column(field, entries, UTC)
    if column is None:
        return None
    others = [column.other_values.get(place) for place in range(len(column.other_rows))]
    return (
        [column.get(row) for row in range(len(entries))],
        column.levels.tolist(),
        list(zip(column.other_rows.tolist(), others, strict=True)),
    )


def test_plain_values_are_extracted_and_none_is_absent() -> None:
    assert summary(NUMBER, [5, None, 0]) == ([5, None, 0], [3, 0, 3], [])


def test_a_field_that_nobody_has_has_no_column() -> None:
    assert summary(NUMBER, [None, None]) is None
    assert summary(NUMBER, []) is None


def test_an_empty_list_is_a_value() -> None:
    assert summary(NUMBERS, [(), None]) == ([(), None], [3, 0], [])


def test_candidates_are_weighed() -> None:
    low = (Candidate(7, INFERRED), Candidate(8, AMBIGUOUS))
    torn = (Candidate(1), Candidate(2), Candidate(1), Candidate(3), Candidate(9, INFERRED))
    assert summary(NUMBER, [low, torn, 5]) == (*([7, 1, 5], [2, 1, 3], [(1, 2), (1, 3)]),)


def test_conflicting_lists_keep_each_list() -> None:
    torn = (Candidate((1, 2)), Candidate((2, 1, 1)), Candidate(()))
    assert summary(NUMBERS, [torn]) == ([(1, 2)], [1], [(0, ())])


def test_dates_are_weighed_in_the_zone() -> None:
    both = (Candidate("2026-03-05T10:00:00"), Candidate("2026-03-05T09:00:00Z"))
    column = build_column(Field("d", Type.DATETIME), [both], ZoneInfo("Europe/Berlin"))
    assert column is not None
    assert column.levels.tolist() == [EXTRACTED]


@pytest.mark.parametrize(
    ("field", "stranger"),
    [
        (NUMBER, "5"),
        (NUMBER, 5.0),
        (NUMBER, True),
        (NUMBER, 2**63),
        (NUMBER, (5,)),
        (Field("x", Type.NUMBER), "5"),
        (Field("x", Type.NUMBER), False),
        (Field("x", Type.NUMBER), 10**400),
        (Field("x", Type.NUMBER), float("nan")),
        (Field("x", Type.BOOLEAN), 1),
        (Field("x", Type.STRING), 1),
        (Field("x", Type.ENUM), ("a",)),
        (DAY, "soon"),
        (DAY, ""),
        (DAY, 2026),
        (NUMBERS, 5),
        (NUMBERS, (5, "x")),
        (NUMBERS, (2**63,)),
        (Field("x", Type.DATE, is_list=True), ("2026", "soon")),
        (Field("x", Type.REF, is_list=True), "A-1"),
    ],
)
def test_a_value_of_another_type_counts_as_absent(field: Field, stranger: Value) -> None:
    """The pack has changed since it was stored; nothing may fail for it (F41)."""
    fitting: Value = VALUES[field.type][0]
    fitting = (fitting,) if field.is_list else fitting
    assert not field.holds(stranger)
    assert field.holds(fitting)
    assert summary(field, [fitting, stranger]) == ([fitting, None], [3, 0], [])
    assert summary(field, [stranger]) is None
    weighed = (Candidate(stranger), Candidate(fitting, INFERRED))
    assert summary(field, [weighed]) == ([fitting], [2], [])
    torn = (Candidate(fitting), Candidate(stranger))
    assert summary(field, [torn, (Candidate(stranger), Candidate(stranger))]) == (
        *([fitting, None], [3, 0], []),
    )


values = st.none() | st.integers() | st.booleans() | st.floats() | st.text(max_size=3)
dates = st.sampled_from(["2026", "2026-03-05", "2026-02-30", "2026-03-05T10:00Z", "x"])
scalars = (values | dates).filter(lambda value: value is not None)
stored = scalars | st.lists(scalars, max_size=3).map(tuple)
candidates = st.builds(Candidate, stored, st.sampled_from(list(Confidence)))
entries = st.none() | stored | st.lists(candidates, min_size=1, max_size=3).map(tuple)


@given(st.sampled_from(PACK_TYPES), st.booleans(), st.lists(entries, max_size=6))
def test_whatever_is_stored_makes_the_column_of_what_fits(
    kind: Type, is_list: bool, stored: list[Entry]
) -> None:
    field = Field("f", kind, is_list=is_list)
    assert summary(field, stored) == summary(field, [fitting(field, one) for one in stored])


def fitting(field: Field, entry: Entry) -> Entry:
    weighed = (
        [one for one in entry if isinstance(one, Candidate)] if isinstance(entry, tuple) else []
    )
    if weighed:
        return tuple(one for one in weighed if field.holds(one.value)) or None
    plain: Value | None = entry  # pyright: ignore[reportAssignmentType]
    return plain if plain is not None and field.holds(plain) else None


def test_the_vector_of_others_has_their_rows() -> None:
    column = build(NUMBER, [(Candidate(1), Candidate(2)), None, (Candidate(3), Candidate(4))])
    assert column.other_rows.tolist() == [0, 2]
