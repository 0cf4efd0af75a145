"""Asking a few memories, by the reference and by columns, which have to agree."""

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

import numpy as np
from tests.plan.memories import Memory, changes

from winnow.columns.memories import VisibleKeys
from winnow.columns.table import Table
from winnow.filter.ast import Expr, Not, Pred
from winnow.filter.check import Checked, Scope, check
from winnow.filter.decode import decode_filter
from winnow.filter.parse import parse_where
from winnow.filter.rewrite import rewrite
from winnow.filter.unparse import to_json, to_text
from winnow.memories import RECORDS
from winnow.plan.columnar import Evaluation
from winnow.plan.memories import judge_memory
from winnow.records import Confidence
from winnow.schema import Catalog
from winnow.values import Json

NOW = datetime(2026, 3, 31, 22, 30, tzinfo=UTC)
BLANK: Memory = {
    "namespace": "default",
    "text": "",
    "kind": "observation",
    "tags": [],
    "importance": 0.5,
    "createdAt": "2026-03-05T12:00:00Z",
    "updatedAt": "2026-03-05T12:00:00Z",
    "metadata": {},
}


class Memories:
    """Some memories, which are called m0, m1, … if they have no id."""

    def __init__(self, *memories: Memory, zone: tzinfo = UTC) -> None:
        self.zone = zone
        self.all = [{**BLANK, "id": f"m{n}", **memory} for n, memory in enumerate(memories)]
        self.table = Table(RECORDS, zone).changed(changes(enumerate(self.all)))

    def where(self, text: str) -> list[str]:
        """Ask in text."""
        return self.ask(parse_where(text, "/where"))

    def filters(self, raw: Json) -> list[str]:
        """Ask in JSON."""
        return self.ask(decode_filter(raw, "/filters"))

    def ask(self, expr: Expr) -> list[str]:
        """Return the ids of those for which a filter holds, and check all that has to be so."""
        pred = self.check(expr).pred
        found = self.find(pred)
        others = self.find(Not(pred))
        assert sorted([*found, *others]) == sorted(str(one["id"]) for one in self.all)
        echoes = (decode_filter(to_json(pred), ""), parse_where(to_text(pred), ""))
        assert [self.find(self.check(echo).pred) for echo in echoes] == [found, found]
        return found

    def check(self, expr: Expr) -> Checked:
        """Resolve a filter, with the keys that there are."""
        keys = VisibleKeys(self.table, self.table.alive_rows)
        return check(expr, RECORDS, Scope(Catalog([]), self.zone, NOW, keys))

    def warnings(self, raw: Json) -> Sequence[str]:
        """Return what is doubtful about a filter."""
        expr = parse_where(raw, "") if isinstance(raw, str) else decode_filter(raw, "")
        return self.check(expr).warnings

    def find(self, pred: Pred) -> list[str]:
        """Return the ids of those for which a resolved filter holds."""
        truth = Evaluation({}, Confidence.EXTRACTED).evaluate(rewrite(pred), self.table)
        found = [self.table.id_of(row) for row in np.flatnonzero(truth.match).tolist()]
        meant = [one for one in self.all if judge_memory(pred, one, self.zone)]
        assert found == [str(one["id"]) for one in meant]
        return found


def with_metadata(*values: dict[str, Json], zone: tzinfo = UTC) -> Memories:
    """Make a memory of each of some objects of metadata."""
    return Memories(*({"metadata": value} for value in values), zone=zone)


def under(key: str, *values: Json, zone: tzinfo = UTC) -> Memories:
    """Make a memory of each of some values under a key of metadata."""
    return with_metadata(*({key: value} for value in values), zone=zone)
