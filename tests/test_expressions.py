"""Expressions that others wrote: they match as Python's do, and can't run for ever."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import PackError
from winnow.expressions import compile_foreign, compile_id, compile_own
from winnow.packs import builtin_packs

SLOW = "(?:a{1,30}){1,30}b"


def test_one_that_takes_too_long_is_given_up_and_named() -> None:
    expression = compile_foreign(SLOW, "mine.yaml")
    for match in (expression.match, expression.finditer):
        with pytest.raises(PackError) as raised:
            match("a" * 80)
        assert raised.value.source == "mine.yaml"
        assert SLOW in str(raised.value)


def test_so_is_the_form_of_an_id() -> None:
    with pytest.raises(PackError, match="make it simpler"):
        compile_id(SLOW).match("a" * 80)


@pytest.mark.parametrize("form", ["A|AB", r"MAT-\d{4,}", "[A-Z]+", "x$"])
def test_an_id_is_the_form_from_its_beginning_to_its_end(form: str) -> None:
    for text in ("A", "AB", "ABC", "MAT-2388", "MAT-2388\n", "x", "x\n", "mat-2388", ""):
        assert bool(compile_id(form).match(text)) == bool(re.fullmatch(form, text))


EXPRESSIONS = [
    pattern.expression
    for pack in builtin_packs()
    for schema in pack.schemas.values()
    for field in schema.fields.values()
    for pattern in field.patterns
]
WORDS = [
    *("Escrow", ":", "12", "%", "of", "twelve", "percent", "months", "(24)", "non-compete"),
    *("deal", "value", "$45M", "is", "the", "MAT-2388"),
]


@given(words=st.lists(st.sampled_from(WORDS), max_size=12), joint=st.sampled_from([" ", "", "-"]))
def test_both_engines_find_the_same(words: list[str], joint: str) -> None:
    text = joint.join(words)
    for expression in EXPRESSIONS[::7]:
        own = [found.span() for found in compile_own(expression).finditer(text)]
        foreign = [found.span() for found in compile_foreign(expression, "x").finditer(text)]
        assert own == foreign
