"""A line at a terminal that says what a command waits for: columns that are made of many rows."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from winnow.memory import Memory

PATIENCE = 0.5
"""Seconds between two looks; what is over before is not told of."""


@contextmanager
def waiting(memory: "Memory") -> Generator[None]:
    """Say in the block what is waited for, if somebody looks at standard error."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    ended = Event()
    teller = Thread(target=_tell, args=(memory, ended), name="waiting", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


@contextmanager
def closing(memory: "Memory") -> Generator["Memory"]:
    """Close a memory after the block, and say what that waits for."""
    try:
        yield memory
    finally:
        with waiting(memory):
            memory.close()


def _tell(memory: "Memory", ended: Event) -> None:
    told = False
    while not ended.wait(PATIENCE):
        line = memory.engine.under_way()
        if line is not None or told:
            _write(line or "")
            told = True
    if told:
        _write("")


def _write(line: str) -> None:
    sys.stderr.write(f"\r\x1b[K{line}")  # from the start of the line, which is emptied
    sys.stderr.flush()
