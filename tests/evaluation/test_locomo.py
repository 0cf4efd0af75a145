"""Conversations are read with all their evidence, and what is wrong with them has a place."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluation.reading import CONVERSATIONS, conversation, write_conversations

from winnow.errors import InvalidRequest, NotFound
from winnow.evaluation.datasets import Document, Question
from winnow.evaluation.locomo import find_turns, read_locomo


def test_each_conversation_is_a_corpus_and_each_turn_a_document_with_its_speaker() -> None:
    bees, boats = read_locomo(CONVERSATIONS).corpora
    assert len(bees.documents) == 12
    assert bees.documents[2] == Document("D1:3", "Ada: Our beehives stand behind the mill.")
    assert bees.documents[11].id == "D2:6"
    assert [one.id for one in boats.documents] == ["D1:1", "D1:2"]


def test_questions_have_the_turns_that_answer_them_and_the_name_of_their_category() -> None:
    bees, boats = read_locomo(CONVERSATIONS).corpora
    assert list(bees.questions) == [
        Question("Where are the beehives?", {"D1:3": 1}, "single-hop"),
        Question("Which instruments: piano, or what?", {"D1:5": 1, "D2:1": 1}, "multi-hop"),
        Question("Holidays?", {"D2:2": 1}, "temporal"),
    ]
    assert [one.text for one in boats.questions] == ["Who spoke of beehives?"]


def test_unusable_evidence_is_listed_and_questions_without_any_are_counted() -> None:
    read = read_locomo(CONVERSATIONS)
    assert read.unanswered == 2
    assert list(read.unusable) == [
        f"{CONVERSATIONS}#/0/qa/2/evidence/1: 'D9:9'",
        f"{CONVERSATIONS}#/0/qa/2/evidence/2: 'D'",
        f"{CONVERSATIONS}#/0/qa/3/evidence/0: 'D'",
    ]


def test_the_first_conversations_can_be_read_alone() -> None:
    assert [len(one.documents) for one in read_locomo(CONVERSATIONS, 1).corpora] == [12]


@pytest.mark.parametrize(
    ("evidence", "turns"),
    [
        ("D1:3", ["D1:3"]),
        ("D8:6; D9:17", ["D8:6", "D9:17"]),
        ("D9:1 D4:4 D4:6", ["D9:1", "D4:4", "D4:6"]),
        ("D9:1,D4:4", ["D9:1", "D4:4"]),
        ("D:11:26", ["D11:26"]),
        ("D30:05", ["D30:5"]),
        ("D", []),
        ("", []),
        ("3:4", []),
    ],
)
def test_a_text_of_evidence_may_name_several_turns_or_none(evidence: str, turns: list[str]) -> None:
    assert find_turns(evidence) == turns


@given(st.text("D:;, 0123456789"))
def test_no_text_of_evidence_is_an_error(evidence: str) -> None:
    assert all(turn.startswith("D") for turn in find_turns(evidence))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON: it is nested too deep"),
        ("{}", "f.json#: expected a list, got"),
        ("[7]", "f.json#/0: expected an object, got"),
        ("[{}]", "f.json#/0: the key 'conversation' is missing"),
        ('[{"conversation": []}]', "f.json#/0/conversation: expected an object, got"),
        ('[{"conversation": {}}]', "f.json#/0: the key 'qa' is missing"),
        (
            '[{"conversation": {"session_1": {}}, "qa": []}]',
            "f.json#/0/conversation/session_1: expected a list, got",
        ),
    ],
)
def test_another_shape_is_refused_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "f.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRequest) as caught:
        read_locomo(path)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"text": 7}, "/conversation/session_1/0/text: expected text, got"),
        ({"text": "\ud800"}, "/conversation/session_1/0/text: half of a surrogate pair"),
        ({"speaker": None}, "/conversation/session_1/0/speaker: expected text, got"),
        ({"dia_id": " "}, "/conversation/session_1/0/dia_id: this text is blank"),
        ({"question": ""}, "/qa/0/question: this text is blank"),
        ({"evidence": "D1:1"}, "/qa/0/evidence: expected a list, got"),
        ({"evidence": [1]}, "/qa/0/evidence/0: expected text, got"),
        ({"category": 6}, "/qa/0/category: expected 1 to 5, got"),
        ({"category": "2"}, "/qa/0/category: expected 1 to 5, got"),
        ({"category": [2]}, "/qa/0/category: expected 1 to 5, got"),
    ],
)
def test_a_faulty_turn_or_question_is_refused_with_its_place(
    tmp_path: Path, changes: dict[str, object], told: str
) -> None:
    path = write_conversations(tmp_path / "f.json", conversation(**changes))
    with pytest.raises(InvalidRequest) as caught:
        read_locomo(path)
    assert f"{path}#/0{told}" in str(caught.value)


def test_two_turns_of_one_id_are_refused(tmp_path: Path) -> None:
    twice = conversation()
    twice["conversation"]["session_1"] *= 2
    path = write_conversations(tmp_path / "f.json", twice)
    with pytest.raises(InvalidRequest, match=r"session_1/1/dia_id: another turn has the id 'D1:1'"):
        read_locomo(path)


def test_a_file_that_cannot_be_read_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(json.dumps("é", ensure_ascii=False).encode("latin-1"))
    for name, told in (("none.json", "No such file"), ("latin.json", "byte 1 is not UTF-8")):
        with pytest.raises(NotFound, match=told):
            read_locomo(tmp_path / name)
