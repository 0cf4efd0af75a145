"""A file that is written as a whole or not at all, and standard output."""

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from winnow.errors import Conflict, Fault, InvalidRequest

STANDARD_OUTPUT = "-"
BEGINNING = b'{"namespace":'
"""How every export begins that has a line."""


@contextmanager
def open_outlet(path: str, *, replace: bool = False) -> Generator[BinaryIO]:
    """Open what a path names for writing; `-` is standard output.

    A file is written beside its place, and put there when all is on the disk: what was there
    stays until then. Only its owner may read it. Raises Conflict where there is a file already,
    which only an earlier export may be and only with `replace`, and InvalidRequest where it can't
    be written.
    """
    if path == STANDARD_OUTPUT:
        yield from _open_standard()
        return
    place = Path(path).expanduser()
    try:
        if place.exists() and not stat.S_ISREG(place.stat().st_mode):
            yield from _open_special(place)
        else:
            yield from _open_whole(Path(os.path.realpath(place)), replace)
    except OSError as error:
        detail = f"can't write {path}: {error.strerror or error}"
        raise InvalidRequest([Fault("/path", detail)]) from error


def _open_standard() -> Generator[BinaryIO]:
    # As bytes: a line is UTF-8 whatever the terminal's encoding is.
    sys.stdout.flush()
    stream: BinaryIO = getattr(sys.stdout, "buffer", None) or BytesIO()
    yield stream
    stream.flush()


def _open_special(place: Path) -> Generator[BinaryIO]:
    """Open a pipe or a device, which nothing can be put in the place of."""
    with place.open("wb") as file:
        yield file


def _open_whole(place: Path, replace: bool) -> Generator[BinaryIO]:
    _check_free(place, replace)
    beside = place.with_name(f".{place.name[:200]}.{secrets.token_hex(4)}.part")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        _check_free(place, replace)  # somebody may have made it meanwhile
        os.replace(beside, place)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    _sync_folder(place.parent)


def _check_free(place: Path, replace: bool) -> None:
    """Refuse a place that is taken, by anything but an earlier export that is to be replaced."""
    if not os.path.lexists(place):
        return
    if not replace:
        detail = "already; with replace (--replace) the export takes its place"
        raise Conflict(f"there is a file {place} {detail}")
    with place.open("rb") as file:
        start = file.read(len(BEGINNING))
    if start and start != BEGINNING:
        detail = f"{place} is no export of Winnow, and is never replaced: take another name"
        raise InvalidRequest([Fault("/path", detail)])


def _sync_folder(folder: Path) -> None:
    """Let the new name be on the disk too, where a folder can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
