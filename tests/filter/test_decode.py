from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import InvalidRequest
from winnow.filter.ast import MAX_DEPTH, MAX_NODES, All, Any, Expr, Not, Place
from winnow.filter.ast import Test as Written
from winnow.filter.decode import decode_filter, load_json
from winnow.filter.ops import CONNECTIVES, OPERATORS
from winnow.values import Json


def on(name: str, op: str, operand: Json | Expr) -> Written:
    parts = tuple(name.split(".")) if name else ()
    return Written(parts, op, operand, Place(""))


def read(raw: object) -> Expr:
    """The tree of a filter without the places."""
    return without_places(decode_filter(raw, "/filters"))


def without_places(expr: Expr) -> Expr:
    match expr:
        case Not(part):
            return Not(without_places(part))
        case All(parts):
            return All(tuple(map(without_places, parts)))
        case Any(parts):
            return Any(tuple(map(without_places, parts)))
        case Written():
            inner = expr.operand
            if isinstance(inner, (Not, All, Any, Written)):
                inner = without_places(inner)
            return Written(expr.name, expr.op, inner, Place(""))


def faults(raw: object) -> dict[str, str]:
    """What is wrong with a filter, by pointer."""
    with pytest.raises(InvalidRequest) as caught:
        decode_filter(raw, "")
    found = {fault.pointer: fault.detail for fault in caught.value.faults}
    assert len(found) == len(caught.value.faults)
    return found


ESCROW = on("escrowPct", "gte", 10)
ACTIVE = on("status", "eq", "Active")


# --- the tree ---


@pytest.mark.parametrize(
    ("raw", "expr"),
    [
        ({}, All(())),
        ({"status": "Active"}, ACTIVE),
        ({"status": None}, on("status", "eq", None)),
        ({"tags": ["a", "b"]}, on("tags", "eq", ["a", "b"])),
        ({"client.tier": "Gold"}, on("client.tier", "eq", "Gold")),
        ({"status": "Active", "escrowPct": {"gte": 10}}, All((ACTIVE, ESCROW))),
        ({"escrowPct": {"gte": 10, "lt": 20}}, All((ESCROW, on("escrowPct", "lt", 20)))),
        ({"not": {"status": "Active", "escrowPct": {"gte": 10}}}, Not(All((ACTIVE, ESCROW)))),
        ({"or": [{"status": "Active"}, {"escrowPct": {"gte": 10}}]}, Any((ACTIVE, ESCROW))),
        ({"escrowPct": {"not": {"gte": 10}}}, Not(ESCROW)),
        ({"status": {"isNull": True}}, on("status", "isNull", True)),
    ],
)
def test_a_filter_is_read_as_its_tree(raw: object, expr: Expr) -> None:
    assert read(raw) == expr


def test_all_operators_of_a_field_are_anded_f04() -> None:
    """F04: none of them replaces another, in one object or in two."""
    both = All((on("p", "gte", 1), on("p", "lte", 5)))
    assert read({"p": {"gte": 1, "lte": 5}}) == both
    assert read({"and": [{"p": {"gte": 1}}, {"p": {"lte": 5}}]}) == both
    assert read({"p": {"and": [{"gte": 1}, {"lte": 5}]}}) == both
    assert read({"p": {"gte": 1}, "and": [{"p": {"lte": 5}}]}) == both


def test_two_keys_of_a_branch_are_anded_f05() -> None:
    """F05: also inside `or`."""
    raw = {"or": [{"status": "Active", "escrowPct": {"gte": 10}}, {"status": "Closed"}]}
    assert read(raw) == Any((All((ACTIVE, ESCROW)), on("status", "eq", "Closed")))


def test_connectives_work_inside_one_field() -> None:
    raw = {"escrowPct": {"or": [{"lt": 5}, {"gte": 10}], "not": {"eq": 12}}}
    low = on("escrowPct", "lt", 5)
    assert read(raw) == All((Any((low, ESCROW)), Not(on("escrowPct", "eq", 12))))


