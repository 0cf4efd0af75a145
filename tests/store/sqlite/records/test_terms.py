from collections.abc import Iterable
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.remembering import memory, put, temporary_store, texts

from winnow.columns.terms import encode_terms
from winnow.errors import InvalidRequest, StoreError
from winnow.store.sqlite.records import terms as dictionary
from winnow.store.sqlite.store import SqliteStore, open_store


def all_terms(store: SqliteStore) -> list[tuple[int, str]]:
    """Return the whole dictionary, by number."""
    with store.records.connect() as connection:
        return connection.all(tuple[int, str], "SELECT number, text FROM term ORDER BY number")


def ids_of(store: SqliteStore, *terms: str) -> dict[str, int]:
    with store.write() as writer:
        return writer.records.term_ids(terms)


def put_text(store: SqliteStore, record: str, text: str) -> int:
    """Put a memory whose terms are its words."""
    with store.write() as writer:
        numbers = writer.records.term_ids(text.split())
        blob = encode_terms(numbers[word] for word in text.split())
        return writer.records.put(memory(record, text=text, terms=blob))


def prune(store: SqliteStore) -> int:
    with store.write() as writer:
        return writer.records.prune_terms()


def words(store: SqliteStore) -> list[str]:
    return [term for _, term in all_terms(store)]


def test_a_term_has_one_number_for_good(store: SqliteStore) -> None:
    first = ids_of(store, "a", "b", "a")
    assert len(set(first.values())) == 2
    second = ids_of(store, "c", "b")
    assert second["b"] == first["b"]
    assert second["c"] > max(first.values())
    assert all_terms(store) == sorted((n, t) for t, n in (first | second).items())
    assert store.records.find_terms(["c", "nobody has it"]) == {"c": second["c"]}
    with closing(open_store(store.path)) as again:
        assert ids_of(again, "a", "b", "c") == first | second


def test_terms_alone_are_no_change(store: SqliteStore) -> None:
    ids_of(store, "a")
    assert store.last_change().number == 0


def test_the_numbers_of_other_processes_are_seen(store: SqliteStore) -> None:
    with closing(open_store(store.path)) as other:
        seen: dict[str, int] = {}
        for step in range(6):
            terms = [f"t{step}", f"t{step + 1}", "same"]
            found = ids_of((store, other)[step % 2], *terms)
            assert all(seen.get(term, number) == number for term, number in found.items())
            seen |= found
        assert len(set(seen.values())) == len(seen) == 8
        assert all_terms(store) == all_terms(other)


def test_numbers_of_a_transaction_that_was_undone_are_forgotten(store: SqliteStore) -> None:
    def fail() -> None:
        with store.write() as writer:
            writer.records.term_ids(["undone", "kept"])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    numbers = ids_of(store, "kept")
    assert all_terms(store) == [(numbers["kept"], "kept")]


def test_numbers_of_a_step_that_was_undone_are_forgotten(store: SqliteStore) -> None:
    with store.write() as writer:
        first = writer.records.term_ids(["a"])
        with pytest.raises(InvalidRequest, match="U\\+D800"):
            writer.records.term_ids(["b", "\ud800"])
        again = writer.records.term_ids(["a", "c", "b"])
    assert again["a"] == first["a"]
    assert all_terms(store) == sorted((n, t) for t, n in again.items())


def test_a_committed_number_outlives_a_transaction_that_is_undone(store: SqliteStore) -> None:
    def fail() -> None:
        with store.write() as writer:
            writer.records.term_ids(["a"])
            with pytest.raises(InvalidRequest):
                writer.records.term_ids(["\ud800"])
            writer.records.term_ids(["a"])
            raise RuntimeError

    for _ in range(2):
        with pytest.raises(RuntimeError):
            fail()
    taken = ids_of(store, "b")
    assert all_terms(store) == [(taken["b"], "b")]
    assert ids_of(store, "a")["a"] != taken["b"]


