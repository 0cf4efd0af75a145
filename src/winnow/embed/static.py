"""The embedder in the package: a vector for each token, and their mean for a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from winnow.embed.base import Matrix, identify, unit_rows
from winnow.embed.wordpiece import UNKNOWN, split_tokens

MODEL: Final[Traversable] = files("winnow.embed").joinpath("data", "static-wn256.npz")
MODEL_SHA256: Final = "51e69eff7fd88e60e682be95cf4c496b25964c2ef54c4b748133f9573f0b777f"

DIMENSION: Final = 256
MOST_TOKENS: Final = 512
MIN_SIMILARITY: Final = 0.35  # docs/embedders.md tells how it was measured


@dataclass(frozen=True, slots=True)
class StaticEmbedder:
    """Vectors at about 0.01 ms a text, from 8 MB of data that is read at the first text."""

    identity: str = identify(f"static-wn256 {MODEL_SHA256[:12]}", DIMENSION)
    dimension: int = DIMENSION
    min_similarity: float = MIN_SIMILARITY

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row of length 1 for each text; zeros where no token is known.

        A text's row is the same to the bit whatever stands beside it.
        """
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            tokens = split_tokens(text)
            if UNKNOWN in tokens:
                tokens = [token for token in tokens if token != UNKNOWN]
            if tokens:
                _load().add_up(tokens[:MOST_TOKENS], vector)
        return unit_rows(vectors)


@dataclass(frozen=True, slots=True)
class _Table:
    """The vector of token t is `numbers[t] * scales[t]`."""

    numbers: NDArray[np.int8]
    scales: NDArray[np.float32]

    def add_up(self, tokens: Sequence[int], out: NDArray[np.float32]) -> None:
        # Not by a matrix product: large ones are shared out among threads, and the sum would
        # depend on their number.
        scales, numbers = self.scales.take(tokens), self.numbers.take(tokens, axis=0)
        np.einsum("i,ij->j", scales, numbers, out=out, dtype=np.float32, casting="unsafe")


@cache
def _load() -> _Table:
    with MODEL.open("rb") as file, np.load(file) as arrays:
        return _Table(arrays["emb"], arrays["scale"].astype(np.float32).ravel())