def test_an_operator_means_itself_f09() -> None:
    """F09: `contains` stays `contains`, `$not` is not lost."""
    for op, row in OPERATORS.items():
        if row.operand.name != "NESTED":
            assert read({"f": {op: "x"}}) == read({"f": {"$" + op: "x"}}) == on("f", op, "x")
    assert read({"$not": {"f": {"$contains": "x"}}}) == Not(on("f", "contains", "x"))


def test_empty_lists_stay_what_they_are_f13() -> None:
    """F13: an empty list never becomes a filter that lets everything through."""
    assert read({"f": {"in": []}}) == on("f", "in", [])
    assert read({"f": {"nin": []}}) == on("f", "nin", [])
    assert read({"or": []}) == Any(())
    assert read({"and": []}) == All(())


def test_an_empty_or_inside_a_field_still_names_the_field() -> None:
    """Its name would otherwise never be looked up; a field is missing or not, never both."""
    missing, given = on("f", "isNull", True), on("f", "isNull", False)
    assert read({"f": {"or": []}}) == All((missing, given))
    assert read({"f": {"and": []}}) == Any((missing, given))


def test_a_text_after_in_stays_one_text_f45() -> None:
    """F45: it is not taken apart into its letters; the check of operands refuses it."""
    assert read({"f": {"in": "abc"}}) == on("f", "in", "abc")
    assert faults({"f": {"or": "abc"}}).keys() == {"/f/or"}


@pytest.mark.parametrize("value", ["a-b", "a:b", "a|b", "a/b", "`a`", "*", "%", "' or 1=1 --", '"'])
def test_no_value_is_syntax_f38(value: str) -> None:
    assert read({"f": value}) == on("f", "eq", value)
    assert read({"f": {"contains": value}}) == on("f", "contains", value)


@pytest.mark.parametrize("op", ["any", "all", "none"])
def test_a_filter_on_many_is_about_items_or_about_entities(op: str) -> None:
    items = All((on("", "gte", 3), on("", "lt", 5)))
    assert read({"f": {op: {"gte": 3, "lt": 5}}}) == on("f", op, items)
    assert read({"f": {op: {"or": [{"gte": 3}]}}}) == on("f", op, Any((on("", "gte", 3),)))
    assert read({"f": {op: {"status": "Active"}}}) == on("f", op, ACTIVE)
    assert read({"f": {op: {"or": [{"status": "Active"}]}}}) == on("f", op, Any((ACTIVE,)))
    assert read({"f": {op: {}}}) == on("f", op, All(()))


def test_a_list_after_any_or_none_means_in() -> None:
    assert read({"tags": {"any": ["a"]}}) == on("tags", "any", on("", "in", ["a"]))
    assert read({"tags": {"none": ["a"]}}) == on("tags", "none", on("", "in", ["a"]))


def test_each_test_knows_its_place() -> None:
    expr = decode_filter({"or": [{"a/b": {"gte": 1}}, {"c~": 2}]}, "/filters")
    assert isinstance(expr, Any)
    assert [part.at for part in expr.parts if isinstance(part, Written)] == [
        Place("/filters/or/0/a~1b/gte"),
        Place("/filters/or/1/c~0"),
    ]


# --- names ---


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("client.tier", ("client", "tier")),
        ('metadata."a.b"', ("metadata", "a.b")),
        ("metadata.'a.b'.c", ("metadata", "a.b", "c")),
        ("metadata.or", ("metadata", "or")),
        ('"or"', ("or",)),
        ('"gte"', ("gte",)),
        ("deal value", ("deal value",)),
        ("@created_at", ("@created_at",)),
        ('metadata.""', ("metadata", "")),
    ],
)
def test_a_key_is_a_dotted_name(key: str, name: tuple[str, ...]) -> None:
    expr = decode_filter({key: 1}, "")
    assert isinstance(expr, Written)
    assert expr.name == name


