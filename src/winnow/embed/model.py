"""An embedder around the model of another library, or of a server."""

from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock
from typing import Protocol

import numpy as np

from winnow.embed.base import LONGEST_TEXT, Matrix, identify, unit_rows
from winnow.embed.threshold import measure_threshold
from winnow.errors import EmbedderError


class Model(Protocol):
    """What another library has to be brought to."""

    @property
    def name(self) -> str:
        """A name that no other model has, of whatever library."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def make(self, texts: list[str]) -> Matrix:
        """Return a row of any length for each text; none is blank. Raises EmbedderError."""
        ...


class ModelEmbedder:
    """Opens the model when it is needed, leaves out blank texts, and brings rows to length 1."""

    def __init__(self, open_model: Callable[[], Model]) -> None:
        self._open = open_model
        self._opened: Model | None = None
        self._lock = Lock()

    @property
    def identity(self) -> str:
        """The name of the model, and the dimension."""
        return identify(self._model.name, self.dimension)

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._model.dimension

    @property
    def min_similarity(self) -> float:
        """The cosine that unrelated texts stay below, measured when it is first asked for."""
        return self._threshold

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row of length 1 for each text; zeros for a blank one."""
        written = [place for place, text in enumerate(texts) if text.strip()]
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        if written:
            vectors[written] = unit_rows(self._make([texts[place] for place in written]))
        return vectors

    def _make(self, texts: Sequence[str]) -> Matrix:
        made = self._model.make([_cut(text) for text in texts])
        if made.shape != (len(texts), self.dimension):
            told = " x ".join(map(str, made.shape))
            raise EmbedderError(
                f"{self._model.name} gave {told} numbers, not {len(texts)} x {self.dimension}"
            )
        return made

    @property
    def _model(self) -> Model:
        with self._lock:  # a second copy of a model may not fit into the memory
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    @cached_property
    def _threshold(self) -> float:
        return measure_threshold(self.embed)


def _cut(text: str) -> str:
    """Return what of a text a model is given, without lone surrogates."""
    return text.strip()[:LONGEST_TEXT].encode("utf-8", "replace").decode()
