"""What format a file or a folder has, where that is certain; else the caller is asked."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from winnow.errors import Fault, InvalidRequest
from winnow.memory.transfer.foreign.decoding import BYTE_ORDER_MARK
from winnow.memory.transfer.foreign.formats import WINNOW, Takes, describe_formats
from winnow.memory.transfer.slots import Line, as_line
from winnow.vault.contents import decode_text, read_file
from winnow.vault.folder import list_folder
from winnow.vault.frontmatter import read_frontmatter
from winnow.vault.roots import find_root

ENDINGS: Final = (".csv", ".tsv")
SAMPLE: Final = 20
"""Notes of a folder that are looked at."""


def detect_file(head: bytes, name: str, *, mapped: bool) -> str:
    """Return the format of a file by its first bytes; raises InvalidRequest if they don't tell.

    `mapped` says that the request speaks of columns.
    """
    wrong = next((what for mark, what in _UNREADABLE.items() if head.startswith(mark)), None)
    if wrong is not None:
        raise InvalidRequest([Fault("/path", f"this file is {wrong}")])
    if mapped or name.lower().endswith(ENDINGS):
        return "csv"
    text = head.removeprefix(BYTE_ORDER_MARK).decode(errors="replace").lstrip()
    if not text:
        return WINNOW
    if text[0] in "{[":
        found = _detect_json(text)
        if found is not None:
            return found
    raise _ask("this file", Takes.STREAM)


def detect_folder(folder: str) -> str:
    """Return the format of a folder: of Basic Memory if its notes all have a permalink.

    Any other folder of Markdown may be a vault, which is indexed, not imported.
    """
    notes = list_folder(find_root(folder)).notes[:SAMPLE]
    if notes and all(_has_permalink(one.place) for one in notes):
        return "basic-memory"
    raise _ask("this folder", Takes.FOLDER, "; winnow index keeps reading one where it is")


def _ask(what: str, given: Takes, more: str = "") -> InvalidRequest:
    detail = f"can't tell what {what} is; say which of these: {describe_formats(given)}{more}"
    return InvalidRequest([Fault("/format", detail)])


def _detect_json(text: str) -> str | None:
    line = _parse_first(text)
    if line is None:
        return next((name for name, form in _SHAPES if form.match(text)), None)
    return next((name for name, fits in _SIGNS if fits(line)), WINNOW)


def _parse_first(text: str) -> Line | None:
    """Return the object that a first line is, None if it is none, or goes on in the next."""
    try:
        return as_line(json.loads(text.partition("\n")[0]))
    except (ValueError, RecursionError):
        return None


def _has_permalink(place: str) -> bool:
    try:
        text, _ = decode_text(read_file(place).data)
    except OSError:
        return False
    return "permalink" in read_frontmatter(text.replace("\r\n", "\n")).values


def _is_own(line: Line) -> bool:
    return not _OWN_KEYS.isdisjoint(line)


def _is_graph(line: Line) -> bool:
    return line.get("type") in ("entity", "relation") and ("name" in line or "from" in line)


def _is_mem0(line: Line) -> bool:
    if any(keys <= set(line) for keys in _ITEM_KEYS):
        return True
    listed = next((line[key] for key in _LISTS if isinstance(line.get(key), list)), None)
    items = cast("list[object] | None", listed)
    return items == [] or (items is not None and "memory" in (as_line(items[0]) or {}))


_OWN_KEYS: Final = frozenset({"text", "schema", "pack", "settings"})
_ITEM_KEYS: Final = ({"id", "memory"}, {"id", "content", "state"})
_LISTS: Final = ("results", "memories")
_SIGNS: Final[Sequence[tuple[str, Callable[[Line], bool]]]] = (
    (WINNOW, _is_own),
    ("mcp-memory", _is_graph),
    ("mem0", _is_mem0),
)
"""What the first line of a file shows, if it is an object."""

_SHAPES: Final = (
    ("mcp-memory", re.compile(r'\{\s*"type"\s*:\s*"(?:entity|relation)"\s*,\s*"(?:name|from)"')),
    ("mem0", re.compile(r'(?:\{\s*"(?:results|memories)"\s*:\s*)?\[\s*\{[^{}]*"memory"\s*:')),
    (WINNOW, re.compile(r"\{(?!\s*\n)")),
)
"""How a file begins whose first line is no object, or only the beginning of one."""

_UNREADABLE: Final[Mapping[bytes, str]] = {
    b"\xff\xfe": "UTF-16: its first byte is 0xFF; save it as UTF-8",
    b"\xfe\xff": "UTF-16: its first byte is 0xFE; save it as UTF-8",
    b"PK\x03\x04": "a zip archive; unpack it, and import the files that are in it",
    b"\x1f\x8b": "packed by gzip; unpack it first",
    b"SQLite format 3\0": "a database of SQLite, not an export",
}