@pytest.mark.parametrize("key", ["", ".", "a.", ".a", "a..b", 'a."b', 'a."b"c'])
def test_a_broken_name_is_refused(key: str) -> None:
    assert "is not a name" in faults({key: 1})[f"/{key}"]


def test_two_spellings_of_a_field_in_one_object_are_refused() -> None:
    assert "both" in faults({"escrowPct": 1, "escrow_pct": 2})["/escrow_pct"]
    assert "both" in faults({"client.shortName": 1, "client.short_name": 2})["/client.short_name"]
    assert read({"metadata.aB": 1, "metadata.a_b": 2}) == All(
        (on("metadata.aB", "eq", 1), on("metadata.a_b", "eq", 2))
    )


# --- what is refused ---


@pytest.mark.parametrize(
    ("raw", "pointer", "said"),
    [
        ({"f": {"gtee": 1}}, "/f/gtee", "did you mean 'gte'?"),
        ({"f": {">=": 1}}, "/f/>=", "write gte"),
        ({"f": {"==": 1}}, "/f/==", "write eq"),
        ({"f": {"like": "x"}}, "/f/like", "write contains, startsWith or endsWith"),
        ({"f": {"$regex": "x"}}, "/f/$regex", "write contains, startsWith or endsWith"),
        ({"f": {"exists": True}}, "/f/exists", 'write "isNull": false'),
        ({"f": {"not_in": []}}, "/f/not_in", "write nin"),
        ({"f": {"AND": []}}, "/f/AND", "did you mean 'and'?"),
        ({"client": {"tier": "Gold"}}, "/client/tier", "client.tier"),
        ({"gte": 1}, "/gte", "stands inside a field"),
        ({"$gte": 1}, "/$gte", "stands inside a field"),
        ({"$nor": []}, "/$nor", "write not"),
        ({"OR": []}, "/OR", "did you mean 'or'?"),
        ({"f": {}}, "/f", "no operator"),
        ({"f": {"not": {}}}, "/f/not", "no operator"),
        ({"or": {"f": 1}}, "/or", 'write "or": [{…}, {…}]'),
        ({"f": {"or": {"gte": 1}}}, "/f/or", 'write "or": [{…}, {…}]'),
        ({"f": {"or": [1]}}, "/f/or/0", 'write {"eq": …}'),
        ({"not": [{"f": 1}]}, "/not", "expected an object"),
        ({"tags": {"all": ["a"]}}, "/tags/all", '{"all": {"in": […]}}'),
        ({"tags": {"any": "a"}}, "/tags/any", '{"any": {"eq": …}}'),
        ({"tags": {"any": {"eq": "a", "f": 1}}}, "/tags/any/f", "unknown operator"),
        ({"a": {">=": 1}}, "/a/>=", "write gte"),
        ({"a": {"≥": 1}}, "/a/≥", "write gte"),
        ({"a": {"≤": 1}}, "/a/≤", "write lte"),
        ({"a": {"≠": 1}}, "/a/≠", "write ne"),
        ({"tags": {"any": {"f": 1, "eq": "a"}}}, "/tags/any/eq", "stands inside a field"),
        ("status = Active", "", "goes into where"),
        (None, "", "expected an object"),
        ([1], "/0", "expected an object {field, op, value}"),
    ],
)
def test_a_mistake_is_refused_with_its_place_and_what_to_write(
    raw: object, pointer: str, said: str
) -> None:
    found = faults(raw)
    assert found.keys() == {pointer}
    assert said in found[pointer]


