"""What the store keeps of a record's terms comes back as it was."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.terms import (
    TERM_LIMIT,
    Terms,
    decode_terms,
    encode_all_terms,
    encode_terms,
)
from winnow.errors import StoreError

NUMBERS = st.integers(0, 6) | st.integers(0, TERM_LIMIT - 1)
BAGS = st.lists(st.lists(NUMBERS, max_size=12), max_size=8)


def decoded(blobs: list[bytes]) -> list[list[tuple[int, int]]]:
    bags = decode_terms(blobs)
    pairs = list(zip(bags.terms.tolist(), bags.counts.tolist(), strict=True))
    sizes: list[int] = bags.sizes.tolist()
    starts = [sum(sizes[:place]) for place in range(len(sizes))]
    assert sum(sizes) == len(pairs)
    return [pairs[start : start + size] for start, size in zip(starts, sizes, strict=True)]


@given(BAGS)
def test_many_blobs_are_decoded_at_once(bags: list[list[int]]) -> None:
    blobs = [encode_terms(numbers) for numbers in bags]
    assert decoded(blobs) == [sorted(Counter(numbers).items()) for numbers in bags]


@given(st.lists(NUMBERS, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_the_terms_does_not_change_the_blob(
    numbers: list[int], random: Random
) -> None:
    shuffled = random.sample(numbers, len(numbers))
    assert encode_terms(shuffled) == encode_terms(numbers)


def test_a_term_takes_four_bytes_and_a_count_above_one_four_more() -> None:
    assert encode_terms([]) == b""
    assert encode_terms([258, 1]) == b"\x01\0\0\0\x02\x01\0\0"
    assert encode_terms([3, 3]) == b"\x03\0\0\x80\x02\0\0\0"


@pytest.mark.parametrize("times", [255, 256, 65_535, 65_536, 300_000])
def test_a_term_may_come_any_number_of_times(times: int) -> None:
    assert decoded([encode_terms([1]), encode_terms([7] * times)]) == [[(1, 1)], [(7, times)]]


@pytest.mark.parametrize("number", [-1, TERM_LIMIT, TERM_LIMIT + 5])
def test_a_number_that_does_not_fit_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=str(number)):
        encode_terms([1, number, 2])


@pytest.mark.parametrize(
    "blob",
    [b"\x01", b"\x01\0\0\0\x02", b"\x03\0\0\x80", b"\x03\0\0\x80\x03\0\0\x80"],
    ids=["a byte", "five bytes", "no count", "a term for a count"],
)
def test_a_damaged_blob_is_told_and_never_read_as_something_else(blob: bytes) -> None:
    whole = encode_terms([5, 5])
    for blobs in ([blob], [whole, blob], [blob, whole], [blob, b"", blob]):
        with pytest.raises(StoreError, match="damaged"):
            decode_terms(blobs)


def test_terms_are_found_by_text_and_each_is_looked_up_once() -> None:
    asked: list[Sequence[str]] = []

    def look_up(texts: Sequence[str]) -> dict[str, int]:
        asked.append(texts)
        return {"plan": 3, "设备": 9}

    assert Terms(look_up).find(["设备", "new", "plan", "plan"]) == [9, None, 3, 3]
    assert asked == [["设备", "new", "plan"]]


@given(st.lists(st.lists(st.integers(0, 40) | st.just(TERM_LIMIT - 1), max_size=8), max_size=9))
def test_many_records_are_packed_as_each_is(bags: list[list[int]]) -> None:
    numbers = np.array([number for bag in bags for number in bag], np.int64)
    sizes = np.array([len(bag) for bag in bags], np.int64)
    assert encode_all_terms(numbers, sizes) == [encode_terms(bag) for bag in bags]


@pytest.mark.parametrize("number", [-1, TERM_LIMIT])
def test_no_record_of_many_has_a_number_of_no_term(number: int) -> None:
    with pytest.raises(ValueError, match="no number of a term"):
        encode_all_terms(np.array([1, number]), np.array([2]))
