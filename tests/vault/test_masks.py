"""What is hidden in a text, and that nothing moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.vault.blocks import find_blocks
from winnow.vault.masks import FILLER, Masked, blank, mask

marks = st.sampled_from(
    [
        "`",
        "``",
        "```",
        "%%",
        "<!--",
        "-->",
        "$",
        "$$",
        "\\",
        "\n",
        "\n\n",
        "a",
        " ",
        "> ",
        "- ",
        "    ",
    ]
)


def masked(text: str) -> Masked:
    starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n")]
    return mask(text, find_blocks(text, len(starts), 1), starts)


def readable(text: str) -> str:
    return masked(text).marked.replace(FILLER, "·")


@given(st.lists(marks | st.text(max_size=3), max_size=50).map("".join))
def test_every_character_stays_in_place_or_is_hidden(text: str) -> None:
    found = masked(text)
    for form, hidden in ((found.prose, " "), (found.marked, " " + FILLER)):
        assert len(form) == len(text)
        pairs = zip(text, form, strict=True)
        assert all(before == after or after in hidden for before, after in pairs)
        assert form.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("a %%b%% c", "a       c"),
        ("%%\nb\n\nc\n%% d", "  \n \n\n \n   d"),
        ("a <!-- b\n\nc --> d", "a       \n\n      d"),
        ("```\na\n```\nb", "   \n \n   \nb"),
        ("a `%%` b `%%` c", "a `%%` b `%%` c"),
        ("100 %% a\n\nb %% c", "100 %% a\n\nb %% c"),
        ("%% never closed", "%% never closed"),
        ("<!-- never closed", "<!-- never closed"),
        (r"\%% a %%", r"\%% a %%"),
    ],
)
def test_code_blocks_and_comments_are_not_prose(text: str, prose: str) -> None:
    assert masked(text).prose == prose


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("a `b` c", "a ··· c"),
        ("a ``b`c`` d", "a ······· d"),
        ("a `b\nc` d", "a ··\n·· d"),
        ("a ` b", "a ` b"),
        ("a ` b\n\nc ` d", "a ` b\n\nc ` d"),
        ("- a ` b\n- c ` d", "- a ` b\n- c ` d"),
        (r"a \` b ` c", "a ·· b ` c"),
        (r"`a\` b", "···· b"),
        ("$$\na\n\nb\n$$ c", "··\n·\n\n·\n·· c"),
        ("a $b$ c", "a ··· c"),
        (r"\#a \\#b", "··a ··#b"),
    ],
)
def test_code_in_lines_math_and_escapes_are_not_read(text: str, marked: str) -> None:
    assert readable(text) == marked


@pytest.mark.parametrize(
    "text",
    ["$45M and $30M", "from $5 to $6", "10$ or 20$", "$ a $", "costs $5 (fee:: $6) and $7"],
)
def test_prices_are_not_math(text: str) -> None:
    assert masked(text).marked == text


def test_blank_keeps_line_breaks() -> None:
    assert blank("ab\ncd", [(1, 4)], "x") == "ax\nxd"
    assert blank("ab", [], "x") == "ab"
