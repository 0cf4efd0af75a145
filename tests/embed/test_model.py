import threading
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.embed.base import LONGEST_TEXT, Matrix
from winnow.embed.model import ModelEmbedder
from winnow.errors import EmbedderError


@dataclass
class LetterModel:
    """Counts a, b and c; `extra` rows or numbers too many make it a broken one."""

    name: str = "letters"
    dimension: int = 3
    asked: list[list[str]] = field(default_factory=list[list[str]])
    extra: tuple[int, int] = (0, 0)

    def make(self, texts: list[str]) -> Matrix:
        self.asked.append(texts)
        counts = [[text.count(letter) for letter in "abc"] for text in texts]
        return np.pad(np.array(counts, np.float32), [(0, self.extra[0]), (0, self.extra[1])])


def test_rows_have_length_1() -> None:
    vectors = ModelEmbedder(LetterModel).embed(["aaabbbb"])
    assert vectors.tolist() == [[pytest.approx(0.6), pytest.approx(0.8), 0]]


@given(st.lists(st.sampled_from(["", " ", "\n\t", "a", "ab", "ccc"])))
def test_blank_texts_have_no_vector_and_are_not_asked_for(texts: list[str]) -> None:
    model = LetterModel()
    vectors = ModelEmbedder(lambda: model).embed(texts)
    written = [text for text in texts if text.strip()]
    assert vectors.any(axis=1).tolist() == [bool(text.strip()) for text in texts]
    assert model.asked == ([written] if written else [])


def test_a_model_is_given_the_beginning_of_a_long_text_and_no_lone_surrogates() -> None:
    model = LetterModel()
    ModelEmbedder(lambda: model).embed(["\n" * LONGEST_TEXT + "a" * LONGEST_TEXT + "b", "\ud800a"])
    ((long, odd),) = model.asked
    assert long == "a" * LONGEST_TEXT
    assert odd == "?a"


@pytest.mark.parametrize(
    ("extra", "told"), [((0, 1), "2 x 4"), ((1, 0), "3 x 3"), ((1, 1), "3 x 4")]
)
def test_f101_other_vectors_than_the_models_are_an_error(extra: tuple[int, int], told: str) -> None:
    model = LetterModel(extra=extra)
    with pytest.raises(EmbedderError, match=f"^letters gave {told} numbers, not 2 x 3$"):
        ModelEmbedder(lambda: model).embed(["a", "b"])


def test_f101_the_identity_has_the_name_and_the_dimension() -> None:
    small, large = LetterModel(), LetterModel(dimension=4)
    other = LetterModel(name="signs")
    identities = {ModelEmbedder(lambda m=m: m).identity for m in (small, large, other)}
    assert len(identities) == 3


def test_the_model_is_opened_when_it_is_needed_and_once_for_all_threads() -> None:
    opened: list[LetterModel] = []

    def open_model() -> LetterModel:
        opened.append(LetterModel())
        return opened[-1]

    embedder = ModelEmbedder(open_model)
    assert opened == []
    threads = [threading.Thread(target=embedder.embed, args=(["a"],)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 1


def test_a_model_that_failed_to_open_is_tried_again() -> None:
    failures = [EmbedderError("not yet")]

    def open_model() -> LetterModel:
        if failures:
            raise failures.pop()
        return LetterModel()

    embedder = ModelEmbedder(open_model)
    with pytest.raises(EmbedderError, match="not yet"):
        embedder.embed(["a"])
    assert embedder.embed(["a"]).any()


def test_the_threshold_is_measured_once() -> None:
    model = LetterModel()
    embedder = ModelEmbedder(lambda: model)
    assert embedder.min_similarity == embedder.min_similarity
    assert len(model.asked) == 1
