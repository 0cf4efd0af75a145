import os
from pathlib import Path

import pytest
from tests.vault.making import look, make_vault, paths, skips, write

from winnow.errors import VaultError
from winnow.vault import folder
from winnow.vault.folder import list_folder


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", {"a.md": "a", "deep/er/b.md": "b"})


def deny(patch: pytest.MonkeyPatch, denied: Path) -> None:
    """Let a folder be unreadable; the tests may run as a user whom no permission keeps out."""
    scandir = os.scandir

    def scan(place: str) -> object:
        if place == os.path.realpath(denied):
            raise PermissionError(13, "Permission denied", place)
        return scandir(place)

    patch.setattr(os, "scandir", scan)


def test_notes_are_listed_by_path_with_their_size_and_time(vault: Path) -> None:
    write(vault, "B.MD", "larger")
    listing = look(vault)
    assert paths(listing) == ["B.MD", "a.md", "deep/er/b.md"]
    assert listing.skips == listing.packs == ()
    first = listing.notes[0]
    assert (first.size, first.mtime_ns) == (6, os.stat(first.place).st_mtime_ns)


def test_dots_inside_a_name_are_no_way_out_of_the_vault(vault: Path) -> None:
    """F110: `a..b.md` is a note like any other."""
    write(vault, "a..b.md", "")
    write(vault, "..c/d.md", "")
    assert paths(look(vault)) == ["a..b.md", "a.md", "deep/er/b.md"]


def test_hidden_files_and_folders_are_left_out_without_a_word(vault: Path) -> None:
    for path in (".obsidian/x.md", ".git/x.md", ".trash/x.md", ".winnow/x.md", "deep/._b.md"):
        write(vault, path, "hidden")
    listing = look(vault)
    assert paths(listing) == ["a.md", "deep/er/b.md"]
    assert listing.skips == ()


def test_other_files_are_left_out_and_a_folder_may_be_named_like_a_note(vault: Path) -> None:
    write(vault, "picture.png", "")
    write(vault, "folder.md/c.md", "")
    assert paths(look(vault)) == ["a.md", "deep/er/b.md", "folder.md/c.md"]


def test_the_packs_of_a_vault_are_listed_by_name(vault: Path) -> None:
    for name in ("z.yaml", "b.YML", "a.yaml", ".hidden.yaml", "notes.txt"):
        write(vault, f".winnow/{name}", "")
    assert [Path(one).name for one in look(vault).packs] == ["a.yaml", "b.YML", "z.yaml"]


def test_a_link_that_leaves_the_vault_is_refused_and_reported(vault: Path, tmp_path: Path) -> None:
    """F110: neither a file nor a folder outside is read through a link."""
    outside = write(tmp_path / "outside", "secret.md", "secret")
    (vault / "out.md").symlink_to(outside)
    (vault / "outside").symlink_to(outside.parent)
    (vault / ".winnow").mkdir()
    (vault / ".winnow/pack.yaml").symlink_to(outside)
    listing = look(vault)
    assert paths(listing) == ["a.md", "deep/er/b.md"]
    assert listing.packs == ()
    assert list(skips(listing)) == [".winnow/pack.yaml", "out.md", "outside/"]
    assert "leaves the vault" in skips(listing)["out.md"]
    assert not any(skip.unknown for skip in listing.skips)


def test_links_that_loop_are_reported_and_the_rest_is_read_once(vault: Path) -> None:
    """F110: a link to a folder around it does not multiply the notes."""
    (vault / "deep/up").symlink_to("..")
    (vault / "deep/vault").symlink_to(vault)
    (vault / "self.md").symlink_to("self.md")
    (vault / "one.md").symlink_to("two.md")
    (vault / "two.md").symlink_to("one.md")
    listing = look(vault)
    assert paths(listing) == ["a.md", "deep/er/b.md"]
    assert list(skips(listing)) == ["deep/up/", "deep/vault/", "one.md", "self.md", "two.md"]
    assert "the vault itself" in skips(listing)["deep/up/"]


