"""Names of memories: what each leads to, what is refused, and what is doubtful."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import InvalidRequest
from winnow.filter.ast import matches
from winnow.filter.check import Scope, check, resolve_name
from winnow.filter.decode import decode_filter
from winnow.filter.keys import find_key
from winnow.filter.parse import parse_where
from winnow.filter.unparse import to_json, to_text
from winnow.memories import RECORDS
from winnow.schema import Catalog
from winnow.values import Json, Type, UnreadableValue

NOW = datetime(2026, 3, 31, 22, 30, tzinfo=UTC)


class Known(frozenset[tuple[str, ...]]):
    """Keys that say something else than a memory's own fields."""

    def differ(self, key: tuple[str, ...], own: str) -> bool:
        del own
        return key in self


KNOWN = Known({("priority",), ("customer",), ("customer", "tier"), ("a.b",), ("kind",)})


def warnings(raw: Json, *, known: Known | None = KNOWN) -> list[str]:
    expr = parse_where(raw, "") if isinstance(raw, str) else decode_filter(raw, "")
    return [*check(expr, RECORDS, Scope(Catalog([]), UTC, NOW, known)).warnings]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (("priority",), ("priority",)),
        (("metadata", "priority"), ("priority",)),
        (("a", "b"), ("a", "b")),
        (("metadata", "a.b"), ("a.b",)),
        (("metadata", "or"), ("or",)),
        (("metadata", "kind"), ("kind",)),
        (("metadata", "@id"), ("@id",)),
        (("metadata", "metadata"), ("metadata",)),
        (("metadata", ""), ("",)),
        (("entityId",), ("entityId",)),
        (("Kind",), ("Kind",)),
        (("CREATED_AT",), ("CREATED_AT",)),
        (("dueDate",), ("dueDate",)),
    ],
)
def test_a_key_of_metadata_is_named_exactly(name: tuple[str, ...], key: tuple[str, ...]) -> None:
    found = find_key(name)
    assert found.key == key
    assert found.field.type is Type.OPEN


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("kind", "kind"),
        ("createdAt", "createdAt"),
        ("created_at", "createdAt"),
        ("memory_type", "memoryType"),
        ("kind_provenance", "kindProvenance"),
        ("id", "id"),
        ("@id", "@id"),
        ("@Created_At", "@created_at"),
    ],
)
def test_a_field_of_a_memory_goes_before_a_key(name: str, field: str) -> None:
    found = find_key((name,))
    assert (found.key, found.field.name) == (None, field)
    assert resolve_name(RECORDS, (name,), Catalog([])) == (found.path, found.field)


def test_triples_name_only_keys_and_what_has_at() -> None:
    assert find_key(("kind",), loose=True).key == ("kind",)
    assert find_key(("metadata",), loose=True).key == ("metadata",)
    assert find_key(("metadata", "kind"), loose=True).key == ("kind",)
    assert find_key(("@ID",), loose=True).field.name == "@id"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (("metadata",), "metadata holds keys; name one of them (write metadata.key)"),
        (("kind", "x"), "so no '.' can follow it (write metadata.kind.x for a key of metadata)"),
        (("source", "a.b"), 'write metadata.source."a.b" for a key'),
        (("@nope",), "unknown field '@nope' (allowed: @id, @text, @importance, @created_at"),
        (("@importanc",), "did you mean '@importance'?"),
        (("@id", "x"), "'@id' is no object"),
    ],
)
def test_a_name_that_nothing_has_says_what_to_write(name: tuple[str, ...], reason: str) -> None:
    with pytest.raises(UnreadableValue) as caught:
        find_key(name)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "warning"),
    [
        (
            {"prioritty": 1},
            "no memory has the key prioritty in its metadata; did you mean priority?",
        ),
        ({"titel": "x"}, "no memory has the key titel in its metadata; did you mean title?"),
        ({"customer.teir": 1}, "key customer.teir in its metadata; did you mean customer.tier?"),
        ({"zzz": 1}, "no memory has the key zzz in its metadata"),
        ({"a.b": 1}, 'no memory has the key a.b in its metadata; did you mean "a.b"?'),
        ({"kind": "claim"}, "kind is a memory's own field; the key in metadata is metadata.kind"),
        ([{"field": "@idd", "op": "EQ", "value": 1}], ""),
    ],
)
def test_a_doubtful_name_is_told(raw: Json, warning: str) -> None:
    if not warning:
        with pytest.raises(InvalidRequest, match="unknown field '@idd'; did you mean '@id'"):
            warnings(raw)
    else:
        (told,) = warnings(raw)
        assert told.endswith(warning)


def test_a_known_key_is_not_doubtful_nor_is_any_where_none_are_told() -> None:
    assert warnings('priority = 1 and customer.tier = x and metadata."a.b" = 1') == []
    assert warnings("customer is null and metadata.kind = x") == []
    assert warnings({"zzz": 1}, known=None) == []


@pytest.mark.parametrize(
    ("name", "op", "value", "told"),
    [
        ("@created_at", "GT", "2026-01-01", "@created_at is in milliseconds since 1970, and "),
        ("@UPDATED_AT", "LTE", "2026", None),
        ("@updated_at", "IN", "5,soon", "@updated_at is in milliseconds since 1970, and 'soon' "),
        ("@importance", "EQ", "high", "@importance is a number, and 'high' is not: "),
        ("@importance", "GTE", ".5", None),
        ("@importance", "CONTAINS", "x", None),
        ("@id", "GT", "x", None),
        ('metadata."@created_at"', "GT", "x", None),
    ],
)
def test_f73_a_triple_that_compares_a_number_with_a_text_is_doubtful(
    name: str, op: str, value: str, told: str | None
) -> None:
    found = warnings([{"field": name, "op": op, "value": value}], known=None)
    assert [one[: len(told or "")] for one in found] == ([told] if told else [])


# --- there and back ---

words = st.sampled_from(
    ["or", "not", "in", "isNull", "null", "a.b", "@id", "$eq", "", "'", '"', "\\", "x y", "है", "5"]
)
paths = st.lists(words | st.text(max_size=5), min_size=1, max_size=4)
values = st.text(max_size=5) | st.booleans() | st.integers() | st.floats(-1e9, 1e9)


@given(paths, values)
def test_any_key_is_read_back_from_its_echo(path: list[str], value: Json) -> None:
    scope = Scope(Catalog([]), UTC, NOW)
    (match,) = matches(check(parse_where('metadata.x = "v"', ""), RECORDS, scope).pred)
    found = find_key(("metadata", *path))
    args = (value,) if isinstance(value, str | int | float) else ()
    pred = type(match)(found.path, found.field, "eq", args)
    for echo in (decode_filter(to_json(pred), ""), parse_where(to_text(pred), "")):
        (again,) = matches(check(echo, RECORDS, scope).pred)
        assert (again.path, again.field, again.op) == (pred.path, pred.field, "eq")
