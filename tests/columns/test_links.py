"""References lead to the living rows of another table, and are found again as it changes."""

from collections.abc import Mapping, Sequence
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.arrays import BROKEN, Entry
from winnow.columns.links import find_edges, link, owners
from winnow.columns.table import Changes, Table
from winnow.records import Candidate, Confidence
from winnow.schema import Field, IdRule, Schema
from winnow.values import Type

ONE = Field("one", Type.REF, target="t.B")
MANY = Field("many", Type.REF, is_list=True, target="t.B")
SOURCE = Schema("t.A", "A", IdRule(""), {"one": ONE, "many": MANY})
TARGET = Schema("t.B", "B", IdRule(""), {"n": Field("n", Type.INTEGER)})


def table(schema: Schema, rows: Sequence[tuple[str, Mapping[str, Entry]]]) -> Table:
    ids, fields = zip(*rows, strict=True)
    return Table(schema, UTC).changed(Changes(range(len(ids)), ids, [True] * len(ids), fields))


def changed(before: Table, key: int, entity: str, *, live: bool = True) -> Table:
    return before.changed(Changes([key], [entity], [live], [{}]))


TARGETS = table(TARGET, [("B-1", {}), ("B-2", {})])
LOW = (Candidate("B-2", Confidence.INFERRED),)
TORN = (Candidate("B-1"), Candidate("B-2"), Candidate("B-9"))
SOURCES = table(
    SOURCE,
    [
        ("A-1", {"one": "B-2", "many": ("B-1", "B-9", "B-1")}),
        ("A-2", {"one": "B-9", "many": ()}),
        ("A-3", {}),
        ("A-4", {"one": LOW, "many": ("B-2",)}),
        ("A-5", {"one": TORN}),
    ],
)


def pairs(source: Table, via: str, target: Table, minimum: Confidence) -> list[tuple[str, str]]:
    edges = find_edges(source, via, target).at_least(minimum)
    both = zip(edges.sources.tolist(), edges.targets.tolist(), strict=True)
    return sorted((source.id_of(one), target.id_of(other)) for one, other in both)


def test_a_value_leads_to_the_row_of_its_id_or_nowhere() -> None:
    (links,) = link(SOURCES, "one", TARGETS)
    assert [links.targets[row] for row in (0, 1, 3, 4)] == [1, BROKEN, 1, 0]
    assert links.other_targets.tolist() == [1, BROKEN]


def test_each_item_of_a_list_leads_somewhere() -> None:
    (links,) = link(SOURCES, "many", TARGETS)
    assert links.targets.tolist() == [0, BROKEN, 0, 1]


def test_without_a_table_every_reference_is_broken() -> None:
    (links,) = link(SOURCES, "one", None)
    assert set(links.targets.tolist()) == {BROKEN}


def test_links_are_found_once_and_again_when_the_target_changes() -> None:
    found = link(SOURCES, "one", TARGETS)
    assert link(SOURCES, "one", TARGETS) is found
    without = changed(TARGETS, 1, "B-2", live=False)
    (links,) = link(SOURCES, "one", without)
    assert links.targets[0] == BROKEN
    again = changed(without, 7, "B-2")
    (links,) = link(SOURCES, "one", again)
    assert links.targets[0] == again.row_of("B-2")


def test_a_newer_version_of_the_target_is_where_a_reference_leads() -> None:
    newer = changed(TARGETS, 0, "B-1")
    (links,) = link(SOURCES, "one", newer)
    assert newer.id_of(int(links.targets[4])) == "B-1"
    assert newer.alive_rows[links.targets[4]]


def test_edges_say_who_refers_to_whom_by_values_that_count() -> None:
    assert pairs(SOURCES, "one", TARGETS, Confidence.EXTRACTED) == [("A-1", "B-2")]
    assert pairs(SOURCES, "one", TARGETS, Confidence.INFERRED) == [
        *[("A-1", "B-2"), ("A-4", "B-2")],
    ]
    assert pairs(SOURCES, "one", TARGETS, Confidence.AMBIGUOUS) == [
        *[("A-1", "B-2"), ("A-4", "B-2"), ("A-5", "B-1"), ("A-5", "B-2")],
    ]
    assert set(pairs(SOURCES, "many", TARGETS, Confidence.EXTRACTED)) == {
        *[("A-1", "B-1"), ("A-4", "B-2")],
    }


