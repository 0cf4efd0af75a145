"""Packs: a mistake is named with its line and what is allowed; a good one becomes schemas."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import PackError
from winnow.packs import load_pack
from winnow.schema import DeclareRule, IdSource, Pack, Reverse
from winnow.values import Type

GOOD = """\
pack: shop
key_prefixes: [SHOP]
precedence: [Order]
pieces:
  worth: '(?:worth|valued at)'
schemas:
  Buyer:
    id: {pattern: 'B-[0-9]+', keys: [buyerId], mentions: ['buyer {id}'], example: B-1}
    fields:
      name: string
  Order:
    description: What somebody buys.
    id: {pattern: 'O-[0-9]+', keys: [orderId], example: O-1}
    fields:
      total: {type: number, unit: USD, range: [0, null], aliases: [sum], labels: [To pay]}
      paid: boolean
      buyer: {type: ref, to: Buyer, aliases: [buyerId], reverse: orders}
      buyerName: {type: string, keys: [buyer, Bought by]}
      state: {type: enum, values: [Open: [New, In work], Done]}
      due: date
      parts: list of string
      value: {type: integer, unit: USD, patterns: ['{worth} {money}']}
"""


def load(text: str) -> Pack:
    return load_pack(text, "shop.yaml")


def mistakes(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(PackError) as caught:
        load(text)
    return list(caught.value.mistakes)


def with_field(field: str) -> str:
    """Put a field into a small pack, in its last line, the sixth."""
    return (
        f"pack: p\nschemas:\n  Thing:\n    id: {{pattern: 'T[0-9]+'}}\n    fields:\n      {field}\n"
    )


def only_mistake(field: str) -> str:
    found = mistakes(with_field(field))
    assert [line for line, _ in found] == [6]
    return found[0][1]


def test_a_pack_becomes_schemas() -> None:
    pack = load(GOOD)
    order = pack.schemas["shop.Order"]
    assert [(one.name, one.type, one.is_list) for one in order.fields.values()] == [
        ("total", Type.NUMBER, False),
        ("paid", Type.BOOLEAN, False),
        ("buyer", Type.REF, False),
        ("buyerName", Type.STRING, False),
        ("state", Type.ENUM, False),
        ("due", Type.DATE, False),
        ("parts", Type.STRING, True),
        ("value", Type.INTEGER, False),
    ]
    assert order.fields["buyer"].target == "shop.Buyer"
    assert order.fields["state"].read("in-work") == "Open"
    assert (order.fields["total"].minimum, order.fields["total"].maximum) == (0, None)
    assert order.label == "Order"
    assert order.find("sum") is order.fields["total"]
    assert order.find("buyer_name") is order.fields["buyerName"]


def test_a_reverse_leads_from_the_target_back() -> None:
    buyer = load(GOOD).schemas["shop.Buyer"]
    assert buyer.reverses == {"orders": Reverse("orders", "shop.Order", "buyer")}
    assert buyer.find("orders") is buyer.reverses["orders"]


def test_schemas_that_the_precedence_leaves_out_follow_in_the_order_of_the_file() -> None:
    assert load(GOOD).precedence == ("shop.Order", "shop.Buyer")
    assert load(GOOD.replace("precedence: [Order]\n", "")).precedence == (
        "shop.Buyer",
        "shop.Order",
    )


def test_keys_of_lines_are_names_in_upper_case() -> None:
    keys = load(GOOD).keys
    assert keys["BUYER_ID"] == (("shop.Buyer", "id"), ("shop.Order", "buyer"))
    assert keys["BUYER"] == (("shop.Order", "buyer"), ("shop.Order", "buyerName"))
    assert keys["SUM"] == (("shop.Order", "total"),)
    assert "BOUGHT BY" not in keys


def test_the_same_text_has_the_same_fingerprint_and_another_one_not() -> None:
    assert load(GOOD).fingerprint == load_pack(GOOD, "elsewhere.yaml").fingerprint
    assert load(GOOD).fingerprint != load(GOOD + "\n").fingerprint


@pytest.mark.parametrize(
    ("rule", "source", "keys"),
    [
        ("filename", IdSource.FILENAME, ()),
        ("title", IdSource.TITLE, ()),
        ("field isbn", IdSource.FIELD, ("isbn",)),
        ("{from: filename, pattern: '[a-z]+'}", IdSource.FILENAME, ()),
    ],
)
def test_an_entity_may_be_named_by_its_note(
    rule: str, source: IdSource, keys: tuple[str, ...]
) -> None:
    rules = "[{folder: /books/, tag: '#b'}, {field: type, is: book}]"
    text = f"pack: p\nschemas:\n  Book:\n    id: {rule}\n    declare: {rules}\n"
    book = load(text).schemas["p.Book"].id
    assert (book.source, book.keys) == (source, keys)
    assert book.declare == (
        DeclareRule(folder="books", tag="b"),
        DeclareRule(key="type", value="book"),
    )


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("a: {type: string, aliasses: [b]}", "unknown key 'aliasses'; did you mean 'aliases'?"),
        ("a: {type: strin}", "unknown type 'strin'; did you mean 'string'?"),
        ("a: {type: list of strings}", "did you mean 'list of string'?"),
        ("a: {description: x}", "a field needs a type"),
        ("a: {type: string, range: [1, 2]}", "only numbers have a range, this field is a string"),
        ("a: {type: string, unit: USD}", "only numbers have a unit, this field is a string"),
        ("a: {type: number, range: [2, 1]}", "the lowest value 2 is above the highest, 1"),
        ("a: {type: number, range: 7}", "expected [lowest, highest]"),
        ("a: {type: number, range: [low, 1]}", "expected a number, got text 'low'"),
        ("a: {type: enum}", "an enum needs its values"),
        ("a: {type: enum, values: []}", "an enum needs at least one value"),
        ("a: {type: enum, values: [On Hold, x, onhold]}", "'onhold' stands twice"),
        ("a: {type: string, values: [x]}", "only an enum has values, this field is a string"),
        ("a: {type: ref}", "a ref needs `to`"),
        ("a: {type: ref, to: Thong}", "unknown schema 'p.Thong'; did you mean 'p.Thing'?"),
        ("a: {type: string, to: Thing}", "only a ref has 'to', this field is a string"),
        ("a: {type: ref, to: Thing, reverse: a}", "the reverse 'a' is already a field of Thing"),
        ("a: {type: ref, to: Thing, reverse: any}", "'any' is a word of the filter language"),
        ("a: {type: string, aliases: [b c]}", "'b c' is not a name"),
        ("a: {type: string, aliases: [bC, b_c]}", "'b_c' says the same as 'bC'"),
        ("a: {type: string, aliases: [a]}", "'a' says the same as 'a'"),
        ("a: {type: string, labels: [x, x]}", "'x' stands twice"),
        ("a: {type: number, patterns: ['no value']}", "needs one placeholder"),
        ("a: {type: number, patterns: ['{a} {number}']}", "unknown placeholder 'a'"),
        ("a: {type: number, patterns: ['{numbr}']}", "did you mean 'number'?"),
        ("a: {type: number, patterns: ['({number}']}", "is not a regular expression"),
        ("a: {type: number, patterns: ['(?P<x>y) {number}']}", "named groups"),
        ("a: {type: number, patterns: ['(?:a+)+ {number}']}", "a repetition inside a repetition"),
        ("a: {type: number, patterns: ['{words}']}", "{words} is no value of a number"),
        ("a: {type: string, patterns: ['{number}']}", "(allowed: {words})"),
        ("a-b: string", "'a-b' is not a name"),
        ("_a: string", "'_a' is not a name"),
        ("größe: string", "'größe' is not a name"),
        ("id: string", "it is the entity's own id"),
        ("a: [string]", "expected keys with values, got list"),
        ("a: {type: string, description: [x]}", "expected a text, got list"),
    ],
)
def test_a_mistake_in_a_field_is_named_with_its_line(field: str, said: str) -> None:
    assert said in only_mistake(field)


LANGUAGE = (
    "and or not in between contains startsWith endsWith has any all none is null true false eq ne"
    " nin gt gte lt lte isNull"
)


@pytest.mark.parametrize("word", [*LANGUAGE.split(), "AND", "IsNull", "starts_with"])
def test_no_field_is_called_like_a_word_of_the_filter_language(word: str) -> None:
    assert "is a word of the filter language" in only_mistake(f'"{word}": string')
    assert "is a word of the filter language" in only_mistake(
        f"a: {{type: date, aliases: ['{word}']}}"
    )


@pytest.mark.parametrize(
    ("line", "instead", "number", "said"),
    [
        ("pack: shop", "pack: my shop", 1, "'my shop' is not a name"),
        ("pack: shop", "pack: [shop]", 1, "expected a text, got list"),
        ("pack: shop\n", "", 1, "a pack needs 'pack'"),
        ("key_prefixes: [SHOP]", "key_prefixes: [Shop]", 2, "'Shop' must be in upper case"),
        ("precedence: [Order]", "precedence: [Ordr]", 3, "did you mean 'Order'?"),
        ("precedence: [Order]", "precedence: [Order, Order]", 3, "'Order' stands twice"),
        ("precedence: ", "precedense: ", 3, "unknown key 'precedense'; did you mean 'precedence'?"),
        ("'(?:worth|valued at)'", "'(worth'", 5, "is not a regular expression"),
        ("  Buyer:", "  Buy er:", 7, "'Buy er' is not a name"),
        ("pattern: 'B-[0-9]+'", "pattern: 'B-['", 8, "is not a regular expression"),
        ("pattern: 'B-[0-9]+'", "pattern: '[0-9]*'", 8, "matches an empty id"),
        ("pattern: 'B-[0-9]+', ", "", 8, "an id needs a pattern"),
        ("'buyer {id}'", "'buyer'", 8, "a mention needs the placeholder {id} once"),
        ("example: B-1}", "example: B-x}", 8, "'B-x' does not match the pattern"),
        (
            "      name: string",
            "      order_s: string\n      orders: string",
            18,
            "already a field",
        ),
        ("aliases: [sum]", "aliases: [p_aid]", 16, "already means the field 'total'"),
        ("keys: [buyer, Bought by]", "keys: [state]", 18, "already means the field 'state'"),
        ("reverse: orders", "reverse: {description: x}", 17, "a reverse needs a name"),
    ],
)
def test_a_mistake_elsewhere_is_named_with_its_line(
    line: str, instead: str, number: int, said: str
) -> None:
    assert line in GOOD
    found = mistakes(GOOD.replace(line, instead))
    assert any(at == number and said in detail for at, detail in found), found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id: filename", "needs `declare`"),
        (
            "id: {pattern: 'T[0-9]+'}\n    declare: {folder: x}",
            "an entity with an id pattern needs",
        ),
        ("id: file name\n    declare: {folder: x}", "expected filename, title, 'field NAME'"),
        ("id: title\n    declare: {}", "expected a folder, a tag or a field"),
        ("id: title\n    declare: {is: x}", "`is` is the value of a `field`"),
        ("id: title\n    declare: {folders: x}", "did you mean 'folder'?"),
        ("fields: {}", "a schema needs an id"),
    ],
)
def test_a_mistake_in_who_is_declared_is_named(text: str, said: str) -> None:
    found = mistakes(f"pack: p\nschemas:\n  Thing:\n    {text}\n")
    assert any(said in detail for _, detail in found), found


def test_all_mistakes_are_listed_in_the_order_of_the_file() -> None:
    text = GOOD.replace("boolean", "bool").replace("due: date", "due: dat").replace("SHOP", "shop")
    assert [line for line, _ in mistakes(text)] == [2, 16, 20]


def test_the_message_names_file_and_line() -> None:
    with pytest.raises(PackError, match=r"shop\.yaml:16: schemas\.Order\.fields\.paid\.type: unk"):
        load(GOOD.replace("boolean", "bool"))


@pytest.mark.parametrize("text", ["", "- a", "text", "pack: x\nschemas: 3", "a: [", "pack: \ud800"])
def test_what_is_no_pack_at_all_is_refused(text: str) -> None:
    assert mistakes(text)


SCRAPS = """
pack: p|schemas:|  A:|    id:|{pattern: 'x', keys: [a]}|filename|    fields:|      a:
{type: ref, to: A}|string|enum|values: [a, {b: [c]}]|null|[|]|{|}|- |: |range: [1]
precedence: [A]|pieces: {a: b}|7|'
"""
PARTS = st.sampled_from([*re.split(r"[|\n]", SCRAPS.strip()), "\n"])


@given(st.lists(PARTS, max_size=25).map("".join))
def test_whatever_stands_in_a_file_it_is_a_pack_or_a_pack_error(text: str) -> None:
    assert is_pack(text) in (True, False)


def is_pack(text: str) -> bool:
    try:
        return bool(load(text).name)
    except PackError:
        return False


def names() -> st.SearchStrategy[str]:
    known = "pack schemas pieces precedence key_prefixes id fields declare pattern keys type"
    return st.sampled_from([*known.split(), "mentions", "to", "values", "range", "reverse", "A"])


def shapes() -> st.SearchStrategy[object]:
    texts = st.sampled_from(["A", "string", "ref", "{id}", "[", "list of enum"])
    return st.recursive(
        st.none() | st.booleans() | st.integers() | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names(), inner, max_size=4),
    )


@given(st.dictionaries(names(), shapes(), max_size=5))
def test_any_shape_of_file_is_a_pack_or_a_pack_error(content: dict[str, object]) -> None:
    assert is_pack("\n".join(f"{key}: {json.dumps(value)}" for key, value in content.items())) in (
        True,
        False,
    )
