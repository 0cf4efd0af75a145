"""Giving kinds by rule and by asking a model."""

import logging
from collections.abc import Callable

import pytest
from tests.memory.answering import answering
from tests.providers.serving import Endpoint

from winnow.kinds import Policy, Provenance
from winnow.memory.changes.classifying import MOST_MISSES, Classifier, Words
from winnow.providers.llm import CLASSIFY_KIND

RULED, PLAIN = ("", "We decided to wait."), ("", "plain")
LLM = Policy.REGEX_THEN_LLM


def kinds(classifier: Classifier, policy: Policy, *memories: Words) -> list[tuple[str, str]]:
    given = classifier.assign(policy, memories)
    return [(one.kind, one.provenance.value) for one in given]


def run(
    name_kind: Callable[[str], str | None], *memories: Words, policy: Policy = LLM
) -> tuple[list[tuple[str, str]], Endpoint]:
    with answering(name_kind) as (model, endpoint):
        return kinds(Classifier(model), policy, *memories), endpoint


def test_the_model_is_asked_where_no_rule_fires() -> None:
    found, endpoint = run(lambda _: "goal", RULED, PLAIN)
    assert found == [("decision", "regex"), ("goal", "llm")]
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("policy", [Policy.OFF, Policy.REGEX_ONLY])
def test_no_other_policy_asks_it(policy: Policy) -> None:
    found, endpoint = run(lambda _: "goal", PLAIN, policy=policy)
    assert found == [("observation", "channel_derived")]
    assert endpoint.asked == []


@pytest.mark.parametrize("word", [None, "Goal", "hunch", "", "I think it is a goal"])
def test_a_failure_or_another_word_leaves_an_observation(word: str | None) -> None:
    assert run(lambda _: word, PLAIN)[0] == [("observation", "channel_derived")]


def test_an_observation_that_the_model_names_is_told_from_a_silent_one() -> None:
    assert run(lambda _: "observation", PLAIN)[0] == [("observation", "llm")]


def test_a_time_out_leaves_an_observation() -> None:
    with answering(lambda _: "goal", timeout=0.05) as (model, endpoint):
        endpoint.stalled = True
        assert kinds(Classifier(model), LLM, PLAIN) == [("observation", "channel_derived")]


def test_without_a_model_only_the_rules_are_used_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG, "winnow"):
        found = kinds(Classifier(None), LLM, RULED, PLAIN)
    assert found == [("decision", "regex"), ("observation", "channel_derived")]
    assert [one.levelno for one in caplog.records if CLASSIFY_KIND in one.message] == [
        logging.DEBUG
    ]


def test_each_of_many_gets_its_own_kind() -> None:
    words = [("", f"{number} {kind}") for number in range(5) for kind in ("goal", "plan", "step")]
    found, _ = run(lambda text: text.split()[-1], *words)
    assert [kind for kind, _ in found] == ["goal", "plan", "step"] * 5


def test_the_title_goes_along_and_nothing_is_asked_about_blank_memories() -> None:
    found, endpoint = run(lambda _: "goal", ("A title", ""), (" ", "\n"))
    assert found == [("goal", "llm"), ("observation", "channel_derived")]
    assert len(endpoint.asked) == 1


# --- a run -------------------------------------------------------------------------------------


def memories(count: int) -> list[Words]:
    return [("", f"plain {number}") for number in range(count)]


def test_a_model_that_no_longer_answers_is_given_up() -> None:
    with answering(lambda _: None) as (model, endpoint):
        classifier = Classifier(model)
        found = kinds(classifier, LLM, *memories(100))
        assert set(found) == {("observation", "channel_derived")}
        assert len(endpoint.asked) == MOST_MISSES
        kinds(classifier, LLM, *memories(10))  # nor in the next batch of the run
        assert len(endpoint.asked) == MOST_MISSES
    assert classifier.unasked == 110 - MOST_MISSES
    (warning,) = classifier.warn()
    assert f"not asked about {110 - MOST_MISSES} more" in warning


def test_one_answer_among_failures_is_enough_to_go_on() -> None:
    def name_kind(text: str) -> str | None:
        return "goal" if int(text.split()[-1]) % 5 == 0 else None

    with answering(name_kind) as (model, endpoint):
        classifier = Classifier(model)
        found = kinds(classifier, LLM, *memories(30))
    assert len(endpoint.asked) == 30
    assert [kind for kind, _ in found].count("goal") == 6
    assert (classifier.unasked, classifier.warn()) == (0, [])


def test_blank_memories_are_no_failures() -> None:
    with answering(lambda _: "goal") as (model, endpoint):
        classifier = Classifier(model)
        kinds(classifier, LLM, *[("", "")] * (2 * MOST_MISSES), PLAIN)
    assert len(endpoint.asked) == 1
    assert classifier.unasked == 0


def test_how_far_it_is_is_told() -> None:
    told: list[tuple[int, int]] = []
    with answering(lambda _: "goal") as (model, _):
        classifier = Classifier(model, lambda done, total: told.append((done, total)))
        kinds(classifier, LLM, *memories(10), RULED)
    assert told[-1] == (10, 10)
    assert told == sorted(told)


def test_what_the_model_said_before_is_not_asked_again() -> None:
    with answering(lambda _: "goal") as (model, endpoint):
        given = Classifier(model).assign(
            LLM, [RULED, PLAIN, ("", "other")], lambda place: "plan" if place == 1 else None
        )
    assert [(one.kind, one.provenance) for one in given] == [
        ("decision", Provenance.REGEX),
        ("plan", Provenance.LLM),
        ("goal", Provenance.LLM),
    ]
    assert len(endpoint.asked) == 1
