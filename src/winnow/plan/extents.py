"""The memories that a question may be about at all, found once for each state of a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from winnow.columns.arrays import Rows
from winnow.columns.masks import Within, everywhere
from winnow.columns.table import Table
from winnow.filter.ast import NOTHING, All, Match, Pred
from winnow.filter.rewrite import Plan, rewrite
from winnow.memories import RECORDS
from winnow.plan.columnar import MEMORIES


@dataclass(frozen=True, slots=True)
class Extent:
    """The records of some namespaces: pieces of notes, stored memories, or both."""

    namespaces: tuple[str, ...]
    notes: bool = True
    memories: bool = True

    @property
    def pred(self) -> Pred:
        """What they meet."""
        return All((Match((), RECORDS.fields["namespace"], "in", self.namespaces), *self._kinds()))

    def find(self, table: Table) -> Within:
        """Return the living ones among the rows of a table, which keeps them."""
        found = table.extents.get(self)
        if found is None:
            found = self._look(table)
            if len(table.extents) >= _KEPT:
                table.extents.clear()
            table.extents[self] = found
        return found

    def choose(self, table: Table, plan: Plan) -> Rows:
        """Return the rows of those that match a plan, in ascending order."""
        return self.find(table).choose(MEMORIES.evaluate(plan, table).match)

    def _look(self, table: Table) -> Within:
        match = MEMORIES.evaluate(rewrite(self.pred), table).match
        within = Within(match if table.is_whole else match & table.alive_rows)
        return Within(everywhere(len(table))) if within.is_whole else within

    def _kinds(self) -> Iterator[Pred]:
        if not self.notes and not self.memories:
            yield NOTHING
        elif not self.notes or not self.memories:
            yield Match((), RECORDS.fields["path"], "isNull", (self.memories,))


_KEPT: Final = 8  # extents of a table; each may have a mask of its own
