"""What format a file or a folder has."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.memory.transfer.foreign.bringing import lines, write

from winnow.errors import InvalidRequest
from winnow.memory.transfer.foreign.detecting import detect_file, detect_folder
from winnow.memory.transfer.foreign.formats import FORMATS
from winnow.operations.arguments import ImportFormat

MEMORY = {"id": "1", "memory": "a", "user_id": "b"}
ENTITY: Mapping[str, Any] = {"type": "entity", "name": "a", "entityType": "b", "observations": []}


def detect(text: str | bytes, name: str = "file.json", *, mapped: bool = False) -> str:
    data = text if isinstance(text, bytes) else text.encode()
    return detect_file(data[: 1 << 16], name, mapped=mapped)


def refused(*args: Any) -> str:
    with pytest.raises(InvalidRequest) as caught:
        detect(*args)
    return str(caught.value)


def test_every_format_that_can_be_asked_for_has_a_reader() -> None:
    assert list(FORMATS) == list(get_args(ImportFormat))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "winnow"),
        (" \n\n", "winnow"),
        (lines({"text": "a", "memory": "b", "id": "c"}), "winnow"),
        (lines({"schema": "legal.Matter", "id": "MAT-1", "fields": {}}), "winnow"),
        (lines({"namespace": "a", "settings": {}}), "winnow"),
        (lines({"what": "is this"}), "winnow"),
        ('{"text": broken}\n', "winnow"),
        ("\ufeff\n" + lines(ENTITY), "mcp-memory"),
        (lines({"type": "relation", "from": "a", "to": "b"}), "mcp-memory"),
        (json.dumps({**ENTITY, "observations": ["x" * 100_000]}), "mcp-memory"),
        (lines(MEMORY), "mem0"),
        (lines({"id": "1", "content": "a", "state": "active"}), "mem0"),
        (json.dumps([MEMORY]), "mem0"),
        (json.dumps([MEMORY], indent=2), "mem0"),
        (json.dumps({"results": [MEMORY]}), "mem0"),
        (json.dumps({"results": []}), "mem0"),
        (json.dumps({"memories": [MEMORY]}, indent=2), "mem0"),
        (json.dumps({"results": [{**MEMORY, "memory": "x" * 100_000}]}), "mem0"),
    ],
)
def test_a_file_is_known_by_how_it_begins(text: str, found: str) -> None:
    assert detect(text) == found


def test_a_table_is_known_by_its_name_or_by_a_mapping() -> None:
    assert detect("a,b\n", "A.CSV") == detect("a\tb\n", "a.tsv") == "csv"
    assert detect("a,b\n", "a.txt", mapped=True) == "csv"


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", "# A note", "[1, 2]", "[]", '{\n "a": 1}', '[\n{"name": "a"}]', "<a/>"]
)
def test_where_nothing_is_certain_the_formats_are_listed(text: str) -> None:
    told = refused(text, "notes.txt")
    assert told.startswith("/format: can't tell what this file is; say which of these: winnow (")
    assert "mem0 (JSON of mem0)" in told
    assert "markdown" not in told


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("text".encode("utf-16"), "UTF-16: its first byte is 0xFF; save it as UTF-8"),
        (b"PK\x03\x04", "a zip archive; unpack it"),
        (b"\x1f\x8b\x08", "packed by gzip; unpack it first"),
        (b"SQLite format 3\0", "a database of SQLite"),
    ],
)
def test_what_is_no_text_is_told_by_what_it_is(data: bytes, told: str) -> None:
    assert refused(data, "a.csv").startswith(f"/path: this file is {told}")


def test_a_folder_is_that_of_basic_memory_if_all_its_notes_have_a_permalink(
    tmp_path: Path,
) -> None:
    write(tmp_path, "a.md", "---\r\npermalink: a\r\n---\r\ntext")
    assert detect_folder(str(tmp_path)) == "basic-memory"
    write(tmp_path, "b.md", "text")
    with pytest.raises(InvalidRequest, match=r"basic-memory .*, markdown .*; winnow index keeps"):
        detect_folder(str(tmp_path))
    with pytest.raises(InvalidRequest, match="can't tell what this folder is"):
        detect_folder(str(tmp_path / ".."))


def test_a_note_that_can_not_be_opened_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.md", "---\npermalink: a\n---\n")

    def refuse(_: str) -> None:
        raise PermissionError

    monkeypatch.setattr("winnow.memory.transfer.foreign.detecting.read_file", refuse)
    with pytest.raises(InvalidRequest, match="can't tell"):
        detect_folder(str(tmp_path))