@pytest.mark.parametrize(
    ("raw", "pointer"),
    [
        ({"and": [None]}, "/and/0"),
        ({"and": [[1]]}, "/and/0"),
        ({"and": None}, "/and"),
        ({"not": None}, "/not"),
        ({"f": {"not": None}}, "/f/not"),
        ({"f": {"and": [[1]]}}, "/f/and/0"),
        ({"f": {"any": None}}, "/f/any"),
    ],
)
def test_a_wrong_shape_is_a_fault_f14(raw: object, pointer: str) -> None:
    """F14: null or a list where an object should be is refused, never a crash."""
    assert faults(raw).keys() == {pointer}


def test_all_faults_are_told_at_once() -> None:
    raw = {"a": {"gtee": 1}, "or": 5, "b": float("nan"), "c": {"not": {"x": "\ud800", "y": 1}}}
    assert faults(raw).keys() == {"/a/gtee", "/or", "/b", "/c/not/x", "/c/not/y"}


def test_a_part_that_is_no_json_is_told_once() -> None:
    assert faults({"and": object()}).keys() == {"/and"}


# --- Python values ---


class Status(StrEnum):
    ACTIVE = "Active"


def test_values_of_python_are_read_as_json() -> None:
    noon = datetime(2026, 3, 5, 12, tzinfo=timezone(timedelta(hours=2)))
    values = (date(2026, 3, 5), noon, Decimal(5), Decimal("0.1"), Decimal(2**53 + 1), Status.ACTIVE)
    expr = read({"f": values})
    assert expr == on(
        "f",
        "eq",
        ["2026-03-05", "2026-03-05T12:00:00+02:00", 5, 0.1, 9007199254740993, "Active"],
    )
    assert isinstance(expr, Written)
    assert isinstance(expr.operand, list)
    assert [type(item) for item in expr.operand] == [str, str, int, float, int, str]


@pytest.mark.parametrize(
    "value",
    [
        *(float("nan"), float("inf"), Decimal("nan"), Decimal("sNaN"), Decimal("-inf")),
        *(10**400, -(10**400), Decimal("1e999999999"), b"x", timedelta(1), object(), 1j),
        *("\ud800", "a\udfffb"),
    ],
)
def test_a_value_that_is_no_json_is_refused(value: object) -> None:
    assert faults({"f": value}).keys() == {"/f"}
    assert faults({"f": {"in": [1, value]}}).keys() == {"/f/in/1"}


def test_a_number_of_too_many_digits_is_refused() -> None:
    assert faults({"f": 10**5000}) == {"/f": "the number is too large"}
    assert faults({"f": 1.5e308}) == {"/f": "the number is too large"}
    for largest in (1e308, -1e308, 10**308):
        decode_filter({"f": largest}, "")


@pytest.mark.parametrize("key", [1, None, b"x", "\ud800"])
def test_a_key_that_is_no_text_is_refused(key: object) -> None:
    assert faults({"or": [{key: 1}]}).keys() == {"/or/0"}


# --- limits ---


def nested(levels: int, inner: object, key: str = "not") -> object:
    for _ in range(levels):
        inner = {key: inner}
    return inner


def test_the_depth_has_a_limit() -> None:
    leaf = {"f": 1}
    decode_filter(nested(MAX_DEPTH - 1, leaf), "")
    assert "deep" in faults(nested(MAX_DEPTH, leaf))[""]
    ands: object = leaf
    for _ in range(MAX_DEPTH):
        ands = {"and": [ands]}
    assert "deep" in faults(ands)[""]


@pytest.mark.parametrize("key", ["not", "f", "any", "and"])
def test_very_deep_input_is_refused_without_recursion(key: str) -> None:
    assert "deep" in faults(nested(10_000, {"f": 1}, key))[""]
    lists: object = []
    for _ in range(10_000):
        lists = [lists]
    assert "deep" in faults({key: lists})[""]


def test_the_number_of_tests_has_a_limit() -> None:
    tests = [{"f": index} for index in range(MAX_NODES)]
    decode_filter({"or": tests[1:]}, "")
    assert "more than 10,000" in faults({"or": tests})[""]
    assert "more than 10,000" in faults({"or": tests * 10})[""]


