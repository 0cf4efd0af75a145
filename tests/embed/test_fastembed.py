import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

import numpy as np
import pytest

from winnow.embed.base import Matrix
from winnow.embed.fastembed import open_fastembed
from winnow.errors import EmbedderError, InvalidRequest, NotAvailable

LISTED = {"BAAI/bge-small-en-v1.5": 4, "jinaai/jina-embeddings-v2-small-en": 2}


class TextEmbedding:
    """As much of fastembed's class as is used."""

    opened: list[str] = []  # noqa: RUF012 - emptied by the fixture

    def __init__(self, *, model_name: str) -> None:
        self.opened.append(model_name)
        self.size = LISTED[model_name]

    @staticmethod
    def list_supported_models() -> list[dict[str, object]]:
        return [{"model": name, "dim": size, "license": "mit"} for name, size in LISTED.items()]

    def embed(self, documents: Sequence[str], batch_size: int) -> Iterator[Matrix]:
        for document in documents:
            if document == "too much":
                raise MemoryError("too much")
            yield np.full(self.size, len(document), np.float32)


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("fastembed")
    module.__dict__.update(TextEmbedding=TextEmbedding)
    monkeypatch.setitem(sys.modules, "fastembed", module)
    TextEmbedding.opened.clear()


def test_a_model_gives_unit_rows_and_none_for_blank_texts() -> None:
    embedder = open_fastembed("BAAI/bge-small-en-v1.5")
    assert embedder.embed(["abc", ""]).tolist() == [[0.5] * 4, [0] * 4]


def test_what_is_known_of_a_model_does_not_load_it() -> None:
    embedder = open_fastembed("baai/BGE-small-en-v1.5")
    assert embedder.dimension == 4
    assert embedder.identity == "fastembed BAAI/bge-small-en-v1.5; 4 dimensions; unit length"
    assert TextEmbedding.opened == []
    embedder.embed(["a"])
    embedder.embed(["b"])
    assert TextEmbedding.opened == ["BAAI/bge-small-en-v1.5"]


def test_a_model_that_is_not_listed_is_an_error_with_the_nearest_name() -> None:
    embedder = open_fastembed("BAAI/bge-small-en-v1")
    with pytest.raises(InvalidRequest, match=r"did you mean 'BAAI/bge-small-en-v1\.5'\?"):
        embedder.embed(["a"])


def test_a_failure_of_the_package_is_an_error_that_names_it() -> None:
    embedder = open_fastembed("BAAI/bge-small-en-v1.5")
    with pytest.raises(EmbedderError, match="'fastembed' failed: MemoryError: too much"):
        embedder.embed(["too much"])


def test_without_the_package_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(NotAvailable, match=r"pip install winnow-memory\[fastembed\]$"):
        open_fastembed("BAAI/bge-small-en-v1.5")
