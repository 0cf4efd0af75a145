"""A process of the torture: the command or the library, with a clock of its own.

`python -m tests.torture.launch CLOCK library STORE` answers calls of `Memory`, a line each;
`python -m tests.torture.launch CLOCK command ARGUMENT …` is the command `winnow`.
"""

import ctypes
import json
import os
import signal
import struct
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any

from winnow import app
from winnow.errors import WinnowError
from winnow.memory import Memory
from winnow.wire import encode

_DIE_WITH_PARENT, _CAPABILITIES = 1, 0x20080522


def main() -> None:
    _die_with_parent()
    _be_like_anybody()
    clock, kind, *arguments = sys.argv[1:]
    _turn_clock(Path(clock))
    if kind == "library":
        _answer(Path(arguments[0]))
    else:
        from winnow.surfaces.cli.main import main as run

        sys.argv = ["winnow", *arguments]
        run()


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def _be_like_anybody() -> None:
    """Let even root obey the rights of files, so that a read-only one is read-only."""
    if sys.platform == "linux" and os.geteuid() == 0:
        head = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0)
        ctypes.CDLL(None).capset(head, (ctypes.c_uint32 * 6)())


def _turn_clock(path: Path) -> None:
    """Let all that is opened go by a clock that a file turns.

    The file has the seconds by which it differs from the true time, and from when on it stands
    still, in seconds since 1970, or 0.
    """
    plain = app.open_memory

    def now() -> datetime:
        seconds, still = struct.unpack("dd", path.read_bytes())
        begin = datetime.fromtimestamp(still, UTC) if still else datetime.now(UTC)
        return begin + timedelta(seconds=seconds)

    def open_memory(*args: Any, **kwargs: Any) -> Memory:
        memory = plain(*args, **kwargs)
        return Memory(replace(memory.engine, clock=now))

    app.open_memory = open_memory


def _answer(store: Path) -> None:
    with app.open_memory(store) as memory:
        for line in sys.stdin:
            print(json.dumps(_call(memory, **json.loads(line))), flush=True)  # noqa: T201


def _call(memory: Memory, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"result": encode(attrgetter(method)(memory)(**arguments))}
    except WinnowError as error:
        return {"code": error.code, "detail": str(error)}


if __name__ == "__main__":
    main()
