"""Embedders that a test holds in its hand."""

from collections.abc import Callable, Sequence

import numpy as np

from winnow.embed.base import Matrix, identify
from winnow.embed.model import ModelEmbedder
from winnow.errors import EmbedderError
from winnow.memory import Memory

LOCAL = "openai:toy@http://127.0.0.1:9/v1"
"""How the toy is written in a namespace's settings; nobody is asked there."""


class Toy:
    """A model of three numbers a text. `meanwhile` is called before it answers."""

    dimension = 3

    def __init__(self, name: str = "toy") -> None:
        self.name = name
        self.asked: list[list[str]] = []
        self.broken = False
        self.meanwhile: Callable[[], object] = lambda: None

    def make(self, texts: list[str]) -> Matrix:
        self.asked.append(texts)
        self.meanwhile()
        if self.broken:
            raise EmbedderError(f"{self.name} is out of order")
        return np.array([[len(text), text.count("e"), 1] for text in texts], np.float32)

    @property
    def identity(self) -> str:
        return identify(self.name, self.dimension)

    @property
    def texts(self) -> list[str]:
        """All texts that it was asked for."""
        return [text for texts in self.asked for text in texts]


def put_toy(memory: Memory, toy: Toy | None = None, spec: str = LOCAL) -> Toy:
    """Let a store know a toy under a name that settings may have."""
    made = toy or Toy()

    def open_toy() -> Toy:
        if made.broken:
            raise EmbedderError(f"{made.name} is out of reach")
        return made

    memory.engine.workshop._embedders[spec] = ModelEmbedder(open_toy)
    return made


def vectors_of(
    memory: Memory, names: Sequence[str], namespace: str = "default"
) -> list[tuple[bytes | None, str | None]]:
    """What is stored as the vectors of memories, and what made them."""
    lookup = memory.engine.store.records
    keys = [key for name in names if (key := lookup.find(namespace, name)) is not None]
    return [(one.vector, one.model) for one in lookup.read(keys) if one is not None]
