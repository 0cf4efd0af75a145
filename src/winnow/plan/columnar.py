"""Filters on typed columns: a mask for all rows of a table at once.

It agrees with `reference` on what matches and on what is undetermined.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, TypeAlias, cast

import numpy as np

from winnow.columns.arrays import (
    ABSENT,
    NO_LINKS,
    Column,
    Edges,
    ItemValues,
    Links,
    ListValues,
    Mask,
    Rows,
    TagValues,
    Values,
)
from winnow.columns.links import find_edges, link
from winnow.columns.table import Table
from winnow.deadlines import check
from winnow.filter.ast import Match, Pred, speaks_of_items
from winnow.filter.rewrite import PRESENT, Conjunction, Leaf, Plan, Probe
from winnow.plan.mixed import probe_metadata
from winnow.plan.probes import equals_exactly, probe
from winnow.plan.truths import Truth, both, certain, combine, constant, join, unknown
from winnow.records import Confidence
from winnow.schema import Field, Reverse
from winnow.values import Type


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Evaluates plans over the tables of one namespace at one confidence minimum."""

    tables: Mapping[str, Table]
    minimum: Confidence

    def evaluate(self, plan: Plan, table: Table) -> Truth:
        """Return the truth of a plan for each row of a table, dead rows included."""
        if isinstance(plan, Leaf):
            return self.evaluate_leaf(plan, table)
        truths = [
            self.evaluate_leaf(part, table)
            if isinstance(part, Leaf)
            else self.evaluate(part, table)
            for part in plan.parts
        ]
        return combine(plan, truths, len(table))

    def find(self, plan: Plan, table: Table) -> Rows:
        """Return the living rows that match a plan, in ascending order."""
        return table.living(self.evaluate(plan, table).match)

    def evaluate_leaf(self, leaf: Leaf, table: Table) -> Truth:
        """Return the truth of one leaf for each row of a table."""
        check("testing what matches the filter")
        if isinstance(leaf.field, Field) and leaf.field.type is Type.OPEN:
            truth = join([certain(probe_metadata(leaf, part)) for part in table.parts])
        else:
            truth = self._evaluate_positive(leaf, table)
        if table.schema.open and not truth.settled:
            truth = certain(truth.match)
        return truth.negated() if leaf.negated else truth

    def _evaluate_positive(self, leaf: Leaf, table: Table) -> Truth:
        step = leaf.path[0] if leaf.path else leaf.field
        if isinstance(step, Reverse):
            return self._evaluate_reverse(step, leaf.probes[0], table)
        if step.name == "id" and not leaf.path:
            return join([_probe_all(leaf.probes, part.id_values) for part in table.parts])
        tester = self._path_tester(leaf, step) if leaf.path else self._tester(leaf, step)
        linked = step.target is not None and (leaf.path or step.is_list)
        links = link(table, step.name, self.tables.get(step.target or "")) if linked else None
        absent_is_open = leaf.probes[0].op != PRESENT and not table.schema.open
        found: list[Truth] = []
        for number, part in enumerate(table.parts):
            column = part.columns.get(step.name)
            if column is None:
                found.append(_absent(len(part), absent_is_open))
            else:
                truth = self._test(column, tester, NO_LINKS if links is None else links[number])
                found.append(self._weigh(column, truth, absent_is_open))
        return join(found)

    def _test(self, column: Column, tester: "_Tester", links: Links) -> Truth:
        truth = tester(column.values, links.targets)
        if not len(column.other_rows) or self.minimum != Confidence.AMBIGUOUS:
            return truth
        others = tester(column.other_values, links.other_targets)
        return _add_others(truth, column.other_rows, others)

    def _weigh(self, column: Column, truth: Truth, absent_is_open: bool) -> Truth:
        """Leave out the values that don't count at the minimum."""
        lacking = column.lacking(self.minimum)
        if lacking is None:
            return truth
        match = truth.match > lacking
        if truth.settled and not absent_is_open and not column.has_below(self.minimum):
            return certain(match)
        open_ = lacking if absent_is_open else lacking & (column.levels != ABSENT)
        sure = match if truth.match is truth.sure else truth.sure > lacking
        possible = match if truth.settled else truth.possible > lacking
        return Truth(match, sure, possible | open_)

    # --- testers: from the values of a column, and where they lead, to their truth ---

    def _path_tester(self, leaf: Leaf, step: Field) -> "_Tester":
        rest = Leaf(leaf.path[1:], leaf.field, leaf.probes, False, leaf.matches)
        target = self._evaluate_target(rest, step.target)
        return lambda values, targets: target.where(targets)

    def _evaluate_target(self, plan: Plan, schema: str | None) -> Truth:
        """Evaluate a plan on a schema's table, with one more row: the broken reference."""
        table = self.tables.get(schema or "")
        broken = unknown(1)
        if table is None:
            return broken
        return join([self.evaluate(plan, table), broken])

    def _tester(self, leaf: Leaf, step: Field) -> "_Tester":
        if not step.is_list:
            return lambda values, targets: _probe_all(leaf.probes, cast(ItemValues, values))
        asked = zip(leaf.probes, leaf.matches, strict=True)
        testers = [self._list_tester(one, match, step) for one, match in asked]
        return lambda values, targets: reduce(both, (test(values, targets) for test in testers))

    def _list_tester(self, one: Probe, asked: Match, step: Field) -> "_Tester":
        if one.op not in ("any", "all"):
            handler = _LIST_TESTS[one.op]
            return lambda values, targets: handler(cast(ListValues, values), one.args)
        quantify = _QUANTIFIERS[one.op]
        plan = cast(Plan, one.args[0])
        if step.target is not None and not speaks_of_items(cast(Pred, asked.args[0])):
            target = self._evaluate_target(plan, step.target)
            return lambda values, targets: quantify(cast(ListValues, values), target.where(targets))
        return lambda values, targets: _quantify_items(quantify, plan, cast(ListValues, values))

    # --- the other side of a reference ---

    def _evaluate_reverse(self, reverse: Reverse, one: Probe, table: Table) -> Truth:
        source = self.tables.get(reverse.source)
        if source is None:
            return constant(False, len(table))
        plan = Conjunction(()) if one.op == PRESENT else cast(Plan, one.args[0])
        truth = self.evaluate(plan, source)
        edges = find_edges(source, reverse.via, table)
        settled, maybe = edges.at_least(self.minimum), edges.below(self.minimum)
        if one.op == "all":
            return _all_related(truth, settled, maybe, len(table))
        match = _mark(settled, truth.match, len(table))
        sure = match if truth.sure is truth.match else _mark(settled, truth.sure, len(table))
        if truth.possible is truth.match and not len(maybe.sources):
            return Truth(match, sure, match)
        possible = _mark(settled, truth.possible, len(table))
        return Truth(match, sure, possible | _mark(maybe, truth.possible, len(table)))


