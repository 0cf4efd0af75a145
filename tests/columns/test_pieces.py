"""Pieces by their notes, and notes by entity, against the plain meaning."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.pieces import (
    NOTHING_DECLARED,
    Declared,
    Keys,
    Pieces,
    build_pieces,
    is_in,
    starts_of,
)

KEYS = st.lists(st.integers(1, 9), max_size=12)
ROW = st.tuples(st.integers(0, 4), st.booleans())
PARTS = st.lists(st.lists(ROW, max_size=8), max_size=4)
Rows = Sequence[Sequence[tuple[int, bool]]]


def array(numbers: Sequence[int]) -> Keys:
    return np.array(numbers, np.int64)


def make(parts: Rows) -> Pieces:
    """Pieces from the note and the life of each row, 0 for a memory."""
    return Pieces(
        tuple(build_pieces([note for note, _ in part]) for part in parts),
        tuple(np.array([alive for _, alive in part], np.bool_) for part in parts),
    )


def living(parts: Rows) -> list[tuple[int, int]]:
    """The note and the row of each living piece."""
    rows = [row for part in parts for row in part]
    return sorted((note, row) for row, (note, alive) in enumerate(rows) if note and alive)


@given(PARTS)
def test_pieces_stand_by_note_and_neither_memories_nor_the_dead_are_among_them(parts: Rows) -> None:
    pieces = make(parts)
    pairs = zip(pieces.notes.tolist(), pieces.rows.tolist(), strict=True)
    assert list(pairs) == living(parts)


@given(PARTS, st.lists(st.integers(1, 6), max_size=4))
def test_the_pieces_of_some_notes_are_all_of_theirs(parts: Rows, notes: list[int]) -> None:
    held = make(parts).of(array(notes))
    pairs = [(note, row) for note, row in living(parts) if note in notes]
    assert list(zip(held.notes.tolist(), held.rows.tolist(), strict=True)) == pairs
    assert held.ascending.tolist() == sorted(row for _, row in pairs)


@given(PARTS, st.data())
def test_the_notes_of_some_rows_come_once_each(parts: Rows, data: st.DataObject) -> None:
    count = sum(map(len, parts))
    rows = data.draw(st.lists(st.integers(0, max(count - 1, 0)), max_size=count, unique=True))
    found = make(parts).notes_of(array(rows if count else []))
    assert found.tolist() == sorted({note for note, row in living(parts) if row in rows})


@given(KEYS, KEYS)
def test_a_key_is_in_others_if_it_is_one_of_them(keys: list[int], wanted: list[int]) -> None:
    assert is_in(array(keys), array(wanted)).tolist() == [key in wanted for key in keys]


@given(KEYS)
def test_each_run_of_equal_keys_has_one_start(keys: list[int]) -> None:
    ordered = sorted(keys)
    assert starts_of(array(ordered)).tolist() == sorted({ordered.index(key) for key in ordered})


PAIRS = st.dictionaries(st.integers(1, 5), st.lists(st.integers(1, 5), unique=True), max_size=5)


@given(st.lists(PAIRS, max_size=4))
def test_what_changed_takes_the_place_of_what_was_declared(
    steps: list[dict[int, list[int]]],
) -> None:
    declared, expected = NOTHING_DECLARED, dict[int, list[int]]()
    for step in steps:
        pairs = [(entity, note) for entity, notes in step.items() for note in notes]
        declared = declared.changed([*step], [one for one, _ in pairs], [one for _, one in pairs])
        expected |= step
    assert read(declared) == {entity: sorted(notes) for entity, notes in expected.items() if notes}
    assert declared.entities.tolist() == sorted(declared.entities.tolist())


def read(declared: Declared) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for entity, note in zip(declared.entities.tolist(), declared.notes.tolist(), strict=True):
        found.setdefault(entity, []).append(note)
    return {entity: sorted(notes) for entity, notes in found.items()}
