"""Bytes as UTF-8, line by line."""

from hypothesis import given
from hypothesis import strategies as st

from winnow.memory.transfer.foreign.decoding import Decoder


@given(st.lists(st.text(max_size=5), max_size=4), st.booleans())
def test_text_is_what_it_was_without_its_mark(texts: list[str], mark: bool) -> None:
    data = [f"{text}\n".encode() for text in texts]
    if mark and data:
        data[0] = b"\xef\xbb\xbf" + data[0]
    decoder = Decoder(data)
    found = list(decoder)
    unmarked = [text.removeprefix("\ufeff") if not n else text for n, text in enumerate(texts)]
    assert found == [f"{text}\n" for text in (texts if mark else unmarked)]
    assert decoder.complain() is None


@given(st.lists(st.binary(max_size=6), max_size=6))
def test_the_first_bad_byte_since_the_last_question_is_told_by_its_place(
    data: list[bytes],
) -> None:
    decoder, before = Decoder(data), 0
    for line, _ in zip(data, decoder, strict=True):
        wrong = decoder.complain()
        try:
            line.decode()
        except UnicodeDecodeError as error:
            place, byte = before + error.start + 1, line[error.start]
            assert str(wrong).startswith(f"not UTF-8: byte {place} of the file is 0x{byte:02X}")
        else:
            assert wrong is None
        before += len(line)
