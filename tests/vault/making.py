"""Small vaults on the disk, whose files have times that no two of them share."""

import os
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from winnow.vault.folder import Listing, SeenNote, list_folder

_SECONDS = count(1_700_000_000)


def write(root: Path, path: str, text: str | bytes) -> Path:
    """Write a file and give it a time long past that no other file has had."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    date(place)
    return place


def date(place: Path) -> None:
    """Give a file a time that no other one has had."""
    os.utime(place, ns=(0, next(_SECONDS) * 1_000_000_000 + 1))


def make_vault(root: Path, notes: Mapping[str, str | bytes]) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for path, text in notes.items():
        write(root, path, text)
    return root


def matter(number: int, escrow: object = 12) -> str:
    return f"# Deal\n\nCLAWQL_MATTER_ID=MAT-{number}\nCLAWQL_ESCROW_PCT={escrow}\n"


def look(root: Path) -> Listing:
    return list_folder(os.path.realpath(root))


def paths(listing: Listing) -> list[str]:
    return [note.path for note in listing.notes]


def skips(listing: Listing) -> dict[str, str]:
    return {skip.path: skip.reason for skip in listing.skips}


def seen(place: Path) -> SeenNote:
    status = place.stat()
    return SeenNote(place.name, str(place), status.st_size, status.st_mtime_ns)
