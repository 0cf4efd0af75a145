"""What triples mean on memories; the answers are those of a server that speaks them."""

import pytest
from tests.plan.asking import Memories, under, with_metadata

from winnow.errors import InvalidRequest
from winnow.filter.triples import read_triples
from winnow.values import Json


def ask(memories: Memories, *triples: tuple[str, str, str]) -> list[str]:
    """Ask as RESP does, and with a list in JSON where the names are the same there."""
    found = memories.ask(read_triples(triples, ""))
    keys = ("field", "op", "value")
    listed: Json = [dict(zip(keys, triple, strict=True)) for triple in triples]
    if all(field.isalnum() or field.startswith("@") for field, _, _ in triples):
        assert memories.filters(listed) == found
    return found


def rows(found: list[str]) -> list[int]:
    return [int(name.removeprefix("m")) for name in found]


NUMBERS = (
    *("10", "9", "9.0", "1e1", "010", "+10", " 10", "10 ", "abc", "inf", "-inf", "nan"),
    *("NaN", "infinity", "0x10", "1_0", "-0", "0", ".5", "5.", "", "1e400"),
    *("9007199254740993", "9007199254740992"),
)
ALL = set(range(len(NUMBERS)))


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        ("EQ", "10", {0, 3, 4, 5}),
        ("NE", "10", ALL - {0, 3, 4, 5}),
        ("GT", "9", {0, 3, 4, 5, 8, 9, 11, 12, 13, 21, 22, 23}),
        ("GTE", "9", {0, 1, 2, 3, 4, 5, 8, 9, 11, 12, 13, 21, 22, 23}),
        ("LT", "10", {1, 2, 6, 10, 14, 16, 17, 18, 19, 20}),
        ("LTE", "10", {0, 1, 2, 3, 4, 5, 6, 10, 14, 16, 17, 18, 19, 20}),
        ("EQ", "9", {1, 2}),
        ("EQ", "1e1", {0, 3, 4, 5}),
        ("EQ", "+10", {0, 3, 4, 5}),
        ("EQ", " 10", {6}),
        ("EQ", "nan", {11}),
        ("EQ", "NaN", {12}),
        ("GT", "abc", {9, 11, 13}),
        ("LT", "abc", ALL - {8, 9, 11, 13}),
        ("EQ", "inf", {9, 13, 21}),
        ("EQ", "Infinity", {9, 13, 21}),
        ("EQ", "INF", {9, 13, 21}),
        ("GT", "1e308", {8, 9, 11, 12, 13, 21}),
        ("LT", "-1e308", {6, 10, 20}),
        ("EQ", "0x10", {14}),
        ("EQ", "1_0", {15}),
        ("EQ", "16", set[int]()),
        ("EQ", "0", {16, 17}),
        ("EQ", "-0", {16, 17}),
        ("EQ", "0.5", {18}),
        ("EQ", "5", {19}),
        ("EQ", "9007199254740993", {22, 23}),
        ("EQ", "1e309", {9, 13, 21}),
        ("CONTAINS", "1", {0, 3, 4, 5, 6, 7, 14, 15, 21, 22, 23}),
        ("CONTAINS", "e", {3, 21}),
        ("GT", "", ALL - {20}),
        ("LTE", "", {20}),
        ("GT", "nan", set[int]()),
    ],
)
def test_numbers_are_compared_as_numbers_pair_by_pair(
    op: str, value: str, expected: set[int]
) -> None:
    assert set(rows(ask(under("n", *NUMBERS), ("n", op, value)))) == expected


