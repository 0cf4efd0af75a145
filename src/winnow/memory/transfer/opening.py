"""Opening what an import reads: a file, standard input, a folder, or objects of Python."""

import os
import stat
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from io import BufferedReader, BytesIO, TextIOWrapper
from pathlib import Path
from typing import cast

from winnow.errors import Fault, InvalidRequest, NotFound
from winnow.memory.transfer.foreign.detecting import detect_file, detect_folder
from winnow.memory.transfer.foreign.formats import FORMATS, WINNOW, Takes
from winnow.memory.transfer.foreign.repeats import refuse_repeats
from winnow.memory.transfer.foreign.report import Report, nobody_knows
from winnow.memory.transfer.foreign.source import Source
from winnow.memory.transfer.lines import Raw, parse_lines
from winnow.operations.changes import ImportRequest

STANDARD_INPUT = "-"
PEEK = 1 << 16
"""Bytes that are looked at to tell what a file is."""


@contextmanager
def open_lines(request: ImportRequest, report: Report) -> Generator[Iterator[Raw]]:
    """Open what a request names, and note in the report which format it has."""
    objects = request.entities if request.objects is None else request.objects
    path = Path(request.path or "").expanduser()
    if objects is not None:
        report.format = _settle_format(request, Takes.OBJECTS) or WINNOW
        yield _read(Source(objects=objects), report)
    elif request.path != STANDARD_INPUT and path.is_dir():
        report.format = _settle_format(request, Takes.FOLDER) or detect_folder(str(path))
        yield _read(Source(folder=str(path)), report)
    else:
        asked = _settle_format(request, Takes.STREAM)
        columns = list_columns(request)
        with _open_stream(request, path) as stream:
            report.how_far = _measure(stream)
            head = stream.peek(PEEK)[:PEEK]
            report.format = asked or detect_file(head, path.name, mapped=bool(columns))
            if report.format == WINNOW:
                yield from _read_text(stream)
            else:
                yield _read(Source(stream=stream, columns=columns), report)


def list_columns(request: ImportRequest) -> tuple[str, ...]:
    """Return what a request says of columns."""
    return (request.map,) if isinstance(request.map, str) else tuple(request.map or ())


def _read(source: Source, report: Report) -> Iterator[Raw]:
    found = FORMATS[report.format].read(source, report)
    return found if report.format == WINNOW else refuse_repeats(found)


def _read_text(stream: BufferedReader) -> Generator[Iterator[Raw]]:
    text = TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape")
    try:
        yield parse_lines(text)
    finally:
        text.detach()


def _measure(stream: BufferedReader) -> Callable[[], tuple[int, int]]:
    """Return what tells how much of a file is read; of what is no file nobody knows."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:
        return nobody_knows
    if not stat.S_ISREG(status.st_mode):
        return nobody_knows
    return lambda: (stream.tell(), status.st_size)


def _settle_format(request: ImportRequest, given: Takes) -> str | None:
    """Return the format that a request names, None if it names none; refuse one that can't be."""
    name = request.format
    faults: list[Fault] = []
    if list_columns(request) and (given is not Takes.STREAM or name not in (None, "csv")):
        faults.append(Fault("/map", f"columns are those of csv, and this is {name or given}"))
    if name is not None and given not in FORMATS[name].takes:
        wanted = " or ".join(one for one in Takes if one in FORMATS[name].takes)
        faults.append(Fault("/format", f"{name} is read from {wanted}, and this is {given}"))
    if faults:
        raise InvalidRequest(faults)
    return name


@contextmanager
def _open_stream(request: ImportRequest, path: Path) -> Generator[BufferedReader]:
    if request.path == STANDARD_INPUT:
        with _buffer_input() as stream:
            yield stream
        return
    try:
        file = cast(BufferedReader, path.open("rb", buffering=PEEK))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise NotFound(f"can't read {path}: {reason}") from None
    with file:
        yield file


@contextmanager
def _buffer_input() -> Generator[BufferedReader]:
    """Give standard input as bytes; a text that somebody put in its place has none."""
    binary = getattr(sys.stdin, "buffer", None)
    if hasattr(binary, "peek"):
        yield cast(BufferedReader, binary)
        return
    if binary is None:
        binary = BytesIO(sys.stdin.read().encode("utf-8", "surrogateescape"))
    reader = cast(BufferedReader, BufferedReader(binary, PEEK))
    try:
        yield reader
    finally:
        reader.detach()  # so that it does not close what it reads
