"""Where a recall looks: which records are in the running, and by what they are ranked."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.memory.remembering import ids, set_namespace, temporary_memory
from tests.surfaces.running import run_winnow
from tests.vault.making import make_vault

from winnow.errors import Fault, InvalidRequest
from winnow.memory import Memory
from winnow.memory.records.sources import SOURCES, choose_sources

NEAR, FAR = [1.0, 0.0], [0.0, 1.0]


# --- the names ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "own", "others"),
    [
        (None, {"vault", "memory", "vector"}, ()),
        ([], {"vault", "memory", "vector"}, ()),
        (" , ", {"vault", "memory", "vector"}, ()),
        ("vault", {"vault"}, ()),
        (["vector", "vector"], {"vector"}, ()),
        (" memory ,vault", {"memory", "vault"}, ()),
        (["memory,onyx", "codegraph"], {"memory"}, ("onyx", "codegraph")),
        ("pageindex", set[str](), ("pageindex",)),
    ],
)
def test_sources_are_a_list_or_comma_text(
    raw: Sequence[str] | str | None, own: set[str], others: tuple[str, ...]
) -> None:
    faults: list[Fault] = []
    chosen = choose_sources(raw, faults)
    assert (chosen.own, chosen.others, faults) == (own, others, [])


def test_a_name_that_is_none_is_an_error_with_its_place_and_the_nearest(memory: Memory) -> None:
    with pytest.raises(InvalidRequest) as caught:
        memory.recall("x", sources=["vault", "Memory", "vault,onix"])
    assert [fault.pointer for fault in caught.value.faults] == ["/sources/1", "/sources/2"]
    assert "did you mean 'memory'" in caught.value.faults[0].detail
    assert f"allowed: {', '.join(SOURCES)}" in caught.value.faults[1].detail
    with pytest.raises(InvalidRequest, match="did you mean 'vault'") as caught:
        memory.recall("x", sources="memory,vaults", schema="legal.Matter")
    assert "/sources/1" in [fault.pointer for fault in caught.value.faults]


# --- what is in the running --------------------------------------------------------------------


@pytest.fixture
def both(memory: Memory, tmp_path: Path) -> Memory:
    """A note and a memory with the words asked for, and one of each without them."""
    folder = make_vault(tmp_path / "vault", {"words.md": "zebra\n", "none.md": "plain\n"})
    memory.admin.index(str(folder))
    memory.store("a zebra", id="words")
    memory.store("nothing", id="none")
    return memory


def paths(memory: Memory, **asked: Any) -> set[str]:
    return {hit.path for hit in memory.recall("zebra", **asked).memories}


NOTES = {"words.md", "none.md"}
MEMORIES = {"winnow://default/words", "winnow://default/none"}


@pytest.mark.parametrize(
    ("sources", "found", "used"),
    [
        (None, NOTES | MEMORIES, "hybrid"),
        ("vault,memory,vector", NOTES | MEMORIES, "hybrid"),
        ("vault,memory", NOTES | MEMORIES, "vault"),
        ("vault", NOTES, "vault"),
        ("memory", MEMORIES, "vault"),
        ("vector", NOTES | MEMORIES, "vector"),
        ("vault,vector", NOTES | MEMORIES, "hybrid"),
        ("memory,vector", NOTES | MEMORIES, "hybrid"),
    ],
)
def test_each_source_has_its_records_and_its_way_to_rank(
    both: Memory, sources: str | None, found: set[str], used: str
) -> None:
    answer = both.recall("zebra", sources=sources)
    assert ({hit.path for hit in answer.memories}, answer.index_used) == (found, used)
    assert answer.scanned_entities == answer.filtered_entities == len(found)
    assert both.recall("zebra", sources=(sources or "").split(",")).memories == answer.memories


def test_words_count_in_the_sources_of_words_alone(both: Memory) -> None:
    def keywords(sources: str) -> dict[str, float | None]:
        hits = both.recall("zebra", sources=sources).memories
        return {hit.path: hit.components.keyword for hit in hits if hit.components}

    of_note, of_memory = "words.md", "winnow://default/words"
    assert keywords("vector")[of_note] is None
    assert (keywords("vault,vector")[of_note], keywords("vault,vector")[of_memory]) == (1, 0)
    assert (keywords("memory,vector")[of_note], keywords("memory,vector")[of_memory]) == (0, 1)
    assert min(keywords("vault,memory,vector")[one] or 0 for one in (of_note, of_memory)) > 0


def test_vectors_alone_rank_by_nothing_else(memory: Memory) -> None:
    set_namespace(memory, "mine", embedder="external:2")
    memory.store("zebra zebra", id="words", namespace="mine", vector=FAR)
    memory.store("nothing", id="near", namespace="mine", vector=NEAR)
    asked: dict[str, Any] = {"query": "zebra", "namespace": "mine", "vector": NEAR}
    assert ids(memory.recall(**asked)) == ["words", "near"]
    assert ids(memory.recall(**asked, sources="vector")) == ["near", "words"]
    with pytest.raises(InvalidRequest, match="name vector in sources too"):
        memory.recall(**asked, sources=["memory"])


def test_words_alone_rank_by_nothing_else_and_ask_no_model(
    both: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("no vector is needed")

    monkeypatch.setattr("winnow.embed.static.StaticEmbedder.embed", refuse)
    for sources in ("vault", "memory", "vault,memory"):
        hits = both.recall("zebra", sources=sources).memories
        assert {hit.components.vector for hit in hits if hit.components} == {None}
        assert hits[0].path.removeprefix("winnow://default/") in ("words", "words.md")


def test_sources_beside_a_schema_are_named_as_not_used(both: Memory) -> None:
    answer = both.recall(schema="legal.Matter", sources="vault,vector,onyx", max_depth=1)
    assert [one.source for one in answer.source_notes or ()] == ["vector", "onyx", "links"]


def test_the_command_takes_sources_as_text_or_again_and_again(tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "winnow.db"), "--json"]
    run_winnow("store", "zebra", *store)
    for given in (["--sources", "vault,memory"], ["--sources", "vault", "--sources", "memory"]):
        payload = run_winnow("recall", "zebra", *given, *store).json
        assert (payload["returned"], payload["indexUsed"]) == (1, "vault")
    assert run_winnow("recall", "zebra", "--sources", "volt", *store).code == 2


@pytest.fixture(scope="module")
def empty() -> Iterator[Memory]:
    with temporary_memory() as opened:
        yield opened


@pytest.mark.parametrize("sources", ["vector", "vault", "onyx"])
def test_an_empty_store_has_nothing_from_anywhere(empty: Memory, sources: str) -> None:
    assert empty.recall("x", sources=sources, max_depth=2).memories == []
