"""Kinds: the sixteen names, the filter on them, the rules that find one, and who has the word."""

import json
import unicodedata
from collections.abc import Sequence
from datetime import date, time
from itertools import product
from pathlib import Path
from typing import cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from winnow.errors import InvalidRequest
from winnow.kinds import (
    DEFAULT_KIND,
    KINDS,
    MEANINGS,
    AnyKind,
    Assigned,
    KindFilter,
    NoKind,
    OneOf,
    Policy,
    Provenance,
    assign,
    check_kind,
    classify,
    read_kind,
    read_kinds,
    read_mode,
    read_model_word,
    read_policy,
    vocabulary,
)
from winnow.kinds.classifier import _RULES
from winnow.values import Json

DATA = Path(__file__).parent / "data"
EXPECTED = (
    "(expected one of: observation, reflection, persona, concept, entity, claim, relation, event, "
    "conversation, decision, goal, plan, step, told, instruction, intervention)"
)
BY_RULE = ("conversation", "decision", "event", "relation", "entity", "claim", "concept")
SILENT = Assigned("observation", Provenance.CHANNEL_DERIVED)


def cases(name: str) -> list[tuple[str, str, str]]:
    document = json.loads((DATA / name).read_text(encoding="utf-8"))
    return cast("list[tuple[str, str, str]]", [tuple(case) for case in document["cases"]])


GOLDEN, MORE = cases("kinds_golden.json"), cases("kinds_more.json")
every_case = pytest.mark.parametrize(("title", "text", "kind"), [*GOLDEN, *MORE])
texts = st.text() | st.lists(st.sampled_from([*(t for _, t, _ in MORE), ":", "\n"])).map("".join)


def faults(refused: pytest.ExceptionInfo[InvalidRequest]) -> list[tuple[str, str]]:
    return [(fault.pointer, fault.detail) for fault in refused.value.faults]


# --- the sixteen ---------------------------------------------------------------------------------


def test_there_are_sixteen_kinds_in_a_fixed_order_each_with_a_meaning() -> None:
    assert f"(expected one of: {', '.join(KINDS)})" == EXPECTED
    assert (len(KINDS), DEFAULT_KIND, tuple(MEANINGS)) == (16, "observation", KINDS)
    assert all(MEANINGS.values())


@given(st.sampled_from(KINDS))
def test_each_of_them_may_be_declared_and_is_read_back(kind: str) -> None:
    assert check_kind(kind) == kind == read_kind(kind)


@pytest.mark.parametrize(
    "value", ["", " ", "Claim", "CLAIM", " claim", "claim ", "claim\n", "claims", "all", "{0}'"]
)
def test_any_other_text_is_refused_as_it_was_written(value: str) -> None:
    """F60: never turned into another kind in silence."""
    with pytest.raises(InvalidRequest) as refused:
        check_kind(value)
    assert faults(refused) == [("/kind", f"invalid kind '{value}' {EXPECTED}")]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (5, "5"),
        (["claim"], "['claim']"),
        ("\ud800", "\\ud800"),
        ("x" * 300, "x" * 200 + "…"),
    ],
)
def test_what_is_no_text_or_too_long_is_refused_with_the_same_words(
    value: object, shown: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_kind(value, "/memories/3/kind")
    assert faults(refused) == [("/memories/3/kind", f"invalid kind '{shown}' {EXPECTED}")]


@given(st.text(st.characters()) | st.just("\ud800") | st.just("x" * 9_999))
def test_the_message_can_always_be_sent_and_is_never_long(value: str) -> None:
    if value in KINDS:
        return
    with pytest.raises(InvalidRequest) as refused:
        check_kind(value)
    assert len(str(refused.value).encode()) < 3_000


@pytest.mark.parametrize("stored", ["", "hunch", "Claim", "observation "])
def test_a_stored_kind_of_a_newer_version_reads_as_an_observation(stored: str) -> None:
    """F61: nor is it dropped; a filter on observations finds it."""
    assert read_kind(stored) == "observation"


# --- the argument `kinds` ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "selection", "named"),
    [
        (None, AnyKind(), []),
        ([], AnyKind(), []),
        ("", AnyKind(), []),
        ("  ", AnyKind(), []),
        ([""], AnyKind(), []),
        (",", AnyKind(), []),
        ("all", AnyKind(), []),
        (" ALL ", AnyKind(), []),
        (["aLL"], AnyKind(), []),
        ("all,All", AnyKind(), []),
        ("claim,all", AnyKind(), ["claim"]),
        (["All", "claim", "decision"], AnyKind(), ["claim", "decision"]),
        (["bogus", "all"], AnyKind(), ["bogus", "bogus"]),
        ("claim", OneOf(("claim",)), []),
        (" claim , decision ", OneOf(("claim", "decision")), []),
        ("decision,claim,decision", OneOf(("claim", "decision")), []),
        (["told", "concept"], OneOf(("concept", "told")), []),
        (["claim,decision", "event"], OneOf(("claim", "event", "decision")), []),
        ("claim,,", OneOf(("claim",)), []),
        ("claim,bogus", OneOf(("claim",)), ["bogus"]),
        (["Claim", "event"], OneOf(("event",)), ["Claim"]),
        ("bogus", NoKind(), ["bogus", "nothing matches"]),
        ("Claim", NoKind(), ["Claim", "nothing matches"]),
        (["alle", ""], NoKind(), ["alle", "nothing matches"]),
    ],
)
def test_kinds_are_read_from_text_or_a_list(
    raw: Json, selection: KindFilter, named: Sequence[str]
) -> None:
    read, warnings = read_kinds(raw)
    said = " | ".join(warnings)
    assert (read, bool(warnings)) == (selection, bool(named))
    assert all(name in said for name in named)


