"""The bytes of a note's file, and the text that they are."""

import codecs
import errno
import hashlib
import os
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass

from winnow.vault.note import Problem

UNSURE = -1
"""Stands for a file's time where a later write could have left the same one."""

_TICK = 20_000_000  # nanoseconds: file systems take the time from a clock of up to 10 ms
_SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it was read: `size` and `mtime_ns` are those before the first byte."""

    data: bytes
    size: int
    mtime_ns: int
    sure: bool

    @property
    def digest(self) -> str:
        """Return what tells this content from any other."""
        return hashlib.blake2b(self.data, digest_size=16).hexdigest()

    @property
    def known_mtime(self) -> int:
        """Return the time by which a later change will show."""
        return self.mtime_ns if self.sure else UNSURE


def read_file(place: str) -> Content:
    """Read a regular file, never through a link; raises OSError."""
    handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb", buffering=0) as file:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        data = file.readall()
        after = os.fstat(handle)
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    sure = same and len(data) == before.st_size and not _may_hide_a_write(before.st_mtime_ns)
    return Content(data, before.st_size, before.st_mtime_ns, sure)


def decode_text(data: bytes) -> tuple[str, Problem | None]:
    """Decode UTF-8, or what a byte order mark names; what is neither is replaced and reported."""
    mark, encoding = next((row for row in _MARKS if data.startswith(row[0])), (b"", "utf-8"))
    data = data[len(mark) :]
    try:
        return data.decode(encoding), None
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, "replace")
        byte = f"0x{data[error.start]:02X} (read as \ufffd)"
        detail = f"the file is not {encoding.upper()}: its first bad byte is {byte}"
        return data.decode(encoding, "replace"), Problem(before.count("\n") + 1, detail)


# The longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS: Sequence[tuple[bytes, str]] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def _may_hide_a_write(mtime_ns: int) -> bool:
    """Tell whether a write from now on could leave the same time; some systems count seconds."""
    tick = _TICK if mtime_ns % _SECOND else 2 * _SECOND
    return -tick < time.time_ns() - mtime_ns < tick
