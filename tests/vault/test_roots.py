import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.vault.making import make_vault, matter, paths, write

from winnow.errors import VaultError
from winnow.store.base import VaultRow
from winnow.store.sqlite.store import SqliteStore, open_store
from winnow.vault.roots import describe_neighbors, find_root, look_at
from winnow.vault.sync import Job, apply, plan


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(open_store(tmp_path / "store" / "winnow.db")) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", {f"{n}.md": matter(1000 + n) for n in range(4)})


def index(store: SqliteStore, folder: Path, namespace: str = "default") -> VaultRow:
    root = find_root(str(folder))
    look = look_at(store, root, namespace)
    with store.write() as writer:
        vault = writer.put_vault(look.vault)
    apply(Job(store, vault, root, ()), plan(store.notes(vault), look.listing))
    return vault


def test_an_empty_path_is_not_the_folder_one_is_in() -> None:
    with pytest.raises(VaultError, match="no folder is named"):
        find_root("")
    assert find_root(".") == os.getcwd()


def test_a_path_is_taken_without_links_and_with_the_home_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F112: `~` is expanded."""
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    for spelling in (str(folder), f"{folder}/../vault/", f"{tmp_path}/link", "~/vault"):
        assert find_root(spelling) == os.path.realpath(folder)


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_what_can_be_no_path_is_refused(path: str) -> None:
    with pytest.raises(VaultError, match="can't be the path of a vault"):
        find_root(path)


def test_a_folder_that_is_not_known_is_a_new_vault(store: SqliteStore, folder: Path) -> None:
    look = look_at(store, str(folder), "work")
    assert look.vault == VaultRow(0, str(folder), "vault", "work", "", ())
    assert paths(look.listing) == ["0.md", "1.md", "2.md", "3.md"]


def test_a_known_root_is_the_vault_it_was_in_its_namespace(
    store: SqliteStore, folder: Path
) -> None:
    vault = index(store, folder)
    assert look_at(store, str(folder), "default").vault == vault
    assert look_at(store, str(folder), "other").vault.key == 0


def test_a_vault_that_was_moved_is_known_by_most_of_its_notes(
    store: SqliteStore, folder: Path, tmp_path: Path
) -> None:
    vault = index(store, folder)
    moved = shutil.move(folder, tmp_path / "moved")
    write(Path(moved), "0.md", "edited since")
    look = look_at(store, str(moved), "default")
    assert look.vault == replace(vault, root=str(moved), name="moved")


def test_a_copy_is_a_vault_of_its_own(store: SqliteStore, folder: Path, tmp_path: Path) -> None:
    index(store, folder)
    copy = shutil.copytree(folder, tmp_path / "copy")
    assert look_at(store, str(copy), "default").vault.key == 0


def test_another_vault_in_place_of_one_that_is_gone_is_new(
    store: SqliteStore, folder: Path, tmp_path: Path
) -> None:
    index(store, folder)
    shutil.rmtree(folder)
    other = make_vault(tmp_path / "other", {"0.md": matter(1000), "x.md": "x", "1.md": "short"})
    assert look_at(store, str(other), "default").vault.key == 0


def test_a_vault_that_is_gone_is_an_error_and_empty_only_with_prune(
    store: SqliteStore, folder: Path
) -> None:
    """F100: a folder that is not mounted forgets nothing."""
    vault = index(store, folder)
    shutil.rmtree(folder)
    with pytest.raises(VaultError, match="its notes stay in the store until it is read with"):
        look_at(store, str(folder), "default")
    look = look_at(store, str(folder), "default", prune=True)
    assert (look.vault, paths(look.listing)) == (vault, [])
    with pytest.raises(VaultError, match=r"No such file or directory$"):
        look_at(store, str(folder / "never"), "default", prune=True)


def test_an_unreadable_vault_forgets_nothing_whatever_is_asked(
    store: SqliteStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(store, folder)

    def deny(place: str) -> None:
        raise PermissionError(13, "Permission denied", place)

    monkeypatch.setattr(os, "scandir", deny)
    with pytest.raises(VaultError, match="Permission denied; its notes stay"):
        look_at(store, str(folder), "default", prune=True)


def test_other_vaults_that_are_gone_or_overlap_are_named(
    store: SqliteStore, folder: Path, tmp_path: Path
) -> None:
    vault = index(store, folder)
    gone = make_vault(tmp_path / "gone", {"x.md": "x"})
    inner = make_vault(folder / "inner", {"y.md": "y"})
    beside = make_vault(tmp_path / "vault-2", {"z.md": "z"})
    for one in (gone, inner, beside):
        index(store, one)
    index(store, gone, "other")
    shutil.rmtree(gone)
    told = list(describe_neighbors(store, vault))
    assert told == [
        f"the vault {gone} is gone, but its notes are still known"
        f" (winnow index {gone} --prune forgets them)",
        f"{inner} lies in {folder}, which is a vault too: its notes are there twice",
    ]
