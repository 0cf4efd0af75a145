from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import Fault, InvalidRequest
from winnow.filter.ast import MAX_DEPTH, MAX_NODES, All, Any, Expr, Not
from winnow.filter.ast import Test as Written
from winnow.filter.parse import parse_where
from winnow.values import Json


def faults(text: str) -> tuple[Fault, ...]:
    with pytest.raises(InvalidRequest) as caught:
        parse_where(text, "/where")
    assert all(fault.pointer == "/where" for fault in caught.value.faults)
    return caught.value.faults


def show(expr: Expr) -> str:
    """The tree in one line, every bracket written."""
    match expr:
        case Not(part):
            return f"not({show(part)})"
        case All(parts):
            return f"all({', '.join(map(show, parts))})"
        case Any(parts):
            return f"any({', '.join(map(show, parts))})"
        case Written():
            inner = expr.operand
            nested = isinstance(inner, (Not, All, Any, Written))
            return (
                f"{'/'.join(expr.name)} {expr.op} {show(inner) if nested else repr(inner)}".strip()
            )


def read(text: str) -> str:
    return show(parse_where(text, "/where"))


def operand(text: str) -> Json | Expr:
    expr = parse_where(text, "/where")
    assert isinstance(expr, Written)
    return expr.operand


# Its zero-width non-joiner is a letter of the word, not a space.
PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"


# --- what may be written ---


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a = 1", "a eq 1"),
        ("a == 1", "a eq 1"),
        ("a != 1", "a ne 1"),
        ("a ≠ 1", "a ne 1"),
        ("a≥1 and b ≤2", "all(a gte 1, b lte 2)"),
        ("a any (≥ 3)", "a any gte 3"),
        ("a <> 1", "a ne 1"),
        ("a < 1", "a lt 1"),
        ("a <= 1", "a lte 1"),
        ("a > 1", "a gt 1"),
        ("a>=1", "a gte 1"),
        ("a in (1, 2)", "a in [1, 2]"),
        ("a IN()", "a in []"),
        ("a not in (x)", "a nin ['x']"),
        ("a between 1 and 2", "a between [1, 2]"),
        ('a contains "x"', "a contains 'x'"),
        ("a startsWith x", "a startsWith 'x'"),
        ("a ENDSWITH x", "a endsWith 'x'"),
        ("a starts_with x", "a startsWith 'x'"),
        ("a has x", "a has 'x'"),
        ("a is null", "a isNull True"),
        ("a IS  NOT\nNULL", "a isNull False"),
        ("a = null", "a eq None"),
        ("a = (1, 'x')", "a eq [1, 'x']"),
        ("client.tier = Gold", "client/tier eq 'Gold'"),
        ('metadata."a.b" = 1', "metadata/a.b eq 1"),
        ("metadata.or = 1", "metadata/or eq 1"),
        ("metadata.'it''s'.x = 1", "metadata/it's/x eq 1"),
        ('"or" = 1', "or eq 1"),
        ("@importance >= 0.8", "@importance gte 0.8"),
        ("due-date = 1", "due-date eq 1"),
        ("क्षेत्र = हिन्दी", "क्षेत्र eq 'हिन्दी'"),
        ("notes = 1 and order = 2", "all(notes eq 1, order eq 2)"),
        ("", "all()"),
        (" \n\t", "all()"),
        ("everything", "all()"),
        ("nothing", "any()"),
    ],
)
def test_a_text_is_read_as_its_tree(text: str, tree: str) -> None:
    assert read(text) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a = 1 or b = 2 and c = 3", "any(a eq 1, all(b eq 2, c eq 3))"),
        ("(a = 1 or b = 2) and c = 3", "all(any(a eq 1, b eq 2), c eq 3)"),
        ("not a = 1 and b = 2", "all(not(a eq 1), b eq 2)"),
        ("NOT (a = 1 AND b = 2)", "not(all(a eq 1, b eq 2))"),
        ("not not a = 1", "not(not(a eq 1))"),
        ("a between 1 and 2 and b = 3", "all(a between [1, 2], b eq 3)"),
        ("((a = 1))", "a eq 1"),
    ],
)
def test_not_binds_closest_then_and_then_or(text: str, tree: str) -> None:
    assert read(text) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ('tags any in ("a", "b")', "tags any in ['a', 'b']"),
        ('tags none contains "x"', "tags none contains 'x'"),
        ("tags ALL not in (x)", "tags all nin ['x']"),
        ("scores any (>= 3 and < 5)", "scores any all(gte 3, lt 5)"),
        ("scores any (not = 3 or not in (4))", "scores any any(not(eq 3), nin [4])"),
        ("matters any (a = 1 and b = 2)", "matters any all(a eq 1, b eq 2)"),
        ("matters all (docs none (x = 1))", "matters all docs none x eq 1"),
        ("matters any (everything)", "matters any all()"),
    ],
)
def test_many_are_tested_by_items_or_by_entities(text: str, tree: str) -> None:
    assert read(text) == tree


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("10", 10),
        ("-3", -3),
        ("+3", 3),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("9007199254740993", 9007199254740993),
        ("0042", "0042"),
        ("1.2.3", "1.2.3"),
        ("2026", 2026),
        ("2026-03", "2026-03"),
        ("2026-03-05T10:00:00+02:00", "2026-03-05T10:00:00+02:00"),
        ("-30d", "-30d"),
        ("CLT-0042", "CLT-0042"),
        ("law/ip", "law/ip"),
        ("TRUE", True),
        ("false", False),
        ("Null", None),
        ("nullable", "nullable"),
        ("in-house", "in-house"),
        ("Ärzte", "Ärzte"),
        ("设备", "设备"),
        ("हिन्दी", "हिन्दी"),
        (PERSIAN, PERSIAN),
    ],
)
def test_a_bare_word_is_a_number_a_constant_or_a_text(word: str, value: object) -> None:
    for text in (f"a = {word}", f"a={word}", f"a in ({word})"):
        found = operand(text)
        found = found[0] if isinstance(found, list) else found
        assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("quoted", "value"),
    [
        ('"Blue Harbor"', "Blue Harbor"),
        ("'Blue Harbor'", "Blue Harbor"),
        ('""', ""),
        ('"5"', "5"),
        ('"true"', "true"),
        ('"say ""so"""', 'say "so"'),
        ("'it''s'", "it's"),
        ("'say \"\"so'", 'say ""so'),
        (r'"say \"so\""', 'say "so"'),
        (r'"C:\\new"', r"C:\new"),
        (r'"a\nb\u0000"', "a\nb\0"),
        ('"a\nb"', "a\nb"),
        ('"“quoted”"', "“quoted”"),
    ],
)
def test_a_quoted_text_is_a_text(quoted: str, value: str) -> None:
    assert operand(f"a = {quoted}") == value


