"""What can be wrong with a store, and what is done about it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it should be: what, where, how often, and what mends it.

    `where` is a table, a file or a namespace. `repair` says what `winnow doctor --repair` does,
    None if it leaves that alone. A store with a `serious` one is not sound.
    """

    code: str
    where: str
    count: int
    detail: str
    repair: str | None = None
    serious: bool = True


DAMAGED = "damaged"
"""The code of what no repair mends: the file is not what was written."""
WRONG_TERMS = "wrong_terms"
"""The code of records whose terms can't be read; `where` is their namespace."""
