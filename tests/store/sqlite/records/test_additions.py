"""Adding many new memories at once."""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.remembering import memory, temporary_store

from winnow.columns.terms import decode_terms
from winnow.errors import StoreError
from winnow.filter.raw import Untyped, from_bytes
from winnow.rank.analyse import Analyser
from winnow.store.additions import Draft, Sheet, make_draft
from winnow.store.memories import Record, Version
from winnow.store.sqlite.store import SqliteStore, open_store

TEXTS = st.binary(max_size=8).map(from_bytes) | st.text(max_size=8).map(
    lambda text: text.encode("utf-8", "replace").decode()
)
PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def versions(store: SqliteStore, namespace: str = "default") -> list[Version]:
    return [one for batch in store.records.scan_versions(namespace) for one in batch]


@st.composite
def records(draw: st.DrawFn) -> list[Record]:
    ids = draw(st.lists(TEXTS, max_size=6, unique=True))
    return [
        memory(
            name,
            text=draw(TEXTS),
            title=draw(TEXTS),
            entity=draw(st.none() | TEXTS),
            source=draw(st.none() | TEXTS),
            tags=tuple(draw(st.lists(PLAIN, max_size=2))),
            metadata=draw(
                st.dictionaries(TEXTS, TEXTS.map(Untyped) | TEXTS | st.integers(0, 9), max_size=3)
            ),
            vector=draw(st.none() | st.just(b"\0" * 8)),
            model=draw(st.none() | st.just("m")),
            expires_at=draw(st.none() | st.just(9)),
        )
        for name in ids
    ]


@settings(max_examples=40)
@given(records())
def test_drafts_become_the_records_that_putting_each_makes(given_ones: list[Record]) -> None:
    with temporary_store() as one, temporary_store() as other:
        with one.write() as writer:
            for record in given_ones:
                writer.records.put(record)
        with other.write() as writer:
            writer.additions.add([make_draft(record) for record in given_ones])
        assert versions(one) == versions(other)
        assert [row.key for row in versions(one)] == [row.key for row in versions(other)]


@given(
    st.lists(
        st.tuples(PLAIN, PLAIN, PLAIN, st.none() | st.just(9), st.booleans()),
        min_size=1,
        max_size=6,
        unique_by=lambda row: row[0],
    ),
    st.sampled_from(["a", '%s"', "é\0"]),
)
def test_a_sheet_becomes_the_records_that_its_drafts_make(
    rows: list[tuple[str, str, str, int | None, bool]], key: str
) -> None:
    ids, texts, values, ends, has = [[*column] for column in zip(*rows, strict=True)]
    vectors = [b"\0" * 8 if one else None for one in has]
    sheet = Sheet(
        namespace="default",
        ids=ids,
        texts=texts,
        kinds=["claim"] * len(rows),
        kind_provenances=["regex"] * len(rows),
        importances=[0.5] * len(rows),
        metadata={key: values},
        now=7,
        expires_at=ends,
        vectors=vectors,
        model="m",
        terms=[b"abcd"] * len(rows),
    )
    drafts = [
        Draft(
            *("default", name, text, "", "claim", "regex", None, None, (), 0.5, None),
            *({key: Untyped(value)}, 7, 7, end, vector, "m", b"abcd"),
        )
        for name, text, value, end, vector in zip(ids, texts, values, ends, vectors, strict=True)
    ]
    with temporary_store() as one, temporary_store() as other:
        with one.write() as writer:
            writer.additions.add_sheet(sheet)
        with other.write() as writer:
            writer.additions.add(drafts)
        assert versions(one) == versions(other)
        assert [row.record for row in sorted(versions(one), key=lambda row: row.key)] == [
            draft.record() for draft in drafts
        ]


def test_where_an_id_is_taken_none_is_added_and_the_transaction_goes_on(store: SqliteStore) -> None:
    with store.write() as writer:
        writer.records.put(memory("b"))
        drafts = [make_draft(memory(name)) for name in "abc"]
        with pytest.raises(StoreError, match="UNIQUE"):
            writer.additions.add(drafts)
        writer.records.put(memory("d"))
    assert [one.record.id for one in versions(store)] == ["b", "d"]


