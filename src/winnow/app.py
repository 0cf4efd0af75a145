"""Where everything is put together; the only module that names a concrete store."""

import os
from datetime import tzinfo
from pathlib import Path

from winnow.errors import NotAvailable, StoreError
from winnow.memory import Memory
from winnow.memory.engine import Engine
from winnow.memory.state.contents import Contents
from winnow.memory.state.links import LinkMap
from winnow.memory.state.namespaces import Workshop
from winnow.memory.state.ontology import Ontology
from winnow.memory.state.shelf import Shelves
from winnow.providers.llm import find_model
from winnow.settings import default_store, read_settings, read_zone
from winnow.store.sqlite import open_store


def open_memory(
    path: str | os.PathLike[str] | None = None,
    *,
    timezone: str | None = None,
    create: bool = True,
) -> Memory:
    """Open a store, made if it does not exist; without `create` that is a StoreError.

    `path` is a file; without it the environment's `WINNOW_STORE`, or the file in the user's
    data folder. `timezone` is the IANA name of the zone of dates without an offset (default
    `WINNOW_TIMEZONE`, or UTC).
    """
    settings = read_settings()
    if path == "":
        raise StoreError("no store is named: give a file, or leave it out for the one of your own")
    named = settings.store if path is None else os.fspath(path)
    if named is not None and named.startswith(("postgresql://", "postgres://")):
        raise NotAvailable("PostgreSQL stores are not available yet; give a file")
    place = default_store() if named is None else Path(named).expanduser()
    if not create and not place.exists():
        raise StoreError(f"there is no store at {place}; `winnow index FOLDER` makes one")
    zone: tzinfo = read_zone(timezone) if timezone else settings.zone
    store = open_store(place)
    ontology, workshop = Ontology(store, zone), Workshop(store.records)
    shelves = Shelves(store, zone)
    engine = Engine(
        store,
        ontology,
        workshop,
        shelves,
        LinkMap(store),
        Contents(store),
        zone,
        settings.ontology,
        label=str(place),
        model=find_model(),
    )
    return Memory(engine)
