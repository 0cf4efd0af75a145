"""What the Redis protocol stores and what other surfaces store is one: each finds the other's."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.memory.remembering import Clock, open_at, temporary_memory
from tests.surfaces.resp.speaking import Error, Line, Status, serve_in_process
from tests.vault.making import make_vault

from winnow.memory import Memory
from winnow.wire import encode, encode_text

LATIN = b"caf\xe9 alpha"  # not UTF-8


def keys_of(line: Line) -> list[str]:
    return [key.decode() for key in line.say("KEYS", "*")]


def ids(answer: Any) -> list[str]:
    return [one.id for one in answer.memories or ()]


@pytest.fixture
def filled(line: Line) -> Line:
    """An index with three memories, and a vector each."""
    line.say("MEM.CREATE", "user:123", "DIM", "2")
    for name, text, kind, n in (
        ("a", "prefers dark roast", "preference", 9),
        ("b", "ordered a grinder", "event", 10),
        ("c", "asked about roast levels", "event", 100),
    ):
        line.say(
            *("MEM.ADD", "user:123", "ID", name, "TEXT", text, "FVEC", 2, 1, n),
            *("META", "type", kind, "META", "n", n),
        )
    return line


def test_what_resp_stores_is_found_by_words_vectors_and_filters_on_its_metadata(
    filled: Line, memory: Memory
) -> None:
    found = memory.recall("roast", namespace="user:123")
    assert set(ids(found)) >= {"a", "c"}
    assert ids(memory.recall(namespace="user:123", filters={"type": "preference"})) == ["a"]
    near = memory.recall(vector=[1.0, 9.0], namespace="user:123", sources=["vector"])
    assert ids(near)[0] == "a"
    record = memory.get("b", namespace="user:123")
    assert (record.kind, record.kind_provenance) == ("observation", "channel_derived")
    assert encode(record.metadata) == {"n": "10", "type": "event"}


def test_untyped_metadata_answers_a_test_on_numbers_and_one_on_texts(
    filled: Line, memory: Memory
) -> None:
    def count(filters: Any) -> int:
        return memory.count(namespace="user:123", filters=filters).count

    assert count({"n": {"gte": 10}}) == 2
    assert count({"n": {"eq": 9}}) == count({"n": "9"}) == 1
    assert count({"n": {"startsWith": "10"}}) == 2
    assert count({"n": {"lt": "2"}}) == 2  # as texts
    assert count({"type": {"gt": 0}}) == 0
    # A typed text never is a number.
    memory.store(text="typed", namespace="user:123", metadata={"n": "50"})
    assert count({"n": {"gte": 10}}) == 2
    assert count({"n": "50"}) == 1


def test_an_update_elsewhere_gives_what_it_names_a_type_and_leaves_the_rest(
    filled: Line, memory: Memory
) -> None:
    memory.update("a", namespace="user:123", metadata={"n": "9", "more": True})
    assert memory.count(namespace="user:123", filters={"n": {"lte": 9}}).count == 0
    shown = filled.say("MEM.GET", "user:123", "a", "WITHMETA")
    assert shown[-1] == [b"more", b"true", b"n", b"9", b"type", b"preference"]


def test_what_other_surfaces_store_is_a_key_and_is_found(memory: Memory, line: Line) -> None:
    made = memory.store(
        text="The printer is on floor two",
        namespace="office",
        metadata={"floor": 2, "tags": ["a", "b"], "on": True},
    )
    assert keys_of(line) == ["office"]
    assert line.say("TYPE", "office") == Status("memory")
    (hit,) = line.say("MEM.SEARCH", "office", "printer", "WITHMETA", "FILTER", "floor", "GTE", 2)
    assert hit[1] == made.id.encode()
    assert hit[-1] == [b"floor", b"2", b"on", b"true", b"tags", b'["a","b"]']
    assert line.say("MEM.INFO", "office")[1] == b"SEARCH"
    assert line.say("MEM.SETMETA", "office", made.id, "seen", "1") == 1
    assert memory.get(made.id, namespace="office").metadata["seen"] == "1"


def test_a_namespace_with_vectors_of_the_callers_is_hybrid(memory: Memory, line: Line) -> None:
    memory.admin.set_namespace("v", embedder="external:2")
    memory.store(text="t", namespace="v", vector=[3.0, 4.0], id="x")
    assert line.say("MEM.INFO", "v")[:4] == [b"mode", b"HYBRID", b"dim", 2]
    assert float(line.say("MEM.VSEARCH", "v", "FVEC", 2, 3, 4)[0][3]) == pytest.approx(1)


def test_a_vault_and_memories_survive_flushall_del_and_rename(
    tmp_path: Path, memory: Memory, line: Line
) -> None:
    make_vault(tmp_path / "vault", {"one.md": "# One\n\nThe escrow is 12 %."})
    memory.admin.index(str(tmp_path / "vault"))
    memory.store(text="A stored memory about escrow", id="kept")
    memory.store(text="elsewhere", namespace="office")
    line.say("MEM.CREATE", "r", "MODE", "SEARCH")
    line.say("MEM.ADD", "r", "TEXT", "gone")
    before = memory.list(namespace="default", limit=100).memories
    assert keys_of(line) == ["default", "office", "r"]
    assert line.say("MEM.CARD", "default") == 1  # no piece of a note is one

    for command in (("DEL", "default"), ("RENAME", "default", "x"), ("EXPIRE", "default", 1)):
        refused = line.say(*command)
        assert isinstance(refused, Error)
        assert "not stored over this protocol" in refused.text
    assert isinstance(line.say("SET", "office", "text"), Error)
    assert isinstance(line.say("RENAME", "r", "office"), Error)
    assert isinstance(line.say("COPY", "r", "office", "REPLACE"), Error)
    assert line.say("FLUSHALL") == Status("OK")

    assert keys_of(line) == ["default", "office"]
    assert memory.list(namespace="default", limit=100).memories == before
    assert memory.recall("escrow").filtered_entities == 3


def test_an_index_lives_beside_notes_and_leaves_them_alone(
    tmp_path: Path, memory: Memory, line: Line
) -> None:
    make_vault(tmp_path / "vault", {"one.md": "# One\n\nroast"})
    memory.admin.index(str(tmp_path / "vault"), namespace="mixed")
    assert keys_of(line) == []
    refused = line.say("MEM.CREATE", "mixed", "DIM", "2")
    assert isinstance(refused, Error)
    assert "holds notes" in refused.text
    assert line.say("MEM.CREATE", "mixed", "MODE", "SEARCH") == Status("OK")
    line.say("MEM.ADD", "mixed", "ID", "a", "TEXT", "roast")
    pieces = [one.id for one in memory.recall("roast", namespace="mixed").memories or ()]
    (piece,) = [name for name in pieces if name != "a"]
    assert len(line.say("MEM.SEARCH", "mixed", "roast")) == 1
    assert line.say("MEM.GET", "mixed", piece) is None
    assert line.say("MEM.DEL", "mixed", piece) == 0
    assert isinstance(line.say("MEM.ADD", "mixed", "ID", piece, "TEXT", "mine"), Error)
    assert line.say("DEL", "mixed") == 1
    assert [one.id for one in memory.recall("roast", namespace="mixed").memories or ()] == [piece]


def test_mem_del_can_be_undone_and_del_of_a_key_is_final(filled: Line, memory: Memory) -> None:
    assert filled.say("MEM.DEL", "user:123", "a") == 1
    assert memory.undelete("a", namespace="user:123").text == "prefers dark roast"
    assert filled.say("MEM.CARD", "user:123") == 3
    assert filled.say("DEL", "user:123") == 1
    assert memory.count(namespace="user:123").count == 0
    assert filled.say("MEM.CREATE", "user:123", "MODE", "SEARCH") == Status("OK")
    assert filled.say("MEM.ADD", "user:123", "TEXT", "anew") == b"m1"


def test_an_automatic_id_never_takes_one_that_anybody_gave(memory: Memory, line: Line) -> None:
    line.say("MEM.CREATE", "k", "MODE", "SEARCH")
    memory.store(text="by hand", namespace="k", id="m2")
    replies = line.all(
        ("MEM.ADD", "k", "ID", "m1", "TEXT", "one"),
        ("MEM.ADD", "k", "TEXT", "two"),
        ("MEM.ADD", "k", "ID", "m5", "TEXT", "five"),
        ("MEM.ADD", "k", "TEXT", "four"),
        ("MEM.ADD", "k", "TEXT", "six"),
    )
    assert replies == [b"m1", b"m3", b"m5", b"m4", b"m6"]
    assert memory.store(text="seven", namespace="k").id == "m7"


def test_bytes_that_are_not_utf8_come_back_and_are_base64_elsewhere(
    memory: Memory, line: Line, tmp_path: Path
) -> None:
    line.say("MEM.CREATE", "k", "MODE", "SEARCH")
    words = ("ID", b"\xff\r\n", "TEXT", LATIN, "META", b"f\xfe", b"\x80v", "META", "n", "7")
    assert line.say("MEM.ADD", "k", *words) == b"\xff\r\n"
    shown = line.say("MEM.GET", "k", b"\xff\r\n", "WITHMETA")
    assert (shown[1], shown[3], shown[-1]) == (b"\xff\r\n", LATIN, [b"f\xfe", b"\x80v", b"n", b"7"])
    assert line.say("MEM.SCAN", "k", 0) == [b"0", [b"\xff\r\n"]]
    for filters in (
        (b"f\xfe", "EQ", b"\x80v"),
        ("@id", "EQ", b"\xff\r\n"),
        ("@text", "CONTAINS", b"\xe9"),
    ):
        assert line.say("MEM.SCAN", "k", 0, "FILTER", *filters) == [b"0", [b"\xff\r\n"]]
    assert line.say("MEM.SEARCH", "k", "alpha")[0][1] == b"\xff\r\n"

    answer: Any = encode(memory.recall("alpha", namespace="k"))
    (found,) = answer["hits"]
    assert found["id"] == {"base64": "/w0K"}
    assert found["text"] == {"base64": "Y2Fm6SBhbHBoYQ=="}
    assert found["metadata"] == {"base64:Zv4=": {"base64": "gHY="}, "n": "7"}
    assert found["snippet"] == "caf� alpha"

    lines = tmp_path / "out.jsonl"
    memory.admin.export(path=str(lines))
    with open_at(tmp_path / "other.db", Clock()) as other:
        other.admin.import_(path=str(lines))
        again = Line(serve_in_process(other))
        assert again.say("MEM.GET", "k", b"\xff\r\n", "WITHMETA") == shown
        assert other.count(namespace="k", filters={"n": {"eq": 7}}).count == 1
        assert again.say("MEM.INFO", "k") == line.say("MEM.INFO", "k")
        more = tmp_path / "more.jsonl"
        other.admin.export(path=str(more))
    assert more.read_bytes() == lines.read_bytes()


@given(
    st.binary(max_size=30),
    st.binary(max_size=30),
    st.dictionaries(st.binary(max_size=8), st.binary(max_size=8), max_size=3),
)
def test_any_bytes_come_back_as_they_were_also_when_they_are_changed(
    name: bytes, text: bytes, meta: dict[bytes, bytes]
) -> None:
    with temporary_memory() as memory:
        line = Line(serve_in_process(memory))
        line.say("MEM.CREATE", "k", "MODE", "SEARCH")
        words = [word for pair in meta.items() for word in ("META", *pair)]
        for _ in range(2):
            assert line.say("MEM.ADD", "k", "ID", name, "TEXT", text, *words) == name
        shown = line.say("MEM.GET", "k", name, "WITHMETA")
        expected = [word for pair in sorted(meta.items()) for word in pair]
        assert (shown[1], shown[3], shown[-1]) == (name, text, expected)
        assert line.say("MEM.SCAN", "k", 0, "FILTER", "@id", "EQ", name) == [b"0", [name]]
        encode_text(memory.list(namespace="k")).encode()


def test_the_key_of_an_index_is_text(line: Line) -> None:
    for key in (b"\xff", "", " "):
        refused = line.say("MEM.CREATE", key, "MODE", "SEARCH")
        assert isinstance(refused, Error)
        assert line.say("MEM.CARD", key) == Error("ERR no such memory index")


def test_the_rules_of_a_namespace_give_kinds_to_what_comes_over_resp(
    memory: Memory, line: Line
) -> None:
    memory.admin.set_namespace("k", auto_classify="regex_only")
    line.say("MEM.CREATE", "k", "MODE", "SEARCH")
    line.say("MEM.ADD", "k", "ID", "d", "TEXT", "We decided to ship on Friday", "META", "kind", "x")
    record = memory.get("d", namespace="k")
    assert (record.kind, record.kind_provenance) == ("decision", "regex")
    assert record.metadata["kind"] == "x"


def test_a_title_that_another_surface_gave_counts_when_the_text_changes(
    memory: Memory, line: Line
) -> None:
    memory.store(text="old", title="Espresso", namespace="k", id="a")
    line.say("MEM.ADD", "k", "ID", "a", "TEXT", "new words")
    for query in ("espresso", "words"):
        (found,) = [*(memory.recall(query, namespace="k", sources=["memory"]).memories or ())]
        assert (found.id, found.title, found.text) == ("a", "Espresso", "new words")
