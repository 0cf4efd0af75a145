"""docs/embedders.md says what is so."""

import re
from pathlib import Path

import pytest

from winnow.embed import external, onnx, remote, static
from winnow.embed.base import LONGEST_TEXT
from winnow.embed.registry import FAMILIES

GUIDE = (Path(__file__).parents[2] / "docs" / "embedders.md").read_text(encoding="utf-8")


def test_the_table_has_each_family_with_its_form_and_example() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", GUIDE, re.MULTILINE)
    assert sorted(rows) == sorted((one.form, one.example) for one in FAMILIES.values())


def test_the_program_prints_what_its_comment_says(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    exec(compile(program, "embedders.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"\)  # (.*)", program)


def test_its_numbers_are_those_of_the_code() -> None:
    told = " ".join(GUIDE.split())
    assert static.MIN_SIMILARITY == onnx.MIN_SIMILARITY
    assert f"For `static` and `onnx` it is {static.MIN_SIMILARITY}:" in told
    assert f"it is {external.MIN_SIMILARITY}." in told
    assert f"first {static.MOST_TOKENS} known tokens" in told
    pauses = "after {:g}, {:g} and {:g} seconds".format(*remote.PAUSES)
    assert pauses in told
    assert f"asks for, up to {remote.LONGEST_PAUSE:g};" in told
    assert f"longer than {remote.TIMEOUT:g} seconds" in told
    assert f"up to {remote.BATCH_TEXTS} texts, each cut at {LONGEST_TEXT:,} characters" in told
