"""What other systems find, beside the hits of the store."""

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.memory.remembering import Clock, ids, open_at
from tests.providers.serving import Asked, Endpoint, Reply, serve

from winnow.access import Access, Scope
from winnow.errors import InvalidRequest, SourceError
from winnow.memory import Memory
from winnow.operations.answers import RecallAnswer
from winnow.providers import Found, Provider, Sources
from winnow.wire import encode, encode_text

PAGES = (Found("One", "the zebra " * 60, "src/a.py", 0.9), Found("Two", "a horse"))


@dataclass
class Library:
    """A provider that remembers what it was asked."""

    pages: Sequence[Found] = PAGES
    asked: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    before: Callable[[], object] = lambda: None

    def search(self, query: str, limit: int, timeout: float) -> Sequence[Found]:
        self.asked.append((query, limit))
        self.before()
        return self.pages


def connect(memory: Memory, settings: Mapping[str, str] | None = None, **known: Provider) -> Memory:
    """Open the store again, with these sources and no others."""
    sources = Sources(settings or {}, lambda name, _: known.get(name))
    return Memory(replace(memory.engine, sources=sources))


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.fixture
def joined(memory: Memory, library: Library) -> Memory:
    memory.store("the zebra", id="own")
    memory.store("nothing", id="else")
    return connect(memory, codegraph=library)


def told(answer: RecallAnswer) -> list[tuple[str, str]]:
    return [(one.source, one.note) for one in answer.source_notes or ()]


def test_what_others_find_stands_apart_and_leaves_the_hits_as_they_are(
    joined: Memory, library: Library
) -> None:
    plain = joined.recall("zebra", limit=1)
    answer = joined.recall("zebra", limit=1, sources="vault,memory,vector,codegraph")
    assert library.asked == [("zebra", 1)]
    assert encode(answer.memories) == encode(plain.memories)
    assert (answer.returned, answer.filtered_entities, answer.source_notes) == (1, 2, None)
    payload = json.loads(encode_text(answer))
    (hit,) = payload["others"]
    known = [hit[name] for name in ("source", "path", "score", "title")]
    assert known == ["codegraph", "src/a.py", 0.9, "One"]
    assert (len(hit["snippet"]), hit["text"]) == (280, PAGES[0].text)
    assert "others" not in json.loads(encode_text(plain))


def test_without_sources_of_the_store_the_others_are_all(joined: Memory) -> None:
    answer = joined.recall("zebra", sources=["codegraph"])
    assert (answer.memories, answer.scanned_entities, answer.returned) == ([], 0, 0)
    assert [one.title for one in answer.others or ()] == ["One", "Two"]


def test_each_source_keeps_its_order_and_they_stand_in_that_of_the_request(joined: Memory) -> None:
    both = connect(joined, codegraph=Library(), pageindex=Library([PAGES[1]]))
    answer = both.recall("zebra", sources="pageindex,codegraph")
    found = [(one.source, one.title) for one in answer.others or ()]
    assert found == [("pageindex", "Two"), ("codegraph", "One"), ("codegraph", "Two")]


def test_a_source_that_cannot_answer_is_said_and_the_hits_are_there(joined: Memory) -> None:
    def fail() -> None:
        raise SourceError("its graph is being built")

    broken = connect(joined, codegraph=Library(before=fail))
    answer = broken.recall("zebra", sources="memory,onyx,codegraph")
    assert ids(answer) == ["own", "else"]
    assert answer.others == []
    assert told(answer) == [
        ("onyx", "no provider: set WINNOW_ONYX_URL and WINNOW_ONYX_KEY"),
        ("codegraph", "its graph is being built"),
    ]


@pytest.mark.parametrize(
    "asked",
    [
        {"filters": {"kind": "claim"}},
        {"where": "importance >= 0"},
        {"kinds": "claim"},
        {"kinds": "bogus"},
        {"tags": "a"},
        {"entity": "x"},
        {"memory_type": "semantic"},
        {"since": "2020"},
        {"until": "2030"},
        {"namespace": "default"},
        {"min_score": 0.1},
    ],
)
def test_what_cannot_be_held_to_a_condition_is_not_asked(
    joined: Memory, library: Library, asked: dict[str, Any]
) -> None:
    answer = joined.recall("zebra", sources="memory,codegraph", **asked)
    assert (library.asked, answer.others) == ([], None)
    ((source, note),) = told(answer)
    assert (source, note[:11]) == ("codegraph", "not asked: ")


@pytest.mark.parametrize("asked", [{"kinds": "all"}, {"tags": []}, {"filters": {}}, {"where": ""}])
def test_what_is_no_condition_keeps_nobody_out(joined: Memory, asked: dict[str, Any]) -> None:
    assert len(joined.recall("zebra", sources="codegraph", **asked).others or ()) == 2


