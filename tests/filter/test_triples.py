"""Triples as they are written: what is read, what is refused, and what they mean on a schema."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.filter.test_check import CATALOG, MATTER
from tests.filter.test_unparse import arranged

from winnow.errors import InvalidRequest
from winnow.filter.ast import MAX_NODES, All, Expr, Place, matches
from winnow.filter.ast import Test as Written
from winnow.filter.check import Scope, check
from winnow.filter.decode import decode_filter, load_json
from winnow.filter.ops import LOOSE, OPERATORS, TRIPLES
from winnow.filter.parse import parse_where
from winnow.filter.triples import read_triples
from winnow.filter.unparse import to_json, to_text
from winnow.memories import RECORDS
from winnow.values import Json

SCOPE = Scope(CATALOG, UTC, datetime(2026, 3, 31, tzinfo=UTC))


def triple(field: object, op: object, value: Json) -> dict[str, object]:
    return {"field": field, "op": op, "value": value}


def read(*triples: object) -> Expr:
    return decode_filter(list(triples), "/filters")


def faults(raw: object) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRequest) as caught:
        decode_filter(raw, "/filters")
    return [(fault.pointer, fault.detail) for fault in caught.value.faults]


def test_a_list_is_read_as_triples() -> None:
    assert read(triple("a.b", "Gte", 5), triple('"x.y"', "in", "a,b")) == All(
        (
            Written(("a", "b"), "GTE", 5, Place("/filters/0")),
            Written(("x.y",), "IN", "a,b", Place("/filters/1")),
        )
    )
    assert decode_filter([], "") == All(())


def test_triples_may_come_as_json_text() -> None:
    raw = load_json('[{"field": "@importance", "op": "GTE", "value": 0.6}]', "")
    assert decode_filter(raw, "") == All((Written(("@importance",), "GTE", 0.6, Place("/0")),))


def test_triples_of_resp_name_a_key_whatever_signs_it_has() -> None:
    expr = read_triples([('a."b', "eq", "x"), ("@Id", "NE", "y")], "/filter")
    assert expr == All(
        (
            Written(("metadata", 'a."b'), "EQ", "x", Place("/filter/0")),
            Written(("@Id",), "NE", "y", Place("/filter/1")),
        )
    )


@pytest.mark.parametrize(
    ("raw", "pointer", "said"),
    [
        (5, "/0", "expected an object {field, op, value}, got number 5"),
        ({"status": "Active"}, "/0/status", 'a list holds triples; filters are joined by "and"'),
        ({"field": "a", "op": "EQ"}, "/0", "a triple has a value, too"),
        (
            {"field": "a", "operator": "EQ", "value": 1},
            "/0/operator",
            "(allowed: field, op, value)",
        ),
        ({"field": 5, "op": "EQ", "value": 1}, "/0/field", "expected the name of a field, got"),
        ({"field": "a..b", "op": "EQ", "value": 1}, "/0/field", "'a..b' is not a name: a part"),
        ({"field": "a", "op": "GTEE", "value": 1}, "/0/op", "did you mean 'GTE'? (allowed: EQ"),
        ({"field": "a", "op": "between", "value": 1}, "/0/op", "unknown operator 'between'"),
        ({"field": "a", "op": ">=", "value": 1}, "/0/op", "write GTE"),
        ({"field": "a", "op": "≠", "value": 1}, "/0/op", "write NE"),
        ({"field": "a", "op": "like", "value": 1}, "/0/op", "write CONTAINS"),
        ({"field": "a", "op": None, "value": 1}, "/0/op", "expected an operator, got null"),
    ],
)
def test_a_mistake_in_a_triple_is_refused_with_its_place(
    raw: object, pointer: str, said: str
) -> None:
    ((at, detail),) = faults([raw])
    assert at == f"/filters{pointer}"
    assert said in detail


def test_all_mistakes_of_triples_are_told_at_once() -> None:
    raw = [triple("a", "LIKE", 1), triple(5, "EQ", 1), 7, triple("b", "EQ", float("nan"))]
    places = [pointer for pointer, _ in faults(raw)]
    assert sorted(places) == [
        "/filters/0/op",
        "/filters/1/field",
        "/filters/2",
        "/filters/3/value",
    ]


@pytest.mark.parametrize("op", ["=", "==", "LIKE", "NIN", "EXISTS", "BETWEEN", "!=", "", "~EQ"])
def test_resp_knows_no_other_operator(op: str) -> None:
    with pytest.raises(InvalidRequest, match="unknown operator"):
        read_triples([("a", op, "x")], "")


def test_there_may_not_be_too_many_triples() -> None:
    with pytest.raises(InvalidRequest, match="more than 10,000"):
        read_triples([("a", "EQ", "x")] * (MAX_NODES + 1), "")


# --- on the typed fields of a schema ---

TYPED: list[tuple[str, str, Json, Json]] = [
    ("status", "EQ", "Active", {"status": "Active"}),
    ("status", "ne", "Active", {"status": {"ne": "Active"}}),
    ("escrow_pct", "GTE", 12.5, {"escrowPct": {"gte": 12.5}}),
    ("escrowPct", "gt", 10, {"escrowPct": {"gt": 10}}),
    ("openedDate", "LT", "2026-03", {"openedDate": {"lt": "2026-03"}}),
    ("nonCompeteMonths", "Lte", 24, {"nonCompeteMonths": {"lte": 24}}),
    ("client.tier", "IN", "Gold,Silver", {"client.tier": {"in": ["Gold", "Silver"]}}),
    ("nonCompeteMonths", "IN", [12, 24], {"nonCompeteMonths": {"in": [12, 24]}}),
    ("title", "CONTAINS", "SaaS", {"title": {"contains": "SaaS"}}),
    ("client", "eq", None, {"client": {"isNull": True}}),
]


@pytest.mark.parametrize(("field", "op", "value", "meant"), TYPED)
def test_on_a_schema_a_triple_is_the_ordinary_test(
    field: str, op: str, value: Json, meant: Json
) -> None:
    from_triple = check(read(triple(field, op, value)), MATTER, SCOPE)
    assert from_triple.pred == All((check(decode_filter(meant, ""), MATTER, SCOPE).pred,))
    assert to_json(from_triple.pred) == meant


@pytest.mark.parametrize(
    ("field", "op", "value", "said"),
    [
        ("escrowPct", "GTE", "10", "expected a number, got text '10' (write 10 without quotes)"),
        ("escrowPct", "IN", "1,2", "expected a number, got text '1'"),
        ("status", "EQ", "active", "did you mean 'Active'?"),
        ("confidential", "GT", True, "operator 'gt' does not fit confidential"),
        ("@id", "EQ", "MAT-1", "unknown field '@id'"),
        ("titel", "EQ", "x", "did you mean 'title'?"),
    ],
)
def test_on_a_schema_types_are_minded(field: str, op: str, value: Json, said: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        check(read(triple(field, op, value)), MATTER, SCOPE)
    assert said in str(caught.value)


@pytest.mark.parametrize("op", LOOSE)
def test_on_a_schema_the_operators_of_memories_do_not_fit(op: str) -> None:
    with pytest.raises(InvalidRequest, match=f"operator '{op}' does not fit title"):
        check(decode_filter({"title": {op: "x"}}, ""), MATTER, SCOPE)


# --- on memories ---


def test_every_operator_of_triples_is_one_of_its_own_on_memories() -> None:
    assert [f"~{name}" for name in TRIPLES] == list(LOOSE)
    for name, typed in TRIPLES.items():
        found = check(read(triple("n", name, "9")), RECORDS, SCOPE).pred
        assert [test.op for test in matches(found)] == [f"~{name}"]
        assert typed in OPERATORS


def test_triples_are_echoed_with_a_sign_of_their_own() -> None:
    raw = [
        triple("n", "GTE", 0.60),
        triple("a.b", "IN", "eu,uk"),
        triple('"a.b"', "IN", ["eu,uk", True]),
        triple("@Id", "ne", "m1"),
    ]
    pred = check(read(*raw), RECORDS, SCOPE).pred
    assert to_json(pred) == {
        "metadata.n": {"~GTE": "0.6"},
        "metadata.a.b": {"~IN": ["eu", "uk"]},
        'metadata."a.b"': {"~IN": ["eu,uk", "true"]},
        "@id": {"~NE": "m1"},
    }
    assert to_text(pred) == (
        'metadata.n ~GTE "0.6" and metadata.a.b ~IN ("eu", "uk")'
        ' and metadata."a.b" ~IN ("eu,uk", "true") and @id ~NE "m1"'
    )


operators = st.sampled_from([name for one in TRIPLES for name in (one, one.lower())])
names = st.text(max_size=6).filter(lambda name: not name.startswith("@")) | st.just("@text")


@given(st.lists(st.tuples(names, operators, st.text(max_size=6)), max_size=4))
def test_the_echo_of_triples_is_read_as_the_same(triples: list[tuple[str, str, str]]) -> None:
    pred = check(read_triples(triples, ""), RECORDS, SCOPE).pred
    from_json = check(decode_filter(to_json(pred), ""), RECORDS, SCOPE).pred
    from_text = check(parse_where(to_text(pred), ""), RECORDS, SCOPE).pred
    assert arranged(from_json) == arranged(pred)
    assert arranged(from_text) == arranged(pred)
