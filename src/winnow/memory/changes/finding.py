"""Which memory an id means, and where else there is one of that id."""

from collections.abc import Iterator
from typing import Final

from winnow.errors import Fault
from winnow.filter.names import quote
from winnow.filter.plain import copy_plain
from winnow.memory.engine import Engine
from winnow.memory.times import milliseconds
from winnow.store.memories import Record, RecordLookup

ADDRESS: Final = "winnow://"
"""What the path begins with that recall shows of a memory: its namespace and its id follow."""


def locate(
    engine: Engine, namespace: str | None, name: str | None, faults: list[Fault]
) -> tuple[str, str]:
    """Return the namespace and the id that a request by id means; an address says both.

    What is wrong with them is added to `faults`.
    """
    home = engine.home(namespace, faults)
    check_id(name, faults)
    name = name or ""
    if faults or not name.startswith(ADDRESS) or engine.store.records.find(home, name) is not None:
        return home, name
    place = name.removeprefix(ADDRESS)
    # There may be no such namespace any more: all that it held is deleted.
    known = [*_visible(engine), *engine.access.visible([place.partition("/")[0]])]
    spaces = [one for one in known if one and place.startswith(f"{one}/")]
    if not spaces:
        return home, name
    meant = max(spaces, key=len)
    if namespace is not None and namespace != meant:
        faults.append(Fault("/namespace", f"{name} is in {meant!r}; leave the namespace out"))
    return meant, place.removeprefix(f"{meant}/")


def check_id(name: str | None, faults: list[Fault]) -> None:
    """Find what is wrong with an id, if one is given."""
    if name is None:
        return
    if not name.strip():
        faults.append(Fault("/id", "an id is not blank"))
    faults.extend(copy_plain(name, "/id")[1])


def find_live(engine: Engine, records: RecordLookup, namespace: str, name: str) -> Record | None:
    """Return a memory, or a piece of a note, that is neither deleted nor expired."""
    key = records.find(namespace, name)
    record = records.read([key])[0] if key is not None else None
    if record is None or is_expired(record, milliseconds(engine.clock())):
        return None
    return record


def is_expired(record: Record, now: int) -> bool:
    """Tell whether a record's time is over: it is then invisible everywhere."""
    return record.expires_at is not None and record.expires_at <= now


def hint_elsewhere(engine: Engine, namespace: str, name: str) -> str:
    """Say where else there is something of an id that no memory of a namespace has.

    Only what the caller may see counts; "" if there is nothing.
    """
    spaces, records = _visible(engine)[:_MOST_SPACES], engine.store.records
    homes = [one for one in spaces if find_live(engine, records, one, name) is not None]
    if homes:
        return _tell(homes)
    entity = name.rpartition("/")[2] if name.startswith(ADDRESS) else name
    return next(_find_entities(engine, [namespace, *spaces], entity), "")


def hint_deleted(engine: Engine, namespace: str, name: str) -> str:
    """Say why no memory of an id can be brought back: none is deleted, or it is elsewhere."""
    records = engine.store.records
    if find_live(engine, records, namespace, name) is not None:
        return "; it is there, and not deleted"
    spaces = engine.access.visible(row.name for row in records.namespaces())[:_MOST_SPACES]
    homes = [one for one in spaces if records.find(one, name, deleted=True) is not None]
    told = _tell([one for one in homes if one != namespace])
    return told or "".join(f"; {one}" for one in engine.doubts(namespace))


_MOST_SPACES: Final = 1_000
_MOST_TOLD: Final = 3


def _tell(homes: list[str]) -> str:
    if not homes:
        return ""
    return f"; it is in {' and '.join(map(repr, homes[:_MOST_TOLD]))}: give namespace {homes[0]}"


def _visible(engine: Engine) -> list[str]:
    return engine.access.visible(engine.ontology.namespaces())


def _find_entities(engine: Engine, spaces: list[str], name: str) -> Iterator[str]:
    """Tell of entities of an id, those of the first namespace first."""
    for space in spaces if engine.enabled else ():
        for schema in engine.ontology.catalog(space).names():
            if engine.store.find_entity(space, schema, name) is not None:
                where = f"schema {schema} and id = {quote(name)}"
                yield f"; {name} is a {schema} in {space!r}: ask recall with {where}"
