"""Random commands, answered as a plain model answers them, also by a store that is reopened."""

import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from tests.memory.remembering import Clock, open_at
from tests.surfaces.resp.model import Entry, Filter, Index, Model
from tests.surfaces.resp.speaking import Error, Line, Status, serve_in_process

from winnow.memory.times import milliseconds

KEYS = st.sampled_from(["k", "other", "ключ"])
IDS = st.sampled_from(["a", "b", "m1", "m3", "7", "", "é", "with space"])
TEXTS = st.sampled_from(["alpha beta", "the Beta gamma", "café 42", "", "alpha alpha x86-64"])
WORDS = st.sampled_from(["alpha", "BETA", "the", "café", "42 alpha", "nothing"])
FIELDS = st.sampled_from(["type", "n", "@id", "", "a.b"])
VALUES = st.sampled_from(["1", "1.0", "10", "abc", "ABC", "", "inf", "-3", "1e1", "eu,uk", "eu"])
FILTERS: st.SearchStrategy[list[Filter]] = st.lists(
    st.tuples(
        st.sampled_from(["type", "n", "", "a.b", "@id", "@text", "@importance"]),
        st.sampled_from(["EQ", "NE", "GT", "GTE", "LT", "LTE", "IN", "CONTAINS"]),
        VALUES,
    ),
    max_size=2,
)
METAS = st.dictionaries(FIELDS, VALUES, max_size=3)
VECTORS = st.tuples(st.integers(-3, 3), st.integers(-3, 3)).filter(any)


def spoken(filters: Sequence[Filter]) -> list[str]:
    return [word for one in filters for word in ("FILTER", *one)]


START = [
    ("a", "alpha beta", "abc"),
    ("7", "the Beta gamma alpha alpha", "10"),
    ("é", "café 42", "eu,uk"),
    (None, "alpha", "1e1"),
]


