"""What takes long of a write is done before its transaction."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.memory.answering import answering, with_model
from tests.memory.remembering import set_namespace

import winnow
from winnow.embed.base import Matrix, identify
from winnow.embed.model import ModelEmbedder
from winnow.errors import Conflict, EmbedderError
from winnow.memory import Memory
from winnow.store.memories import Record

THEN_LLM = {"governance": {"auto_classify_kind": "regex_then_llm"}}
SLOW = "openai:slow@http://127.0.0.1:9/v1"


class Watched:
    """A model that may have to be waited for, and sees whether others can write meanwhile."""

    name, dimension = "watched", 3

    def __init__(self, path: Path) -> None:
        self.path = path
        self.texts: list[str] = []
        self.broken = False
        self.meanwhile: Callable[[Memory], object] = lambda other: other.store(
            "written meanwhile", namespace="other"
        )

    def make(self, texts: list[str]) -> Matrix:
        if self.broken:
            raise EmbedderError("out of order")
        self.texts += texts
        with winnow.open(self.path) as other:
            other.engine.workshop._embedders[SLOW] = None
            self.meanwhile(other)
        return np.ones((len(texts), 3), np.float32)


@pytest.fixture
def watched(memory: Memory, tmp_path: Path) -> Watched:
    """A model that makes the vectors of the default namespace."""
    model = Watched(tmp_path / "winnow.db")
    set_namespace(memory, "default", embedder=SLOW)
    memory.engine.workshop._embedders[SLOW] = ModelEmbedder(lambda: model)
    return model


def stored(memory: Memory, name: str, namespace: str = "default") -> Record:
    key = memory.engine.store.records.find(namespace, name)
    assert key is not None
    (record,) = memory.engine.store.records.read([key])
    assert record is not None
    return record


# --- the kind ----------------------------------------------------------------------------------


def test_a_store_asks_the_model_while_others_can_write(memory: Memory) -> None:
    set_namespace(memory, "default", **THEN_LLM)

    def name_kind(text: str) -> str:
        memory.store("written meanwhile", namespace="other")
        return "goal"

    with answering(name_kind) as (model, _):
        record = with_model(memory, model).store("plain")
    assert (record.kind, record.kind_provenance) == ("goal", "llm")
    assert memory.get("m1") == record
    assert memory.get("m1", namespace="other").text == "written meanwhile"


@pytest.mark.parametrize("word", [None, "hunch"])
def test_a_model_that_fails_never_fails_the_write(memory: Memory, word: str | None) -> None:
    set_namespace(memory, "default", **THEN_LLM)
    with answering(lambda _: word) as (model, _):
        record = with_model(memory, model).store("plain")
    assert (record.kind, record.kind_provenance) == ("observation", "channel_derived")


def test_the_model_is_asked_once_and_only_about_new_memories_without_a_kind(
    memory: Memory,
) -> None:
    set_namespace(memory, "default", **THEN_LLM)
    with answering(lambda _: "goal") as (model, endpoint):
        asking = with_model(memory, model)
        assert asking.store("plain", id="a").kind == "goal"
        assert asking.store("other words", id="a").kind == "goal"
        assert asking.update("a", text="third words").kind == "goal"
        assert asking.store("plain", kind="observation").kind_provenance == "declared"
        assert asking.store("We decided to wait.").kind_provenance == "regex"
    assert len(endpoint.asked) == 1


def test_nothing_is_asked_about_a_memory_that_is_refused(memory: Memory) -> None:
    set_namespace(memory, "default", **THEN_LLM)
    memory.store("text", id="a", kind="claim")
    with answering(lambda _: "goal") as (model, endpoint), pytest.raises(Conflict):
        with_model(memory, model).store("plain", id="a", if_exists="error")
    assert endpoint.asked == []


def test_a_memory_that_another_made_meanwhile_keeps_its_kind(memory: Memory) -> None:
    set_namespace(memory, "default", **THEN_LLM)

    def name_kind(text: str) -> str:
        memory.store("plain", id="a", kind="claim")
        return "goal"

    with answering(name_kind) as (model, _):
        record = with_model(memory, model).store("plain", id="a")
    assert (record.kind, record.kind_provenance) == ("claim", "declared")


def test_one_that_was_deleted_meanwhile_is_new_and_has_a_kind_of_its_own(
    memory: Memory, watched: Watched
) -> None:
    memory.store("text", id="a", kind="claim")
    watched.meanwhile = lambda other: other.delete("a")
    record = memory.store("other text", id="a")
    assert (record.kind, record.kind_provenance) == ("observation", "channel_derived")


# --- the vector --------------------------------------------------------------------------------


def test_a_vector_is_made_while_others_can_write(memory: Memory, watched: Watched) -> None:
    memory.store("text", id="a")
    memory.update("a", title="Title")
    assert watched.texts == ["text", "Title\ntext"]
    record = stored(memory, "a")
    assert record.model == identify("watched", 3)
    assert record.vector is not None


def test_words_that_stay_need_no_vector(memory: Memory, watched: Watched) -> None:
    memory.store("text", id="a", title="Title")
    before = stored(memory, "a")
    memory.update("a", tags="x")
    memory.store("text", id="a")
    assert len(watched.texts) == 1
    assert stored(memory, "a").vector == before.vector


def test_clearing_the_title_makes_a_vector_of_the_text(memory: Memory, watched: Watched) -> None:
    memory.store("text", id="a", title="Title")
    memory.update("a", clear="title")
    assert watched.texts == ["Title\ntext", "text"]
    assert stored(memory, "a").vector is not None


def test_an_embedder_that_fails_refuses_the_write(memory: Memory, watched: Watched) -> None:
    watched.broken = True
    with pytest.raises(EmbedderError):
        memory.store("text", id="a")
    assert memory.engine.store.records.find("default", "a") is None


def test_words_that_another_changed_meanwhile_are_not_waited_for(
    memory: Memory, watched: Watched
) -> None:
    memory.store("text", id="a")
    watched.meanwhile = lambda other: other.update("a", text="newer text")
    record = memory.update("a", title="Title")
    assert (record.title, record.text) == ("Title", "newer text")
    assert (stored(memory, "a").vector, stored(memory, "a").model) == (None, None)
    assert memory.admin.namespace("default").stale_vectors == 1
