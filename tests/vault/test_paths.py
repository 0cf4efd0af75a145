import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.vault.paths import is_hidden, is_note, is_text, spell, stem_of

names = st.binary(min_size=1, max_size=12).map(os.fsdecode)


@pytest.mark.parametrize("name", ["a.md", "a.MD", "a.Markdown", "a..b.md", "ノート.md", " .md"])
def test_a_note_is_told_by_the_end_of_its_name_in_any_case(name: str) -> None:
    assert is_note(name)
    assert not is_hidden(name)


@pytest.mark.parametrize("name", ["md", "a.mdx", "a.md.txt", "a.canvas", "amd", "a.md~"])
def test_other_files_are_no_notes(name: str) -> None:
    assert not is_note(name)


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("a.md", "a"),
        ("x/y/a.b.MD", "a.b"),
        ("a.markdown", "a"),
        ("a..b.md", "a..b"),
        ("Dune.md/Dune.md", "Dune"),
        ("cafe\u0301.md", "caf\u00e9"),
    ],
)
def test_a_stem_is_the_name_without_its_ending_and_composed(path: str, stem: str) -> None:
    assert stem_of(path) == stem


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="/\0")))
def test_text_is_spelled_as_it_is(name: str) -> None:
    assert spell(name) == name
    assert is_text(name)
    assert stem_of(f"{name}.md") == unicodedata.normalize("NFC", name)


@given(names)
def test_any_name_of_a_disk_is_spelled_as_text_that_can_be_stored(name: str) -> None:
    spelled = spell(name)
    assert spelled.encode("utf-8")
    assert is_text(name) == (spelled == name)


def test_bytes_that_are_no_text_are_shown_in_the_spelling() -> None:
    assert spell(os.fsdecode(b"caf\xe9.md")) == "caf\\xe9.md"
