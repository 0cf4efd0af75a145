"""What lies about a store's file: who may read it, what was left behind, room on the disk."""

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from winnow.columns.files import Seal, seal_of
from winnow.store.problems import Problem
from winnow.store.segments import Derived, find_litter
from winnow.store.sqlite.upkeep.copies import own_folder
from winnow.store.sqlite.upkeep.files import PART, SIDES, beside_of, count_free

OPEN_FILES: Final = "open_files"
LITTER: Final = "litter"
STALE_FILES: Final = "stale_files"
LITTLE_ROOM: Final = "little_room"
LEFT_BEHIND: Final = 3_600
"""Seconds after which nobody is still writing a file that is not in its place."""
SPARE: Final = 64 << 20
"""Bytes that a store should have beside a second copy of itself."""

_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_PART = re.compile(rf"\..+\.[0-9a-f]{{8}}{re.escape(PART)}({'|'.join(SIDES)})?")


def find_surroundings(store: Path, named: Iterable[str]) -> Iterator[Problem]:
    """Yield what is wrong around a store; `named` are the files of its folder that are in use."""
    if opened := find_open(store):
        detail = "files can be read by others: they are for their owner alone"
        where = ", ".join(one.name for one in opened)
        yield Problem(OPEN_FILES, where, len(opened), detail, "take that away", serious=False)
    if litter := find_left(store, named):
        detail = "files were left behind, and nothing uses them"
        where = ", ".join(one.name for one in litter[:_SHOWN])
        yield Problem(LITTER, where, len(litter), detail, "remove them", serious=False)
    free = count_free(store)
    if free is not None and free < store.stat().st_size + SPARE:
        detail = f"disk has no room for a second copy of the store: {free:,} bytes are free"
        yield Problem(LITTLE_ROOM, str(store.parent), 1, detail, serious=False)


_SHOWN = 5


def find_stale_files(folder: Path, derived: Iterable[Derived]) -> Iterator[Problem]:
    """Yield the topics of files that are gone, or not as they were written; reads all of them."""
    for topic, files in find_stale(folder, derived).items():
        detail = f"files of {topic} are gone, or not as they were written"
        repair = "make them again, when they are used"
        yield Problem(STALE_FILES, ", ".join(files), len(files), detail, repair, serious=False)


def find_stale(folder: Path, derived: Iterable[Derived]) -> dict[str, list[str]]:
    """Return the topics that have files which are gone, or not as they were written, with those."""
    stale: dict[str, list[str]] = {}
    for one in derived:
        seals = {own.file: Seal(own.size, own.checksum) for own in one.segments}
        wrong = [file for file, seal in sorted(seals.items()) if not _is_whole(folder / file, seal)]
        if wrong:
            stale[one.topic] = wrong
    return stale


def name_files(derived: Iterable[Derived]) -> set[str]:
    """Return the files that are in use."""
    return {segment.file for one in derived for segment in one.segments}


def find_open(store: Path) -> list[Path]:
    """List what others may read or write: the file, what is beside it, its folder and the rest."""
    folder = own_folder(store)
    files = [store, *(beside_of(store, side) for side in SIDES), folder, *_listed(folder)]
    return [one for one in files if _is_open(one)]


def close_files(files: Iterable[Path]) -> None:
    """Let only the owner read files and folders; those of others stay as they are."""
    for one in files:
        with suppress(OSError):
            one.chmod(_FOLDER_MODE if one.is_dir() else _FILE_MODE)


def find_left(store: Path, named: Iterable[str]) -> list[Path]:
    """List files that were never put in their place, or that nothing names any more."""
    folder = own_folder(store)
    parts = [
        one
        for one in (*_listed(folder), *_listed(store.parent))
        if _PART.fullmatch(one.name) and one.name.startswith(f".{store.name[:200]}.")
    ]
    return [one for one in (*parts, *find_litter(folder, named)) if _is_old(one)]


def remove_files(files: Iterable[Path]) -> None:
    """Remove files; those that are gone meanwhile, or must stay, are no error."""
    for one in files:
        with suppress(OSError):
            one.unlink()


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _is_whole(file: Path, seal: Seal) -> bool:
    try:
        return seal_of(file) == seal
    except OSError:
        return False


def _is_open(file: Path) -> bool:
    if os.name != "posix":
        return False
    try:
        found = file.lstat()
    except OSError:
        return False
    return not stat.S_ISLNK(found.st_mode) and bool(stat.S_IMODE(found.st_mode) & 0o077)


def _is_old(file: Path) -> bool:
    """Tell whether a file is one that nobody can be writing any more."""
    try:
        found = file.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and time.time() - found.st_mtime > LEFT_BEHIND
