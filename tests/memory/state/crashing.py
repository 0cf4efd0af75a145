"""A process that is killed while it writes columns beside the store: `STORE STEP`."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from winnow.app import open_memory
from winnow.columns import files
from winnow.memory.state import archive
from winnow.store.sqlite import segments as segments_sqlite


def die(*_: object, **__: object) -> Any:
    """End at once, as kill -9 does."""
    os.kill(os.getpid(), signal.SIGKILL)


def before(holder: Any, name: str, call: int = 1) -> Callable[[], None]:
    """Die at a call of a function, before it has done anything."""

    def arrange() -> None:
        real, calls = getattr(holder, name), [0]

        def count(*args: Any, **named: Any) -> Any:
            calls[0] += 1
            return die() if calls[0] == call else real(*args, **named)

        setattr(holder, name, count)

    return arrange


def after(holder: Any, name: str) -> Callable[[], None]:
    """Die when a function has done its work."""

    def arrange() -> None:
        real = getattr(holder, name)

        def finish(*args: Any, **named: Any) -> Any:
            return die(real(*args, **named))

        setattr(holder, name, finish)

    return arrange


STEPS = {
    "before the file": before(archive, "write_arrays"),
    "within the file": before(files, "_as_bytes", 9),
    "before it is on the disk": before(os, "fsync"),
    "before it has its name": before(Path, "rename"),
    "after it has its name": after(archive, "write_arrays"),
    "within the naming": after(segments_sqlite.SqliteSegmentWriter, "put"),
    "after the naming": before(archive.Archive, "_merge"),
    "within the merging": before(archive, "write_arrays", 2),
    "after the merging": after(archive.Archive, "_write"),
    "within the collecting": after(Path, "unlink"),
}


def main(path: str, step: str) -> None:
    """Write columns until the step, at which the process ends."""
    archive._MOST = archive._FEWEST = 1
    archive._MANY = 2
    STEPS[step]()
    with open_memory(Path(path)) as memory:
        for number in range(8):
            memory.store(f"new {number}")
            memory.list()
            memory.engine.shelves.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