def test_a_list_of_values_may_be_long() -> None:
    many = [f"MAT-{index}" for index in range(3 * MAX_NODES)]
    assert read({"id": {"in": many}}) == on("id", "in", list[Json](many))


def test_shared_parts_do_not_multiply() -> None:
    bomb: list[object] = []
    for _ in range(60):
        bomb = [bomb, bomb]
    assert "more than 10,000" in faults({"or": bomb})[""]


# --- whatever it is, it is read or refused ---

KEYS = [*OPERATORS, *CONNECTIVES, "$or", "$gte", "like", "status", "client.tier", "a..b", "~/", ""]
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["\ud800", "Active", "2026-03"])
)
json_values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)


def look_up(value: object, pointer: str) -> object:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]  # pyright: ignore[reportIndexIssue, reportUnknownVariableType]
    return value  # pyright: ignore[reportUnknownVariableType]


def places(expr: Expr) -> Iterator[str]:
    match expr:
        case Not(part):
            yield from places(part)
        case All(parts) | Any(parts):
            for part in parts:
                yield from places(part)
        case Written():
            yield expr.at.pointer
            if isinstance(expr.operand, (Not, All, Any, Written)):
                yield from places(expr.operand)


@given(json_values)
def test_any_json_is_read_or_refused_with_pointers_into_it_f14(raw: object) -> None:
    try:
        pointers = list(places(decode_filter(raw, "")))
    except InvalidRequest as error:
        pointers = [fault.pointer for fault in error.faults]
        assert pointers
        "".join(map(str, error.faults)).encode()
    for pointer in pointers:
        look_up(raw, pointer)


# --- JSON text ---


def test_json_text_is_decoded() -> None:
    assert load_json('{"f": {"in": [1, 2.5, null, "x"]}}', "") == {"f": {"in": [1, 2.5, None, "x"]}}


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ("", 0, "expected a value, found the end"),
        ('{"f": 1', 7, "expected ',' or the closing bracket, found the end"),
        ('{"f" 1}', 5, "expected ':', found '1'"),
        ('{"f": 1} x', 9, "expected the end, found 'x'"),
        ("{'f': 1}", 1, "JSON has double quotes"),
        ('{"f": "x}', 6, "expected a closing quote"),
        ('{"f": "\\x"}', 7, "escape of JSON"),
        ('{"f": tru}', 6, "expected a value"),
        ('{"f": NaN}', None, "NaN is not a number of JSON"),
        ('{"f": [-Infinity]}', None, "-Infinity is not a number of JSON"),
        (f'{{"f": {"9" * 5000}}}', None, "too many digits"),
        ("[" * 100_000, None, "deep"),
    ],
)
def test_broken_json_is_refused_with_its_position(
    text: str, position: int | None, said: str
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        load_json(text, "/filters")
    (fault,) = caught.value.faults
    assert (fault.pointer, fault.position) == ("/filters", position)
    assert said in fault.detail


def test_a_key_that_stands_twice_is_refused_f04() -> None:
    """F04: the second value must not replace the first in silence."""
    twice = "the key {!r} stands twice in one object, with number {} and number {}"
    text = '{"and": [{"p": {"gte": 1, "gte": 5}}, {"x": 1, "y": 2, "x": 3}]}'
    with pytest.raises(InvalidRequest) as caught:
        load_json(text, "/filters")
    assert [(fault.pointer, fault.detail) for fault in caught.value.faults] == [
        ("/filters/and/0/p", twice.format("gte", 1, 5)),
        ("/filters/and/1", twice.format("x", 1, 3)),
    ]


@given(json_values.map(repr) | st.text(max_size=20))
def test_any_text_is_decoded_or_refused(text: str) -> None:
    try:
        load_json(text, "")
    except InvalidRequest as error:
        for fault in error.faults:
            assert fault.position is None or 0 <= fault.position <= len(text)
