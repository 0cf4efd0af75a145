"""Which vault a folder is: one that the store knows, one that was moved here, or a new one."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from winnow.errors import VaultError
from winnow.store.base import Store, VaultRow
from winnow.vault.folder import Listing, list_folder
from winnow.vault.paths import spell


@dataclass(frozen=True, slots=True)
class Look:
    """A vault as the store knows it (with the key 0 if it doesn't), and its folder as it is."""

    vault: VaultRow
    listing: Listing


def find_root(path: str) -> str:
    """Return the folder that a path means, absolute and without links; an empty one means none."""
    if not path:
        raise VaultError("no folder is named (write . for the one you are in)")
    try:
        root = os.path.realpath(os.path.expanduser(path))
        spell(root)
    except (OSError, ValueError) as error:
        raise VaultError(f"{path!r} can't be the path of a vault: {error}") from error
    return root


def look_at(store: Store, root: str, namespace: str, *, prune: bool = False) -> Look:
    """List a vault's folder; one that is known and gone is empty, if pruning is asked for."""
    vaults = [one for one in store.vaults() if one.namespace == namespace]
    known = next((one for one in vaults if one.root == spell(root)), None)
    if known is not None and prune and _is_gone(root):
        return Look(known, Listing())
    try:
        listing = list_folder(root)
    except VaultError as error:
        if known is None:
            raise
        kept = "its notes stay in the store until it is read with --prune"
        raise VaultError(f"{error}; {kept}") from error
    vault = known or _find_moved(store, vaults, listing) or VaultRow(0, "", "", namespace, "", ())
    name = os.path.basename(root) or root
    return Look(replace(vault, root=spell(root), name=spell(name)), listing)


def describe_neighbors(store: Store, vault: VaultRow) -> Iterator[str]:
    """Tell which other vaults of the namespace are gone, or hold the same files as this one."""
    for other in store.vaults():
        if other.namespace != vault.namespace or other.key == vault.key:
            continue
        if _is_gone(other.root) and store.notes(other):
            yield (
                f"the vault {other.root} is gone, but its notes are still known"
                f" (winnow index {other.root} --prune forgets them)"
            )
        inner, outer = sorted((vault.root, other.root), key=len, reverse=True)
        if inner.startswith(outer.rstrip("/") + "/") and store.notes(other):
            yield f"{inner} lies in {outer}, which is a vault too: its notes are there twice"


def _is_gone(root: str) -> bool:
    try:
        os.lstat(root)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _find_moved(store: Store, vaults: Sequence[VaultRow], listing: Listing) -> VaultRow | None:
    """Find the vault whose folder is gone and most of whose notes lie in this one."""
    files = {(note.path, note.size) for note in listing.notes}
    for vault in vaults:
        if _is_gone(vault.root):
            notes = store.notes(vault)
            if 2 * sum((note.path, note.size) in files for note in notes) > len(notes):
                return vault
    return None
