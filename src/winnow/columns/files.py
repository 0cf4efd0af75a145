"""Arrays in a file that never changes, mapped so that all processes share its pages.

A file holds a title (JSON) and arrays. It is written under another name first: one that has its
name is whole.
"""

import json
import math
import mmap
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from winnow.errors import StoreError
from winnow.values import Json

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Seal:
    """By what a file is known to be whole: its length in bytes, and a checksum of them."""

    size: int
    checksum: int


@dataclass(frozen=True, slots=True)
class Mapped:
    """The title and the arrays of a file, which can be read and not written."""

    title: Json
    arrays: Sequence[Array]


def write_arrays(path: Path, title: Json, arrays: Sequence[Array]) -> Seal:
    """Write a file for its owner only, and wait until it is on the disk.

    OSError if it can't be written; what was begun is then taken away.
    """
    part = path.with_name(path.name + PART)
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            seal = _write(file, title, arrays)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
    return seal


def map_arrays(path: Path, size: int) -> Mapped:
    """Map a file of a length; StoreError if it is not one of ours, or not of that length.

    FileNotFoundError if it is not there.
    """
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size != size or size < _HEAD:
            raise StoreError(f"{path}: not as long as it was written")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if mapped[: len(_MAGIC)] != _MAGIC:
        raise StoreError(f"{path}: not a file of columns")
    length, checksum = (
        int.from_bytes(mapped[start : start + 8], "little")
        for start in range(len(_MAGIC), _HEAD, 8)
    )
    head = mapped[_HEAD : _HEAD + length]
    if crc32(head) != checksum:
        raise StoreError(f"{path}: its head is damaged")
    try:
        title, places = json.loads(head)
        start = _align(_HEAD + length)
        arrays = [_view(mapped, start, place) for place in places]
    except (ValueError, TypeError) as error:
        raise StoreError(f"{path}: damaged: {error}") from error
    return Mapped(title, arrays)


def seal_of(path: Path) -> Seal:
    """Read a whole file and return its seal."""
    size = checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            checksum = crc32(chunk, checksum)
    return Seal(size, checksum)


def _write(file: BinaryIO, title: Json, arrays: Sequence[Array]) -> Seal:
    places: list[Json] = []
    offset = 0
    for array in arrays:
        places.append([array.dtype.str, [*array.shape], offset])
        offset = _align(offset + array.nbytes)
    head = json.dumps([title, places], ensure_ascii=True, separators=(",", ":")).encode()
    lead = _MAGIC + len(head).to_bytes(8, "little") + crc32(head).to_bytes(8, "little") + head
    checksum = size = 0
    for piece in (lead, *map(_as_bytes, arrays)):
        padding = bytes(_align(len(piece)) - len(piece))
        for data in (piece, padding):
            file.write(data)
            checksum = crc32(data, checksum)
            size += len(data)
    return Seal(size, checksum)


def _as_bytes(array: Array) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _view(mapped: mmap.mmap, start: int, place: Sequence[Any]) -> Array:
    kind: np.dtype[Any] = np.dtype(cast(str, place[0]))
    shape = cast(list[int], place[1])
    count = math.prod(shape)
    if not count:
        return np.zeros(shape, kind)
    return np.frombuffer(mapped, kind, count, start + place[2]).reshape(shape)


def _align(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT


def _sync_folder(folder: Path) -> None:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # some systems don't open folders; there the name is as safe as it gets
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


PART: Final = ".part"
"""What the name of a file ends with while it is being written."""
_MAGIC: Final = b"WNNWSEG\x01"
_HEAD: Final = len(_MAGIC) + 16
_ALIGNMENT: Final = 64  # bytes; whole lines of a processor's cache
_CHUNK: Final = 1 << 20
