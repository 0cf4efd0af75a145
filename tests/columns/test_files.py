"""Arrays that were written to a file come back mapped, and what is not whole is refused."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from winnow.columns.files import PART, map_arrays, seal_of, write_arrays
from winnow.errors import StoreError

KINDS = st.sampled_from([np.bool_, np.int8, np.uint8, np.int32, np.int64, np.float32, np.float64])
SHAPES = arrays.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=9)
ARRAYS = st.lists(arrays.arrays(KINDS, SHAPES), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ARRAYS)
def test_arrays_come_back_as_they_were(tmp_path: Path, given_arrays: list[np.ndarray]) -> None:
    path = tmp_path / "columns.seg"
    path.unlink(missing_ok=True)
    seal = write_arrays(path, {"of": "é"}, given_arrays)
    mapped = map_arrays(path, seal.size)
    assert mapped.title == {"of": "é"}
    assert len(mapped.arrays) == len(given_arrays)
    for before, after in zip(given_arrays, mapped.arrays, strict=True):
        assert (before.dtype, before.shape) == (after.dtype, after.shape)
        assert before.tobytes() == after.tobytes()
    assert seal_of(path) == seal


def test_the_file_is_for_its_owner_only_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "columns.seg"
    write_arrays(path, None, [np.arange(9)])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["columns.seg"]


def test_mapped_arrays_cannot_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "columns.seg"
    seal = write_arrays(path, None, [np.arange(9)])
    (array,) = map_arrays(path, seal.size).arrays
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


def test_a_file_that_is_taken_away_can_still_be_read_by_who_maps_it(tmp_path: Path) -> None:
    path = tmp_path / "columns.seg"
    seal = write_arrays(path, None, [np.arange(9)])
    (array,) = map_arrays(path, seal.size).arrays
    path.unlink()
    assert array.tolist() == list(range(9))
    with pytest.raises(FileNotFoundError):
        map_arrays(path, seal.size)


@pytest.mark.parametrize("cut", [0, 1, 8, 40, 200])
def test_a_file_that_was_cut_short_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "columns.seg"
    seal = write_arrays(path, ["title"], [np.arange(99)])
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(StoreError, match="not as long"):
        map_arrays(path, seal.size)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "columns.seg"
    path.write_bytes(b"not ours" * 9)
    with pytest.raises(StoreError, match="not a file of columns"):
        map_arrays(path, 72)


def test_a_damaged_title_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "columns.seg"
    seal = write_arrays(path, ["title"], [np.arange(9)])
    content = bytearray(path.read_bytes())
    content[25:28] = b"\xff\xff\xff"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        map_arrays(path, seal.size)


def test_damage_anywhere_shows_in_the_seal(tmp_path: Path) -> None:
    path = tmp_path / "columns.seg"
    seal = write_arrays(path, ["title"], [np.arange(9)])
    content = bytearray(path.read_bytes())
    content[-70] ^= 1
    path.write_bytes(content)
    assert seal_of(path) != seal


def test_what_can_not_be_written_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "columns.seg"
    path.with_name(path.name + PART).touch()
    with pytest.raises(FileExistsError):
        write_arrays(path, None, [np.arange(9)])
    assert os.listdir(tmp_path) == []
