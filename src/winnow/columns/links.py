"""Where references lead: for each value of a reference field, the row of the entity it names.

What the words of one part name in another part never changes, and is kept; after a change only
new parts are looked through, and the living rows are taken anew.
"""

from bisect import bisect_left
from typing import Final, cast

import numpy as np

from winnow.columns.arrays import (
    ABSENT,
    BROKEN,
    NO_EDGES,
    NO_LINKS,
    Column,
    Edges,
    Links,
    ListValues,
    Mask,
    Rows,
    TextValues,
    Values,
    sort_words,
)
from winnow.columns.table import Named, Part, Table
from winnow.columns.words import RowWords, WordList, Words, as_words


def link(table: Table, name: str, target: Table | None) -> list[Links]:
    """Resolve a reference field of a table, part by part; the result is kept with the table."""
    known = table.links.get(name)
    if known is not None and known[0] is target:
        return known[1]
    found = [_link_part(part, name, target) for part in table.parts]
    table.links[name] = (target, found)
    return found


def owners(values: Values) -> Rows:
    """Return the row that each value, or each item of a list, belongs to."""
    if isinstance(values, ListValues):
        return values.owners.astype(np.int64)
    return np.arange(len(values))


def find_edges(source: Table, via: str, target: Table) -> Edges:
    """Return who refers to whom by the field `via`; the result is kept with the source."""
    known = source.edges.get(via)
    if known is not None and known[0] is target:
        return known[1]
    found = [NO_EDGES]
    for number, links in enumerate(link(source, via, target)):
        column = source.parts[number].columns.get(via)
        if column is not None:
            found.append(_pair(column, links, source.alive[number], source.starts[number]))
    edges = Edges(
        np.concatenate([one.sources for one in found]),
        np.concatenate([one.targets for one in found]),
        np.concatenate([one.levels for one in found]),
    )
    source.edges[via] = (target, edges)
    return edges


def _pair(column: Column, links: Links, alive: Mask, start: int) -> Edges:
    sources = np.concatenate(
        [owners(column.values), column.other_rows[owners(column.other_values)]]
    )
    targets = np.concatenate([links.targets, links.other_targets])
    real = (targets != BROKEN) & alive[sources] & (column.levels[sources] != ABSENT)
    sources = sources[real]
    return Edges(sources + start, targets[real], column.levels[sources])


def _link_part(part: Part, name: str, target: Table | None) -> Links:
    column = part.columns.get(name)
    if column is None:
        return NO_LINKS
    return Links(
        _resolve(part, (name, "first"), column.values, target),
        _resolve(part, (name, "others"), column.other_values, target),
    )


def _resolve(part: Part, key: tuple[str, str], values: Values, target: Table | None) -> Rows:
    texts = values.items if isinstance(values, ListValues) else values
    if not isinstance(texts, TextValues):
        raise TypeError("a reference column holds texts")
    rows = np.full(len(texts.words), BROKEN, np.int64)
    if target is not None and len(texts.words):
        named = _find_named(part, key, texts.words, target)
        for start, alive, one in zip(target.starts, target.alive, named, strict=False):
            lives = alive[one.rows]
            rows[one.words[lives]] = one.rows[lives] + start
    return rows[texts.codes] if len(rows) else np.zeros(0, np.int64)


def _find_named(part: Part, key: tuple[str, str], words: WordList, target: Table) -> list[Named]:
    """Return what the words name in each part of the target; only new parts are looked through."""
    known = {id(one.part): one for one in part.named.get(key, ())}
    found = [known.get(id(other)) or _search(words, other) for other in target.parts]
    part.named[key] = found
    return found


def _search(words: WordList, other: Part) -> Named:
    """Look the shorter of two sorted arrays of texts up in the longer."""
    if len(words) <= len(other):
        mine, theirs = _meet(words, other.ids)
    else:
        theirs, mine = _meet(other.ids, words)
    return Named(other, mine, theirs)


def _meet(few: RowWords, many: RowWords) -> tuple[Rows, Rows]:
    places = _find_places(few, many)
    places[places == len(many)] = 0
    same = many[places] == as_words(few)
    return np.flatnonzero(same), places[same]


def _find_places(few: RowWords, many: RowWords) -> Rows:
    """Return where each text is, or would be, in a sorted array.

    Not by numpy's `searchsorted`: of two arrays of texts it takes one for the other (numpy 2.4),
    and gives wrong places from sixteen bytes on.
    """
    if len(few) * _FEW < len(many):
        return np.array([bisect_left(many, text) for text in few.tolist()], np.int64)
    _, numbers = sort_words(cast(Words, np.concatenate([many, few])))
    return np.searchsorted(numbers[: len(many)], numbers[len(many) :])


_FEW: Final = 16  # times as many, and a look-up of each is quicker than to sort all
