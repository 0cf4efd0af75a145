import hashlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.embed.static import MODEL, MODEL_SHA256, MOST_TOKENS, StaticEmbedder
from winnow.embed.threshold import measure_threshold

EMBEDDER = StaticEmbedder()


def cosine(first: str, second: str) -> float:
    left, right = EMBEDDER.embed([first, second])
    return float(left @ right)


def test_the_data_is_what_the_identity_says() -> None:
    assert hashlib.sha256(MODEL.read_bytes()).hexdigest() == MODEL_SHA256
    assert MODEL_SHA256[:12] in EMBEDDER.identity
    assert "256 dimensions" in EMBEDDER.identity


def test_its_data_is_an_array_for_the_tokens_of_the_vocabulary() -> None:
    with MODEL.open("rb") as file, np.load(file) as arrays:
        numbers, scales = arrays["emb"], arrays["scale"]
    assert (numbers.shape, numbers.dtype) == ((30_522, 256), np.int8)
    assert (scales.shape, scales.dtype) == ((30_522, 1), np.float16)
    assert not numbers[:999].any()
    assert numbers[999:].any(axis=1).all()
    assert np.isfinite(scales).all()


@given(st.lists(st.text(st.characters()), max_size=5))  # lone surrogates too
def test_a_text_has_a_vector_of_length_1_or_zeros(texts: list[str]) -> None:
    vectors = EMBEDDER.embed(texts)
    assert (vectors.shape, vectors.dtype) == ((len(texts), 256), np.float32)
    for length in np.linalg.norm(vectors, axis=1):
        assert length == 0 or length == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("text", ["", "  \n", "\x00", "x" * 500, "🜚🜚", "ក្រុម ᏣᎳᎩ"])
def test_an_empty_text_and_an_unknown_script_have_no_vector(text: str) -> None:
    assert not EMBEDDER.embed([text]).any()


@pytest.mark.parametrize(
    "text", ["red car", "Привет", "北京", "مرحبا", "नमस्ते", "2026-03-05", "C++"]
)
def test_known_words_and_signs_have_one(text: str) -> None:
    assert np.linalg.norm(EMBEDDER.embed([text])) == pytest.approx(1, abs=1e-5)


def test_unknown_words_do_not_move_the_vector_of_the_others() -> None:
    unknown = "ᏣᎳᎩ " * MOST_TOKENS
    plain, mixed, late = EMBEDDER.embed(["a red car", "a 🜚 red ᏣᎳᎩ car", f"{unknown} a red car"])
    assert (plain == mixed).all()
    assert (plain == late).all()


@given(st.lists(st.text("abc dog, car 北é") | st.just("word " * 40), min_size=2, max_size=40))
def test_a_row_is_the_same_to_the_bit_whatever_stands_beside_it(texts: list[str]) -> None:
    together = EMBEDDER.embed(texts)
    for row, text in zip(together, texts, strict=True):
        assert (EMBEDDER.embed([text])[0] == row).all()


def test_what_comes_after_the_last_token_does_not_count() -> None:
    full = "dog " * MOST_TOKENS
    plain, longer, shorter = EMBEDDER.embed([full, full + "contract", full[4:] + "contract"])
    assert (plain == longer).all()
    assert (plain != shorter).any()


def test_related_texts_are_nearer_than_others() -> None:
    assert cosine("the puppy sleeps", "a dog is resting") > 0.35
    assert cosine("the puppy sleeps", "a dog is resting") > cosine(
        "the puppy sleeps", "quarterly tax report"
    )


def test_unrelated_texts_stay_below_the_threshold() -> None:
    assert measure_threshold(EMBEDDER.embed) <= EMBEDDER.min_similarity


PROGRAM = """
import os
from winnow.embed.static import StaticEmbedder
before = StaticEmbedder().embed(["before the fork"] * 100)
child = os.fork()
after = StaticEmbedder().embed(["after the fork, with new words"] * 100)
if child == 0:
    os._exit(0 if after.all() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_fork_after_embedding_works_in_both_processes_without_a_word() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("0\n", "")
