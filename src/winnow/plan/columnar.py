"""Filters on typed columns: a mask for all rows of a table at once.

It agrees with `reference` on what matches and on what is undetermined.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import TypeAlias, cast

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
from winnow.columns.masks import everywhere
from winnow.columns.table import Table, join_masks
from winnow.deadlines import check
from winnow.filter.ast import Match, Pred, speaks_of_items
from winnow.filter.rewrite import PRESENT, Conjunction, Disjunction, Leaf, Plan, Probe
from winnow.plan.mixed import probe_metadata
from winnow.plan.probes import equals_exactly, probe
from winnow.records import Confidence
from winnow.schema import Field, Reverse
from winnow.values import Type


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a filter on every row, as in `reference.Verdict`.

    Where nothing is unknown, `sure` and `possible` are the very array `match`.
    """

    match: Mask
    sure: Mask
    possible: Mask

    @property
    def settled(self) -> bool:
        """Tell whether no row is open."""
        return self.sure is self.possible

    def negated(self) -> "Truth":
        """Return the complement."""
        match = ~self.match
        if self.settled:
            return Truth(match, match, match)
        sure = match if self.match is self.possible else ~self.possible
        possible = match if self.match is self.sure else ~self.sure
        return Truth(match, sure, possible)

    def where(self, rows: Rows | slice) -> "Truth":
        """Return the truth of some rows, in their order."""
        match = self.match[rows]
        if self.settled:
            return Truth(match, match, match)
        return Truth(match, self.sure[rows], self.possible[rows])


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Evaluates plans over the tables of one namespace at one confidence minimum."""

    tables: Mapping[str, Table]
    minimum: Confidence

    def evaluate(self, plan: Plan, table: Table) -> Truth:
        """Return the truth of a plan for each row of a table, dead rows included."""
        if isinstance(plan, Leaf):
            return self.evaluate_leaf(plan, table)
        return combine(plan, [self.evaluate(part, table) for part in plan.parts], len(table))

    def evaluate_leaf(self, leaf: Leaf, table: Table) -> Truth:
        """Return the truth of one leaf for each row of a table."""
        check("testing what matches the filter")
        if isinstance(leaf.field, Field) and leaf.field.type is Type.OPEN:
            truth = join([certain(probe_metadata(leaf, part)) for part in table.parts])
        else:
            truth = self._evaluate_positive(leaf, table)
        if table.schema.open:
            truth = certain(truth.match)
        return truth.negated() if leaf.negated else truth

    def _evaluate_positive(self, leaf: Leaf, table: Table) -> Truth:
        if not leaf.path and isinstance(leaf.field, Reverse):
            return self._evaluate_reverse(leaf.field, leaf.probes[0], table)
        if not leaf.path and leaf.field.name == "id":
            return join([_probe_all(leaf.probes, part.id_values) for part in table.parts])
        step = leaf.path[0] if leaf.path else leaf.field
        if not isinstance(step, Field):
            raise TypeError("a reverse reference stands inside a path")
        tester = self._path_tester(leaf, step) if leaf.path else self._tester(leaf, step)
        absent_is_open = leaf.probes[0].op != PRESENT
        parts = zip(table.parts, self._links(table, step, leaf), strict=True)
        return join(
            [
                self._weigh(part.columns.get(step.name), len(part), tester, links, absent_is_open)
                for part, links in parts
            ]
        )

    def _links(self, table: Table, step: Field, leaf: Leaf) -> list[Links]:
        if step.target is None or not (leaf.path or step.is_list):
            return [NO_LINKS] * len(table.parts)
        return link(table, step.name, self.tables.get(step.target))

    def _weigh(
        self,
        column: Column | None,
        length: int,
        tester: "_Tester",
        links: Links,
        absent_is_open: bool,
    ) -> Truth:
        if column is None:
            return _unknown(length) if absent_is_open else constant(False, length)
        truth = tester(column.values, links.targets)
        if len(column.other_rows) and self.minimum == Confidence.AMBIGUOUS:
            others = tester(column.other_values, links.other_targets)
            truth = _add_others(truth, column.other_rows, others)
        known = column.known(self.minimum)
        if known is None:
            return truth
        match = truth.match & known
        if truth.settled and absent_is_open:  # the most frequent by far; `known` is ours to change
            possible = np.logical_or(match, np.logical_not(known, out=known), out=known)
            return Truth(match, match, possible)
        open_ = ~known if absent_is_open else ~known & (column.levels != ABSENT)
        sure = match if truth.match is truth.sure else truth.sure & known
        possible = match if truth.settled else truth.possible & known
        return Truth(match, sure, possible | open_)

    # --- testers: from the values of a column, and where they lead, to their truth ---

    def _path_tester(self, leaf: Leaf, step: Field) -> "_Tester":
        rest = Leaf(leaf.path[1:], leaf.field, leaf.probes, False, leaf.matches)
        target = self._evaluate_target(rest, step.target)
        return lambda values, targets: target.where(targets)

    def _evaluate_target(self, plan: Plan, schema: str | None) -> Truth:
        """Evaluate a plan on a schema's table, with one more row: the broken reference."""
        table = self.tables.get(schema or "")
        broken = _unknown(1)
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


