import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vault.making import write

from winnow.vault.contents import UNSURE, decode_text, read_file

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]))
plain = texts.filter(lambda text: not text.startswith("\ufeff"))


@given(plain)
def test_utf8_is_read_with_and_without_a_mark(text: str) -> None:
    assert decode_text(text.encode("utf-8")) == (text, None)
    assert decode_text(text.encode("utf-8-sig")) == (text, None)


@given(plain.filter(lambda text: not text.startswith("\0")), st.sampled_from(["utf-16", "utf-32"]))
def test_wider_encodings_are_told_by_their_mark(text: str, encoding: str) -> None:
    for order in ("-le", "-be"):
        assert decode_text(("\ufeff" + text).encode(encoding + order)) == (text, None)


@given(st.binary())
def test_any_bytes_become_text_that_can_be_stored(data: bytes) -> None:
    text, _ = decode_text(data)
    assert text.encode("utf-8") is not None


def test_what_is_not_utf8_is_replaced_and_its_first_line_named() -> None:
    text, problem = decode_text(b"one\ntwo\ncaf\xe9 \x00\n\xff")
    assert text == "one\ntwo\ncaf\ufffd \0\n\ufffd"
    assert problem is not None
    assert (problem.line, "0xE9" in problem.detail) == (3, True)


def test_the_line_of_a_bad_pair_in_utf16_counts_characters_and_not_bytes() -> None:
    data = "\ufeff\u0a0a\u0a0a\nx".encode("utf-16-le") + b"\x00\xd8"
    text, problem = decode_text(data)
    assert text == "\u0a0a\u0a0a\nx\ufffd"
    assert problem is not None
    assert problem.line == 2


def test_a_file_is_read_with_the_size_and_time_it_has(tmp_path: Path) -> None:
    place = write(tmp_path, "a.md", "text")
    content = read_file(str(place))
    assert (content.data, content.size) == (b"text", 4)
    assert content.known_mtime == content.mtime_ns == place.stat().st_mtime_ns


def test_equal_contents_have_equal_digests_and_no_others(tmp_path: Path) -> None:
    one, other, third = (
        read_file(str(write(tmp_path, name, text))).digest
        for name, text in (("a.md", "x"), ("b.md", "x"), ("c.md", "y"))
    )
    assert one == other != third


@pytest.mark.parametrize("age", [0, 1_000_000])
def test_the_time_of_a_file_written_just_now_is_not_relied_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: int
) -> None:
    """A second write within one tick of the clock would leave the same size and time."""
    place = write(tmp_path, "a.md", "text")
    monkeypatch.setattr("time.time_ns", lambda: place.stat().st_mtime_ns + age)
    assert read_file(str(place)).known_mtime == UNSURE


def test_where_times_are_whole_seconds_a_file_is_young_for_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write(tmp_path, "a.md", "text")
    now = 1_700_000_000_000_000_000
    os.utime(place, ns=(0, now))
    for age, known in ((1_000_000_000, UNSURE), (3_000_000_000, now)):
        monkeypatch.setattr("time.time_ns", lambda age=age: now + age)
        assert read_file(str(place)).known_mtime == known


def test_a_file_that_is_written_while_it_is_read_is_not_relied_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write(tmp_path, "a.md", "text")
    fstat, looks = os.fstat, list[int]()

    def look(handle: int) -> os.stat_result:
        looks.append(handle)
        if len(looks) == 2:
            place.write_text("other text")
        return fstat(handle)

    monkeypatch.setattr(os, "fstat", look)
    content = read_file(str(place))
    assert (content.size, content.known_mtime) == (4, UNSURE)


def test_links_pipes_and_folders_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "text")
    (tmp_path / "link.md").symlink_to("a.md")
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    for name in ("link.md", "folder.md", "pipe.md", "missing.md"):
        with pytest.raises(OSError, match=r"."):
            read_file(str(tmp_path / name))