@pytest.mark.parametrize(
    "value", ["a-b", "a:b", "a|b", "a/b", "`a`", "*", "%", "' or 1=1 --", '")']
)
def test_no_value_is_syntax_f38(value: str) -> None:
    quoted = value.replace('"', '""')
    assert operand(f'a contains "{quoted}"') == value


def test_all_tests_of_a_field_are_anded_f04() -> None:
    assert read("p >= 1 and p <= 5") == "all(p gte 1, p lte 5)"


def test_a_branch_of_two_tests_needs_both_f05() -> None:
    assert read("a = 1 and b = 2 or a = 3") == "any(all(a eq 1, b eq 2), a eq 3)"


def test_an_empty_list_stays_one_f13() -> None:
    assert read("a in ()") == "a in []"
    assert read("a not in ()") == "a nin []"


def test_each_test_knows_where_it_begins() -> None:
    expr = parse_where("a = 1 and tags any (>= 3)", "/where")
    assert list(positions(expr)) == [0, 10, 20]


def positions(expr: Expr) -> Iterator[int | None]:
    match expr:
        case Not(part):
            yield from positions(part)
        case All(parts) | Any(parts):
            for part in parts:
                yield from positions(part)
        case Written():
            assert expr.at.pointer == "/where"
            yield expr.at.position
            if isinstance(expr.operand, (Not, All, Any, Written)):
                yield from positions(expr.operand)


