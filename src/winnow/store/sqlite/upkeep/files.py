"""Files that come to their place as a whole or not at all, for nobody else to read."""

import os
import secrets
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

SIDES = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file that is in use."""
PART = ".part"
"""How a file ends that is not yet in its place."""


@contextmanager
def make_beside(place: Path) -> Generator[Path]:
    """Make an empty file in the same folder, and remove it in the end if it is still there."""
    beside = name_part(place)
    os.close(os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield beside
    finally:
        for one in (beside, *(beside_of(beside, side) for side in SIDES)):
            with suppress(OSError):
                one.unlink()


def name_part(place: Path) -> Path:
    """Return a new name for what is to come to a place."""
    return place.with_name(f".{place.name[:200]}.{secrets.token_hex(4)}{PART}")


def beside_of(file: Path, side: str) -> Path:
    """Return the path of what SQLite keeps beside a file."""
    return file.with_name(file.name + side)


def put_in_place(beside: Path, place: Path, *, replace: bool) -> None:
    """Give a file its name once all of it is on the disk; raises FileExistsError if it is taken."""
    sync_file(beside)
    if replace:
        os.replace(beside, place)
    else:
        _link(beside, place)
        beside.unlink(missing_ok=True)
    sync_folder(place.parent)


def count_free(place: Path) -> int | None:
    """Return the bytes that are free where a file is or will be; None if nobody knows."""
    there = next((one for one in place.parents if one.exists()), place.parent)
    try:
        return shutil.disk_usage(there).free
    except OSError:
        return None


def sync_file(file: Path) -> None:
    """Wait until a file that nobody has open is on the disk."""
    descriptor = os.open(file, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where a folder can be synced."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _link(beside: Path, place: Path) -> None:
    """Give a file a second name, which must be free."""
    try:
        os.link(beside, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without second names
        if place.exists():
            raise FileExistsError(place) from None
        os.replace(beside, place)