@pytest.mark.parametrize("ids", [["a", "b", "c"], ["a", "c", "a"], ["a", "gone"]])
def test_where_an_id_is_taken_or_was_deleted_no_sheet_is_added(
    store: SqliteStore, ids: list[str]
) -> None:
    with store.write() as writer:
        writer.records.put(memory("b"))
        writer.records.delete([writer.records.put(memory("gone"))], 1)
        assert not writer.additions.add_sheet(sheet(ids))
        assert writer.additions.add_sheet(sheet(["d"]))
    assert [one.record.id for one in versions(store)] == ["b", "d", "gone"]


def sheet(ids: list[str]) -> Sheet:
    """Memories of these ids, with a vector each."""
    count = len(ids)
    values: dict[str, list[str]] = {}
    return Sheet(
        *("default", ids, ids, ["claim"] * count, ["regex"] * count, [0.5] * count, values, 7),
        *([None] * count, [b"\0" * 8] * count, "m", [b""] * count),
    )


def test_terms_of_a_transaction_that_was_undone_are_not_those_of_the_next(
    store: SqliteStore,
) -> None:
    """Their numbers are given to others then."""
    analyser = Analyser()
    with suppress(ZeroDivisionError), store.write() as writer:
        writer.additions.encode_terms([["alpha beta"]] * 9, analyser)
        raise ZeroDivisionError
    for text in ("gamma delta", "alpha beta", "beta gamma"):
        for _ in range(3):
            with store.write() as writer:
                made = writer.additions.encode_terms([[text]] * 9, analyser)
            assert spell(store, made[8]) == Counter(text.split())


def test_free_ids_pass_over_those_that_are_or_were_in_use(store: SqliteStore) -> None:
    with store.write() as writer:
        for name in ("m2", "m3", "m7"):
            writer.records.put(memory(name))
        found = writer.additions.free_ids("default", 4)
        assert found == ["m1", "m4", "m5", "m6"]
        assert writer.additions.free_ids("default", 2) == ["m1", "m4"]  # they are not taken
        writer.additions.take_ids("default", "m5")
        assert writer.records.new_id("default") == "m6"
        assert writer.records.new_id("default") == "m8"


# --- terms ---------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["alpha", "Beta's", "the", "x86-64", "设备", "café", "a" * 40, "getHTTPStatus"]
)
BAGS = st.lists(st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=2), max_size=12)


def spell(store: SqliteStore, blob: bytes) -> Counter[str]:
    """The terms of a record, as often as each comes."""
    bags = decode_terms([blob])
    with store.records.connect() as reading:
        texts = dict(reading.all(tuple[int, str], "SELECT number, text FROM term"))
    pairs = zip(bags.terms.tolist(), bags.counts.tolist(), strict=True)
    return Counter({texts[number]: count for number, count in pairs})


@settings(max_examples=40)
@given(BAGS, BAGS)
def test_the_terms_of_many_records_are_those_of_each(
    first: Sequence[list[str]], second: Sequence[list[str]]
) -> None:
    analyser = Analyser()
    with temporary_store() as store:
        for bags in (first, second, first):
            with store.write() as writer:
                made = writer.additions.encode_terms(bags, analyser)
            told = [
                Counter(term for text in texts for term in analyser.terms(text)) for texts in bags
            ]
            assert [spell(store, blob) for blob in made] == told


def test_terms_of_a_transaction_that_was_undone_get_numbers_again(store: SqliteStore) -> None:
    analyser = Analyser()
    bags = [["alpha beta"]] * 9
    with suppress(ZeroDivisionError), store.write() as writer:
        writer.additions.encode_terms(bags, analyser)
        raise ZeroDivisionError
    with store.write() as writer:
        made = writer.additions.encode_terms(bags, analyser)
    assert spell(store, made[0]) == Counter(["alpha", "beta"])
    with closing(open_store(store.path)) as other, other.write() as writer:
        assert writer.additions.encode_terms(bags, analyser) == made


def test_terms_that_were_pruned_get_numbers_again(store: SqliteStore) -> None:
    analyser = Analyser()
    bags = [["alpha beta"]] * 9
    for _ in range(2):  # the second time they are known
        with store.write() as writer:
            writer.additions.encode_terms(bags, analyser)
    with closing(open_store(store.path)) as other, other.write() as writer:
        assert writer.records.prune_terms() == 2
    with store.write() as writer:
        made = writer.additions.encode_terms(bags, analyser)
    assert spell(store, made[3]) == Counter(["alpha", "beta"])