@pytest.mark.parametrize(
    ("word", "meant"), [("Claim", "claim"), ("desicion", "decision"), ("EVENTS", "event")]
)
def test_an_unknown_kind_is_named_with_the_nearest_and_what_is_allowed(
    word: str, meant: str
) -> None:
    _, (warning, *_) = read_kinds(["goal", word])
    assert warning.startswith(f"kinds: unknown kind '{word}'; did you mean '{meant}'?")
    assert all(kind in warning for kind in KINDS)


def test_a_flood_of_unknown_kinds_is_counted() -> None:
    selection, warnings = read_kinds(
        ",".join([*(f"kind{number}" for number in range(5_000)), "x" * 9_999])
    )
    assert selection == NoKind()
    assert sum(map(len, warnings)) < 10_000
    assert "4981 more" in " ".join(warnings)


@pytest.mark.parametrize(
    ("raw", "pointers"),
    [
        (["claim", "event", 5], ["/kinds/2"]),
        ([None, "claim", ["event"]], ["/kinds/0", "/kinds/2"]),
        (5, ["/kinds"]),
        (True, ["/kinds"]),
        ({"in": ["claim"]}, ["/kinds"]),
    ],
)
def test_what_is_no_text_is_an_error_that_says_where(raw: Json, pointers: Sequence[str]) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_kinds(raw)
    assert [pointer for pointer, _ in faults(refused)] == list(pointers)


words = st.sampled_from([*KINDS, "all", "ALL", "Claim", "bogus", "", " "]) | st.text(max_size=9)


@given(st.lists(words))
def test_words_never_widen_what_they_name(given_words: list[str]) -> None:
    selection, warnings = read_kinds(cast(Json, given_words))
    meant = {part.strip() for word in given_words for part in word.split(",")} - {""}
    everything = {word for word in meant if word.lower() == "all"}
    others = meant - everything
    if everything or not others:
        assert selection == AnyKind()
    else:
        named = selection.kinds if isinstance(selection, OneOf) else ()
        assert list(named) == [kind for kind in KINDS if kind in others]
        assert isinstance(selection, OneOf if named else NoKind)
    assert bool(warnings) == bool(others - set(KINDS) or (everything and others))


@given(st.lists(st.sampled_from([*KINDS, "Claim", "all"])))
def test_comma_text_and_a_list_say_the_same(given_words: list[str]) -> None:
    assert read_kinds(" , ".join(given_words)) == read_kinds(cast(Json, given_words))


# --- the rules -----------------------------------------------------------------------------------


@every_case
def test_the_rules_find_the_kind_of_each_case(title: str, text: str, kind: str) -> None:
    assert (classify(title, text) or DEFAULT_KIND) == kind


def test_there_are_more_than_a_hundred_cases_and_some_of_each_kind() -> None:
    assert len(MORE) > 100
    for listed in (GOLDEN, MORE):
        assert {kind for _, _, kind in listed} == {DEFAULT_KIND, *BY_RULE}


def test_the_rules_stand_in_the_order_in_which_they_are_tried() -> None:
    kinds = ["conversation", *(rule.kind for rule in _RULES)]
    assert tuple(dict.fromkeys(kinds)) == BY_RULE
    assert kinds == sorted(kinds, key=BY_RULE.index)


