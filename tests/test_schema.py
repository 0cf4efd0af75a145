"""Fields read what people write; names are found in any of their spellings."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.records import Candidate, Confidence, resolve
from winnow.schema import (
    Catalog,
    Field,
    IdRule,
    Pack,
    Reverse,
    Schema,
    plain,
    snake_case,
    spell,
    spell_choices,
    split_list,
)
from winnow.values import Json, Type, UnreadableValue, Value

PERCENT = Field("escrowPct", Type.NUMBER, unit="percent", minimum=0, maximum=100)
MONTHS = Field("nonCompeteMonths", Type.INTEGER, unit="months", minimum=0)
DOLLARS = Field("dealValueUSD", Type.INTEGER, unit="USD")
CHOICES: Mapping[str, tuple[str, ...]] = {"OnHold": ("paused",), "Closed": ()}
STATUS = Field("status", Type.ENUM, choices=tuple(CHOICES), choice_aliases=spell_choices(CHOICES))
TAGS = Field("tags", Type.STRING, is_list=True)
CLIENT = Field("client", Type.REF, target="legal.Client", aliases=("clientId",))
TITLE = Field("title", Type.STRING)


# --- what a field reads ---


@pytest.mark.parametrize(
    ("field", "raw", "value"),
    [
        (PERCENT, "12%", 12),
        (PERCENT, "12.5 percent", 12.5),
        (PERCENT, "7 PCT", 7),
        (PERCENT, 0.1, 0.1),
        (MONTHS, "18 months", 18),
        (MONTHS, "1 month", 1),
        (MONTHS, "24mo", 24),
        (DOLLARS, "$45,000,000", 45_000_000),
        (DOLLARS, "US$ 5", 5),
        (DOLLARS, "5 USD", 5),
        (DOLLARS, "USD 5", 5),
        (STATUS, "on hold", "OnHold"),
        (STATUS, "ON_HOLD", "OnHold"),
        (STATUS, "Paused", "OnHold"),
        (CLIENT, "[[CLT-0042|Acme]]", "CLT-0042"),
        (CLIENT, " CLT-0042 ", "CLT-0042"),
        (CLIENT, "[[CLT-0042#Terms]]", "CLT-0042"),
        (TITLE, ["only one"], "only one"),
        (TITLE, 123, "123"),
    ],
)
def test_a_field_reads_a_value_as_people_write_it(field: Field, raw: Json, value: Value) -> None:
    assert field.read(raw) == value


@pytest.mark.parametrize("raw", [None, "", "  \t\n"])
@pytest.mark.parametrize("field", [PERCENT, STATUS, TAGS, CLIENT, TITLE])
def test_f47_null_and_blank_say_nothing(field: Field, raw: Json) -> None:
    assert field.read(raw) is None


@pytest.mark.parametrize(
    ("field", "raw", "reason"),
    [
        (PERCENT, "150%", "number 150 is outside 0..100"),
        (PERCENT, -1, "outside 0..100"),
        (MONTHS, -1, "outside 0.."),
        (MONTHS, "18.9", "whole number"),
        (MONTHS, "twelve", "expected a number"),
        (STATUS, "Clozed", "unknown value 'Clozed'; did you mean 'Closed'? (allowed: OnHold"),
        (TITLE, ["a", "b"], "expected text, got list ['a', 'b']"),
        (TITLE, {"a": 1}, "expected text, got object"),
        (TAGS, [["a"]], "expected text, got list"),
    ],
)
def test_a_field_refuses_what_it_cannot_be(field: Field, raw: Json, reason: str) -> None:
    with pytest.raises(UnreadableValue) as caught:
        field.read(raw)
    assert reason in str(caught.value)


def test_a_number_with_endless_blanks_is_refused_at_once() -> None:
    with pytest.raises(UnreadableValue):
        PERCENT.read("12" + " " * 3_000_000 + "x%")


def test_a_field_holds_what_is_of_its_type_and_shape() -> None:
    assert MONTHS.holds(18)
    assert not MONTHS.holds("18")
    assert not MONTHS.holds((18,))
    assert TAGS.holds(("a",))
    assert TAGS.holds(())
    assert not TAGS.holds("a")
    assert not TAGS.holds(("a", 1))


def test_candidates_of_another_type_are_not_weighed() -> None:
    """The pack has changed since they were stored."""
    strangers = [Candidate("18"), Candidate((18,)), Candidate(18.5)]
    low = Candidate(18, Confidence.INFERRED)
    assert MONTHS.weigh([*strangers, low], UTC) == resolve(Type.INTEGER, [low])
    assert MONTHS.weigh(strangers, UTC) is None


# --- lists ---


@pytest.mark.parametrize(
    "raw", [["a", "b"], "a, b", "a,b", "[a, b]", "'a', \"b\"", ["a", None, " ", "b"], "a,, b,"]
)
def test_f52_all_spellings_of_a_list_are_read_alike(raw: Json) -> None:
    assert TAGS.read(raw) == ("a", "b")


@pytest.mark.parametrize(("raw", "value"), [("one", ("one",)), (5, ("5",)), ([], ())])
def test_f52_one_value_is_a_list_of_one_and_an_empty_list_has_none(raw: Json, value: Value) -> None:
    assert TAGS.read(raw) == value


def test_f50_a_comma_inside_an_item_stays() -> None:
    assert TAGS.read(["a,b", "c"]) == ("a,b", "c")
    assert TAGS.read('"a,b", c') == ("a,b", "c")


def test_f55_blank_items_are_dropped() -> None:
    assert TAGS.read(["", " "]) == ()
    assert TAGS.read(None) is None


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("[[Smith, John]], [[B]]", ["[[Smith, John]]", "[[B]]"]),
        ("[[[A]], [[B, C]]]", ["[[A]]", "[[B, C]]"]),
        ("rock 'n' roll, it's", ["rock 'n' roll", "it's"]),
        ('"unclosed, b', ['"unclosed', "b"]),
        ("[[unclosed, b", ["[[unclosed", "b"]),
        ("a\nb, c", ["a\nb", "c"]),
        ("[]", []),
        ("", []),
    ],
)
def test_links_and_quotes_hold_an_item_together(text: str, items: list[str]) -> None:
    assert split_list(text) == items


@given(st.lists(st.text("ab \n'[]é", min_size=1).filter(lambda text: text.strip() != "")))
def test_quoted_items_come_back_as_they_were(items: list[str]) -> None:
    text = ",".join(f'"{item}"' for item in items)
    assert split_list(text) == [item.strip() for item in items]


@pytest.mark.parametrize("piece", ["a,", "[[", '"a,', " ", "[[a", "[[,", "' ,", "]"])
def test_no_text_takes_long_to_split(piece: str) -> None:
    """A quadratic reader would need hours for this."""
    assert len(split_list(piece * 300_000)) <= 300_000


# --- names ---


@pytest.mark.parametrize(
    ("name", "snake"),
    [
        ("escrowPct", "escrow_pct"),
        ("dealValueUSD", "deal_value_usd"),
        ("clientId", "client_id"),
        ("title", "title"),
        ("escrow_pct", "escrow_pct"),
        ("HTTPServerError", "http_server_error"),
        ("b2bTier", "b2b_tier"),
    ],
)
def test_the_snake_case_of_a_name(name: str, snake: str) -> None:
    assert snake_case(name) == snake


def test_plain_spellings_of_one_name_are_the_same() -> None:
    for spelling in ("Escrow Pct", "escrow_pct", "ESCROW-PCT", "escrowPct"):
        assert plain(spelling) == "escrowpct"


MATTERS = Reverse("matters", "legal.Matter", "client")
FIELDS = {field.name: field for field in (PERCENT, DOLLARS, CLIENT)}
SCHEMA = Schema(
    "legal.Matter",
    "Matter",
    IdRule(r"MAT-\d{4,}"),
    FIELDS,
    {"matters": MATTERS},
    spellings=spell({**{name: field.aliases for name, field in FIELDS.items()}, "matters": ()}),
)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("escrowPct", PERCENT),
        ("escrow_pct", PERCENT),
        ("deal_value_usd", DOLLARS),
        ("client", CLIENT),
        ("clientId", CLIENT),
        ("client_id", CLIENT),
        ("matters", MATTERS),
        ("escrow", None),
        ("escrow pct", None),
        ("", None),
    ],
)
def test_a_field_is_found_by_its_name_alias_or_snake_case(
    name: str, found: Field | Reverse | None
) -> None:
    assert SCHEMA.find(name) is found


def test_a_schema_lists_fields_then_reverses() -> None:
    assert list(SCHEMA.names()) == ["escrowPct", "dealValueUSD", "client", "matters"]


def test_the_first_of_two_names_keeps_a_spelling() -> None:
    assert spell({"a": ("b",), "b": ()}) == {"a": "a", "b": "a"}


@pytest.mark.parametrize(
    ("text", "entity"),
    [("MAT-2388", "MAT-2388"), (" mat-2388 ", "MAT-2388"), ("MAT-23", None), ("x MAT-2388", None)],
)
def test_an_id_is_told_by_its_form_in_upper_case_if_need_be(text: str, entity: str | None) -> None:
    assert SCHEMA.id.fit(text) == entity


def test_a_catalog_knows_the_schemas_of_all_its_packs() -> None:
    client = replace(SCHEMA, name="other.Client")
    packs = [
        Pack(name, f"{name}.yaml", "", "", {schema.name: schema})
        for name, schema in (("legal", SCHEMA), ("other", client))
    ]
    catalog = Catalog(packs)
    assert catalog.names() == ["legal.Matter", "other.Client"]
    assert list(catalog) == [SCHEMA, client]
    assert catalog.get("legal.Matter") is SCHEMA
    assert catalog.get("legal.Mater") is None