def test_a_link_inside_the_vault_is_named_and_its_target_read_where_it_is(vault: Path) -> None:
    (vault / "again.md").symlink_to("deep/er/b.md")
    (vault / "picture").symlink_to("nothing")
    (vault / "gone.md").symlink_to("nothing.md")
    listing = look(vault)
    assert paths(listing) == ["a.md", "deep/er/b.md"]
    assert "deep/er/b.md in this vault" in skips(listing)["again.md"]
    assert list(skips(listing)) == ["again.md", "gone.md"]


def test_what_is_no_regular_file_is_never_opened(vault: Path) -> None:
    os.mkfifo(vault / "pipe.md")
    assert skips(look(vault)) == {"pipe.md": "not a regular file"}


def test_a_file_too_long_for_a_note_is_reported_and_stays_unknown(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "LARGEST_NOTE", 3 * 1024 * 1024)
    with (vault / "long.md").open("wb") as file:
        file.truncate(3 * 1024 * 1024 + 1)
    listing = look(vault)
    assert skips(listing) == {"long.md": "longer than 3 MiB"}
    assert listing.skips[0].unknown


def test_a_name_that_is_not_utf8_has_a_path_that_can_be_stored(vault: Path) -> None:
    """F112: the note is listed, opened by its own bytes, and never confused with another."""
    odd = os.fsdecode(os.fsencode(vault) + b"/caf\xe9.md")
    Path(odd).write_text("odd")
    listing = look(vault)
    assert paths(listing) == ["a.md", "caf\\xe9.md", "deep/er/b.md"]
    assert listing.notes[1].place == os.path.realpath(odd)
    write(vault, "caf\\xe9.md", "the same in text")
    listing = look(vault)
    assert paths(listing) == ["a.md", "caf\\xe9.md", "deep/er/b.md"]
    assert list(skips(listing)) == ["caf\\xe9.md"]


def test_names_stay_as_the_disk_spells_them(vault: Path) -> None:
    write(vault, "cafe\u0301.md", "")
    assert "cafe\u0301.md" in paths(look(vault))


def test_an_unreadable_folder_is_unknown_and_the_rest_is_read(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F100: what can't be looked at is not gone."""
    deny(monkeypatch, vault / "deep")
    listing = look(vault)
    assert paths(listing) == ["a.md"]
    (skip,) = listing.skips
    assert (skip.path, skip.unknown) == ("deep/", True)
    assert "Permission denied" in skip.reason


def test_a_file_that_can_t_be_looked_at_is_unknown(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = os.scandir

    class Sick:
        """An entry whose folder lists it and whose disk does not answer."""

        def __init__(self, entry: "os.DirEntry[str]") -> None:
            self.name, self.path = entry.name, entry.path
            self.is_symlink, self.is_dir = entry.is_symlink, entry.is_dir

        def stat(self, *, follow_symlinks: bool) -> os.stat_result:
            raise OSError(5, "Input/output error")

    class Scan:
        def __init__(self, place: str) -> None:
            self.found = [Sick(one) if one.name == "a.md" else one for one in list(entries(place))]

        def __enter__(self) -> object:
            return iter(self.found)

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(os, "scandir", Scan)
    listing = look(vault)
    assert paths(listing) == ["deep/er/b.md"]
    assert [(one.path, one.unknown) for one in listing.skips] == [("a.md", True)]


def test_a_vault_that_can_t_be_read_itself_is_an_error(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(VaultError, match=r"missing: No such file"):
        list_folder(str(vault / "missing"))
    with pytest.raises(VaultError, match=r"a\.md: Not a directory"):
        list_folder(str(vault / "a.md"))
    deny(monkeypatch, vault)
    with pytest.raises(VaultError, match="Permission denied"):
        look(vault)


def test_an_unreadable_folder_of_packs_is_an_error(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault / ".winnow").mkdir()
    deny(monkeypatch, vault / ".winnow")
    with pytest.raises(VaultError, match=r"\.winnow: Permission denied"):
        look(vault)