@given(texts, texts)
@example("\ud800: \udfff", "İ" * 9 + " said")
def test_any_text_has_one_kind_or_none(title: str, text: str) -> None:
    kind = classify(title, text)
    assert kind is None or kind in BY_RULE
    assert classify(title, text) == kind


@given(texts, texts)
def test_title_and_text_are_read_apart_and_the_earlier_rule_wins(title: str, text: str) -> None:
    alone = [kind for kind in (classify(title, ""), classify("", text)) if kind]
    assert classify(title, text) == min(alone, key=BY_RULE.index, default=None)


PHRASES = {
    "decision": "decided to|chose to|we will|approved the|decision: ",
    "event": "happened on 2026-03-14|happened at 14:32|occurred on 2026-03-14|occurred at 14:32"
    "|deployed at 14:32|incident at 14:32|event: ",
    "relation": "depends on|derives from|is part of|supersedes|contradicts|relates to",
    "entity": "is a person|is a product|is a service|is a system|is a team|is an organisation"
    "|is an organization|is a company",
    "claim": "claim: |we claim|asserts that|states that|is true that|is false that",
    "concept": "is_a|is defined as|definition: |refers to|concept of",
}
phrases = pytest.mark.parametrize(
    ("phrase", "kind"), [(one, kind) for kind, all_ in PHRASES.items() for one in all_.split("|")]
)


@phrases
def test_every_phrase_counts_in_any_case_and_across_lines(phrase: str, kind: str) -> None:
    for written in (phrase, phrase.upper(), phrase.capitalize(), phrase.replace(" ", "\n", 1)):
        if not written.endswith("\n"):
            assert classify("", f"so {written} x") == kind
    assert classify(f"{phrase} x", "") == kind


@phrases
def test_every_phrase_is_whole_words(phrase: str, kind: str) -> None:
    grown = [f"so x{phrase} x", f"so x-{phrase} x", f"so x_{phrase} x"]
    if not phrase.endswith((" ", "2", "4")):
        grown += [f"so {phrase}x x", f"so {phrase}-x x", f"so {phrase}_x x"]
    assert {text: classify("", text) for text in grown} == dict.fromkeys(grown)


@given(st.times(), st.sampled_from(["%H:%M", "%H:%M:%S", "%I:%M %p", "%I %p", "%Hh%M"]))
def test_an_event_may_have_any_clock_time(time: time, form: str) -> None:
    assert classify("", f"it happened at {time.strftime(form)} there") == "event"


@given(
    st.dates(date(1900, 1, 1)),
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y/%m/%d", "%B %d, %Y", "%d %b", "%A"]),
)
def test_an_event_may_have_any_date(day: date, form: str) -> None:
    assert classify("", f"it occurred on {day.strftime(form)}") == "event"


@given(st.integers(0, 99), st.integers(0, 999))
def test_what_is_no_clock_time_makes_no_event(left: int, right: int) -> None:
    is_time = left <= 24 and 10 <= right <= 59
    assert classify("", f"it happened at {left}:{right}") == ("event" if is_time else None)


@given(st.sampled_from(["not", "never", "hardly"]), st.sampled_from(["", "yet ", "ever really "]))
def test_a_denied_decision_is_none(denial: str, more: str) -> None:
    assert classify("", f"They have {denial} {more}decided to sell") is None
    assert classify("", f"That is {denial} so; {more}they decided to sell") == "decision"
    assert classify("", f"They have {denial} {more}decided to. They chose to") == "decision"


@given(st.sampled_from(["Zoë", "李明", "محمد", "राहुल", "Иван", "김민수", "สมชาย", "Ngozi"]))
def test_names_of_every_script_speak_in_either_form_and_with_either_colon(name: str) -> None:
    for written in (name, unicodedata.normalize("NFD", name)):
        for turn in ("{}: see you", "{}： see you", "{} says: go", "{} replied", '"No," said {}'):
            assert classify("", turn.format(written)) == "conversation"


def test_what_a_text_has_a_hundred_times_does_not_hide_what_it_says_once() -> None:
    assert classify("", "will " * 500 + "we will go") == "decision"
    assert classify("", "Note: x\n" * 500 + "Zoë: see you") == "conversation"
    assert classify("", "he happened on us. " * 500 + "X depends on Y") == "relation"


