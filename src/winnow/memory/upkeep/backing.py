"""Copying the whole store into one file."""

import time
from pathlib import Path

from winnow.errors import Fault, settle
from winnow.memory.engine import Engine
from winnow.operations.memories import AsOf
from winnow.operations.upkeep import BackupAnswer, BackupRequest
from winnow.store.held import Report


def back_up(
    engine: Engine, request: BackupRequest, faults: list[Fault], report: Report | None = None
) -> BackupAnswer:
    """Copy the store as it is now into a file, which is read again and checked.

    Others go on writing meanwhile. `report` is told how many pages of how many are copied.
    """
    if not request.path.strip() or "\0" in request.path or request.path == "-":
        faults.append(Fault("/path", "a backup is a file: this can't be the name of one"))
    settle(faults)
    engine.access.require_everything("to copy the whole store")
    begun = time.monotonic()
    target = Path(request.path).expanduser().absolute()
    copied = engine.store.upkeep.copy_to(target, replace=request.replace, report=report)
    return BackupAnswer(
        path=str(target),
        bytes=copied.size,
        version=copied.held.version,
        namespaces=copied.held.namespaces,
        seconds=round(time.monotonic() - begun, 3),
        as_of=AsOf(copied.held.change, copied.held.changed_at),
        warnings=copied.oddities or None,
    )