class Commands(RuleBasedStateMachine):
    """Says commands to a server and to a model."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.clock, self.model = Clock(), Model()
        self.model.now = milliseconds(self.clock.now)
        self.used: dict[str, set[str]] = {}
        self.open()
        for key in ("k", "other"):
            self.create(key)
            for name, text, kind in START:
                self.add(key, name, text, {"type": kind, "n": str(len(text))}, (1, len(text)))

    def open(self) -> None:
        self.memory = open_at(Path(self.folder.name) / "w.db", self.clock)
        self.line = Line(serve_in_process(self.memory))

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()
            self.folder.cleanup()

    def say(self, *words: Any) -> Any:
        return self.line.say(*words)

    def missing(self, key: str, *words: Any) -> bool:
        """Tell whether a key holds nothing; then the command is refused."""
        if self.model.index(key) is not None:
            return False
        assert self.say(words[0], key, *words[1:]) == Error("ERR no such memory index")
        return True

    @rule(key=KEYS)
    def create(self, key: str) -> None:
        got = self.say("MEM.CREATE", key, "DIM", 2)
        if self.model.index(key) is None:
            self.model.indexes[key], self.used[key] = Index(), set()
            assert got == Status("OK")
        else:
            assert got == Error("ERR memory index already exists")

    @rule(key=KEYS, name=st.none() | IDS, text=TEXTS, meta=METAS, vector=st.none() | VECTORS)
    def add(
        self,
        key: str,
        name: str | None,
        text: str,
        meta: dict[str, str],
        vector: tuple[int, int] | None,
    ) -> None:
        words: list[Any] = ["TEXT", text]
        words += [] if name is None else ["ID", name]
        words += [word for pair in meta.items() for word in ("META", *pair)]
        words += [] if vector is None else ["FVEC", 2, *vector]
        if self.missing(key, "MEM.ADD", *words):
            return
        made = self.model.new_id(key, self.used[key]) if name is None else name
        assert self.say("MEM.ADD", key, *words) == made.encode()
        self.used[key].add(made)
        now, entries = self.model.now, self.model.live(key)
        entry = entries.setdefault(made, Entry(text, now, now))
        entry.text, entry.updated = text, now
        entry.meta.update(meta)
        entry.vector = entry.vector if vector is None else tuple(map(float, vector))

    @rule(key=KEYS, name=IDS)
    def get(self, key: str, name: str) -> None:
        if self.missing(key, "MEM.GET", name):
            return
        got, entry = self.say("MEM.GET", key, name, "WITHMETA"), self.model.live(key).get(name)
        if entry is None:
            assert got is None
            return
        shown = dict(zip(got[::2], got[1::2], strict=True))
        meta = sorted((one.encode(), two.encode()) for one, two in entry.meta.items())
        assert shown == {
            b"id": name.encode(),
            b"text": entry.text.encode(),
            b"importance": f"{entry.importance:g}".encode(),
            b"created_at": entry.created,
            b"updated_at": entry.updated,
            b"pttl": -1 if entry.ends is None else entry.ends - self.model.now,
            b"meta": [word for pair in meta for word in pair],
        }

    @rule(key=KEYS, names=st.lists(IDS, min_size=1, max_size=3))
    def delete(self, key: str, names: list[str]) -> None:
        if self.missing(key, "MEM.DEL", *names):
            return
        entries = self.model.live(key)
        there = [name for name in dict.fromkeys(names) if entries.pop(name, None)]
        assert self.say("MEM.DEL", key, *names) == len(there)

    @rule(key=KEYS, name=IDS, meta=METAS.filter(bool))
    def set_metadata(self, key: str, name: str, meta: dict[str, str]) -> None:
        words = [word for pair in meta.items() for word in pair]
        if self.missing(key, "MEM.SETMETA", name, *words):
            return
        got, entry = self.say("MEM.SETMETA", key, name, *words), self.model.live(key).get(name)
        if entry is None:
            assert got == Error("ERR no such record")
            return
        assert got == len(meta.keys() - entry.meta.keys())
        entry.meta.update(meta)
        entry.updated = self.model.now

    @rule(key=KEYS, name=IDS, seconds=st.sampled_from([0, 1, 100]))
    def expire(self, key: str, name: str, seconds: int) -> None:
        if self.missing(key, "MEM.EXPIRE", name, seconds):
            return
        entry = self.model.live(key).get(name)
        assert self.say("MEM.EXPIRE", key, name, seconds) == (entry is not None)
        if entry is not None:
            entry.ends = self.model.now + 1_000 * seconds if seconds else None

    @rule(milliseconds=st.sampled_from([1, 400, 1_000, 50_000]))
    def wait(self, milliseconds: int) -> None:
        self.clock.move(milliseconds=milliseconds)
        self.model.now += milliseconds

    @rule(key=KEYS, filters=FILTERS, count=st.sampled_from([1, 2, 100]))
    def scan(self, key: str, filters: list[Filter], count: int) -> None:
        words = ["COUNT", count, *spoken(filters)]
        if self.missing(key, "MEM.SCAN", 0, *words):
            return
        found: list[bytes] = []
        cursor = b"0"
        while True:
            cursor, page = self.say("MEM.SCAN", key, cursor, *words)
            found += page
            if cursor == b"0":
                break
        assert found == [name.encode() for name in self.model.scan(key, filters)]
        assert self.say("MEM.CARD", key) == len(self.model.live(key))

    @rule(key=KEYS, query=WORDS, filters=FILTERS)
    def search(self, key: str, query: str, filters: list[Filter]) -> None:
        if self.missing(key, "MEM.SEARCH", query):
            return
        got = self.say("MEM.SEARCH", key, query, *spoken(filters), "NOTEXT", "TOPK", 5)
        self.check_hits(got, self.model.search(key, query, filters)[:5])

    @rule(key=KEYS, query=VECTORS, filters=FILTERS)
    def search_vectors(self, key: str, query: tuple[int, int], filters: list[Filter]) -> None:
        blob = struct.pack("<2f", *query)
        if self.missing(key, "MEM.VSEARCH", "VEC", blob):
            return
        got = self.say("MEM.VSEARCH", key, "VEC", blob, *spoken(filters), "NOTEXT", "TOPK", 5)
        nearest = self.model.nearest(key, [float(one) for one in query], filters)
        assert [float(hit[3]) for hit in got] == pytest.approx(
            [score for _, score in nearest[:5]], abs=1e-5
        )
        scores = dict(nearest)
        assert all(float(hit[3]) == pytest.approx(scores[hit[1].decode()], abs=1e-5) for hit in got)

    def check_hits(self, got: list[list[Any]], expected: list[tuple[str, float]]) -> None:
        assert [hit[1].decode() for hit in got] == [name for name, _ in expected]
        assert [float(hit[3]) for hit in got] == pytest.approx(
            [score for _, score in expected], rel=1e-4
        )

    @rule(key=KEYS, other=KEYS)
    def rename(self, key: str, other: str) -> None:
        got = self.say("RENAME", key, other)
        if self.model.index(key) is None:
            assert got == Error("ERR no such key")
            return
        assert got == Status("OK")
        if key != other:
            self.model.indexes[other] = self.model.indexes.pop(key)
            self.used[other] = self.used.pop(key)

    @rule(key=KEYS)
    def drop(self, key: str) -> None:
        there = self.model.index(key) is not None
        assert self.say("DEL", key) == there
        self.model.indexes.pop(key, None)

    @rule(key=KEYS, seconds=st.sampled_from([1, 60]))
    def expire_key(self, key: str, seconds: int) -> None:
        index = self.model.index(key)
        assert self.say("EXPIRE", key, seconds) == (index is not None)
        if index is not None:
            index.ends = self.model.now + 1_000 * seconds

    @rule()
    def list_keys(self) -> None:
        names = sorted(key.encode() for key in [*self.model.indexes] if self.model.index(key))
        assert self.say("KEYS", "*") == names
        assert self.say("DBSIZE") == len(names)

    @precondition(lambda self: hasattr(self, "memory"))
    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.open()


Commands.TestCase.settings = settings(max_examples=30, stateful_step_count=40)
TestCommands = Commands.TestCase