WORDS = with_metadata(
    {"type": "preference"}, {"type": "fact"}, {"type": "Fact"}, {"type": ""}, {"other": "x"}
)


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        ("EQ", "fact", [1]),
        ("NE", "fact", [0, 2, 3, 4]),
        ("GT", "fact", [0]),
        ("GTE", "fact", [0, 1]),
        ("LT", "fact", [2, 3]),
        ("LTE", "fact", [1, 2, 3]),
        ("IN", "fact", [1]),
        ("CONTAINS", "fact", [1]),
        ("EQ", "", [3]),
        ("NE", "", [0, 1, 2, 4]),
        ("GT", "", [0, 1, 2]),
        ("GTE", "", [0, 1, 2, 3]),
        ("LT", "", []),
        ("LTE", "", [3]),
        ("IN", "", [3]),
        ("CONTAINS", "", [0, 1, 2, 3]),
        ("eq", "fact", [1]),
        ("Contains", "act", [1, 2]),
        ("CONTAINS", "ACT", []),
    ],
)
def test_texts_are_compared_as_they_are(op: str, value: str, expected: list[int]) -> None:
    assert rows(ask(WORDS, ("type", op, value))) == expected


@pytest.mark.parametrize("op", ["EQ", "NE", "GT", "GTE", "LT", "LTE", "IN", "CONTAINS"])
@pytest.mark.parametrize("value", ["x", "", "1"])
def test_only_ne_holds_where_a_key_is_missing(op: str, value: str) -> None:
    assert rows(ask(WORDS, ("nofield", op, value))) == ([0, 1, 2, 3, 4] if op == "NE" else [])


def test_triples_are_anded_and_their_keys_are_exact() -> None:
    assert rows(ask(WORDS, ("type", "NE", "fact"), ("type", "NE", "Fact"))) == [0, 3, 4]
    assert ask(WORDS, ("TYPE", "EQ", "fact")) == []
    assert rows(ask(WORDS)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("eu,uk", [0, 1]),
        ("eu, uk", [0, 3]),
        ("eu,uk,", [0, 1, 4]),
        ("", [4]),
        (",", [4]),
        ("EU", []),
        ("5", [5, 6]),
        ("5.00", [5, 6]),
        ("05,eu", [0, 5, 6]),
        (" 5", []),
        ("5 ", []),
        ('"eu",uk', [1]),
        (" uk", [3]),
    ],
)
def test_f50_in_splits_its_own_text_at_commas_and_nothing_else(
    value: str, expected: list[int]
) -> None:
    regions = under("g", "eu", "uk", "us", " uk", "", "5", "5.0", "eu,uk", "uk ")
    assert rows(ask(regions, ("g", "IN", value))) == expected


def test_f50_a_list_after_in_may_have_commas_in_its_items() -> None:
    regions = under("g", "eu", "eu,uk", 5)
    assert regions.filters([{"field": "g", "op": "IN", "value": ["eu,uk", 5]}]) == ["m1", "m2"]


RECORDS = Memories(
    {"id": "a", "text": "Alpha Text", "importance": 0.1, "metadata": {"id": "meta-id"}},
    {"id": "b", "text": "beta text", "importance": 0.5, "metadata": {"id": "meta-id"}},
    {"id": "7", "text": "gamma", "importance": 0.85, "metadata": {"@id": "x"}},
    {"id": "c", "text": "", "importance": 1.0, "metadata": {" @id": "a"}},
)


