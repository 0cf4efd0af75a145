"""Any text is a question, and literal text is found."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import (
    store_all,
    temporary_memory,
)

from winnow.errors import InvalidRequest
from winnow.memory import Memory

NEAR, FAR = [1.0, 0.0], [0.0, 1.0]


def at(text: str) -> int:
    """An instant as a record keeps it."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1_000)


def pointers(error: InvalidRequest) -> list[str]:
    return [fault.pointer for fault in error.faults]


LITERAL: Sequence[tuple[str, str]] = (
    ("don't", "I don't like it"),
    ("pre-edit", "the pre-edit hook"),
    ("2026-03-14", "met on 2026-03-14"),
    ("TODO: fix", "TODO: fix the roof"),
    ("(python", "call (python script"),
    ("foo AND bar", "foo AND bar"),
    ("C++", "written in C++"),
    ("agentic-os", "agentic-os kernel"),
    ("what about the ostrich?", "an ostrich farm"),
    ("设备", "我们部署了设备在工厂"),
    ("部署", "我们部署了设备在工厂"),
    ("厂", "我们部署了设备在工厂"),
    ("用户身份", "验证用户身份的服务"),
    ("gen", "重跑gen-itgc后"),
    ("さくら", "さくらが咲いた"),
    ("학교", "학교에 갔다"),
    ("книга", "новая книга"),
    ("مدرسة", "ذهب إلى مدرسة"),
    ("किताब", "यह किताब है"),
    ("หนังสือ", "อ่านหนังสือทุกวัน"),
    ("2026.4.10", "release 2026.4.10 is out"),
    ("my_var", "set my_var to one"),
    ("snake_case_name", "use snake_case_name here"),
    ("camelCaseName", "use camelCaseName too"),
    ("report.final.pdf", "see report.final.pdf"),
    ('"report.final.pdf"', "see report.final.pdf"),
    ("release-notes v2.1", "the release-notes of v2.1"),
    ("книги", "новая книги полка"),
    ("Ёлка", "ёлка в доме"),
    ("कि", "कि और की"),
    ("ไทย", "ภาษาไทยง่าย"),
    ("\u1112\u1161\u11ab\u1100\u1173\u11af", "\ud55c\uae00 \uacf5\ubd80"),
    ("cafe\u0301", "the caf\u00e9 at noon"),
)
ODD = ("", " ", '"', "*", "NEAR(", "'", "\\", "%", "_", "\0", "🜁", "a" * 5_000, "the and of", "?")


@pytest.fixture(scope="module")
def words() -> Iterator[Memory]:
    """Texts of many sorts."""
    with temporary_memory() as opened:
        texts = dict.fromkeys(text for _, text in LITERAL)
        store_all(opened, ({"id": text, "text": text} for text in texts))
        store_all(opened, [{"id": "long", "text": "filler " * 3_000 + "quagga"}])
        yield opened


@pytest.mark.parametrize(("query", "text"), LITERAL)
def test_f82_f83_f84_f87_literal_text_is_found_first(words: Memory, query: str, text: str) -> None:
    first = words.recall(query).memories[0]
    assert first.text == text
    assert first.components is not None
    assert first.components.keyword == 1


def test_a_word_at_character_20000_is_found_and_shown(words: Memory) -> None:
    first = words.recall("quagga").memories[0]
    assert first.id == "long"
    assert "quagga" in first.snippet


@pytest.mark.parametrize("query", ODD)
def test_f82_no_text_raises(words: Memory, query: str) -> None:
    answer = words.recall(query, limit=1_000)
    assert answer.returned == answer.filtered_entities == answer.scanned_entities


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
@settings(max_examples=50)
def test_f89_any_text_is_a_question_and_scores_lie_between_0_and_1(
    words: Memory, query: str
) -> None:
    answer = words.recall(query, limit=1_000)
    found = [hit.score for hit in answer.memories]
    assert len(found) == answer.scanned_entities
    assert found == sorted(found, reverse=True)
    assert all(0 <= score <= 1 for score in found)
    assert answer == words.recall(query, limit=1_000)
