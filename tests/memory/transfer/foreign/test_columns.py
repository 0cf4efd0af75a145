"""The language that says which column of a table becomes what."""

from typing import Any

import pytest

from winnow.errors import InvalidRequest
from winnow.memory.transfer.foreign.columns import FIELDS, read_cell, read_columns
from winnow.schema import snake_case
from winnow.values import UnreadableValue

HEADER = ["Body", "Labels", "Price", "When: UTC", "text"]


def fields(*texts: str, header: list[str] = HEADER) -> dict[str, str]:
    return {one.name: one.field for one in read_columns(texts, header)}


def faults(*texts: str, header: list[str] = HEADER) -> list[str]:
    with pytest.raises(InvalidRequest) as caught:
        read_columns(texts, header)
    return [str(fault) for fault in caught.value.faults]


def value(text: str, cell: str) -> Any:
    columns = read_columns(["text=Body", text], HEADER)
    return read_cell(columns[1], cell)


def test_columns_that_nothing_is_said_of_become_metadata() -> None:
    assert fields("text=Body", "createdAt=When: UTC") == {
        "Body": "text",
        "When: UTC": "createdAt",
        "Labels": "metadata.Labels",
        "Price": "metadata.Price",
        "text": "metadata.text",
    }


def test_with_nothing_said_columns_that_are_called_like_fields_become_them() -> None:
    names = [snake_case(field) for field in FIELDS]
    assert fields(header=[*names, "Other"]) == {
        **dict(zip(names, FIELDS, strict=True)),
        "Other": "metadata.Other",
    }


@pytest.mark.parametrize(
    ("text", "cell", "read"),
    [
        ("tags=Labels", "a, b,,c d", ["a", "b", "c d"]),
        ("tags=Labels:;", "a, b; c", ["a, b", "c"]),
        ("tags=Labels:::", "a::b", ["a", "b"]),
        ("importance=Price", " 0.5 ", 0.5),
        ("title=Price", " 0.5 ", " 0.5 "),
        ("metadata.p=Price", "12", "12"),
        ("metadata.p=Price:text", "12", "12"),
        ("metadata.p=Price:integer", "12", 12),
        ("metadata.p=Price:number", "12.50", 12.5),
        ("metadata.p=Price:boolean", "true", True),
        ("metadata.p=Price:date", "2026-01-02", "2026-01-02"),
        ("metadata.p=Price:datetime", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("metadata.p=Price:|", "a|b", ["a", "b"]),
        ("metadata.p=When: UTC:date", "2026-01-02", "2026-01-02"),
        ("metadata.a.b=Labels", "x", "x"),
        ("memory_type=Labels", "semantic", "semantic"),
    ],
)
def test_a_cell_becomes_a_value_of_the_type_that_is_said(text: str, cell: str, read: Any) -> None:
    found = value(text, cell)
    assert (found, type(found)) == (read, type(read))


@pytest.mark.parametrize("how", ["integer", "number", "boolean", "date", "datetime"])
def test_a_cell_of_another_type_is_refused_with_its_column(how: str) -> None:
    with pytest.raises(UnreadableValue, match="column 'Price': "):
        value(f"metadata.p=Price:{how}", "many")


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["Body"], "/map/0: expected FIELD=COLUMN, such as text=Body; got 'Body'"),
        (["text="], "/map/0: expected FIELD=COLUMN, such as text=Body; got 'text='"),
        (["txt=Body"], "/map/0: unknown field 'txt'; did you mean 'text'?"),
        (["metadata.=Body"], "/map/0: unknown field 'metadata.'"),
        (["text=Bdy"], "/map/0: unknown column 'Bdy'; did you mean 'Body'?"),
        (["title=Body:number"], "/map/0: title has its own type; leave :number out"),
        (["tags=Labels:and"], "/map/0: what stands between tags is a sign such as ; or |"),
        (["metadata.p=Price:nummer"], "/map/0: expected a type (text, integer, number, "),
        (["title=Labels"], "/map: say which column is the text: text=COLUMN, with one of Body"),
        (["text=Body", "text=text"], "/map: text would come from several columns"),
        (["text=Body", "metadata.Price=Labels"], "/map: metadata.Price would come from several"),
    ],
)
def test_what_is_wrong_is_told_with_what_is_allowed(texts: list[str], told: str) -> None:
    (fault,) = faults(*texts)
    assert fault.startswith(told)


def test_all_faults_are_told_together() -> None:
    found = faults("txt=Body", "text=Bdy", header=["a", "a"])
    assert [one.partition(":")[0] for one in found] == ["/lines/1", "/map/0", "/map/1"]