def test_pruning_forgets_the_words_of_purged_records_and_no_others(store: SqliteStore) -> None:
    secret = put_text(store, "r1", "my secret word")
    put_text(store, "r2", "a word a word")
    deleted = put_text(store, "r3", "deleted")
    with store.write() as writer:
        writer.records.purge([secret])
        writer.records.delete([deleted], 2_000)
    last = store.last_change()
    assert prune(store) == 2
    assert words(store) == ["word", "a", "deleted"]
    assert prune(store) == 0
    assert store.last_change() == last


def test_the_number_of_a_forgotten_word_is_never_used_again(store: SqliteStore) -> None:
    """Others may still know it; both stores here have used it."""
    with closing(open_store(store.path)) as other:
        old = ids_of(store, "secret")["secret"]
        for one in (store, other):
            put_text(one, "r1", "secret")
        put(store, memory("r1", text="public"))
        assert prune(store) == 1
        for one in (other, store):
            number = ids_of(one, "secret")["secret"]
            assert number > old
            assert all_terms(store) == [(number, "secret")]


@pytest.mark.parametrize("committed", [False, True])
def test_a_word_forgotten_in_a_transaction_is_new_in_it(
    store: SqliteStore, committed: bool
) -> None:
    for _ in range(2 * committed):
        ids_of(store, "a")
    with store.write() as writer:
        old = writer.records.term_ids(["a"])["a"]
        assert writer.records.prune_terms() == 1
        new = writer.records.term_ids(["a"])["a"]
    assert new > old
    assert all_terms(store) == [(new, "a")]
    assert ids_of(store, "a") == {"a": new}


def test_words_are_not_forgotten_by_a_transaction_that_was_undone(store: SqliteStore) -> None:
    numbers = ids_of(store, "a")

    def fail() -> None:
        with store.write() as writer:
            assert writer.records.prune_terms() == 1
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert ids_of(store, "a") == numbers


def test_a_number_that_was_never_given_is_passed_over(store: SqliteStore) -> None:
    put_text(store, "r1", "a")
    put(store, memory("r2", terms=encode_terms([0, 7, 2**31 - 1])))
    assert prune(store) == 0
    assert words(store) == ["a"]


def test_a_damaged_blob_stops_the_pruning(store: SqliteStore) -> None:
    ids_of(store, "a")
    put(store, memory("r1", terms=b"\0\0\0\x80"))
    with store.write() as writer, pytest.raises(StoreError, match="damaged"):
        writer.records.prune_terms()
    assert words(store) == ["a"]


@settings(max_examples=50)
@given(st.lists(st.tuples(st.booleans(), st.lists(texts, max_size=4)), max_size=6))
def test_any_text_can_be_a_term(steps: Iterable[tuple[bool, list[str]]]) -> None:
    seen: dict[str, int] = {}
    with temporary_store() as store, closing(open_store(store.path)) as other:
        for first, terms in steps:
            found = ids_of(store if first else other, *terms)
            assert found.keys() == set(terms)
            assert all(seen.setdefault(term, number) == number for term, number in found.items())
        assert {term: number for number, term in all_terms(store)} == seen
        assert len(set(seen.values())) == len(seen)


def test_a_process_that_knows_many_terms_begins_anew(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dictionary, "_MOST_KNOWN", 2)
    first = ids_of(store, "a", "b", "c")
    for _ in range(3):
        assert ids_of(store, "a", "b", "c") == first
    assert len(store._numbers.known) == 3


def test_what_a_failed_step_has_undone_leaves_no_number_to_be_given_twice(
    store: SqliteStore,
) -> None:
    ids_of(store, "base")
    with store.write() as writer:
        writer.records.term_ids(["alpha", "beta", "gamma"])
        with pytest.raises(InvalidRequest):
            writer.records.put(memory("a", namespace=""))
        numbers = {**writer.records.term_ids(["alpha"]), **writer.records.term_ids(["delta"])}
    assert len(set(numbers.values())) == 2
    assert {term: number for number, term in all_terms(store)}.items() >= numbers.items()
