"""Arguments of the table of operations, as options."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.surfaces.running import Winnow, run_winnow

from winnow.operations import OPERATIONS, Operation
from winnow.surfaces.cli import options
from winnow.wire import Argument, arguments

OFFERED = [
    (operation, argument)
    for operation in OPERATIONS.values()
    for argument in arguments(operation.request)
    if not argument.raw
]
RECALL = OPERATIONS["recall"]


def values(operation: Operation, **given: Any) -> dict[str, Any]:
    """What the parser collects: nothing for all that is not given."""
    return {one.name: given.get(one.name) for one in arguments(operation.request)}


@pytest.mark.parametrize(
    ("operation", "argument"),
    OFFERED,
    ids=[f"{operation.name}-{argument.name}" for operation, argument in OFFERED],
)
def test_every_argument_is_offered_under_its_name_with_its_help(
    operation: Operation, argument: Argument
) -> None:
    shown = " ".join(run_winnow(*operation.command, "--help").out.split())
    positional = argument.name in operation.positional
    name = argument.name.upper() if positional else f"--{argument.name.replace('_', '-')}"
    assert name in shown
    assert argument.help
    assert argument.help in shown


def test_what_is_not_given_is_not_passed_on() -> None:
    for operation in OPERATIONS.values():
        assert options.given(operation, values(operation)) == {}


def test_what_is_for_python_alone_is_not_offered() -> None:
    raw = [one for op in OPERATIONS.values() for one in arguments(op.request) if one.raw]
    assert raw
    for operation in OPERATIONS.values():
        offered = {parameter.name for parameter in options.parameters(operation)}
        assert offered.isdisjoint(one.name for one in arguments(operation.request) if one.raw)


@given(st.integers())
def test_whole_numbers_are_read(number: int) -> None:
    assert options.given(RECALL, values(RECALL, limit=str(number))) == {"limit": number}


@pytest.mark.parametrize("text", ["ten", "1.5", "", "0x10", "1e3"])
def test_what_is_no_number_stays_text_for_the_operation_to_judge(text: str) -> None:
    assert options.given(RECALL, values(RECALL, limit=text)) == {"limit": text}


@settings(max_examples=30)
@given(st.lists(st.text(), min_size=1, max_size=4))
def test_several_values_make_a_list_and_one_stays_a_text_where_that_is_allowed(
    texts: list[str],
) -> None:
    given_ = options.given(RECALL, values(RECALL, order_by=texts))
    assert given_ == {"order_by": texts if len(texts) > 1 else texts[0]}


def test_metadata_is_pairs_or_json(ask: Winnow) -> None:
    pairs = ("--meta", "escrow=12", "--meta", "who=a=b", "--metadata", "done=true", "--meta", "n=")
    assert ask("store", "one", *pairs, "--json").json["metadata"] == {
        "escrow": 12,
        "who": "a=b",
        "done": True,
        "n": "",
    }
    assert ask("store", "two", "--meta", '{"a": "b=c"}', "--json").json["metadata"] == {"a": "b=c"}
    assert ask("store", "three", "--meta", "alone").code == 2
    assert ask("store", "four", "--meta", "a=1", "--meta", '{"b": 2}').code == 2


def test_a_key_of_metadata_that_is_given_twice_is_refused_not_dropped(ask: Winnow) -> None:
    ran = ask("store", "one", "--meta", "a=1", "--meta", "b=2", "--meta", "a=3")
    assert (ran.code, ran.out) == (2, "")
    assert "a=1" in ran.err


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_a_word_that_is_no_number_of_json_is_text_in_metadata(ask: Winnow, word: str) -> None:
    assert ask("store", "one", "--meta", f"a={word}", "--json").json["metadata"] == {"a": word}


def test_short_names_of_options_are_the_arguments_themselves(ask: Winnow) -> None:
    said = ("--tag", "x", "--tag", "y", "--ttl", "60", "--kind", "claim", "--id", "short")
    ask("store", "one", *said)
    ask("store", "two", "--tag", "x,z")
    for asked in (("--tag", "y"), ("--kind", "claim,goal")):
        assert [one["id"] for one in ask("recall", *asked, "--json").json["hits"]] == ["short"]


@pytest.mark.parametrize("name", ["where", "filters", "schema", "cursor", "limit", "namespace"])
def test_what_is_given_twice_where_one_is_wanted_is_refused_not_dropped(
    ask: Winnow, name: str
) -> None:
    ran = ask("recall", f"--{name}", "1", f"--{name}", "2")
    assert (ran.code, ran.out) == (2, "")
    told = "/filters/0: expected an object, got text" if name == "filters" else f"/{name}: expected"
    assert told in ran.err


def test_the_help_tells_the_default_and_the_choices() -> None:
    shown = " ".join(run_winnow("recall", "--help").out.split())
    assert "how many hits to return (default: 10)" in shown
    assert "--confidence-minimum EXTRACTED|INFERRED|AMBIGUOUS" in shown
    assert "[QUERY]" in shown
    assert "(required)" not in shown
    required = " ".join(run_winnow("explain", "--help").out.split())
    assert "[OPTIONS] ENTITY_ID" in required
    assert "the id of the entity (required)" in required