@pytest.mark.parametrize(
    "unit", ["a: ", "Al: 1\n", "said ", "x happened on ", "have not decided to ", "*", "[[A", "\n"]
)
def test_a_large_text_that_says_nothing_has_no_kind(unit: str) -> None:
    assert classify("", unit * (100_000 // len(unit))) is None


# --- who has the word ----------------------------------------------------------------------------


@every_case
def test_without_a_policy_a_silent_caller_stores_an_observation(
    title: str, text: str, kind: str
) -> None:
    assert assign(None, title, text, Policy.OFF) == SILENT, kind


@every_case
def test_a_declared_kind_is_kept(title: str, text: str, kind: str) -> None:
    for declared, policy in product(("goal", "observation", kind), Policy):
        assert assign(declared, title, text, policy) == Assigned(declared, Provenance.DECLARED)


@every_case
def test_a_model_is_asked_only_where_no_rule_fires(title: str, text: str, kind: str) -> None:
    found = Assigned(kind, Provenance.REGEX)
    unknown = kind == DEFAULT_KIND
    asking = Assigned(DEFAULT_KIND, Provenance.CHANNEL_DERIVED, ask_model=True)
    assert assign(None, title, text, Policy.REGEX_ONLY) == (SILENT if unknown else found)
    assert assign(None, title, text, Policy.REGEX_THEN_LLM) == (asking if unknown else found)


@pytest.mark.parametrize("policy", Policy)
def test_a_declared_kind_is_checked_under_every_policy(policy: Policy) -> None:
    with pytest.raises(InvalidRequest, match="invalid kind 'Claim'"):
        assign("Claim", "", "", policy)


@pytest.mark.parametrize(
    ("word", "kind"),
    [("claim", "claim"), (" event\n", "event"), ("observation", "observation")]
    + [(word, None) for word in (None, "", "Claim", "claim.", "a claim", "hunch", '"claim"')],
)
def test_a_model_may_answer_with_one_of_the_sixteen_alone(
    word: str | None, kind: str | None
) -> None:
    assert read_model_word(word) == kind


@pytest.mark.parametrize(
    ("raw", "policy"),
    [
        (None, None),
        ({}, None),
        ({"governance": None}, None),
        ({"governance": {}}, None),
        ({"governance": {"auto_classify_kind": None}}, None),
        ({"governance": {"auto_classify_kind": "off"}}, Policy.OFF),
        ({"governance": {"auto_classify_kind": "regex_only"}}, Policy.REGEX_ONLY),
        ({"governance": {"autoClassifyKind": "regex_then_llm"}}, Policy.REGEX_THEN_LLM),
    ],
)
def test_a_policy_is_read_from_the_governance_of_a_namespace(
    raw: Json, policy: Policy | None
) -> None:
    assert read_policy(raw) is policy


INSIDE = "/governance/auto_classify_kind"


@pytest.mark.parametrize(
    ("raw", "pointer", "said"),
    [
        ({"governance": {"auto_classify_kind": "Off"}}, INSIDE, "did you mean 'off'?"),
        ({"governance": {"auto_classify_kind": "regex"}}, INSIDE, "did you mean 'regex_only'?"),
        ({"governance": {"auto_classify_kind": False}}, INSIDE, "got boolean false"),
        ({"governance": {"auto_clasify_kind": "off"}}, "/governance/auto_clasify_kind", "mean"),
        ({"governance": "off"}, "/governance", "expected an object, got text 'off'"),
        ({"goverance": {}}, "/goverance", "did you mean 'governance'?"),
        ({"a/b": {}}, "/a~1b", "unknown key"),
        ([], "", "expected an object, got list []"),
    ],
)
def test_a_policy_that_cannot_be_read_is_told_with_place_and_remedy(
    raw: Json, pointer: str, said: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_policy(raw)
    ((place, detail),) = faults(refused)
    assert place == pointer
    assert said in detail


def test_both_spellings_of_the_policy_and_every_strange_key_are_told_at_once() -> None:
    both: Json = {"auto_classify_kind": "off", "autoClassifyKind": "off", "x": 1}
    with pytest.raises(InvalidRequest) as refused:
        read_policy({"governance": both})
    assert [pointer for pointer, _ in faults(refused)] == [
        "/governance/x",
        "/governance/autoClassifyKind",
    ]
    with pytest.raises(InvalidRequest, match="off, regex_only, regex_then_llm"):
        read_mode("never", "/mode")


def test_capabilities_tell_the_vocabulary_and_the_modes() -> None:
    assert vocabulary() == {
        "vocabulary": list(KINDS),
        "recall_filter": "implemented",
        "cli_filter": "implemented",
        "auto_classify": "implemented",
        "auto_classify_modes": ["off", "regex_only", "regex_then_llm"],
    }
