"""The memories of one namespace: chosen, walked in order, and ranked, against plain loops."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.columns.lexicon import Analysis, Lexicon
from winnow.columns.memories import MemoryChanges
from winnow.columns.pieces import Pieces, PiecesPart, build_pieces
from winnow.columns.table import Table
from winnow.columns.vectors import Vectors, VectorsPart, build_vectors
from winnow.filter.check import Scope, check
from winnow.filter.raw import Untyped
from winnow.filter.triples import read_triples
from winnow.memories import RECORDS
from winnow.plan.holdings import (
    Asked,
    Found,
    Fused,
    Holdings,
    search_both,
    search_vectors,
    search_words,
)
from winnow.rank.klyro.scores import Fusion, Weights
from winnow.schema import Catalog

NAMES = ("a", "b", "c", "d", "e", "f", "zz", "é", "\udcff")
ROWS = st.dictionaries(
    st.sampled_from(NAMES),
    st.tuples(
        st.sampled_from(["k", "other"]),
        st.sampled_from(["x", "x y", "y y z", ""]),
        st.sampled_from([0, 0, 0, 5]),
        st.integers(0, 3),
    ),
    min_size=1,
)
Row = tuple[str, str, int, int]  # namespace, text, note, number


def holdings_of(rows: dict[str, Row], cut: int) -> tuple[Holdings, Lexicon]:
    """Rows in two parts, each with a vector of its number and 1."""
    table = Table(RECORDS, UTC)
    notes: list[PiecesPart] = []
    vectors: list[VectorsPart] = []
    names = sorted(rows)
    for number, part in enumerate((names[:cut], names[cut:])):
        if not part:
            continue
        chosen = [rows[name] for name in part]
        keys = [100 * number + place for place in range(len(part))]
        fields = {
            "namespace": [row[0] for row in chosen],
            "text": [row[1] for row in chosen],
            "importance": [0.5] * len(part),
            "updatedAt": [1_000] * len(part),
        }
        metadata = [{"n": Untyped(row[3])} for row in chosen]
        table = table.changed(MemoryChanges([], keys, part, fields, metadata))
        notes.append(build_pieces([row[2] for row in chosen]))
        blobs = [np.array([row[3], 1], "<f4").tobytes() for row in chosen]
        vectors.append(build_vectors(blobs, ["m"] * len(part)))
    pieces, found = Pieces(tuple(notes), table.alive), Vectors(tuple(vectors), table.alive)
    return Holdings(table, pieces, found, "k"), Lexicon(
        Analysis(lambda text: text.encode().split(), bool, lambda: 1_000)
    )


def own(rows: dict[str, Row]) -> list[str]:
    """The memories of the namespace, in the order of a scan: what is not UTF-8 comes last."""
    chosen = [name for name, row in rows.items() if row[0] == "k" and not row[2]]
    return sorted(chosen, key=lambda name: ("\udc80" <= name[0] <= "\udcff", name))


def names(holdings: Holdings, found: Sequence[Found]) -> list[str]:
    by_row = {row: name for name, row in holdings.walk(None)}
    return [by_row[one.row] for one in found]


@given(rows=ROWS, data=st.data())
def test_a_walk_goes_by_id_and_goes_on_behind_any_of_them(
    rows: dict[str, Row], data: st.DataObject
) -> None:
    holdings, _ = holdings_of(rows, data.draw(st.integers(0, len(rows))))
    walked = [name for name, _ in holdings.walk(None)]
    assert walked == own(rows)
    assert len(holdings) == len(walked)
    skipped = data.draw(st.integers(0, len(walked)))
    assert [name for name, _ in holdings.walk(None, skipped)] == walked[skipped:]
    for place, name in enumerate(walked):
        assert [one for one, _ in holdings.walk(name)] == walked[place + 1 :]


@given(rows=ROWS, data=st.data(), bound=st.sampled_from(["0", "1", "2.5", "x"]))
def test_a_filter_chooses_among_them(rows: dict[str, Row], data: st.DataObject, bound: str) -> None:
    holdings, _ = holdings_of(rows, data.draw(st.integers(0, len(rows))))
    scope = Scope(Catalog(()), UTC, datetime(2026, 1, 1, tzinfo=UTC))
    pred = check(read_triples([("n", "GTE", bound)], "/filter"), RECORDS, scope).pred
    chosen = {row: name for name, row in holdings.walk(None)}
    found = sorted(chosen[row] for row in holdings.choose(pred).tolist())
    texts = bound == "x"  # then numbers are compared as texts, and none is greater
    expected = [name for name in own(rows) if not texts and rows[name][3] >= float(bound)]
    assert found == sorted(expected)


@given(rows=ROWS, data=st.data(), limit=st.integers(1, 5))
def test_the_nearest_come_first_and_of_equal_ones_the_lesser_id(
    rows: dict[str, Row], data: st.DataObject, limit: int
) -> None:
    holdings, _ = holdings_of(rows, data.draw(st.integers(0, len(rows))))
    asked = Asked(None, np.array([0, 1], np.float32), "m")
    found = search_vectors(holdings, asked, holdings.rows, limit)
    expected = sorted(own(rows), key=lambda name: (rows[name][3], own(rows).index(name)))
    assert names(holdings, found) == expected[:limit]
    assert holdings.count_vectors("m", 2, holdings.rows) == len(own(rows))


@given(rows=ROWS, data=st.data(), limit=st.integers(1, 3))
def test_parts_beyond_the_limit_of_candidates_are_worth_nothing(
    rows: dict[str, Row], data: st.DataObject, limit: int
) -> None:
    holdings, lexicon = holdings_of(rows, data.draw(st.integers(0, len(rows))))
    postings = lexicon.postings(holdings.table, holdings.pieces), lexicon.space("k")
    asked = Asked(lexicon.find([b"x"]), np.array([0, 1], np.float32), "m")
    fused = Fused(Weights(1, 1, 0, 0), 60.0, Fusion.RRF, limit, 2_000)
    found = search_both(holdings, postings, asked, holdings.rows, fused, 10)
    words = names(holdings, search_words(holdings, postings, asked, holdings.rows, limit))
    near = names(holdings, search_vectors(holdings, asked, holdings.rows, limit))
    assert set(names(holdings, found)) == {*words, *near}
    for one, name in zip(found, names(holdings, found), strict=True):
        assert (one.keyword > 0) == (name in words)
        assert (one.vector > 0) == (name in near)
        assert one.recency == pytest.approx(0.5 ** (1 / 60))