def test_a_key_that_is_held_to_namespaces_does_not_reach_other_systems(
    joined: Memory, library: Library
) -> None:
    seen = joined.restricted(Access(frozenset({Scope.READ}), frozenset({"default"})))
    answer = seen.recall("zebra", sources="memory,codegraph")
    assert (library.asked, answer.others) == ([], None)
    assert told(answer)[0][0] == "codegraph"


def test_without_a_query_no_other_system_is_asked(joined: Memory, library: Library) -> None:
    answer = joined.recall(sources="memory,codegraph")
    assert (library.asked, answer.others) == ([], [])
    assert told(answer) == [("codegraph", "not asked: it needs a query")]


def test_later_pages_do_not_ask_again(joined: Memory, library: Library) -> None:
    first = joined.recall("zebra", sources="memory,codegraph", limit=1)
    rest = joined.recall("zebra", sources="memory,codegraph", limit=1, cursor=first.cursor)
    assert (len(library.asked), rest.others) == (1, None)
    assert ids(rest) == ["else"]


def test_the_budget_goes_to_the_hits_first(joined: Memory) -> None:
    own = sum(-(-len(hit.text) // 4) for hit in joined.recall("zebra").memories)
    answer = joined.recall("zebra", sources="memory,codegraph", budget_tokens=own + 2)
    assert len(answer.memories) == 2
    assert [one.title for one in answer.others or ()] == ["Two"]
    assert [one.id for one in answer.dropped or ()] == ["src/a.py"]


def test_a_wrong_request_asks_nobody(joined: Memory, library: Library) -> None:
    with pytest.raises(InvalidRequest):
        joined.recall("zebra", sources="codegraph", where="importance >")
    assert library.asked == []


def test_beside_a_schema_no_other_system_is_asked(joined: Memory, library: Library) -> None:
    answer = joined.recall(schema="legal.Matter", sources="codegraph")
    assert (library.asked, answer.others) == ([], None)
    assert told(answer)[0][0] == "codegraph"


def test_no_state_of_the_store_is_held_while_others_take_their_time(
    joined: Memory, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = joined.engine.store.states
    hold = states.hold
    log: list[str] = []

    @contextmanager
    def watch() -> Generator[None]:
        with hold():
            log.append("held")
            yield
            log.append("free")

    monkeypatch.setattr(states, "hold", watch)
    library.before = lambda: log.append("asked")
    joined.recall("zebra", sources="memory,codegraph")
    assert log == ["held", "free", "asked"]


def test_one_that_hangs_is_not_waited_for(joined: Memory, library: Library) -> None:
    released = Event()
    library.before = released.wait
    asked = connect(joined, {"WINNOW_SOURCE_TIMEOUT": "0.2"}, codegraph=library)
    try:
        answer = asked.recall("zebra", sources="memory,codegraph")
    finally:
        released.set()
    assert (ids(answer), told(answer)) == (["own", "else"], [("codegraph", "no answer in time")])


# --- a real one --------------------------------------------------------------------------------


def respond(asked: Asked) -> Reply:
    """Answer as Onyx does."""
    if asked.key != "Bearer on_key":
        return Reply({"detail": "Invalid API key"}, 401)
    section = {"citation_id": 1, "content": f"about {asked.body['query']}", "title": "Q3"}
    return Reply({"results": [{**section, "link": "https://drive.example/q3"}]})


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "*")
    with serve(respond) as opened:
        monkeypatch.setenv("WINNOW_ONYX_URL", f"{opened.url}/api")
        monkeypatch.setenv("WINNOW_ONYX_KEY", "on_key")
        yield opened


def test_onyx_is_asked_beside_the_store(endpoint: Endpoint, tmp_path: Path) -> None:
    with open_at(tmp_path / "winnow.db", Clock()) as memory:
        memory.store("a zebra", id="own")
        answer = memory.recall("zebra", sources=["memory", "onyx"])
    assert ids(answer) == ["own"]
    assert encode(answer.others) == [
        {
            "source": "onyx",
            "path": "https://drive.example/q3",
            "snippet": "about zebra",
            "title": "Q3",
            "text": "about zebra",
            "metadata": {"citation_id": 1},
        }
    ]
    assert [asked.path for asked in endpoint.asked] == ["/api/search"]


def test_an_onyx_that_refuses_is_said(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINNOW_ONYX_KEY", "wrong")
    with open_at(tmp_path / "winnow.db", Clock()) as memory:
        answer = memory.recall("zebra", sources="onyx")
    ((source, note),) = told(answer)
    assert source == "onyx"
    assert "401" in note
    assert "WINNOW_ONYX_KEY" in note
