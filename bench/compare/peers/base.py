"""What a store that is compared must be able to do."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from bench.compare.conditions import Condition
from bench.compare.data import Case, Matrix

Ask: TypeAlias = Callable[[Matrix], Sequence[int]]
"""Returns the numbers of the ten records nearest to a query."""

Prepare: TypeAlias = Callable[[Condition], Ask]
"""Spells a condition once, as a program would; what asking takes is all that is timed."""


class Unavailable(Exception):
    """A store that can't be had here; the message tells why."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A store: how it is filled, once, in a folder of its own, and how it is asked.

    `packages` are the names, in requirements.txt, of what must be installed, the store itself
    first. `exact` ones look at every candidate; `advice` is what its documentation says.
    """

    packages: tuple[str, ...]
    exact: bool
    advice: str
    build: Callable[[Case, Path], None]
    open: Callable[[Case, Path], AbstractContextManager[Prepare]]
    apart: bool = False
    """Whether a server of its own does the work, so that this process's memory tells nothing."""
    version: int = 1
    """Goes up when `build` makes something else."""


def load(module: str) -> Any:
    """Import a module that has no types here."""
    try:
        return import_module(module)
    except ImportError as error:
        raise Unavailable(f"it can't be imported: {error}") from None
