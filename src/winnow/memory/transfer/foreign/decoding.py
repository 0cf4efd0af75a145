"""Bytes as UTF-8, line by line, with the place of each byte that is none."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from winnow.values import UnreadableValue

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Decoder:
    """Yields lines as text; what was wrong with those so far waits to be asked for."""

    lines: Iterable[bytes]
    offset: int = 0
    wrong: list[UnreadableValue] = field(default_factory=list[UnreadableValue])

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            bare = line if self.offset else line.removeprefix(BYTE_ORDER_MARK)
            before = self.offset + len(line) - len(bare)
            self.offset += len(line)
            try:
                yield bare.decode()
            except UnicodeDecodeError as error:
                self.wrong.append(describe_byte(bare[error.start], before + error.start))
                yield bare.decode(errors="replace")

    def complain(self) -> UnreadableValue | None:
        """Return what was wrong with the lines since it was last asked, None if nothing was."""
        if not self.wrong:
            return None
        first = self.wrong[0]
        self.wrong.clear()
        return first


def describe_byte(byte: int, offset: int) -> UnreadableValue:
    """Say that a byte is not UTF-8; `offset` counts from 0, and is told from 1."""
    hint = "; save the file as UTF-8" if offset < len(BYTE_ORDER_MARK) else ""
    return UnreadableValue(f"not UTF-8: byte {offset + 1:,} of the file is 0x{byte:02X}{hint}")
