"""What a format is read from: a stream of bytes, a folder, or objects of Python."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader

from winnow.memory.transfer.foreign.decoding import Decoder
from winnow.memory.transfer.lines import Raw, read_json


@dataclass(frozen=True, slots=True)
class Source:
    """One of three, whichever the format takes; `columns` is what a request says of a table's."""

    stream: BufferedReader | None = None
    folder: str = ""
    objects: Iterable[object] | None = None
    columns: tuple[str, ...] = ()

    def lines(self) -> Iterator[Raw]:
        """Yield an object of JSON for each line that is not blank, or each object of Python."""
        if self.objects is not None:
            yield from enumerate(self.objects, 1)
            return
        decoder = Decoder(self.stream or ())
        for number, line in enumerate(decoder, 1):
            wrong = decoder.complain()
            if wrong is not None:
                yield number, wrong
            elif line.strip():
                yield number, read_json(line)
