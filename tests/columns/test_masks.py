"""Which rows are alive comes back from the bytes that the store keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.masks import count_alive, keys_alive, pack_dead, unpack_dead


@given(st.lists(st.booleans(), max_size=70))
def test_a_mask_comes_back_as_it_was(alive: list[bool]) -> None:
    mask = np.array(alive, np.bool_)
    assert unpack_dead(pack_dead(mask), len(mask)).tolist() == alive
    assert (pack_dead(mask) is None) == all(alive)
    assert count_alive(mask) == sum(alive)
    assert keys_alive(np.arange(len(mask)), mask) == [i for i, one in enumerate(alive) if one]


@pytest.mark.parametrize("dead", [b"", b"nonsense", pack_dead(np.zeros(9, np.bool_))])
def test_bytes_that_are_no_such_mask_are_refused(dead: bytes) -> None:
    with pytest.raises(ValueError, match=r"bytes for|decompressing"):
        unpack_dead(dead, 99)
