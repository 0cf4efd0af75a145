"""Memory that arrays have left is kept, where the C library can be told to."""

import platform
import resource

import numpy as np
import pytest

from winnow.columns.heap import keep_freed_memory


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be told")
def test_arrays_made_again_and_again_need_no_new_pages() -> None:
    assert keep_freed_memory()
    _make_masks()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(100):
        _make_masks()
    pages = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    assert pages < 100 * 256  # one mask of each round would need so many


def _make_masks() -> None:
    one = np.ones(1_000_000, np.bool_)
    assert np.count_nonzero(~one & one) == 0
