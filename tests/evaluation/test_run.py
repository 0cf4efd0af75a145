"""What is measured is what a user gets, and the figures are those of a hand's count."""

import tempfile
from collections.abc import Sequence
from math import log2
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from tests.evaluation.reading import CONVERSATIONS

import winnow
from winnow.embed.base import Matrix
from winnow.embed.static import StaticEmbedder
from winnow.errors import EmbedderError, InvalidRequest
from winnow.evaluation.datasets import Corpus, Dataset, Document, Question
from winnow.evaluation.locomo import read_locomo
from winnow.evaluation.measures import recall_at
from winnow.evaluation.report import EvaluationAnswer
from winnow.evaluation.run import evaluate

DATASET = read_locomo(CONVERSATIONS)
BEES, _ = DATASET.corpora


@pytest.fixture(scope="module")
def measured() -> EvaluationAnswer:
    return evaluate(DATASET)


def figures(answer: EvaluationAnswer, way: str, group: str) -> tuple[float, ...]:
    (one,) = [one for one in answer.figures if (one.way, one.group) == (way, group)]
    return one.questions, one.recall_at_5, one.recall_at_10, one.mrr_at_10, one.ndcg_at_10


def test_the_figures_of_keywords_are_those_of_a_count_by_hand(measured: EvaluationAnswer) -> None:
    # One turn alone has the word, and stands first. Of two turns, one has the word, and the other
    # comes behind D1:1 to D1:4 and D1:6: turns without a word of the question are ordered by id.
    # No turn has a word of the third question: D2:2 comes behind all of D1 and D2:1.
    # So the relevant ones have the places 1; 1 and 7; 8.
    first: tuple[float, ...] = (1, 1, 1, 1)
    second = (1 / 2, 1, 1, (1 + 1 / log2(8)) / (1 + 1 / log2(3)))
    third = (0, 1, 1 / 8, 1 / log2(9))
    assert figures(measured, "keyword", "multi-hop") == pytest.approx((1, *second), abs=1e-6)
    assert figures(measured, "keyword", "temporal") == pytest.approx((1, *third), abs=1e-6)
    # The second conversation has a question of its own, and its own turn D1:1.
    assert figures(measured, "keyword", "single-hop") == (2, 1, 1, 1, 1)
    together = [sum(column) / 4 for column in zip(first, second, third, (1, 1, 1, 1), strict=True)]
    assert figures(measured, "keyword", "all") == pytest.approx((4, *together), abs=1e-6)


def test_what_was_measured_and_what_was_left_out_is_told(measured: EvaluationAnswer) -> None:
    assert (measured.dataset, measured.corpora, measured.documents) == ("locomo", 2, 14)
    assert (measured.questions, measured.unanswered, len(measured.unusable)) == (4, 2, 3)
    assert measured.embedder == StaticEmbedder().identity
    groups = ["all", "multi-hop", "single-hop", "temporal"]
    ways = ("keyword", "vector", "hybrid")
    assert [(one.way, one.group) for one in measured.figures] == [
        (way, group) for way in ways for group in groups
    ]


def test_by_vector_alone_the_order_is_that_of_plain_cosines(measured: EvaluationAnswer) -> None:
    embedder = StaticEmbedder()
    matrix = embedder.embed([one.text for one in BEES.documents]).astype(np.float64)
    for question in BEES.questions[1:]:  # the only ones of their groups
        cosines = matrix @ embedder.embed([question.text])[0].astype(np.float64)
        shown = np.maximum(cosines - cosines.mean(), 0)
        found = sorted(
            range(len(BEES.documents)), key=lambda row: (-shown[row], BEES.documents[row].id)
        )
        names = [BEES.documents[row].id for row in found]
        shares = [recall_at(count, names, question.relevant) for count in (5, 10)]
        assert figures(measured, "vector", question.group)[1:3] == pytest.approx(shares)


def test_by_both_it_is_recall_as_a_user_calls_it(
    measured: EvaluationAnswer, tmp_path: Path
) -> None:
    with winnow.open(tmp_path / "w.db") as memory:
        for turn in BEES.documents:
            memory.store(turn.text, id=turn.id)
        for question in BEES.questions[1:]:
            names = [hit.id for hit in memory.recall(question.text).memories]
            shares = [recall_at(count, names, question.relevant) for count in (5, 10)]
            assert figures(measured, "hybrid", question.group)[1:3] == pytest.approx(shares)


def test_the_same_set_gives_the_same_figures(measured: EvaluationAnswer) -> None:
    assert evaluate(DATASET) == measured


def test_without_an_embedder_keywords_are_measured_alone(measured: EvaluationAnswer) -> None:
    answer = evaluate(DATASET, "none")
    assert answer.embedder == "none"
    assert list(answer.figures) == [one for one in measured.figures if one.way == "keyword"]


def test_titles_count_by_keyword_and_by_vector() -> None:
    documents = [Document(f"d{number}", "It is so.") for number in range(12)]
    documents.append(Document("x", "It is so.", "Volcanic rocks"))
    asked = [Question("volcanic rocks", {"x": 1})]
    answer = evaluate(Dataset("own", [Corpus("own", documents, asked)]))
    assert [one.mrr_at_10 for one in answer.figures] == [1, 1, 1]


def test_a_text_and_a_question_without_a_vector_are_measured_too() -> None:
    documents = [Document("a", "설비"), Document("b", "Boats float.")]
    asked = [Question("🚣", {"b": 1}), Question("boats", {"b": 1})]
    answer = evaluate(Dataset("own", [Corpus("own", documents, asked)]))
    (vector,) = [one for one in answer.figures if one.way == "vector"]
    assert (vector.questions, vector.recall_at_5) == (2, 0.5)


def test_progress_goes_up_to_all_questions_of_all_ways() -> None:
    told: list[tuple[int, int, str]] = []

    def tell(done: int, total: int, stage: str) -> None:
        told.append((done, total, stage))

    evaluate(DATASET, progress=tell)
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert {total for _, total, _ in told} == {12}
    assert told[-1] == (12, 12, "hybrid: asking conversation 2")


def test_nothing_is_left_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    evaluate(DATASET, "none")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("embedder", ["external:3", "statik", "openai", "fastembed:"])
def test_an_embedder_that_cannot_be_measured_is_refused(embedder: str) -> None:
    with pytest.raises(InvalidRequest, match="/embedder: "):
        evaluate(DATASET, embedder)


def test_a_model_that_does_not_answer_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: StaticEmbedder, texts: Sequence[str]) -> NoReturn:
        raise EmbedderError(f"no answer for {len(texts)} texts")

    monkeypatch.setattr(StaticEmbedder, "embed", fail)
    with pytest.raises(EmbedderError, match="no answer"):
        evaluate(DATASET)


def test_texts_that_got_no_vector_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    embed, batches = StaticEmbedder.embed, 0

    def fail_in_the_end(self: StaticEmbedder, texts: Sequence[str]) -> Matrix:
        nonlocal batches
        batches += 1
        if batches > 4:  # texts and questions of both, by vector alone
            raise EmbedderError("the model is gone")
        return embed(self, texts)

    monkeypatch.setattr(StaticEmbedder, "embed", fail_in_the_end)
    with pytest.raises(EmbedderError, match="12 texts of conversation 1 got no vector"):
        evaluate(DATASET)
