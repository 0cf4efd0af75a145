"""JSON of mem0: what `get_all` returns, an export by schema, or the lines of OpenMemory's backup.

Its documentation is https://docs.mem0.ai, its source https://github.com/mem0ai/mem0.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, cast

from winnow.memory.transfer.foreign.documents import Broken, Document, is_wrong
from winnow.memory.transfer.foreign.origin import (
    join,
    name_origin,
    name_parts,
    read_name,
    show_json,
    speak,
)
from winnow.memory.transfer.foreign.report import Report
from winnow.memory.transfer.foreign.source import Source
from winnow.memory.transfer.lines import Raw
from winnow.memory.transfer.slots import Line, as_line
from winnow.values import UnreadableValue, describe

SYSTEM: Final = "mem0"
LISTS: Final = ("results", "memories", "relations", "data")
"""Keys of a document that hold what is to be read."""
PAGING: Final = ("count", "total", "page", "page_size", "previous")
"""Keys of a document that say nothing of memories."""


def read_mem0(source: Source, report: Report) -> Iterator[Raw]:
    """Yield a memory for each item, and for each relation of the graph."""
    if source.objects is not None:
        found: Iterator[Raw] = iter(enumerate(source.objects, 1))
    elif source.stream is not None:
        found = _walk(Document(source.stream), report)
    else:
        return
    for place, raw in found:
        try:
            memory = _read_item(raw, str(place), report)
        except UnreadableValue as error:
            yield place, error
        else:
            if memory is not None:
                yield place, memory


# --- the document ------------------------------------------------------------------------------


def _walk(document: Document, report: Report) -> Iterator[Raw]:
    """Yield the items of a document, or of several, one behind the other."""
    try:
        while opening := document.peek():
            place = f"/lines/{document.line}"
            if opening == "[":
                yield from ((f"/{number}", one) for number, one in document.items())
            elif opening == "{":
                yield from _walk_object(document, place, report)
            else:
                yield place, document.value()
    except Broken as error:
        yield f"/lines/{document.line}", error


def _walk_object(document: Document, place: str, report: Report) -> Iterator[Raw]:
    """Yield what stands in the lists of an object, or the object itself if it has none."""
    rest: dict[str, object] = {}
    listed = False
    for key in document.names():
        if key in LISTS and document.peek() == "[":
            listed = True
            yield from ((f"/{key}/{number}", one) for number, one in document.items())
            continue
        value = document.value()
        if is_wrong(key) or is_wrong(value):
            yield place, value if is_wrong(value) else key
        elif str(key) in rest:
            yield place, UnreadableValue(f"key {key!r} stands twice")
        else:
            rest[str(key)] = value
    inner = as_line(rest.get("data"))
    if inner is not None and not listed:
        yield f"{place}/data", inner
        rest.pop("data")
    elif not listed:
        yield place, rest
        return
    _tell_rest(rest, report)


def _tell_rest(rest: Mapping[str, object], report: Report) -> None:
    """Say what of a document is not read, and that there is more of it elsewhere."""
    if rest.get("next"):
        report.remark("this is one page of several: `next` names another; export and import all")
    for key, value in rest.items():
        if key not in (*PAGING, "next") and value is not None:
            report.skip(f"/{key}", "it belongs to no memory")


# --- an item -----------------------------------------------------------------------------------


def _read_item(raw: object, place: str, report: Report) -> Mapping[str, object] | None:
    if isinstance(raw, UnreadableValue):
        raise raw
    line = as_line(raw)
    if line is None:
        raise UnreadableValue(f"expected an object, got {describe(raw)}")
    line = {str(key): value for key, value in line.items() if value is not None}
    if line.get("state") == "deleted":
        report.skip(place, "it was deleted there")
        return None
    read = next((read for key, read in _READERS.items() if key in line), _read_by_schema)
    return read(line)


def _read_memory(line: Line) -> dict[str, object]:
    key = "memory" if "memory" in line else "content"
    memory: dict[str, object] = {"text": read_name(line, key), "source": SYSTEM}
    if "id" in line:
        memory["id"] = name_origin(SYSTEM, read_name(line, "id"))
    for theirs, ours in _FIELDS.items():
        if theirs in line:
            memory[ours] = line[theirs]
    memory.setdefault("updatedAt", memory.get("createdAt"))  # it was never changed there
    rest = {name: one for name, one in line.items() if name not in _READ and name != key}
    metadata = as_line(line.get("metadata", {}))
    if metadata is None:
        raise UnreadableValue(f"metadata must be an object, not {describe(line['metadata'])}")
    memory["metadata"] = join(SYSTEM, metadata, rest)
    return memory


def _read_relation(line: Line) -> dict[str, object]:
    target = "target" if "target" in line else "destination"
    start, sort, end = (read_name(line, key) for key in ("source", "relationship", target))
    return {
        "id": name_parts(SYSTEM, start, sort, end),
        "text": f"{start} {speak(sort)} {end}",
        "entity": start,
        "source": SYSTEM,
        "metadata": dict(line),
    }


def _read_by_schema(line: Line) -> dict[str, object]:
    """Read an object whose keys a schema of the user's chose: a line for each of them."""
    said = [f"{speak(key)}: {_show(value)}" for key, value in line.items()]
    if not said:
        raise UnreadableValue("it says nothing")
    name = name_parts(SYSTEM, dict(line))
    return {"id": name, "text": "\n".join(said), "source": SYSTEM, "metadata": dict(line)}


def _show(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(show_json, cast(Sequence[object], value)))
    return show_json(value)


_FIELDS: Final[Mapping[str, str]] = {
    "categories": "tags",
    "created_at": "createdAt",
    "updated_at": "updatedAt",
    "expiration_date": "expiresAt",
}
_READ: Final = frozenset({"id", "metadata", *_FIELDS})
_READERS: Final[Mapping[str, Callable[[Line], dict[str, object]]]] = {
    "memory": _read_memory,
    "content": _read_memory,
    "relationship": _read_relation,
}