def test_edges_leave_out_the_dead_on_both_sides() -> None:
    fewer = changed(SOURCES, 0, "A-1", live=False)
    assert pairs(fewer, "one", TARGETS, Confidence.EXTRACTED) == []
    again = fewer.changed(Changes([9], ["A-1"], [True], [{"one": "B-1"}]))
    assert pairs(again, "one", TARGETS, Confidence.EXTRACTED) == [("A-1", "B-1")]
    without = changed(TARGETS, 1, "B-2", live=False)
    assert pairs(SOURCES, "one", without, Confidence.INFERRED) == []


def test_edges_are_found_once_and_again_when_the_target_changes() -> None:
    found = find_edges(SOURCES, "one", TARGETS)
    assert find_edges(SOURCES, "one", TARGETS) is found
    assert find_edges(SOURCES, "one", changed(TARGETS, 5, "B-5")) is not found


def test_a_field_that_nobody_has_leads_nowhere() -> None:
    alone = table(SOURCE, [("A-1", {})])
    assert pairs(alone, "one", TARGETS, Confidence.AMBIGUOUS) == []


def test_owners_of_single_values_are_the_rows_themselves() -> None:
    one, many = (SOURCES.parts[0].columns[name].values for name in ("one", "many"))
    assert owners(one).tolist() == [0, 1, 2, 3, 4]
    assert owners(many).tolist() == [0, 0, 0, 3]


def test_after_a_change_only_new_parts_of_the_target_are_looked_through() -> None:
    (part,) = SOURCES.parts
    link(SOURCES, "one", TARGETS)
    (before,) = part.named["one", "first"]
    link(SOURCES, "one", changed(TARGETS, 5, "B-9"))
    old, new = part.named["one", "first"]
    assert old is before
    assert new.rows.tolist() == [0]


def test_what_is_kept_of_old_parts_goes_with_them() -> None:
    (part,) = SOURCES.parts
    link(SOURCES, "one", changed(TARGETS, 5, "B-5"))
    link(SOURCES, "one", table(TARGET, [("B-7", {})]))
    assert len(part.named["one", "first"]) == 1


def test_few_words_are_looked_up_in_many_ids_and_the_other_way_round() -> None:
    many = table(TARGET, [(f"B-{n:03}", {}) for n in range(300)])
    few = table(SOURCE, [("A-1", {"one": "B-007"}), ("A-2", {"one": "B-299"}), ("A-3", {})])
    assert pairs(few, "one", many, Confidence.EXTRACTED) == [("A-1", "B-007"), ("A-2", "B-299")]
    rows = [(f"A-{n:03}", {"one": f"B-{n:03}"}) for n in range(300)]
    one = table(TARGET, [("B-005", {}), ("B-300", {})])
    assert pairs(table(SOURCE, rows), "one", one, Confidence.EXTRACTED) == [("A-005", "B-005")]


@pytest.mark.parametrize("width", [1, 12, 13, 14, 60])
@given(named=st.sets(st.integers(0, 200), max_size=8), there=st.sets(st.integers(0, 200)))
def test_ids_of_any_length_are_found(width: int, named: set[int], there: set[int]) -> None:
    wanted = sorted(f"B-{number:0{width}}" for number in named)
    known = sorted(f"B-{number:0{width}}" for number in there)
    source = table(SOURCE, [("A", {"many": tuple(wanted)})])
    target = table(TARGET, [(one, {}) for one in known or ["C"]])
    (links,) = link(source, "many", target)
    found = [None if row == BROKEN else target.id_of(row) for row in links.targets.tolist()]
    assert found == [one if one in known else None for one in wanted]
