"""YAML 1.2 core types, exact places, and limits that hostile texts run into."""

import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from winnow.values import Json
from winnow.yaml12 import DEEPEST, MOST_ALIASED, YamlError, load

printable = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"], include_characters="\t\n"))
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | printable
)
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(printable.map(lambda t: t[:40]), inner)
    ),
    max_leaves=20,
)
words = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
scraps = st.sampled_from(
    [*"[]{},'\"#%@1~a\t\n\0\x85\u2028\ud800", ": ", "- ", "? ", "| ", "  ", "\r\n", "---"]
) | st.sampled_from(["...", "&a ", "*a", "!!int ", "a: "])


def refused(text: str) -> YamlError:
    with pytest.raises(YamlError) as caught:
        load(text)
    return caught.value


@given(json_values)
def test_json_is_yaml_and_reads_as_itself(value: Json) -> None:
    assert load(json.dumps(value, ensure_ascii=False)).value == value


@given(st.text() | st.lists(scraps, max_size=40).map("".join))
@example("a: [b\n")
@example("'")
def test_any_text_is_read_or_refused_with_a_line_of_it(text: str) -> None:
    try:
        lines, detail = list(load(text).lines.values()), ""
    except YamlError as error:
        lines, detail = [error.line or 0], error.detail
    assert all(1 <= line <= text.count("\n") + text.count("\r") + 1 for line in lines)
    assert "\n" not in detail


@given(st.dictionaries(words, st.lists(words, min_size=1), min_size=1), st.integers(1, 50))
def test_keys_and_items_have_the_line_that_they_stand_in(
    lists: dict[str, list[str]], first: int
) -> None:
    text = "".join(
        f"{key}:\n" + "".join(f"  - {item}\n" for item in items) for key, items in lists.items()
    )
    document = load(text, first_line=first)
    for path, line in document.lines.items():
        key, *steps = path
        shown = lists[str(key)][int(steps[0])] if steps else str(key)
        assert shown in text.split("\n")[line - first]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *[(text, None) for text in ("", "~", "null", "Null", "NULL")],
        *[(text, True) for text in ("true", "True", "TRUE")],
        *[(text, False) for text in ("false", "False", "FALSE")],
        ("12", 12),
        ("-12", -12),
        ("+12", 12),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        ("9007199254740993", 9007199254740993),
        ("1.5", 1.5),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        (".inf", math.inf),
        ("-.Inf", -math.inf),
    ],
)
def test_plain_scalars_of_the_core_schema_have_its_types(written: str, value: Json) -> None:
    read = load(f"key: {written}\n").value
    assert isinstance(read, dict)
    assert (read["key"], type(read["key"])) == (value, type(value))


def test_not_a_number_is_a_float() -> None:
    value = load(".nan").value
    assert isinstance(value, float)
    assert math.isnan(value)


TEXTS = (
    "yes No on y nUll tRue 12:30 1:30:00 2026-03-05 2026-02-30 2026-07-30T10:00:00Z 0b11 1_000 "
    "0o8 -0x1 1e . + +.nan 1,5 1e999"
)


@pytest.mark.parametrize("text", [*TEXTS.split(), "9" * 5_000, "0x" + "f" * 5_000])
def test_everything_else_is_text(text: str) -> None:
    """F44 and F78: YAML 1.1 made booleans, minutes and dates of these, or failed."""
    assert load(f"key: {text}\n").value == {"key": text}


@pytest.mark.parametrize("style", ["'{}'", '"{}"', "|-\n  {}", ">-\n  {}", "! {}", "!!str {}"])
@pytest.mark.parametrize("text", ["12", "true", "null", "1.5"])
def test_quoted_blocks_and_tagged_texts_are_text(style: str, text: str) -> None:
    assert load("key: " + style.format(text) + "\n").value == {"key": text}


def test_explicit_tags_are_honored_and_unknown_ones_ignored() -> None:
    text = "[!!int '12', !!float 1, !!bool 'true', !!null '', !mine 12, !!timestamp 2026-01-01]"
    assert load(text).value == [12, 1.0, True, None, 12, "2026-01-01"]


