"""Expressions: placeholders and pieces go in, hostile ones stay out, anchors are never wrong."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.packs.expressions import (
    BadExpression,
    check_expression,
    read_mention,
    read_pattern,
)
from winnow.quantities import QUANTITIES

PIECES = {"escrow": "(?:escrow|holdback)"}


@pytest.mark.parametrize(
    ("text", "sentence", "value"),
    [
        ("escrow of {percent}", "An Escrow of 12% is held.", "12%"),
        ("{escrow} of {percent}", "a holdback of twelve percent", "twelve percent"),
        ("{months} {escrow}", "a 24-month escrow", "24-month"),
        ("fee: {money}", "Fee: $2M", "$2M"),
    ],
)
def test_the_placeholder_is_where_the_value_stands(text: str, sentence: str, value: str) -> None:
    pattern = read_pattern(text.replace("{months} ", "{months}[ -]"), PIECES)
    match = re.search(pattern.expression, sentence, re.IGNORECASE)
    assert match
    assert match["value"] == value


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("escrow of {percent}", ("escrow",)),
        ("{escrow} of {percent}", ("escrow", "holdback")),
        ("deals? worth {money}", ("worth",)),
        ("(?:a|be) {percent}", ()),
        ("(?:escrow )?{percent}", ()),
        ("(?!escrow){percent}", ()),
        ("escrow|{percent}", ()),
        ("e?scrow{percent}", ("scrow",)),
        ("[escrow] {percent}", ()),
        ("Net(?:to| Price) {money}", ("net",)),
        ("(?>escrow) {percent}", ("escrow",)),
    ],
)
def test_an_anchor_is_a_word_that_each_match_holds(text: str, anchors: tuple[str, ...]) -> None:
    assert check_expression(read_pattern(text, PIECES).frame) == anchors


def expressions() -> st.SearchStrategy[str]:
    atoms = st.sampled_from(["abc", "de", "f", " ", "[ab]", r"\d", ".", "x"])
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map("".join),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
            st.tuples(inner, st.sampled_from(["?", "*", "+", "{0,2}", "{2}", "{,1}"])).map(
                lambda pair: f"(?:{pair[0]}){pair[1]}"
            ),
            inner.map(lambda part: f"(?={part})"),
            inner.map(lambda part: f"(?!{part})"),
            inner.map(lambda part: f"({part})"),
        ),
        max_leaves=8,
    )


@given(st.data(), expressions())
def test_every_match_holds_one_of_the_anchors(data: st.DataObject, expression: str) -> None:
    try:
        anchors = check_expression(expression)
    except BadExpression:
        return
    if anchors:
        text = data.draw(st.from_regex(expression, fullmatch=True))
        assert any(anchor in text.lower() for anchor in anchors)


@pytest.mark.parametrize(
    "text",
    [
        "(?:a+)+ {number}",
        "(?:a*b?)* {number}",
        "(?:(?:a{2,}) ?)+ {number}",
        "((a+)b)* {number}",
        "(?:x{1,}y){3,} {number}",
    ],
)
def test_an_endless_repetition_in_an_endless_one_is_refused(text: str) -> None:
    with pytest.raises(BadExpression, match="a repetition inside a repetition"):
        read_pattern(text, {})


@pytest.mark.parametrize("text", ["(?:a+ ){0,5}{number}", "(?:ab)+ {number}", "a+ b* {number}"])
def test_a_repetition_that_ends_is_allowed(text: str) -> None:
    assert read_pattern(text, {}).quantity == "number"


NO_PATTERNS = (
    "(a {number}|{number|[a {number}|(?<={number}) a|{number} {number}|a|[{number}]|[[a]{number}"
)


@pytest.mark.parametrize("text", [*NO_PATTERNS.split("|"), "(" * 3000 + "{number}" + ")" * 3000])
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(BadExpression):
        read_pattern(text, {})


@given(st.text("ab(){}[]|?*+\\^$.:=!<>P1 ", max_size=30))
def test_any_text_is_a_pattern_or_refused(text: str) -> None:
    for suffix in ("", "{number}", "{number}]", "{number})"):
        try:
            pattern = read_pattern(text + suffix, PIECES)
        except BadExpression:
            continue
        assert "value" in re.compile(pattern.expression, re.IGNORECASE).groupindex


@pytest.mark.parametrize("name", QUANTITIES)
def test_each_placeholder_may_lead_or_follow(name: str) -> None:
    assert read_pattern(f"{{{name}}} there", {}).leads
    assert not read_pattern(f"there {{{name}}}", {}).leads
    assert not read_pattern(f"{{{name}}}? there", {}).leads


def test_a_mention_ends_with_its_id() -> None:
    mention = re.compile(read_mention(r"\bmatter {id}", "MAT-[0-9]{4}"), re.IGNORECASE)
    found = mention.search("See Matter MAT-2388.")
    assert found
    assert found["id"] == "MAT-2388"
    assert not mention.search("See Matter MAT-23881.")
