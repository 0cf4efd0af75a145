"""Tables whose rows become memories."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import temporary_memory
from tests.memory.transfer.foreign.bringing import bring, counts, said, stored, told, write

from winnow.errors import InvalidRequest
from winnow.memory import Memory

TABLE = """\
Key;Body;Labels;Price;When;Extra
T-1;"The crane; is
down";steel, harbor;12.5;2026-01-02;x
T-2;Fine;;;2026-01-03T04:05:06Z;
"""
MAP = [
    *("text=Body", "id=Key", "tags=Labels", "createdAt=When"),
    "metadata.price=Price:number",
]


def test_a_row_becomes_a_memory_as_the_mapping_says(memory: Memory, tmp_path: Path) -> None:
    answer = bring(memory, write(tmp_path, "tickets.csv", TABLE), map=MAP)
    assert (answer.format, answer.added) == ("csv", 2)
    found = stored(memory)
    assert said(found["T-1"]) == {
        "text": "The crane; is\ndown",
        "source": "csv",
        "tags": ("steel", "harbor"),
        "metadata": {"price": 12.5, "Extra": "x"},
    }
    assert found["T-1"].created_at == "2026-01-02T00:00:00.000Z"
    assert said(found["T-2"]) == {"text": "Fine", "source": "csv"}


def test_a_changed_row_with_an_id_is_updated(memory: Memory, tmp_path: Path) -> None:
    bring(memory, write(tmp_path, "a.csv", TABLE), map=MAP)
    answer = bring(memory, write(tmp_path, "b.csv", TABLE.replace("Fine", "Better")), map=MAP)
    assert counts(answer) == (0, 1, 1, 0)


def test_rows_without_an_id_are_known_by_what_they_say(memory: Memory, tmp_path: Path) -> None:
    file = write(tmp_path, "a.csv", "text,kind\nOne,claim\nTwo,claim\nOne,claim\n")
    assert counts(bring(memory, file)) == (2, 0, 1, 0)


@pytest.mark.parametrize(
    ("name", "sign"), [("a.csv", ","), ("a.csv", ";"), ("a.tsv", "\t"), ("a.csv", "|")]
)
def test_the_separator_is_that_of_the_header(
    memory: Memory, tmp_path: Path, name: str, sign: str
) -> None:
    rows = ('"id"', "text", "tags"), ("1", '"a;b,c|d ""e"""', '"x,y"')
    text = "\ufeff\r\n" + "\r\n".join(sign.join(row) for row in rows)
    bring(memory, write(tmp_path, name, text))
    assert said(memory.get("1")) == {
        "text": 'a;b,c|d "e"',
        "source": "csv",
        "tags": ("x", "y"),
    }


def test_a_bad_row_is_refused_with_its_line_and_the_rest_goes_in(
    memory: Memory, tmp_path: Path
) -> None:
    text = (
        "id,text,importance,kind\n"
        "1,fine,,\n"
        '2,"two\nlines",much,\n'
        "3,short\n"
        "4,,0.5,\n"
        "5,caf?,0.5,\n"
        "6,odd,0.5,recipe\n"
        "7,far,7,\n"
        '8,"odd"quote,,\n'
        "\n"
        "9,last,0.25,claim\n"
    )
    data = text.encode().replace(b"?", b"\xe9")
    answer = memory.admin.import_(str(write(tmp_path, "a.csv", data)))
    assert counts(answer) == (2, 0, 0, 7)
    place = data.index(b"\xe9") + 1
    expected = (
        "/lines/3: column 'importance': expected a number, got text 'much'",
        "/lines/5: 2 cells, where the header has 4",
        "/lines/6: its text is empty",
        f"/lines/7: not UTF-8: byte {place} of the file is 0xE9",
        "/lines/8/kind: invalid kind 'recipe'",
        "/lines/9/importance: expected a number from 0 to 1, got number 7",
        "/lines/10: not a row of a table: ",
    )
    for fault, wanted in zip(told(answer), expected, strict=True):
        assert fault.startswith(wanted)
    assert set(stored(memory)) == {"1", "9"}


def test_a_quote_that_is_never_closed_is_told_and_what_stands_before_goes_in(
    memory: Memory, tmp_path: Path
) -> None:
    file = write(tmp_path, "a.csv", 'id,text\n1,fine\n2,"open\n3,more\n')
    answer = memory.admin.import_(str(file))
    assert counts(answer) == (1, 0, 0, 1)
    assert told(answer) == ["/lines/3: not a row of a table: unexpected end of data"]


def test_a_long_cell_is_a_long_text(memory: Memory, tmp_path: Path) -> None:
    bring(memory, write(tmp_path, "a.csv", "id,text\n1," + "word " * 60_000 + "\n"))
    assert len(memory.get("1").text) == 300_000


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("id,Body\n1,a\n", "/map: say which column is the text: text=COLUMN, with one of id, Body"),
        ("text,id,id\na,1,2\n", "/lines/1: column 'id' stands twice in the header"),
        ("te\xe9xt,id\n", "/lines/1: not UTF-8: byte 3 of the file is 0xE9"),
        ('"text', "/lines/1: the header can't be read: "),
    ],
)
def test_a_header_that_does_not_do_is_told_before_anything_is_stored(
    memory: Memory, tmp_path: Path, text: str, fault: str
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        memory.admin.import_(str(write(tmp_path, "a.csv", text.encode("latin-1"))))
    assert str(caught.value).startswith(fault)
    assert stored(memory) == {}


def test_nothing_is_read_from_an_empty_table(memory: Memory, tmp_path: Path) -> None:
    for text in ("", "\n\n", "text\n"):
        assert counts(memory.admin.import_(str(write(tmp_path, "a.csv", text)))) == (0, 0, 0, 0)


def test_columns_without_a_name_have_their_number(memory: Memory, tmp_path: Path) -> None:
    bring(memory, write(tmp_path, "a.csv", "id,text,,\n1,a,x,\n"))
    assert memory.get("1").metadata == {"column 3": "x"}


@given(st.text('ab",;\n\r\x00é', max_size=40) | st.binary(max_size=20))
@settings(max_examples=60)
def test_any_table_goes_in_or_is_told(
    tmp_path_factory: pytest.TempPathFactory, rows: str | bytes
) -> None:
    data = rows if isinstance(rows, bytes) else rows.encode()
    file = write(tmp_path_factory.mktemp("t"), "a.csv", b"text,id\nfine,first\n" + data)
    with temporary_memory() as memory:
        answer = memory.admin.import_(str(file))
        assert memory.get("first").text == "fine" or answer.changed
        assert len(stored(memory)) == answer.added
        again = memory.admin.import_(str(file))
        assert (again.added, again.refused) == (0, answer.refused)
