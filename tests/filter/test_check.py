"""Names, operators and operands against a schema: what is accepted, and what is said otherwise."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import Fault, InvalidRequest
from winnow.filter.ast import All, Any, Match, Not, Place, Pred
from winnow.filter.ast import Test as Written
from winnow.filter.check import ENTITY_ID, Checked, Scope, check, find_field, resolve_name
from winnow.filter.decode import decode_filter
from winnow.filter.ops import OPERATORS, Operand, operators_of
from winnow.filter.parse import parse_where
from winnow.schema import Catalog, Field, IdRule, Pack, Reverse, Schema, spell
from winnow.values import Json, Type, UnreadableValue, read_moment

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 31, 22, 30, tzinfo=UTC)

MATTER_FIELDS = (
    Field("title", Type.STRING),
    Field("status", Type.ENUM, choices=("Active", "Closed", "OnHold")),
    Field("escrowPct", Type.NUMBER, unit="percent", minimum=0, maximum=100),
    Field("nonCompeteMonths", Type.INTEGER, unit="months"),
    Field("confidential", Type.BOOLEAN),
    Field("openedDate", Type.DATE),
    Field("signedAt", Type.DATETIME),
    Field("client", Type.REF, target="t.Client", aliases=("clientId",)),
    Field("tags", Type.STRING, is_list=True),
    Field("rates", Type.NUMBER, is_list=True, unit="percent"),
    Field("relatedMatters", Type.REF, is_list=True, target="t.Matter"),
)
CLIENT_FIELDS = (
    Field("name", Type.STRING),
    Field("tier", Type.ENUM, choices=("Gold", "Silver")),
    Field("parent", Type.REF, target="t.Client"),
)


def make_schema(name: str, fields: Iterable[Field], *reverses: Reverse) -> Schema:
    by_name = {field.name: field for field in fields}
    back = {reverse.name: reverse for reverse in reverses}
    names = {**{field.name: field.aliases for field in fields}, **dict.fromkeys(back, ())}
    return Schema(name, name, IdRule(""), by_name, back, spellings=spell(names))


MATTER = make_schema("t.Matter", MATTER_FIELDS, Reverse("citedBy", "t.Matter", "relatedMatters"))
CLIENT = make_schema("t.Client", CLIENT_FIELDS, Reverse("matters", "t.Matter", "client"))
CATALOG = Catalog([Pack("t", "t.yaml", "", "", {one.name: one for one in (MATTER, CLIENT)})])
SCOPE = Scope(CATALOG, UTC, NOW)


def on(name: str, op: str, *args: object, schema: Schema = MATTER) -> Match:
    """A resolved test on a field that is named in full."""
    path, field = resolve_name(schema, name.split("."), CATALOG)
    return Match(path, field, op, args)  # pyright: ignore[reportArgumentType]


def checked(raw: object, schema: Schema = MATTER, scope: Scope = SCOPE) -> Checked:
    return check(decode_filter(raw, "/filters"), schema, scope)


def resolved(raw: object, schema: Schema = MATTER) -> Pred:
    return checked(raw, schema).pred


def faults(raw: object, schema: Schema = MATTER) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRequest) as caught:
        checked(raw, schema)
    return [(fault.pointer, fault.detail) for fault in caught.value.faults]


def fault(raw: object, schema: Schema = MATTER) -> str:
    ((_, detail),) = faults(raw, schema)
    return detail


# --- names ---


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("escrowPct", "escrowPct"),
        ("escrow_pct", "escrowPct"),
        ("clientId", "client"),
        ("client_id", "client"),
        ("client.tier", "client.tier"),
        ("clientId.parent.name", "client.parent.name"),
        ("client.parent.parent", "client.parent.parent"),
        ("client.matters", "client.matters"),
        ("cited_by", "citedBy"),
        ("id", "id"),
        ("entity_id", "id"),
        ("client.entityId", "client.id"),
    ],
)
def test_a_name_leads_through_references_in_any_spelling(name: str, canonical: str) -> None:
    path, field = resolve_name(MATTER, name.split("."), CATALOG)
    assert Match(path, field, "eq", ()).name == canonical


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("escrow", "unknown field 'escrow'"),
        ("escrwPct", "did you mean 'escrowPct'? (allowed: id, title, status"),
        ("client.teir", "unknown field 'teir'; did you mean 'tier'? (allowed: id, name, tier"),
        ("client.teir", "in t.Client"),
        ("title.x", "'title' is not a reference, so no '.' can follow it"),
        ("id.x", "'id' is not a reference"),
        ("tags.x", "'tags' is not a reference"),
        ("relatedMatters.title", "write relatedMatters any (…), all or none"),
        ("client.matters.title", "'matters' leads to several entities"),
        ("@text", "unknown field '@text'"),
        ("TITEL", "did you mean 'title'?"),
    ],
)
def test_f07_a_name_that_leads_nowhere_says_which_would(name: str, reason: str) -> None:
    with pytest.raises(UnreadableValue) as caught:
        resolve_name(MATTER, name.split("."), CATALOG)
    assert reason in str(caught.value)


def test_a_field_of_the_pack_goes_before_the_entity_s_own_id() -> None:
    own = make_schema("t.Own", [Field("entityId", Type.INTEGER)])
    assert find_field(own, "entityId") is own.fields["entityId"]
    assert find_field(own, "id") is ENTITY_ID


@pytest.mark.parametrize(
    "key", ["a') OR 1=1 --", 'x"; DROP TABLE matter', "title' --", "1=1", "\0", "%"]
)
def test_f30_f31_what_is_no_name_is_an_unknown_field_and_nothing_else(key: str) -> None:
    assert fault({key: "x"}).startswith(f"unknown field {key!r}")


# --- operators and operands ---

OPERANDS: dict[Type, Json] = {
    Type.STRING: "x",
    Type.ENUM: "Active",
    Type.NUMBER: 12.5,
    Type.INTEGER: 18,
    Type.BOOLEAN: True,
    Type.DATE: "2026-03",
    Type.DATETIME: "2026-03-05T12:00Z",
    Type.REF: "CLT-1",
}
WRONG: dict[Type, tuple[Json, ...]] = {
    Type.STRING: (5, True, ["x"]),
    Type.ENUM: ("active", "Actve", 5, True),
    Type.NUMBER: ("12", True, "12%", [1]),
    Type.INTEGER: ("18", False, "eighteen"),
    Type.BOOLEAN: ("true", 1, 0, "yes"),
    Type.DATE: ("soon", 5, 20260305, True, "2026-02-30", "2026-3-5"),
    Type.DATETIME: ("12:00", 1.5, True),
    Type.REF: (5, True, ["CLT-1"]),
}
FIELDS: list[Field | Reverse] = [*MATTER_FIELDS, *MATTER.reverses.values(), ENTITY_ID]


def operand(field: Field | Reverse, op: str) -> Json:
    """Make a right operand."""
    value: Json = OPERANDS[field.type] if isinstance(field, Field) else {}
    is_set = isinstance(field, Field) and field.is_list and op in ("eq", "ne")
    operands: dict[Operand, Json] = {
        Operand.LIST: [value, value],
        Operand.PAIR: [value, value],
        Operand.TEXT: "x",
        Operand.FLAG: False,
        Operand.NESTED: {"isNull": False},
    }
    return operands.get(OPERATORS[op].operand, [value] if is_set else value)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_a_field_takes_every_operator_of_its_family_and_no_other(field: Field | Reverse) -> None:
    allowed = operators_of(field)
    for op in OPERATORS:
        raw = {field.name: {op: operand(field, op)}}
        if op in allowed:
            assert isinstance(resolved(raw), Match)
        else:
            detail = fault(raw)
            assert f"operator '{op}' does not fit {field.name}" in detail
            assert detail.endswith(f"(allowed: {', '.join(allowed)})")


@pytest.mark.parametrize("field", MATTER_FIELDS, ids=lambda field: field.name)
def test_f40_f42_f44_an_operand_of_another_type_is_refused(field: Field) -> None:
    for op in operators_of(field):
        if OPERATORS[op].operand not in (Operand.VALUE, Operand.LIST, Operand.PAIR):
            continue
        for wrong in WRONG[field.type]:
            raw: Json = [wrong]
            if OPERATORS[op].operand is Operand.PAIR:
                raw = [wrong, wrong]
            elif OPERATORS[op].operand is Operand.VALUE and not (
                field.is_list and op in ("eq", "ne")
            ):
                raw = wrong
            detail = fault({field.name: {op: raw}})
            assert detail.startswith(f"{field.name} {OPERATORS[op].symbol}: ")


@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        ({"title": 5}, "title =: expected text, got number 5"),
        (
            {"escrowPct": {"gte": "10"}},
            "got text '10' (write 10 without quotes)",
        ),
        ({"escrowPct": {"gte": True}}, "escrowPct >=: expected a number, got boolean true"),
        ({"escrowPct": {"gte": [1]}}, "expected one value, got a list (write in for several)"),
        ({"status": "active"}, "unknown value 'active'; did you mean 'Active'? (allowed: Active"),
        ({"confidential": "true"}, "expected true or false, got text 'true'"),
        ({"openedDate": "2026-02-30"}, "'2026-02-30' is not a date: day is out of range"),
        ({"openedDate": {"lt": "soon"}}, "(write 2026, 2026-03, 2026-03-05 or"),
        ({"title": {"contains": 5}}, "title contains: expected text, got number 5"),
        ({"title": {"isNull": "yes"}}, "title is null: expected true or false, got text 'yes'"),
        ({"title": {"isNull": None}}, "title is null: expected true or false, got null"),
        ({"title": {"between": ["a"]}}, "title between: expected two values, got 1"),
        ({"title": {"between": "a"}}, "title between: expected a list, got text 'a'"),
        ({"tags": "a"}, "tags =: expected a list, got text 'a' (write has for one value)"),
        ({"tags": {"has": ["a"]}}, "expected one value, got a list (write any in for several)"),
        ({"tags": {"has": 5}}, "tags has: expected text, got number 5"),
        ({"tags": {"any": {"gt": 5}}}, "item >: expected text, got number 5"),
        ({"citedBy": {"eq": "x"}}, "does not fit citedBy, a reverse reference field"),
        ({"tags": {"any": {"has": "x"}}}, "operator 'has' does not fit the item"),
    ],
)
def test_a_wrong_operand_is_told_with_the_field_and_what_to_write(raw: Json, detail: str) -> None:
    assert detail in fault(raw)


def test_f45_in_takes_a_list_and_never_the_letters_of_a_text() -> None:
    assert fault({"title": {"in": "abc"}}) == (
        "title in: expected a list, got text 'abc' (write = for one value)"
    )


def test_f49_a_word_outside_the_vocabulary_is_refused() -> None:
    assert "unknown value 'banana' (allowed: Active, Closed, OnHold)" in fault(
        {"status": {"ne": "banana"}}
    )


@pytest.mark.parametrize("op", ["gt", "gte", "lt", "lte"])
def test_f12_null_is_no_operand(op: str) -> None:
    assert fault({"escrowPct": {op: None}}).endswith("null is not a value here (write is null)")


@pytest.mark.parametrize("operands", [["in", [None]], ["between", [None, 1]], ["nin", [1, None]]])
def test_f12_null_is_no_operand_in_a_list_either(operands: list[Json]) -> None:
    op, raw = operands
    assert "null is not a value here" in fault({"escrowPct": {str(op): raw}})
    assert "expected text, got null" in fault({"title": {"contains": None}})


def test_f12_equal_to_null_is_is_null() -> None:
    assert resolved({"title": None}) == on("title", "isNull", True)
    assert resolved({"title": {"eq": None}}) == on("title", "isNull", True)
    assert resolved({"title": {"ne": None}}) == on("title", "isNull", False)
    assert resolved({"tags": None}) == on("tags", "isNull", True)


def test_f13_empty_lists_are_operands() -> None:
    assert resolved({"status": {"in": []}}) == on("status", "in")
    assert resolved({"tags": []}) == on("tags", "eq")


def test_numbers_stay_what_they_are() -> None:
    huge = 9007199254740993
    assert resolved({"nonCompeteMonths": huge}) == on("nonCompeteMonths", "eq", huge)
    assert resolved({"nonCompeteMonths": 18.5}) == on("nonCompeteMonths", "eq", 18.5)


@pytest.mark.parametrize("raw", [float("nan"), float("inf"), 10**309])
def test_what_is_no_finite_number_is_refused_even_in_a_tree(raw: float) -> None:
    expr = Written(("escrowPct",), "gte", raw, Place("/filters"))
    with pytest.raises(InvalidRequest, match="the number is too large"):
        check(expr, MATTER, SCOPE)


# --- dates ---


def test_f73_operands_of_every_operator_on_dates_are_read_alike() -> None:
    march = read_moment("2026-03", UTC)
    for op in ("eq", "ne", "gt", "gte", "lt", "lte"):
        assert resolved({"openedDate": {op: "2026-03"}}) == on("openedDate", op, march)
    assert resolved({"openedDate": {"in": ["2026-03"]}}) == on("openedDate", "in", march)
    assert resolved({"openedDate": {"between": ["2026-03", "2026-03"]}}) == on(
        *("openedDate", "between", march, march)
    )


def test_dates_are_read_in_the_zone_and_relative_ones_from_now() -> None:
    scope = replace(SCOPE, zone=BERLIN)
    today = read_moment("2026-04-01", BERLIN)
    assert checked({"openedDate": "today"}, scope=scope).pred == on("openedDate", "eq", today)
    assert resolved({"signedAt": {"gte": "-30d"}}) == on(
        *("signedAt", "gte", read_moment("2026-03-01", UTC))
    )


def test_a_year_may_be_written_as_a_number() -> None:
    assert resolved({"openedDate": 2026}) == on("openedDate", "eq", read_moment("2026", UTC))


# --- quantifiers ---


def test_a_list_of_values_is_tested_item_by_item() -> None:
    item = replace(MATTER.fields["tags"], name="", is_list=False)
    inner = Match((), item, "startsWith", ("x",))
    assert resolved({"tags": {"any": {"startsWith": "x"}}}) == on("tags", "any", inner)
    assert resolved({"tags": {"none": ["x"]}}) == on(
        *("tags", "none", Match((), item, "in", ("x",)))
    )


@pytest.mark.parametrize("name", ["title", "id", "length"])
def test_items_that_are_plain_values_have_no_fields(name: str) -> None:
    detail = fault({"rates": {"any": {name: {"eq": "x"}}}})
    assert detail == (
        f"unknown field {name!r}: the items are plain values and have none"
        " (write the operator alone)"
    )


def test_a_list_of_references_is_tested_by_ids_or_by_fields_but_not_by_both() -> None:
    item = replace(MATTER.fields["relatedMatters"], name="", is_list=False)
    by_id = Match((), item, "eq", ("MAT-1",))
    assert resolved({"relatedMatters": {"any": {"eq": "MAT-1"}}}) == on(
        *("relatedMatters", "any", by_id)
    )
    by_field = on("client.tier", "eq", "Gold")
    assert resolved({"relatedMatters": {"all": {"client.tier": "Gold"}}}) == on(
        *("relatedMatters", "all", by_field)
    )
    both = parse_where('relatedMatters any (= "MAT-1" and title = "x")', "/where")
    with pytest.raises(InvalidRequest, match="test the ids or their fields, not both"):
        check(both, MATTER, SCOPE)


def test_a_reverse_is_tested_by_the_fields_of_who_refers_and_by_their_ids() -> None:
    assert resolved({"matters": {"any": {"escrowPct": {"gte": 10}}}}, CLIENT) == on(
        *("matters", "any", on("escrowPct", "gte", 10)), schema=CLIENT
    )
    assert resolved({"matters": {"none": {"eq": "MAT-1"}}}, CLIENT) == on(
        *("matters", "none", Match((), ENTITY_ID, "eq", ("MAT-1",))), schema=CLIENT
    )
    assert resolved({"matters": {"isNull": True}}, CLIENT) == on(
        *("matters", "isNull", True), schema=CLIENT
    )
    assert "in t.Matter" in fault({"matters": {"any": {"tier": "Gold"}}}, CLIENT)


def test_a_quantifier_may_stand_behind_a_reference_and_inside_another() -> None:
    raw = {"client.matters": {"any": {"tags": {"any": {"eq": "x"}}}}}
    item = replace(MATTER.fields["tags"], name="", is_list=False)
    inner = on("tags", "any", Match((), item, "eq", ("x",)))
    assert resolved(raw) == on("client.matters", "any", inner)


# --- all faults at once, each in its place ---


def test_f02_f29b_all_faults_of_a_filter_are_told_at_once_with_their_places() -> None:
    raw = {
        "escrwPct": {"gte": 10},
        "status": {"in": ["Active", "Actve", "Closd"]},
        "or": [{"client": {"gt": "x"}}, {"client.teir": "Gold"}],
        "not": {"matters": {"any": {"titel": "x"}}},
        "relatedMatters": {"any": {"nonCompeteMonths": {"gte": "18"}}},
    }
    found = faults(raw)
    assert [pointer for pointer, _ in found] == [
        "/filters/escrwPct/gte",
        "/filters/status/in",
        "/filters/status/in",
        "/filters/or/0/client/gt",
        "/filters/or/1/client.teir",
        "/filters/not/matters/any",
        "/filters/relatedMatters/any/nonCompeteMonths/gte",
    ]
    details = [detail.partition("; did you")[0] for pointer, detail in found if "status" in pointer]
    assert details == ["status in: unknown value 'Actve'", "status in: unknown value 'Closd'"]


def test_a_fault_in_a_text_has_the_character_where_it_stands() -> None:
    where = "escrowPct >= 10 and statuss = 'Active' and title > 5"
    with pytest.raises(InvalidRequest) as caught:
        check(parse_where(where, "/where"), MATTER, SCOPE)
    first, second = caught.value.faults
    assert first.pointer == second.pointer == "/where"
    assert first.position is not None
    assert where[first.position :].startswith("statuss")
    assert "did you mean 'status'?" in first.detail
    assert second.position is not None
    assert where[second.position :].startswith(("title", "> 5", "5"))
    assert str(first).startswith(f"/where:{first.position + 1}: ")


def test_the_connectives_are_kept_as_written() -> None:
    raw = {"or": [{"title": "a"}, {"not": {"title": "b"}}], "status": "Active"}
    assert resolved(raw) == All(
        (
            Any((on("title", "eq", "a"), Not(on("title", "eq", "b")))),
            on("status", "eq", "Active"),
        )
    )


# --- warnings ---


def test_a_fraction_on_a_percent_field_is_warned_of_and_not_mended() -> None:
    found = checked({"escrowPct": {"gte": 0.1, "lt": 0.1}, "rates": {"any": {"gt": 0.5}}})
    assert found.warnings == (
        "escrowPct is in percent: 0.1 means 0.1 %, not 10 %",
        "item is in percent: 0.5 means 0.5 %, not 50 %",
    )
    assert on("escrowPct", "gte", 0.1) in getattr(found.pred, "parts", ())


@pytest.mark.parametrize("raw", [0, 1, 12.5, 100])
def test_other_percents_are_not_warned_of(raw: float) -> None:
    assert checked({"escrowPct": {"gte": raw}}).warnings == ()
    assert checked({"nonCompeteMonths": {"gte": 0.5}}).warnings == ()


@pytest.mark.parametrize(
    ("field", "low", "high"),
    [("escrowPct", 20, 10), ("title", "b", "a"), ("openedDate", "2026-03", "2026-02")],
)
def test_bounds_the_wrong_way_round_are_warned_of(field: str, low: Json, high: Json) -> None:
    assert checked({field: {"between": [low, high]}}).warnings == (
        f"{field} between {low} and {high} holds for nothing",
    )
    assert checked({field: {"between": [high, low]}}).warnings == ()
    assert checked({field: {"between": [low, low]}}).warnings == ()


# --- whatever is written ---

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [*OPERATORS, "and", "or", "not", "title", "client.tier", "tags", "nope"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
NAMES = [*(field.name for field in FIELDS), "client.name", "client.matters", "nope", "and", "not"]


@given(st.dictionaries(st.sampled_from(NAMES), json_values, max_size=3))
def test_f14_any_json_is_resolved_or_refused_with_a_pointer(raw: dict[str, Json]) -> None:
    outcome = resolved_or_faults(raw)
    if isinstance(outcome, tuple):
        assert outcome
        assert all(one.detail and one.pointer.startswith("/filters") for one in outcome)


def resolved_or_faults(raw: dict[str, Json]) -> Pred | tuple[Fault, ...]:
    try:
        return resolved(raw)
    except InvalidRequest as error:
        return error.faults
