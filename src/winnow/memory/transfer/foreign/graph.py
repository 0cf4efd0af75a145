"""The memory file of the MCP memory server: a line for each entity, and for each relation.

Its source is https://github.com/modelcontextprotocol/servers, src/memory: entities
{type, name, entityType, observations} and relations {type, from, to, relationType}.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, cast

from winnow.errors import unknown
from winnow.memory.transfer.foreign.origin import name_origin, name_parts, read_name, speak
from winnow.memory.transfer.foreign.report import Report
from winnow.memory.transfer.foreign.source import Source
from winnow.memory.transfer.lines import Raw
from winnow.memory.transfer.slots import Line, as_line
from winnow.values import UnreadableValue, describe

SYSTEM: Final = "mcp-memory"


def read_graph(source: Source, _: Report) -> Iterator[Raw]:
    """Yield a memory for each entity, with all its observations, and for each relation."""
    places: dict[str, int | str] = {}
    for place, raw in source.lines():
        try:
            yield place, _read_line(raw, place, places)
        except UnreadableValue as error:
            yield place, error


def _read_line(raw: object, place: int | str, places: dict[str, int | str]) -> Mapping[str, object]:
    if isinstance(raw, UnreadableValue):
        raise raw
    line = as_line(raw)
    if line is None:
        raise UnreadableValue(f"expected an entity or a relation, got {describe(raw)}")
    sort = line.get("type")
    read = _SORTS.get(sort) if isinstance(sort, str) else None
    if read is None:
        raise UnreadableValue(unknown("type", sort if isinstance(sort, str) else "", _SORTS))
    memory = read(line)
    if read is _read_entity and (first := places.setdefault(str(memory["id"]), place)) != place:
        raise UnreadableValue(f"the entity {line['name']!r} stands in line {first} already")
    return memory


def _read_entity(line: Line) -> dict[str, object]:
    name = read_name(line, "name")
    observations = _read_observations(line.get("observations"))
    metadata = _rest(line, ("type", "name", "observations"))
    if not isinstance(line.get("entityType"), str):
        read_name(line, "entityType")
    # One a line, as long as that tells where each begins.
    if any("\n" in one or "\r" in one for one in observations):
        metadata["observations"] = observations
    text = "\n".join(observations)
    return {
        "id": name_origin(SYSTEM, name),
        "text": text if text.strip() else name,
        "title": name,
        "entity": name,
        "source": SYSTEM,
        "metadata": metadata,
    }


def _read_observations(raw: object) -> list[str]:
    if not isinstance(raw, list | tuple):
        raise UnreadableValue(f"observations must be a list of texts, not {describe(raw)}")
    for one in cast(Sequence[object], raw):
        if not isinstance(one, str):
            raise UnreadableValue(f"an observation must be text, not {describe(one)}")
    return [*cast(Sequence[str], raw)]


def _read_relation(line: Line) -> dict[str, object]:
    start, end, sort = (read_name(line, key) for key in ("from", "to", "relationType"))
    return {
        "id": name_parts(SYSTEM, start, sort, end),
        "text": f"{start} {speak(sort)} {end}",
        "entity": start,
        "source": SYSTEM,
        "metadata": _rest(line, ("type",)),
    }


def _rest(line: Line, read: Sequence[str]) -> dict[str, object]:
    """Return what has no field of its own, also what only another version of the server writes."""
    return {key: value for key, value in line.items() if key not in read and value is not None}


_SORTS: Final[Mapping[str, Callable[[Line], dict[str, object]]]] = {
    "entity": _read_entity,
    "relation": _read_relation,
}
