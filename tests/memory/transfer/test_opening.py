"""What an import reads from: files, pipes, standard input, folders and objects."""

import io
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import temporary_memory
from tests.memory.transfer.foreign.bringing import counts, lines, stored, told, write

from winnow.errors import InvalidRequest, NotFound
from winnow.memory import Memory
from winnow.operations.arguments import ImportFormat

ENTITY = {"type": "entity", "name": "Anna", "entityType": "person", "observations": ["Leads"]}
OWN = {"id": "a", "text": "Some words"}
MEMORY = {"id": "1", "memory": "Likes tea", "created_at": "2026-01-02", "categories": ["food"]}


def faults(memory: Memory, *args: Any, **options: Any) -> str:
    with pytest.raises(InvalidRequest) as caught:
        memory.admin.import_(*args, **options)
    return str(caught.value)


@pytest.mark.parametrize("bare", [True, False])
@pytest.mark.parametrize(("one", "name"), [(OWN, "a"), (ENTITY, "mcp-memory:Anna")])
def test_standard_input_is_told_apart_as_a_file_is(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, bare: bool, one: Mapping[str, Any], name: str
) -> None:
    text = "\ufeff\n" + lines(one, {**one, "text": 5, "name": 5})
    stream = io.StringIO(text) if bare else io.TextIOWrapper(io.BytesIO(text.encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    answer = memory.admin.import_("-")
    assert counts(answer) == (1, 0, 0, 1)
    assert list(stored(memory)) == [name]
    assert not stream.closed


@pytest.mark.parametrize(("one", "name"), [(OWN, "a"), (ENTITY, "mcp-memory:Anna")])
def test_a_pipe_is_read_once(memory: Memory, tmp_path: Path, one: object, name: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    filler = " " * 200_000 + "\n"
    writer = Thread(target=pipe.write_text, args=(lines(one) + filler + lines({"id": "1"}),))
    writer.start()
    answer = memory.admin.import_(str(pipe))
    writer.join()
    assert counts(answer) == (1, 0, 0, 1)
    assert told(answer)[0].startswith("/lines/3")
    assert list(stored(memory)) == [name]


def test_what_can_not_be_opened_is_told(memory: Memory, tmp_path: Path) -> None:
    for path in (str(tmp_path / "none"), "a\0b"):
        with pytest.raises(NotFound, match="can't read "):
            memory.admin.import_(path, format="mem0")


def test_a_format_that_is_asked_for_must_fit_what_is_given(memory: Memory, tmp_path: Path) -> None:
    file, folder = str(write(tmp_path, "a.jsonl", lines(OWN))), str(tmp_path)
    assert faults(memory, file, format="markdown") == (
        "/format: markdown is read from a folder, and this is a file"
    )
    assert faults(memory, folder, format="mem0") == (
        "/format: mem0 is read from a file or objects of Python, and this is a folder"
    )
    assert faults(memory, objects=[], format="csv") == (
        "/format: csv is read from a file, and this is objects of Python"
    )
    assert "unknown value 'mem1'" in faults(memory, file, format="mem1")


def test_a_mapping_is_for_tables_alone(memory: Memory, tmp_path: Path) -> None:
    file = str(write(tmp_path, "a.jsonl", lines(OWN)))
    told = "/map: columns are those of csv, and this is "
    assert faults(memory, file, format="mem0", map="text=a") == f"{told}mem0"
    assert faults(memory, str(tmp_path), map=["text=a"]) == f"{told}a folder"
    assert faults(memory, objects=[], map=["text=a"]) == f"{told}objects of Python"


def test_an_own_format_that_is_asked_for_is_not_looked_for(memory: Memory, tmp_path: Path) -> None:
    file = write(tmp_path, "a.jsonl", lines(ENTITY, OWN))
    answer = memory.admin.import_(str(file), format="winnow")
    assert counts(answer) == (1, 0, 0, 1)
    assert answer.format == "winnow"


RELATION = {"type": "relation", "from": "Anna", "to": "Harbor", "relationType": "leads"}
DOCUMENTS: Sequence[tuple[ImportFormat, str]] = [
    ("mcp-memory", lines(ENTITY, RELATION)),
    ("mem0", json.dumps({"results": [MEMORY, {**MEMORY, "id": "2"}], "relations": []})),
    ("mem0", lines(MEMORY, {**MEMORY, "id": "2"})),
    ("csv", 'id,text,tags\n1,"a ""b""","x,y"\n2,c,\n'),
]


@given(st.sampled_from(DOCUMENTS), st.data())
@settings(max_examples=150)
def test_whatever_is_changed_in_a_file_nothing_is_applied_by_halves(
    document: tuple[ImportFormat, str], data: st.DataObject
) -> None:
    """Each record goes in as a whole, or is refused; a dry run and a second import agree."""
    format_, text = document
    raw = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=2))
        if not raw:
            return
    with temporary_memory() as memory:
        path = Path(memory.engine.label).with_name("file")
        path.write_bytes(raw)
        try:
            foretold = memory.admin.import_(str(path), format=format_, dry_run=True)
        except InvalidRequest:
            foretold = None
        if foretold is None:
            assert format_ == "csv"  # whose header does not do
            return
        assert stored(memory) == {}
        answer = memory.admin.import_(str(path), format=format_)
        assert counts(answer) == counts(foretold)
        assert told(answer) == told(foretold)
        assert len(stored(memory)) == answer.added
        again = memory.admin.import_(str(path), format=format_)
        assert (again.added, again.refused) == (0, answer.refused)
