"""Small vaults on the disk, whose files have times that no two of them share."""

import os
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from winnow.packs import builtin_packs
from winnow.store.base import VaultRow
from winnow.store.memories import Record
from winnow.store.sqlite.store import SqliteStore
from winnow.vault.filing import Prepare
from winnow.vault.folder import Listing, SeenNote, list_folder
from winnow.vault.sync import Job, Outcome, apply, plan

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


def index(
    store: SqliteStore,
    folder: Path,
    *,
    reread: bool = False,
    prune: bool = False,
    prepare: Prepare | None = None,
    hasten: Prepare | None = None,
) -> Outcome:
    """Bring a store up to a folder, with the packs of the package."""
    vault = vault_of(store, folder)
    todo = plan(store.notes(vault), look(folder), reread=reread)
    root = os.path.realpath(folder)
    job = Job(store, vault, root, builtin_packs(), reread, prune, prepare=prepare, hasten=hasten)
    return apply(job, todo)


def vault_of(store: SqliteStore, folder: Path) -> VaultRow:
    for vault in store.vaults():
        if vault.root == str(folder):
            return vault
    with store.write() as writer:
        return writer.put_vault(VaultRow(0, str(folder), "vault", "default", "f", ()))


def stored_pieces(store: SqliteStore, path: str | None = None) -> list[Record]:
    """All pieces in a store, or those of one note, by path and line."""
    keys = [key for batch in store.records.scan(0) for key in batch.keys]
    found = [one for one in store.records.read(keys) if one is not None and one.piece is not None]
    wanted = [one for one in found if path is None or place_of(one)[0] == path]
    return sorted(wanted, key=place_of)


def place_of(piece: Record) -> tuple[str, int]:
    assert piece.piece is not None
    return piece.piece.path, piece.piece.line
