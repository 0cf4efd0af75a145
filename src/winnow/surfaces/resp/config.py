"""What can be set while the server runs: limits of the memory commands, for this process."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import translate
from threading import Lock
from typing import Final

from winnow.memory.indexes.settings import HALF_LIFE
from winnow.surfaces.resp.replies import Refusal


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: what it is at first, and the least that it can be set to."""

    value: int
    least: int = 1


PARAMETERS: Final[Mapping[str, Parameter]] = {
    "mem-max-topk": Parameter(100),
    "mem-max-candidates": Parameter(500),
    "mem-max-scan": Parameter(1_000_000),
    "mem-max-dim": Parameter(4_096),
    "mem-max-text-bytes": Parameter(65_536),
    "mem-max-records": Parameter(0, 0),
    "mem-max-terms-per-doc": Parameter(1_024),
    "mem-recency-halflife": Parameter(HALF_LIFE),
    "sweep-interval": Parameter(1_000),
}
_LARGEST: Final = 2**63 - 1


class Config:
    """The parameters as they are now. Safe to use from several threads.

    `fixed` are those that are shown and can't be set.
    """

    def __init__(self, fixed: Mapping[str, str]) -> None:
        self._fixed = fixed
        self._lock = Lock()
        self._values = {name: one.value for name, one in PARAMETERS.items()}

    def __getitem__(self, name: str) -> int:
        return self._values[name]

    def find(self, patterns: list[str]) -> list[tuple[str, str]]:
        """Return the parameters whose names match one of some patterns."""
        shown = {**self._fixed, **{name: str(value) for name, value in self._values.items()}}
        tests = [re.compile(translate(pattern.lower())) for pattern in patterns]
        return [(name, value) for name, value in shown.items() if any(t.match(name) for t in tests)]

    def set(self, name: str, raw: str) -> None:
        """Set a parameter."""
        name = name.lower()
        if name in self._fixed:
            raise Refusal(
                f"ERR CONFIG SET failed - parameter cannot be changed at runtime '{name}'"
            )
        if name not in PARAMETERS:
            told = "ERR Unknown option or number of arguments for CONFIG SET"
            raise Refusal(f"{told} - '{name}'")
        if not raw.isdecimal() or not PARAMETERS[name].least <= int(raw[:30]) <= _LARGEST:
            raise Refusal(f"ERR CONFIG SET failed - invalid value for parameter '{name}'")
        with self._lock:
            self._values[name] = int(raw)
