"""Where everything is put together; the only module that names a concrete store."""

import dataclasses
import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import tzinfo
from functools import wraps
from pathlib import Path
from typing import ParamSpec

from winnow import __version__
from winnow.columns.heap import keep_freed_memory
from winnow.deadlines import read_seconds
from winnow.errors import DamagedStore, NotAvailable, StoreError
from winnow.memory import Memory
from winnow.memory.engine import Engine
from winnow.memory.state.contents import Contents
from winnow.memory.state.links import LinkMap
from winnow.memory.state.namespaces import Workshop
from winnow.memory.state.ontology import Ontology
from winnow.memory.state.shelf import Shelves
from winnow.operations.memories import AsOf
from winnow.operations.upkeep import DoctorAnswer, RestoreAnswer
from winnow.providers.llm import find_model
from winnow.settings import Settings, default_store, read_settings, read_zone
from winnow.store.base import Store
from winnow.store.problems import DAMAGED, Problem
from winnow.store.sqlite.connection import sqlite_version
from winnow.store.sqlite.store import open_store

P = ParamSpec("P")


def open_memory(
    path: str | os.PathLike[str] | None = None,
    *,
    timezone: str | None = None,
    create: bool = True,
    durability: str | None = None,
    timeout: float | None = None,
) -> Memory:
    """Open a store, made if it does not exist; without `create` that is a StoreError.

    `path` is a file; without it the environment's `WINNOW_STORE`, or the file in the user's
    data folder. `timezone` is the IANA name of the zone of dates without an offset (default
    `WINNOW_TIMEZONE`, or UTC). `timeout` is the seconds that an operation may take, 0 for no limit
    (default `WINNOW_TIME_LIMIT`, or 30). With the `durability` `full` each write waits for the
    disk, so that not even a failure of power takes it; with `normal` the last tenth of a second
    may be lost then (default `WINNOW_DURABILITY`, or `normal`).
    """
    settings = read_settings()
    place = _find_place(path, settings)
    seconds = settings.time_limit if timeout is None else read_seconds(f"{timeout}", "/timeout")
    if not create:
        _require_store(place)
    zone: tzinfo = read_zone(timezone) if timezone else settings.zone
    store = open_store(place, durability=durability or settings.durability)
    return _put_together(store, place, zone, seconds, typed=settings.ontology)


def open_to_check(path: str | os.PathLike[str] | None, *, durability: str | None = None) -> Memory:
    """Open a store for nothing but `doctor`: a backup stays as it is, with nothing beside it."""
    settings = read_settings()
    place = _find_place(path, settings)
    _require_store(place)
    store = open_store(place, durability=durability or settings.durability, untouched=True)
    return _put_together(store, place, settings.zone, settings.time_limit, typed=settings.ontology)


def _require_store(place: Path) -> None:
    if not place.exists():
        raise StoreError(f"there is no store at {place}; `winnow index FOLDER` makes one")


def _put_together(
    store: Store, place: Path, zone: tzinfo, seconds: float | None, *, typed: bool
) -> Memory:
    keep_freed_memory()
    ontology, workshop = Ontology(store, zone, __version__), Workshop(store)
    shelves = Shelves(store, zone, __version__)
    engine = Engine(
        store,
        ontology,
        workshop,
        shelves,
        LinkMap(store),
        Contents(store),
        zone,
        typed,
        label=str(place),
        release=__version__,
        model=find_model(),
        time_limit=seconds,
    )
    return Memory(engine)


def _in_python(opening: Callable[P, Memory]) -> Callable[P, Memory]:
    @wraps(opening)
    def open_(*args: P.args, **kwargs: P.kwargs) -> Memory:
        return Memory(dataclasses.replace(opening(*args, **kwargs).engine, pythonic=True))

    open_.__name__ = open_.__qualname__ = "open"
    return open_


open_in_python = _in_python(open_memory)
"""Does as `open_memory`, for programs: faults name arguments as Python spells them."""


def restore_memory(
    backup: str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    *,
    replace: bool = False,
) -> RestoreAnswer:
    """Make a store hold what a backup holds; `path` names it as for `open_memory`.

    A store that holds anything is overwritten only with `replace`; what it held is then kept in a
    file beside it. Raises StoreError if the backup is not whole, Conflict if `replace` is missing.
    """
    from winnow.store.sqlite.upkeep.restoring import (
        restore_store,  # seldom needed, as is what follows
    )

    place = _find_place(path, read_settings())
    begun = time.monotonic()
    restored = restore_store(Path(backup), place, replace=replace)
    revived = ", ".join(restored.revived)
    warnings = [f"keys that the store no longer had work again: {revived}"] if revived else []
    return RestoreAnswer(
        path=os.fspath(backup),
        store=str(place),
        kept=None if restored.kept is None else str(restored.kept),
        bytes=restored.size,
        version=restored.held.version,
        namespaces=restored.held.namespaces,
        seconds=round(time.monotonic() - begun, 3),
        as_of=AsOf(restored.held.change, restored.held.changed_at),
        warnings=[*restored.oddities, *warnings] or None,
    )


def repair_memory(path: str | os.PathLike[str] | None = None) -> DoctorAnswer:
    """Check a store that this program has not open, and mend what can be mended.

    Does as `Memory.admin.repair`, and what only a program can do that is alone.
    """
    from winnow.store.sqlite.upkeep.purging import forget_purged

    place = _find_place(path, read_settings())
    forgotten = None
    with suppress(StoreError):  # what is wrong with the file is told below
        forgotten = forget_purged(place) if place.exists() else None
    with open_memory(path, create=False) as memory:
        answer = memory.admin.repair()
    if forgotten is None:
        return answer
    return dataclasses.replace(answer, repaired=[forgotten, *(answer.repaired or ())])


def describe_damage(path: str | os.PathLike[str] | None, error: DamagedStore) -> DoctorAnswer:
    """Answer for a store that is too damaged to be opened, as a check of it would."""
    from winnow.memory.upkeep.soundness import name_versions  # seldom needed, and much to load

    place = str(_find_place(path, read_settings()))
    problem = Problem(DAMAGED, place, 1, str(error))
    versions = {**name_versions(), "sqlite": sqlite_version()}
    return DoctorAnswer(False, [problem], place, versions, (), {}, {})


def _find_place(path: str | os.PathLike[str] | None, settings: Settings) -> Path:
    if path == "":
        raise StoreError("no store is named: give a file, or leave it out for the one of your own")
    named = settings.store if path is None else os.fspath(path)
    if named is not None and named.startswith(("postgresql://", "postgres://")):
        raise NotAvailable("PostgreSQL stores are not available yet; give a file")
    if named is not None and named.startswith((":memory:", "file:")):
        detail = "a store is a file; for one that goes away, give a file in a temporary folder"
        raise StoreError(f"{named!r} is no path: {detail} (tempfile.TemporaryDirectory)")
    return default_store() if named is None else Path(named).expanduser()
