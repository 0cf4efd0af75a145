"""The parts of `tools/make_static_embedder.py` that need no teacher."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools import make_static_embedder as making
from tools.make_static_embedder import FIRST_WORD, VOCABULARY_SIZE

from winnow.embed.static import MODEL

GLOSSES = {
    "data.noun": """\
  1 This software and database is being provided to you | and this is no gloss
00001740 03 n 01 entity 0 003 ~ 00001930 n 0000 | that which is perceived to have existence
00001930 03 n 01 thing 0 001 @ 00001740 n 0000 | a separate entity; "it's a thing"; "one; two"
""",
    "data.verb": '00001740 29 v 01 breathe 0 000 | draw air; "I can breathe better"\n',
    "data.adj": '00001740 00 a 01 able 0 000 | draw air; ""\n',
    "data.adv": "00001740 02 r 01 wholly 0 000 | naïvely (caf\xe9)\n",
}
TEXTS = [
    "that which is perceived to have existence",
    "a separate entity",
    "it's a thing",
    "one; two",
    "draw air",
    "I can breathe better",
    "draw air",
    "naïvely (café)",
]


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    for name, lines in GLOSSES.items():
        (tmp_path / name).write_text(lines, encoding="latin-1")
    return tmp_path


def random_rows(count: int, dimension: int) -> making.Floats:
    return np.random.default_rng(5).standard_normal((count, dimension), dtype=np.float32)


def test_definitions_and_examples_are_texts_of_their_own(wordnet: Path) -> None:
    assert list(making.read_glosses(wordnet)) == TEXTS


def test_the_same_distinct_texts_are_drawn_at_each_run() -> None:
    drawn = making.choose_texts(TEXTS, 5)
    assert drawn == making.choose_texts(TEXTS, 5)
    assert len(set(drawn)) == 5
    assert sorted(making.choose_texts(TEXTS, 100)) == sorted(set(TEXTS))


def test_tokens_are_counted_without_unknown_ones() -> None:
    texts = [making.list_tokens("a dog and a 🜚 dog"), making.list_tokens("")]
    counts = making.count_tokens(texts)
    assert len(counts) == VOCABULARY_SIZE
    assert counts.sum() == 5
    assert sorted(counts[counts > 0].tolist()) == [1, 2, 2]


def test_axes_are_those_along_which_the_vectors_are_long_their_mean_included() -> None:
    vectors = np.array([[0, 5, 0.0], [0, 5, 0.1], [1, 5, 0]], np.float32)
    axes = making.find_axes(vectors, 2)
    assert axes.directions.shape == (3, 2)
    assert np.allclose(axes.directions.T @ axes.directions, np.eye(2), atol=1e-6)
    assert abs(axes.directions[1, 0]) > 0.98
    assert np.allclose(axes.vectors, vectors @ axes.directions)


def test_all_axes_together_keep_every_angle() -> None:
    vectors = random_rows(20, 8)
    axes = making.find_axes(vectors, 8)
    assert np.allclose(axes.vectors @ axes.vectors.T, vectors @ vectors.T, atol=1e-4)


def test_frequent_words_weigh_less_and_special_tokens_nothing() -> None:
    words = np.ones((VOCABULARY_SIZE - FIRST_WORD, 2), np.float32)
    counts = np.zeros(VOCABULARY_SIZE, np.int64)
    counts[[FIRST_WORD, FIRST_WORD + 1]] = 900, 100
    vectors = making.start_vectors(words, counts)
    assert not vectors[:FIRST_WORD].any()
    often, seldom, never = vectors[FIRST_WORD : FIRST_WORD + 3, 0].tolist()
    assert 0 < often < seldom < never < 1
    assert often == pytest.approx(0.001 / 0.901)


def test_rows_get_length_1_and_zeros_stay() -> None:
    assert making.unit(np.array([[3, 4], [0, 0]], np.float32)).tolist() == [
        [pytest.approx(0.6), pytest.approx(0.8)],
        [0, 0],
    ]


@given(st.floats(1e-4, 1e3))
def test_eight_bits_are_near_the_vectors_at_any_length(length: float) -> None:
    vectors = random_rows(40, 16) * np.float32(length)
    vectors[:3] = 0
    numbers, scales = making.quantize(vectors)
    assert (numbers.dtype, scales.dtype) == (np.int8, np.float16)
    assert (scales > 0).all()
    assert not numbers[:3].any()
    again = numbers * scales.astype(np.float32)
    step = np.maximum(np.abs(vectors).max(axis=1, keepdims=True) / 127, np.finfo(np.float16).tiny)
    assert (np.abs(again - vectors) <= step).all()


def test_the_file_has_the_form_of_the_one_in_the_package(tmp_path: Path) -> None:
    making.write_model(tmp_path / "new.npz", random_rows(VOCABULARY_SIZE, 256))
    with MODEL.open("rb") as old, np.load(old) as shipped, np.load(tmp_path / "new.npz") as made:
        assert sorted(made) == sorted(shipped)
        for name in made:
            assert (made[name].shape, made[name].dtype) == (
                shipped[name].shape,
                shipped[name].dtype,
            )
    assert (tmp_path / "new.npz").stat().st_size == len(MODEL.read_bytes())
