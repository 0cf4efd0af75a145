"""The settings of namespaces as a store keeps them, and what is made from them."""

from typing import Any

import pytest
from tests.memory.embedding import LOCAL, put_toy
from tests.memory.remembering import set_namespace, store_all

from winnow.embed.remote import Access
from winnow.errors import EmbedderError
from winnow.kinds import Policy
from winnow.memory import Memory
from winnow.memory.state.namespaces import (
    EMBEDDER_KEY,
    NamespaceSettings,
    Workshop,
    makes_vectors,
    may_wait,
    read_settings,
)
from winnow.store.memories import NamespaceRow


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"governance": {"auto_classify_kind": "newer_mode"}},
        {"governance": "x", "embedder": 3, "language": None},
    ],
)
def test_settings_of_another_version_are_read_as_far_as_they_go(settings: Any) -> None:
    read = read_settings(NamespaceRow("x", settings))
    assert (read.embedder, read.language, read.policy) == ("static", "english", Policy.OFF)
    assert read.analysed


def test_an_embedder_is_made_once(memory: Memory) -> None:
    workshop = memory.engine.workshop
    assert workshop.embedder(LOCAL) is workshop.embedder(LOCAL)
    assert workshop.embedder("none") is None


@pytest.mark.parametrize(
    ("spec", "makes", "waits"),
    [
        ("static", True, False),
        ("external:3", False, False),
        ("none", False, False),
        (LOCAL, True, True),
    ],
)
def test_what_makes_vectors_and_what_may_be_waited_for(
    memory: Memory, spec: str, makes: bool, waits: bool
) -> None:
    embedder = memory.engine.workshop.embedder(spec)
    assert (makes_vectors(embedder), may_wait(embedder)) == (makes, waits)


@pytest.mark.parametrize(("variable", "key"), [("secret", "secret"), (" ", None)])
def test_a_server_gets_the_key_of_the_environment(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, variable: str, key: str | None
) -> None:
    given: list[Access] = []

    def open_embedder(spec: str, access: Access) -> None:
        given.append(access)

    monkeypatch.setattr("winnow.memory.state.namespaces.open_embedder", open_embedder)
    Workshop(memory.engine.store, {EMBEDDER_KEY: variable}).embedder(LOCAL)
    assert [access.key for access in given] == [key]


def test_a_model_is_called_what_it_was_called_when_it_was_last_asked(memory: Memory) -> None:
    toy = put_toy(memory)
    workshop = memory.engine.workshop
    assert workshop.identity(NamespaceSettings(LOCAL, model="earlier")) == "earlier"
    assert workshop.identity(NamespaceSettings(LOCAL)) == toy.identity
    static = workshop.identity(NamespaceSettings("static", model="earlier"))
    assert static is not None
    assert static.startswith("static")
    assert workshop.identity(NamespaceSettings("none", model="earlier")) is None


def test_a_store_whose_embedder_is_not_installed_here_is_searched_by_keyword(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_nothing(name: str) -> None:
        """No package is installed."""

    store_all(memory, [{"id": "a", "text": "river"}])
    set_namespace(memory, "default", embedder="onnx")
    monkeypatch.setattr("winnow.embed.base.find_spec", find_nothing)
    answer = memory.recall("river")
    assert [hit.id for hit in answer.memories] == ["a"]
    assert answer.warnings
    assert "winnow-memory[onnx]" in answer.warnings[0]
    assert memory.admin.namespace("default").stale_vectors is None
    with pytest.raises(EmbedderError, match="onnx"):
        memory.store("text")
    with pytest.raises(EmbedderError, match="onnx"):
        memory.admin.reembed()