def test_a_tag_that_does_not_fit_its_value_is_refused() -> None:
    error = refused("a: 1\nb: !!int twelve\n")
    assert (error.line, error.detail) == (2, "'twelve' is not a !!int")
    assert "!!float" in refused("!!float 1" + "0" * 400).detail
    assert "!!bool" in refused("!!bool yes").detail
    assert "!!null" in refused("!!null x").detail


def test_the_spelling_of_numbers_and_booleans_is_kept() -> None:
    document = load("version: 1.10\nids: [007, true, x]\nname: '1.10'\nnone: ~\n")
    assert document.texts == {("version",): "1.10", ("ids", 0): "007", ("ids", 1): "true"}


def test_keys_are_the_text_as_written() -> None:
    value = load("1: a\n007: b\ntrue: c\n~: d\n'': e\n{{date}}: f\n[x, y]: g\n<<: h\n").value
    assert isinstance(value, dict)
    assert list(value) == ["1", "007", "true", "~", "", "{{date}}", "[x, y]", "<<"]


def test_a_key_that_stands_twice_is_refused_with_both_lines() -> None:
    error = refused("title: a\nstatus: b\ntitle: c\n")
    assert (error.line, error.detail) == (3, "key 'title' stands twice, first in line 1")
    assert refused("1: a\n'1': b\n").line == 2


def test_aliases_stand_for_what_their_anchor_names() -> None:
    document = load("base: &b {x: 1}\ncopy: *b\nkey: &k name\n*k : 2\n")
    assert document.value == {"base": {"x": 1}, "copy": {"x": 1}, "key": "name", "name": 2}
    assert document.lines[("copy",)] == 2


@pytest.mark.parametrize("text", ["a: *b", "*a", "a: &a [*a]", "a: &a {b: *a}"])
def test_aliases_of_nothing_or_of_themselves_are_refused(text: str) -> None:
    assert refused(text).detail.startswith("alias *")


def test_aliases_that_stand_for_too_many_nodes_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert f"{MOST_ALIASED:,} nodes" in refused("\n".join(lines)).detail


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[1, "])
def test_nesting_that_is_too_deep_is_refused(opening: str) -> None:
    assert f"{DEEPEST} levels" in refused(opening * 100_000).detail


def test_aliases_do_not_nest_deeper_either() -> None:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 100))]
    assert f"{DEEPEST} levels" in refused("\n".join(lines)).detail


def test_nesting_to_the_limit_is_read() -> None:
    assert load("[" * DEEPEST + "]" * DEEPEST).value is not None


@pytest.mark.parametrize("text", ["a: 1\n---\nb: 2\n", "---\na\n---\nb\n", "a\n...\n---\nb"])
def test_a_second_document_is_refused(text: str) -> None:
    assert "second document" in refused(text).detail


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "---\n", "\ufeff"])
def test_an_empty_document_is_null(text: str) -> None:
    assert load(text).value is None


@pytest.mark.parametrize("character", ["\0", "\x07", "\x0c", "\x7f", "\ud800", "\ufffe"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_character_that_yaml_refuses_is_named_with_its_line(character: str, newline: str) -> None:
    error = refused(f"a: 1{newline}b: x{character}y{newline}")
    assert error.line == 2
    assert f"U+{ord(character):04X}" in error.detail


@pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029"])
def test_the_line_breaks_of_yaml_1_1_are_characters(character: str) -> None:
    document = load(f"a: x{character}y\nb{character}: 2\n")
    assert document.value == {"a": f"x{character}y", f"b{character}": 2}
    assert document.lines[(f"b{character}",)] == 2


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\ntitle: Foo: bar\n", 2, "put a value that has one in quotes"),
        ("a: 1\nb: @home\n", 2, "put it in quotes"),
        ("a:\n\t- b\n", 2, "no tabs"),
        ("a: 1\nb: 'open\nc: 2\n", 2, "never closed"),
    ],
)
def test_common_mistakes_are_said_in_plain_words(text: str, line: int, words: str) -> None:
    error = refused(text)
    assert error.line == line
    assert words in error.detail
    assert str(error) == f"line {line}: {error.detail}"