@pytest.mark.parametrize(
    ("field", "op", "value", "expected"),
    [
        ("@id", "EQ", "a", "a"),
        ("@ID", "EQ", "a", "a"),
        ("@Id", "IN", "a,b", "ab"),
        ("@id", "EQ", "7.0", "7"),
        ("@id", "NE", "a", "b7c"),
        ("@id", "CONTAINS", "a", "a"),
        ("id", "EQ", "meta-id", "ab"),
        ("@id", "EQ", "meta-id", ""),
        ("@text", "CONTAINS", "text", "b"),
        ("@text", "CONTAINS", "Text", "a"),
        ("@text", "EQ", "gamma", "7"),
        ("@text", "EQ", "", "c"),
        ("@text", "CONTAINS", "", "ab7c"),
        ("@TEXT", "NE", "gamma", "abc"),
        ("@importance", "GTE", "0.5", "b7c"),
        ("@importance", "GT", "0.5", "7c"),
        ("@importance", "EQ", "0.850", "7"),
        ("@importance", "LT", "0.3", "a"),
        ("@importance", "IN", "0.1,1", "ac"),
        ("@importance", "CONTAINS", "0.", "ab7"),
        ("@importance", "EQ", "1.0", "c"),
        ("@importance", "CONTAINS", "1.0", ""),
        ("@importance", "GT", "abc", ""),
        ("@importance", "LT", "abc", "ab7c"),
        ("@created_at", "GT", "0", "ab7c"),
        ("@created_at", "GTE", "1700000000000", "ab7c"),
        ("@created_at", "LT", "1700000000000", ""),
        ("@created_at", "GT", "1757462400", "ab7c"),
        ("@created_at", "LT", "9999999999", ""),
        ("@updated_at", "EQ", "1772712000000", "ab7c"),
        ("@created_at", "NE", "x", "ab7c"),
        (" @id", "EQ", "a", "c"),
    ],
)
def test_a_name_with_at_reads_the_memory_and_any_other_its_metadata(
    field: str, op: str, value: str, expected: str
) -> None:
    assert "".join(ask(RECORDS, (field, op, value))) == expected


@pytest.mark.parametrize("field", ["@nope", "@", "@type", "@score", "@ttl", "@created", "@@id"])
def test_another_name_with_at_is_an_error(field: str) -> None:
    with pytest.raises(InvalidRequest, match="unknown field"):
        ask(RECORDS, (field, "EQ", "x"))


def test_values_of_other_surfaces_are_compared_as_they_are_spelled() -> None:
    memories = under("v", 10, 10.0, 10.5, True, ["a", 10], {"x": 10}, None, "ten", 2**53 + 1)
    assert rows(ask(memories, ("v", "EQ", "10"))) == [0, 1, 4]
    assert rows(ask(memories, ("v", "EQ", "10.0"))) == [0, 1, 4]
    assert rows(ask(memories, ("v", "NE", "10"))) == [2, 3, 5, 6, 7, 8]
    assert rows(ask(memories, ("v", "CONTAINS", "0"))) == [0, 1, 2, 4, 8]
    assert rows(ask(memories, ("v", "EQ", "true"))) == [3]
    assert rows(ask(memories, ("v", "GT", "t"))) == [3, 7]
    assert rows(ask(memories, ("v", "EQ", str(2**53)))) == [8]


def test_a_triple_in_json_names_a_key_as_filters_do() -> None:
    memories = with_metadata({"a": {"b": "x"}}, {"a.b": "x"}, {"kind": "x"})

    def found(field: str, value: Json = "x") -> list[str]:
        return memories.filters([{"field": field, "op": "eq", "value": value}])

    assert found("a.b") == found("metadata.a.b") == ["m0"]
    assert found('"a.b"') == ask(memories, ("a.b", "EQ", "x")) == ["m1"]
    assert found("kind") == ask(memories, ("kind", "EQ", "x")) == ["m2"]
    assert found("kind", None) == ["m0", "m1"]


def test_a_name_with_at_may_be_compared_in_both_ways_at_once() -> None:
    assert RECORDS.where('@id ~GTE "a" and @id != "b"') == ["a", "c"]
    assert RECORDS.where('@id > "a" and @id ~NE "c"') == ["b"]
    assert RECORDS.where("@importance ~LTE 0.85 and @importance >= 0.5") == ["b", "7"]


def test_a_triple_may_be_written_into_the_other_spellings() -> None:
    memories = under("n", "9", "10", "ten")
    assert memories.where("n ~gte 10 and n ~CONTAINS 1") == ["m1"]
    assert memories.where("n ~IN (9, ten)") == memories.where('n ~in "9,ten"') == ["m0", "m2"]
    assert memories.filters({"n": {"~GTE": 10, "~NE": "ten"}}) == ["m1"]