def combine(plan: Conjunction | Disjunction, truths: Sequence[Truth], length: int) -> Truth:
    """Combine the truths of a node's parts."""
    conjoin = isinstance(plan, Conjunction)
    if conjoin:
        truths = [one for one in truths if not (one.settled and one.match is everywhere(length))]
    return reduce(both if conjoin else either, truths) if truths else constant(conjoin, length)


def constant(held: bool, length: int) -> Truth:
    """Return a truth that is the same, and known, everywhere."""
    return certain(everywhere(length) if held else np.zeros(length, np.bool_))


def certain(mask: Mask) -> Truth:
    """Return a truth of which nothing is open."""
    return Truth(mask, mask, mask)


def join(truths: Sequence[Truth]) -> Truth:
    """Put the truths of parts one after the other."""
    if len(truths) == 1:
        return truths[0]
    if all(one.settled and one.match is everywhere(len(one.match)) for one in truths):
        return certain(everywhere(sum(len(one.match) for one in truths)))
    match = join_masks([truth.match for truth in truths])
    if all(truth.settled for truth in truths):
        return Truth(match, match, match)
    sure = join_masks([truth.sure for truth in truths])
    return Truth(match, sure, join_masks([truth.possible for truth in truths]))


def both(left: Truth, right: Truth) -> Truth:
    """Return the conjunction of two truths."""
    return _merge(np.logical_and, left, right)


def either(left: Truth, right: Truth) -> Truth:
    """Return the disjunction of two truths."""
    return _merge(np.logical_or, left, right)


def _merge(operation: Callable[[Mask, Mask], Mask], left: Truth, right: Truth) -> Truth:
    match = operation(left.match, right.match)
    if left.settled and right.settled:
        return Truth(match, match, match)
    sure_is_match = left.sure is left.match and right.sure is right.match
    sure = match if sure_is_match else operation(left.sure, right.sure)
    possible_is_match = left.possible is left.match and right.possible is right.match
    possible = match if possible_is_match else operation(left.possible, right.possible)
    return Truth(match, sure, possible)


_Tester: TypeAlias = Callable[[Values, Rows], Truth]


@lru_cache(maxsize=8)
def _unknown(length: int) -> Truth:
    fails = np.zeros(length, np.bool_)
    possible = ~fails
    for mask in (fails, possible):
        mask.setflags(write=False)
    return Truth(fails, fails, possible)


def _add_others(truth: Truth, rows: Rows, others: Truth) -> Truth:
    match, sure, possible = truth.match.copy(), truth.sure.copy(), truth.possible.copy()
    match[rows[others.match]] = True
    sure[rows[others.sure]] = True
    possible[rows[others.possible]] = True
    return Truth(match, sure, possible)


# --- single values ---


def _probe_all(probes: Sequence[Probe], values: ItemValues) -> Truth:
    return reduce(both, (_probe_one(one, values) for one in probes))


def _probe_one(one: Probe, values: ItemValues) -> Truth:
    if one.op == PRESENT:
        return constant(True, len(values))
    held = probe(values, one.op, one.args)
    return Truth(held.match, held.match, held.possible)


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
    held = probe(values.items, "eq", args)
    return _any_item(values, Truth(held.match, held.match, held.possible))


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