# --- what is refused ---


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ("a", 1, "expected an operator, found the end"),
        ("a =", 3, "expected a value, found the end"),
        ("a = 1 and", 9, "expected the name of a field, 'not' or '(', found the end"),
        ("a = 1 b = 2", 6, "expected 'and', 'or' or the end, found 'b'"),
        ("(a = 1 b = 2)", 7, "expected 'and', 'or' or ')', found 'b'"),
        ("a between 1", 11, "expected 'and', found the end"),
        ("a in x", 5, "expected '(', found 'x'"),
        ("a in (x y)", 8, "expected ',' or ')', found 'y'"),
        ("is. = 1", 2, "expected an operator, found '.'"),
        ("a # 1", 2, "expected an operator, found '#'"),
    ],
)
def test_a_mistake_is_told_with_place_what_was_found_and_what_may_stand_there(
    text: str, position: int, said: str
) -> None:
    (fault,) = faults(text)
    assert fault.position == position
    assert fault.detail.startswith(said)
    assert "\n" not in fault.detail


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("client = Blue Harbor", 'quotes: "Blue Harbor"'),
        ("client = The Blue Harbor and a = 1", 'quotes: "The Blue Harbor"'),
        ("client = O'Brien", "with such signs in quotes"),
        ("client = O’Brien", "with such signs in quotes"),
        ("client = “Blue”", "write straight quotes"),
        ('client = "Blue', "this quote is never closed"),
        ("client = 'Blue", "this quote is never closed"),
        ("a = 1 && b = 2", "write and"),
        ("a = 1 || b = 2", "write or"),
        ("!a = 1", "write not"),
        ("a => 1", "write >="),
        ("a =< 1", "write <="),
        ("a === 1", "write ="),
        ("a is missing", "write is null"),
        ("a is  not empty and b = 1", "write is not null"),
        ("a is set", "write is not null"),
        ("a > 18 months", "write the number alone, in the unit of a"),
        ("a ≥ 18 months and b = 1", "write the number alone, in the unit of a"),
        ("a = 10 percent", "write the number alone, in the unit of a"),
        ("a > 45 million", "write the number in digits alone, such as 45000000"),
        ("a = 12 Main Street", 'write a text of several words in quotes: "12 Main Street"'),
        ("a any [b]", 'write any in ("a", "b")'),
        ("a =~ x", "write contains, startsWith or endsWith"),
        ("a LIKE 'x%'", "write contains, startsWith or endsWith"),
        ("a exists", "write is not null"),
        ("a isNull", "write is null"),
        ("a gte 1", "write >="),
        ("a nin (1)", "write not in"),
        ("a contans x", "write contains"),
        ("a foo 1", "the operators are =, !=, in"),
        ("a IS Active", "write ="),
        ("a is not Active", "write !="),
        ("a not contains x", "write not a"),
        ("a between 10, 20", "write between 10 and 20"),
        ("a between (10, 20)", "write between 10 and 20"),
        ("a between 10..20", "write between 10 and 20"),
        ('a in "a"', 'in ("a", "b")'),
        ("a in [1]", 'in ("a", "b")'),
        ("a in (1, 2,)", "leave out the last comma"),
        ("a in (1; 2)", "commas"),
        ('tags any ("a", "b")', 'write any in ("a", "b")'),
        ('tags none "a"', 'write none = "a" or none in ("a", "b")'),
        ("matters any ()", "write everything"),
        ("a >= 10%", "write the number without %"),
        ("a contains 50%", "in quotes"),
        ("a >= 1,000", "write the number without commas"),
        ("a >= $5", "write the number alone"),
        ("a = x@y.z", "quotes"),
        ("(a = 1", "the '(' at character 1 is never closed"),
        ("a = 1)", "no bracket is open here"),
        ('a = "(" and (b = 1', "the '(' at character 13 is never closed"),
        ("a = 1, b = 2", "join tests by and"),
        ("a < 1 < 2", "joined by and"),
        ("where a = 1", "leave out the word where"),
        ("a = 1 order by b", "orderBy"),
        ('{"a": 1}', "looks like JSON"),
        ("`a` = 1", "a name is quoted like this"),
        ("a. = 1", "a dot stands between"),
        ("exists(a)", "there are no functions"),
        ("has = 1", 'write a field of that name "has"'),
        ("or = 1", 'write a field of that name "or"'),
        ("a = none", "word of the language"),
        ("10 < a", "not with a number"),
        (">= 10", "the name of a field is missing"),
        ("a = --", "in quotes"),
        ("a = 1e999", "too large"),
        (f"a = {'9' * 5000}", "too large"),
        (r'a = "C:\x"', r"write \\ for a backslash"),
        (r'a = "\ud800"', "half a surrogate pair"),
        ("a = \ud800", "half a surrogate pair"),
    ],
)
def test_a_common_mistake_is_told_what_to_write(text: str, said: str) -> None:
    (fault,) = faults(text)
    assert said in fault.detail
    assert fault.position is not None
    assert 0 <= fault.position <= len(text)


