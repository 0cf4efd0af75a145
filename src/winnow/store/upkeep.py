"""Looking after a store: its version, what is wrong with it, and copies of it."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from winnow.store.held import Copied, Report
from winnow.store.problems import Problem


class StoreUpkeep(Protocol):
    """Looks after a store. Safe to use from several threads."""

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of what the store is kept with, and of its tables."""
        ...

    def check(self, now: int | None = None) -> list[Problem]:
        """Return what is wrong with the store; `now` is in milliseconds. Reads all of it."""
        ...

    def look_around(self) -> list[Problem]:
        """Return what is wrong with the files that lie about a store."""
        ...

    def mend(self, codes: Collection[str]) -> None:
        """Mend the problems of these codes, as far as nobody else has to."""
        ...

    def find_bare(self, namespace: str, model: str) -> Sequence[int]:
        """Return the keys of the live records whose vectors a model makes and that have none.

        That need be no fault: there are texts that it makes none of.
        """
        ...

    def copy_to(self, target: Path, *, replace: bool, report: Report | None = None) -> Copied:
        """Copy the state of now into a file, while others write, and check the copy."""
        ...
