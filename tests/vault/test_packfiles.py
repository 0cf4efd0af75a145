from pathlib import Path

import pytest

from winnow.errors import PackError
from winnow.packs import builtin_packs
from winnow.schema import Pack
from winnow.store.base import StoredPack
from winnow.vault import packfiles
from winnow.vault.packfiles import (
    BUILTIN,
    PackFiles,
    fingerprint,
    gather_packs,
    keep_files,
    missing_packs,
)
from winnow.wire import encode_error

BOOKS = """
pack: books
schemas:
  Book:
    id: filename
    declare: [{folder: Books}]
    fields:
      pages: integer
"""
OTHER = BOOKS.replace("pages", "chapters")


def write(folder: Path, name: str, text: str = BOOKS) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def kept(source: str, text: str = BOOKS, name: str = "books") -> StoredPack:
    return StoredPack("default", name, source, text)


def sources(packs: tuple[Pack, ...]) -> dict[str, str]:
    return {pack.name: pack.source for pack in packs}


def mistakes(error: PackError) -> str:
    return str(error)


def test_the_packs_of_the_package_are_always_among_them(tmp_path: Path) -> None:
    own = write(tmp_path, "books.yaml")
    packs, warnings = gather_packs(PackFiles([own]), [])
    assert sources(packs) == {
        **{pack.name: BUILTIN for pack in builtin_packs()},
        "books": own,
    }
    assert warnings == []


def test_one_pack_in_two_files_of_the_same_text_counts_once(tmp_path: Path) -> None:
    own, asked = write(tmp_path, "a.yaml"), write(tmp_path, "b.yaml")
    packs, _ = gather_packs(PackFiles([own], [asked]), [])
    assert sources(packs)["books"] == own


def test_two_definitions_of_one_pack_are_refused_and_both_named(tmp_path: Path) -> None:
    own, asked = write(tmp_path, "a.yaml"), write(tmp_path, "b.yaml", OTHER)
    with pytest.raises(PackError, match="'books' is already defined") as refused:
        gather_packs(PackFiles([own], [asked]), [])
    assert own in mistakes(refused.value)
    assert asked in mistakes(refused.value)


def test_a_pack_of_the_package_can_t_be_defined_otherwise(tmp_path: Path) -> None:
    own = write(tmp_path, "legal.yaml", BOOKS.replace("books", "legal"))
    with pytest.raises(PackError, match="'legal' is already defined otherwise by builtin"):
        gather_packs(PackFiles([own]), [])


def test_another_file_of_the_namespace_that_is_still_there_is_in_the_way(tmp_path: Path) -> None:
    elsewhere, own = write(tmp_path, "elsewhere.yaml"), write(tmp_path, "own.yaml", OTHER)
    with pytest.raises(PackError, match="already defined") as refused:
        gather_packs(PackFiles([own]), [kept(elsewhere)])
    assert elsewhere in mistakes(refused.value)


def test_a_stored_pack_gives_way_once_its_file_is_gone_or_says_the_same(tmp_path: Path) -> None:
    own = write(tmp_path, "own.yaml", OTHER)
    for stored in (
        kept(own),
        kept(str(tmp_path / "gone.yaml")),
        kept(write(tmp_path, "same.yaml", OTHER)),
        kept(BUILTIN),
    ):
        packs, _ = gather_packs(PackFiles([own]), [stored])
        (new,) = (one for one in missing_packs(packs, "default", [stored]) if one.name == "books")
        assert new == kept(own, OTHER)


def test_what_is_stored_already_is_not_stored_again(tmp_path: Path) -> None:
    own, elsewhere = write(tmp_path, "own.yaml"), write(tmp_path, "elsewhere.yaml")
    packs, _ = gather_packs(PackFiles([own]), [])
    stored = missing_packs(packs, "default", [])
    assert {one.name for one in stored} == {pack.name for pack in packs}
    assert missing_packs(packs, "default", stored) == []
    others = [kept(elsewhere) if one.name == "books" else one for one in stored]
    assert missing_packs(packs, "default", others) == []
    gone = [kept("/gone.yaml") if one.name == "books" else one for one in stored]
    assert missing_packs(packs, "default", gone) == [kept(own)]


def test_every_mistake_of_every_file_is_told_at_once(tmp_path: Path) -> None:
    first = write(tmp_path, "a.yaml", BOOKS.replace("integer", "integr") + "what: 1\n")
    second = write(tmp_path, "b.yaml", "pack: [")
    latin = tmp_path / "c.yaml"
    latin.write_bytes(b"pack: x\n# caf\xe9\n")
    missing = str(tmp_path / "missing.yaml")
    folder = str(tmp_path)
    files = PackFiles([first, second, str(latin)], [missing, folder])
    with pytest.raises(PackError) as refused:
        gather_packs(files, [])
    payload = encode_error(refused.value)["errors"]
    assert isinstance(payload, list)
    told = [(one["source"], one["line"]) for one in payload if isinstance(one, dict)]
    assert (first, 8) in told
    assert (first, 9) in told
    assert (str(latin), 2) in told
    assert (missing, None) in told
    assert {str(source) for source, _ in told} == {first, second, str(latin), missing, folder}
    assert all(str(source) in str(refused.value) for source, _ in told)


def test_a_remembered_file_that_is_gone_is_replaced_by_its_stored_text(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone.yaml")
    packs, warnings = gather_packs(PackFiles(remembered=[gone]), [kept(gone)])
    assert sources(packs)["books"] == gone
    told = "'books' is used as it was last read (--forget-pack books ends that)"
    assert warnings == [f"{gone} is gone; {told}"]


def test_a_remembered_file_is_kept_unless_it_is_gone_and_not_needed(tmp_path: Path) -> None:
    own, gone = write(tmp_path, "own.yaml", OTHER), str(tmp_path / "gone.yaml")
    there = write(tmp_path, "there.yaml")
    needed = PackFiles(remembered=[gone, there])
    assert keep_files(PackFiles(remembered=[there]), []) == (PackFiles(remembered=[there]), [])
    assert keep_files(PackFiles(remembered=[gone]), [kept(gone)])[0].remembered == [gone]
    assert keep_files(needed, [kept(gone, name="other")])[0].remembered == [gone, there]
    files, warnings = keep_files(PackFiles([own], remembered=[gone]), [kept(gone)])
    assert (files.remembered, warnings) == (
        [],
        [f"{gone} is gone; 'books' is read from {own} now"],
    )
    files, warnings = keep_files(PackFiles(remembered=[gone]), [])
    assert (files.remembered, warnings) == (
        [],
        [f"{gone} is gone; notes are read without it from now on"],
    )


def test_files_outside_the_vault_are_to_be_remembered_once() -> None:
    files = PackFiles(["/v/.winnow/a.yaml"], ["/b.yaml"], ["/b.yaml", "/v/.winnow/a.yaml", "/c"])
    assert files.outside() == ("/b.yaml", "/c")


def test_the_fingerprint_moves_with_packs_and_readers_and_not_with_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packs, _ = gather_packs(PackFiles([write(tmp_path, "a.yaml")]), [])
    first = fingerprint(packs)
    assert fingerprint(tuple(reversed(packs))) == first
    assert fingerprint(packs, "kinds regex_only") != first
    assert fingerprint(packs[:-1]) != first
    other, _ = gather_packs(PackFiles([write(tmp_path, "a.yaml", OTHER)]), [])
    assert fingerprint(other) != first
    for name in ("EXTRACTOR_VERSION", "READER_VERSION"):
        with monkeypatch.context() as patch:
            patch.setattr(packfiles, name, 99)
            assert fingerprint(packs) != first
