"""Long documents of JSON: read item by item, whatever the blocks are cut like."""

import json
from io import BufferedReader, BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.memory.transfer.foreign import documents
from winnow.memory.transfer.foreign.documents import Broken, Document
from winnow.values import UnreadableValue

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


def document(text: str | bytes) -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    return Document(BufferedReader(BytesIO(data)))


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> Any:
    """Cuts everything into little blocks, so that all that can be cut is."""
    patch = pytest.MonkeyPatch()
    patch.setattr(documents, "BLOCK", 3)
    yield
    patch.undo()


@given(st.lists(json_values, max_size=5), st.booleans(), st.sampled_from([None, 1]))
def test_items_are_those_of_the_list(items: list[Any], ascii_: bool, indent: int | None) -> None:
    text = json.dumps(items, ensure_ascii=ascii_, indent=indent)
    assert [one for _, one in document("\ufeff" + text).items()] == items


@given(st.dictionaries(st.text(max_size=4), json_values, max_size=4))
def test_values_of_an_object_are_read_one_by_one(values: dict[str, Any]) -> None:
    reader = document(json.dumps(values, indent=2))
    assert [(name, reader.value()) for name in reader.names()] == [*values.items()]


@given(st.text('[]{}",:\\ab1 \n', max_size=30) | st.binary(max_size=20))
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    reader, found = document(text), list[object]()
    try:
        while opening := reader.peek():
            found += [one for _, one in reader.items()] if opening == "[" else [reader.value()]
    except Broken as error:
        found.append(error)
    for one in found:
        assert isinstance(one, UnreadableValue) or json.dumps(one)
    assert len(found) <= len(text)  # nothing is read twice


def test_a_byte_that_is_not_utf8_is_told_by_its_place() -> None:
    text = '["fine é", "not ?", "fine"]'.encode().replace(b"?", b"\xe9")
    first, second, third = (one for _, one in document(text).items())
    assert (first, third) == ("fine é", "fine")
    place = text.index(b"\xe9") + 1
    assert str(second) == f"not UTF-8: byte {place} of the file is 0xE9"


def test_an_item_that_never_ends_is_not_read_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LONGEST_ITEM", 100)
    stream: Any = BufferedReader(BytesIO(b'["' + b"x" * 100_000), 16)
    with pytest.raises(Broken, match="line 1: longer than 100 characters"):
        list(Document(stream).items())
    assert stream.tell() < 1_000


@pytest.mark.parametrize("text", ["]", "[,]", "[1,]", ", 1", "[1 2]", '["a" "b"]', "[[1]", ":"])
def test_a_document_that_is_out_of_joint_is_not_read_on(text: str) -> None:
    reader = document(text)
    with pytest.raises(Broken, match=r"line 1: .*; what follows was not read"):
        list(reader.items())


def test_lines_are_counted_from_one() -> None:
    reader = document('[\n1,\n{"a":\n2},\nx]')
    found = [str(one) for _, one in reader.items()]
    assert found[:2] == ["1", "{'a': 2}"]
    assert found[2].startswith("line 5: not a JSON object")