@pytest.mark.parametrize("text", ["a contains = x", "a like x", "a regex x", "a ~ x", "a % x"])
def test_no_operator_is_taken_for_another_f09(text: str) -> None:
    faults(text)


@pytest.mark.parametrize("text", ["a in abc", 'a in "abc"', "a not in abc", "tags any in abc"])
def test_a_list_is_written_as_one_f45(text: str) -> None:
    (fault,) = faults(text)
    assert "in brackets" in fault.detail


def test_all_wrong_names_and_values_are_told_at_once() -> None:
    found = faults(r'10 = 1 and a = -- and b = "\x" and > 5')
    assert [fault.position for fault in found] == [0, 15, 27, 35]


# --- limits ---


def nested(levels: int, opening: str, closing: str = "") -> str:
    return opening * levels + "a = 1" + closing * levels


@pytest.mark.parametrize(
    ("opening", "closing"), [("(", ")"), ("not ", ""), ("not (", ")"), ("a any (", ")")]
)
def test_the_depth_has_a_limit(opening: str, closing: str) -> None:
    parse_where(nested(MAX_DEPTH - 1, opening, closing), "/where")
    (fault,) = faults(nested(MAX_DEPTH + 1, opening, closing))
    assert "deep" in fault.detail


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        nested(10_000, "(", ")"),
        nested(10_000, "not "),
        nested(10_000, "not a any (", ")"),
        nested(100, "not " * 100 + "a any (", ")"),
        nested(10_000, "not (b = 1 and ", ")"),
    ],
)
def test_very_deep_text_is_refused_without_recursion(text: str) -> None:
    (fault,) = faults(text)
    assert "deep" in fault.detail


def test_the_number_of_tests_has_a_limit() -> None:
    parse_where(" or ".join(["a between 1 and 2"] * (MAX_NODES - 1)), "/where")
    (fault,) = faults(" or ".join(["a = 1"] * MAX_NODES))
    assert "more than 10,000" in fault.detail


def test_a_list_of_values_may_be_long() -> None:
    many = operand(f"id in ({', '.join(map(str, range(2 * MAX_NODES)))})")
    assert many == list(range(2 * MAX_NODES))


# --- whatever it is, it is read or refused ---

PIECES = [
    *("a", "client.tier", '"a b"', "metadata.'x'", "@id", "10", "-30d", "'x'", '"x', "x'", "null"),
    *("=", "!=", ">=", "=>", "in", "not in", "between", "and", "or", "not", "contains", "has"),
    *("is null", "is", "any", "all", "none", "everything", "nothing", "(", ")", ",", "%", "&&"),
    *("is.", ".not", "\\", "“", "\ud800", "\0", "é", ".", "like", "[", "{"),
]


@given(
    st.text(max_size=20)
    | st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)
    | st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
)
def test_any_text_is_read_or_refused_with_a_position_in_it(text: str) -> None:
    details = ""
    try:
        found = list(positions(parse_where(text, "/where")))
    except InvalidRequest as error:
        found = [fault.position for fault in error.faults]
        details = "".join(fault.detail for fault in error.faults)
    assert details.isprintable()
    assert all(position is not None and 0 <= position <= len(text) for position in found)
