"""What a reader tells beside the memories: what it left out on purpose, and what to look at."""

from collections.abc import Callable
from dataclasses import dataclass, field

MOST_TOLD = 100
"""Remarks that an answer lists; the others are counted."""


def nobody_knows() -> tuple[int, int]:
    """Return that it is not known how many bytes there are."""
    return 0, 0


@dataclass(slots=True)
class Report:
    """Remarks on one import, gathered while it is read.

    `how_far` tells how many bytes of how many are read.
    """

    format: str = "winnow"
    skipped: int = 0
    remarks: list[str] = field(default_factory=list[str])
    untold: int = 0
    how_far: Callable[[], tuple[int, int]] = nobody_knows

    def skip(self, place: str, reason: str) -> None:
        """Count something that is left out, and say why."""
        self.skipped += 1
        self.remark(f"{place} is left out: {reason}")

    def remark(self, text: str) -> None:
        """Keep a remark, once."""
        if text in self.remarks:
            return
        if len(self.remarks) < MOST_TOLD:
            self.remarks.append(text)
        else:
            self.untold += 1

    def told(self) -> list[str]:
        """Return all remarks, with the number of those that are not listed."""
        more = [f"{self.untold:,} more remarks are not listed"] if self.untold else []
        return [*self.remarks, *more]
