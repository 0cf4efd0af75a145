import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import SourceError
from winnow.providers.variables import (
    LONGEST_TIMEOUT,
    read_address,
    read_key,
    read_names,
    read_seconds,
)

NAME = "WINNOW_X"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("", None),
        ("  ", None),
        (" https://cloud.onyx.app/api/ ", "https://cloud.onyx.app/api"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_an_address_is_read_without_a_slash_at_its_end(text: str, url: str | None) -> None:
    assert read_address({NAME: text}, NAME) == url
    assert read_address({}, NAME) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cloud.onyx.app/api", "begins with http:// or https://"),
        ("ftp://a.example", "begins with http:// or https://"),
        ("http://", "begins with http:// or https://"),
        ("http://a.example/ x", "begins with http:// or https://"),
        ("http://a.example/\x00x", "begins with http:// or https://"),
        ("http://a.example:99999", "Port out of range 0-65535"),
        ("http://[::1", "Invalid IPv6 URL"),
        ("http://user:secret@a.example", "must not hold a key"),
        ("http://a.example?key=secret", "must not hold a key"),
    ],
)
def test_any_other_address_is_refused_and_not_shown(text: str, told: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_address({NAME: text}, NAME)
    assert str(caught.value).startswith(f"{NAME}: ")
    assert told in str(caught.value)
    assert "secret" not in str(caught.value)


@given(st.text())
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        url = read_address({NAME: text}, NAME)
    except SourceError:
        return
    assert url is None or url.startswith(("http", "HTTP"))


def test_a_key_is_read_without_blanks_around_it() -> None:
    assert read_key({NAME: " sk-1\n"}, NAME) == "sk-1"
    assert read_key({NAME: " "}, NAME) is None
    assert read_key({}, NAME) is None


@pytest.mark.parametrize("key", ["sk-ü", "sk\r\nHost: x", "sk\x00"])
def test_a_key_that_no_header_may_have_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_key({NAME: key}, NAME)
    assert str(caught.value) == f"{NAME}: the key has a sign that no header may have"


def test_seconds_are_read_or_the_default_holds() -> None:
    assert read_seconds({NAME: " 2.5 "}, NAME, 10) == 2.5
    assert read_seconds({NAME: ""}, NAME, 10) == 10
    assert read_seconds({NAME: f"{LONGEST_TIMEOUT}"}, NAME, 10) == LONGEST_TIMEOUT


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "601", "ten", "5s"])
def test_any_other_time_is_refused(text: str) -> None:
    with pytest.raises(SourceError, match=f"{NAME}: expected seconds, more than 0 and at most 600"):
        read_seconds({NAME: text}, NAME, 10)


def test_names_are_what_stands_between_commas() -> None:
    assert read_names({NAME: " slack, google_drive ,,"}, NAME) == ["slack", "google_drive"]
    assert read_names({}, NAME) == []
