"""The shelf: all records in columns, postings and vectors, as they now stand in the store."""

from pathlib import Path
from threading import Thread

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.memory.remembering import Clock, ids, open_at, store_all, temporary_memory

from winnow.memory import Memory


def test_the_shelf_is_the_same_until_something_changes(memory: Memory) -> None:
    memory.store("text")
    first = memory.engine.shelf()
    assert memory.engine.shelf().table is first.table
    memory.store("text")
    second = memory.engine.shelf()
    assert (first.table.count, second.table.count) == (1, 2)


def test_a_shelf_that_was_handed_out_never_changes(memory: Memory) -> None:
    store_all(memory, ({"id": f"r{n}", "text": "river"} for n in range(5)))
    before = memory.engine.shelf()
    memory.delete("r1")
    memory.update("r2", text="bank")
    memory.store("river", id="r9")
    assert before.table.count == 5
    words = before.terms.find(["river"])
    spaces = [before.spaces["default"]]
    assert len(before.postings.score(words, None, spaces).rows) == 5
    after = memory.engine.shelf()
    assert len(after.postings.score(words, None, spaces).rows) == 4


def test_rows_are_numbered_alike_in_table_postings_and_vectors(memory: Memory) -> None:
    for number in range(40):
        memory.store(f"river word{number}", namespace=("a", "b")[number % 2])
        memory.recall("river", limit=1)  # each makes a part of its own
    shelf = memory.engine.shelf()
    for number in range(40):
        hit = memory.recall(f"word{number}", limit=1).memories[0]
        assert hit.text == f"river word{number}"
        (row,) = shelf.postings.score(shelf.terms.find([f"word{number}"])).rows.tolist()
        key = shelf.table.key_of(row)
        assert memory.engine.store.records.read([key])[0] is not None
        assert key == memory.engine.store.records.find(hit.namespace, hit.id)


def test_f81_what_has_expired_moves_no_score_and_no_last_change(
    memory: Memory, clock: Clock
) -> None:
    for text in ("the river bank", "a bank of money", "zebra"):
        memory.store(text)
    before = memory.recall("bank").memories
    clock.move(days=1)
    memory.store("bank bank bank", ttl_seconds=60)
    memory.store("bank", ttl_seconds=30, id="first")
    assert len(memory.recall("bank").memories) == 5
    clock.move(seconds=60)
    assert memory.recall("bank").memories == before
    assert memory.engine.shelf().table.count == 3


def test_time_that_goes_back_shows_what_had_expired(memory: Memory, clock: Clock) -> None:
    memory.store("river", ttl_seconds=60)
    clock.move(seconds=60)
    assert memory.engine.shelf().table.count == 0
    clock.move(seconds=-1)
    assert memory.engine.shelf().table.count == 1


def test_an_expiry_that_is_moved_holds_from_then_on(memory: Memory, clock: Clock) -> None:
    memory.store("river", ttl_seconds=60)
    memory.update("m1", ttl_seconds=120)
    clock.move(seconds=60)
    assert ids(memory.recall("river")) == ["m1"]
    memory.update("m1", clear="expiresAt")
    clock.move(days=1)
    assert ids(memory.recall("river")) == ["m1"]


def test_readers_and_writers_at_once_see_whole_states(tmp_path: Path) -> None:
    with open_at(tmp_path / "w.db", Clock()) as memory:
        seen: list[int] = []
        wrong: list[Exception] = []

        def read() -> None:
            try:
                while len(seen) < 200 and (not seen or seen[-1] < 30):
                    answer = memory.recall("river", limit=1_000)
                    assert answer.returned == answer.filtered_entities
                    seen.append(answer.returned)
            except Exception as error:  # noqa: BLE001
                wrong.append(error)

        reader = Thread(target=read)
        reader.start()
        for _ in range(30):
            memory.store("river")
        reader.join()
        assert not wrong
        assert seen == sorted(seen)
        assert memory.recall("river").filtered_entities == 30


class Changes(RuleBasedStateMachine):
    """Whatever is done to memories here and beside, each opened store sees the same ones."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = temporary_memory()
        self.here = self.opened.__enter__()
        self.there = open_at(Path(self.here.engine.label), Clock())
        self.texts: dict[str, str] = {}
        self.deleted: dict[str, str] = {}

    names = st.sampled_from("abcd")
    words = st.sampled_from(["river", "bank", "zebra"])

    @rule(name=names, word=words, beside=st.booleans())
    def store(self, name: str, word: str, beside: bool) -> None:
        (self.there if beside else self.here).store(word, id=name)
        self.texts[name] = word
        self.deleted.pop(name, None)

    @rule(name=names, beside=st.booleans(), purge=st.booleans())
    def delete(self, name: str, beside: bool, purge: bool) -> None:
        if name in self.texts:
            (self.there if beside else self.here).delete(name, purge=purge)
            text = self.texts.pop(name)
            if not purge:
                self.deleted[name] = text

    @rule(name=names)
    def undelete(self, name: str) -> None:
        if name in self.deleted:
            self.here.undelete(name)
            self.texts[name] = self.deleted.pop(name)

    @invariant()
    def both_see_all(self) -> None:
        for memory in (self.here, self.there):
            answer = memory.recall("river", limit=100)
            assert {hit.id: hit.text for hit in answer.memories} == self.texts
            found = [hit.id for hit in answer.memories if hit.components and hit.components.keyword]
            assert sorted(found) == sorted(n for n, t in self.texts.items() if t == "river")
            assert ids(answer)[: len(found)] == found

    def teardown(self) -> None:
        self.there.close()
        self.opened.__exit__(None, None, None)


TestChanges = Changes.TestCase
TestChanges.settings = settings(max_examples=8, stateful_step_count=12)
