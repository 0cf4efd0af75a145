"""Keeping a store safe and sound: backups, and what a check of it finds."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from winnow.operations.memories import AsOf
from winnow.store.problems import Problem
from winnow.wire import Arg


@dataclass(frozen=True, slots=True)
class BackupRequest:
    """Copy the whole store into one file, while others go on writing, and check the copy."""

    path: Annotated[str, Arg("the file to write")]
    _: KW_ONLY
    replace: Annotated[bool, Arg("put it in the place of an earlier backup")] = False


@dataclass(frozen=True, slots=True)
class BackupAnswer:
    """What was copied, as it was read again from the file.

    `namespaces` has the memories, deleted ones, pieces of notes and entities of each; `version` is
    that of the tables, `as_of` the last change that is in the copy.
    """

    path: str
    bytes: int
    version: int
    namespaces: Mapping[str, Mapping[str, int]]
    seconds: float
    as_of: AsOf
    warnings: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class RestoreAnswer:
    """What a store holds now; `kept` is the file with what it held before, None for nothing."""

    path: str
    store: str
    kept: str | None
    bytes: int
    version: int
    namespaces: Mapping[str, Mapping[str, int]]
    seconds: float
    as_of: AsOf
    warnings: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class DoctorAnswer:
    """Whether the store is sound, and what it is made of.

    It is sound if no problem is serious. `repaired` is what a repair has mended: `problems` are
    those that it leaves. `models` counts the records by what made their vectors. What can't be read
    of a damaged store is left out.
    """

    sound: bool
    problems: Sequence[Problem]
    store: str
    versions: Mapping[str, str]
    namespaces: Sequence[str]
    entities: Mapping[str, int]
    models: Mapping[str, int]
    repaired: Sequence[Problem] | None = None
    as_of: AsOf | None = None