MEMORIES: Final = Evaluation({}, Confidence.EXTRACTED)
"""Evaluates plans over memories, which refer to nothing, and each of whose values counts."""
_Tester: TypeAlias = Callable[[Values, Rows], Truth]


def _add_others(truth: Truth, rows: Rows, others: Truth) -> Truth:
    match, sure, possible = truth.match.copy(), truth.sure.copy(), truth.possible.copy()
    match[rows[others.match]] = True
    sure[rows[others.sure]] = True
    possible[rows[others.possible]] = True
    return Truth(match, sure, possible)


# --- single values ---


def _absent(length: int, is_open: bool) -> Truth:
    return unknown(length) if is_open else constant(False, length)


def _probe_all(probes: Sequence[Probe], values: ItemValues) -> Truth:
    truth = probe(values, probes[0].op, probes[0].args)
    for one in probes[1:]:
        truth = both(truth, probe(values, one.op, one.args))
    return truth


# --- lists ---


def _quantify_items(quantify: "_Quantifier", plan: Plan, values: ListValues) -> Truth:
    return quantify(values, _evaluate_items(plan, values.items))


def _evaluate_items(plan: Plan, items: ItemValues) -> Truth:
    if isinstance(plan, Leaf):
        truth = _probe_all(plan.probes, items)
        return truth.negated() if plan.negated else truth
    return combine(plan, [_evaluate_items(part, items) for part in plan.parts], len(items))


def _mark_lists(values: ListValues, mask: Mask) -> Mask:
    """Return which lists have an item where a mask of all items holds."""
    marked = np.zeros(len(values), np.bool_)
    marked[values.owners[mask]] = True
    return marked


def _map(truth: Truth, reduction: Callable[[Mask], Mask]) -> Truth:
    match = reduction(truth.match)
    if truth.settled:
        return Truth(match, match, match)
    return Truth(match, reduction(truth.sure), reduction(truth.possible))


def _any_item(values: ListValues, items: Truth) -> Truth:
    return _map(items, lambda mask: _mark_lists(values, mask))


def _all_items(values: ListValues, items: Truth) -> Truth:
    filled = values.offsets[1:] > values.offsets[:-1]
    return _map(items, lambda mask: filled & ~_mark_lists(values, ~mask))


_Quantifier: TypeAlias = Callable[[ListValues, Truth], Truth]
_QUANTIFIERS: Mapping[str, _Quantifier] = {"any": _any_item, "all": _all_items}


def _has(values: ListValues, args: Sequence[object]) -> Truth:
    return _any_item(values, probe(values.items, "eq", args))


def _same_set(values: ListValues, args: Sequence[object]) -> Truth:
    mask = np.ones(len(values), np.bool_)
    inside = np.zeros(len(values.items), np.bool_)
    for arg in args:
        equal = equals_exactly(values.items, arg)
        inside |= equal
        mask &= _mark_lists(values, equal)
    mask &= ~_mark_lists(values, ~inside)
    return Truth(mask, mask, mask)


def _is_present(values: ListValues, args: Sequence[object]) -> Truth:
    # A memory without tags has an empty list of them.
    if isinstance(values.items, TagValues):
        return certain(values.offsets[1:] > values.offsets[:-1])
    return constant(True, len(values))


_LIST_TESTS: Mapping[str, Callable[[ListValues, Sequence[object]], Truth]] = {
    "has": _has,
    "eq": _same_set,
    PRESENT: _is_present,
}


# --- reverses ---


def _mark(edges: Edges, mask: Mask, length: int) -> Mask:
    marked = np.zeros(length, np.bool_)
    marked[edges.targets[mask[edges.sources]]] = True
    return marked


def _all_related(truth: Truth, settled: Edges, maybe: Edges, length: int) -> Truth:
    related = _mark(settled, np.ones(len(truth.match), np.bool_), length)
    perhaps = _mark(maybe, np.ones(len(truth.match), np.bool_), length)
    match = related & ~_mark(settled, ~truth.match, length)
    not_sure = ~truth.sure
    sure = related & ~_mark(settled, not_sure, length) & ~_mark(maybe, not_sure, length)
    possible = (related | perhaps) & ~_mark(settled, ~truth.possible, length)
    return Truth(match, sure, possible)
