import sys
from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest

from winnow.embed.base import Matrix
from winnow.embed.sentence import open_sentence
from winnow.errors import EmbedderError, NotAvailable


class SentenceTransformer:
    """As much of the package's class as is used."""

    def __init__(self, name: str) -> None:
        if name == "absent":
            raise OSError("absent is not a local folder and is not a valid model identifier")
        self.size = None if name == "shapeless" else 4

    def get_embedding_dimension(self) -> int | None:
        return self.size

    def get_sentence_embedding_dimension(self) -> int | None:
        raise FutureWarning("renamed")

    def encode(
        self, sentences: Sequence[str], *, batch_size: int, show_progress_bar: bool
    ) -> Matrix:
        assert not show_progress_bar
        return np.array([[len(sentence)] * 4 for sentence in sentences], np.float32)


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("sentence_transformers")
    module.__dict__.update(SentenceTransformer=SentenceTransformer)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def test_a_model_gives_unit_rows_and_none_for_blank_texts() -> None:
    embedder = open_sentence("all-MiniLM-L6-v2")
    assert embedder.embed(["abc", " "]).tolist() == [[0.5] * 4, [0] * 4]
    assert embedder.identity == (
        "sentence-transformers all-MiniLM-L6-v2; 4 dimensions; unit length"
    )


def test_an_older_package_is_asked_for_the_dimension_by_its_older_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    method = SentenceTransformer.get_embedding_dimension
    monkeypatch.setattr(SentenceTransformer, "get_sentence_embedding_dimension", method)
    monkeypatch.delattr(SentenceTransformer, "get_embedding_dimension")
    assert open_sentence("all-MiniLM-L6-v2").dimension == 4


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("absent", "'sentence-transformers' failed: OSError: absent is not a local folder"),
        ("shapeless", "the model 'shapeless' has no fixed dimension"),
    ],
)
def test_a_model_that_cannot_be_used_is_an_error(name: str, told: str) -> None:
    with pytest.raises(EmbedderError, match=told):
        open_sentence(name).embed(["a"])


def test_without_the_package_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(NotAvailable, match=r"pip install winnow-memory\[sentence-transformers\]$"):
        open_sentence("all-MiniLM-L6-v2")
