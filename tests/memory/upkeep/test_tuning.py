"""The settings of namespaces."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.memory.embedding import LOCAL, put_toy
from tests.memory.remembering import Clock, set_namespace, store_all

from winnow.access import Access, Scope
from winnow.errors import Forbidden, InvalidRequest, NotAvailable, NotFound
from winnow.kinds import Policy
from winnow.memory import Memory
from winnow.memory.upkeep.tuning import _read_governance
from winnow.operations.changes import SetNamespaceRequest
from winnow.wire import encode

MODES = [mode.value for mode in Policy]
READER = frozenset({Scope.READ})


def faults_of(memory: Memory, **arguments: Any) -> dict[str, str]:
    before = memory.engine.store.last_change()
    with pytest.raises(InvalidRequest) as refused:
        memory.admin.set_namespace("default", **arguments)
    assert memory.engine.store.last_change() == before
    return {fault.pointer: fault.detail for fault in refused.value.faults}


# --- what is shown -----------------------------------------------------------------------------


def test_a_namespace_that_was_never_set_shows_the_defaults(memory: Memory) -> None:
    shown = encode(memory.admin.namespace("default"))
    assert isinstance(shown, dict)
    del shown["asOf"]
    assert shown == {
        "name": "default",
        "embedder": "static",
        "language": "english",
        "governance": {"auto_classify_kind": "off"},
        "memories": 0,
        "pieces": 0,
        "entities": 0,
        "secrets": "keep",
        "staleVectors": 0,
    }


def test_what_a_namespace_holds_is_counted(memory: Memory, clock: Clock) -> None:
    store_all(memory, [{"id": f"r{n}", "text": "text"} for n in range(5)])
    memory.store("text", namespace="other")
    memory.store("text", ttl_seconds=10)
    memory.delete("r0")
    clock.move(seconds=11)
    memory.admin.import_(
        entities=[
            {"schema": "legal.Client", "id": f"CLT-000{n}", "fields": {"name": "x"}}
            for n in range(3)
        ]
    )
    shown = memory.admin.namespace("default")
    assert (shown.memories, shown.pieces, shown.entities) == (4, 0, 3)
    assert [(one.name, one.memories) for one in memory.admin.namespaces().namespaces] == [
        ("default", 4),
        ("other", 1),
    ]


def test_a_namespace_that_is_not_there_is_not_found_and_the_nearest_is_named(
    memory: Memory,
) -> None:
    memory.store("text", namespace="projects")
    with pytest.raises(NotFound, match="did you mean 'projects'"):
        memory.admin.namespace("project")


def test_others_namespaces_are_invisible(memory: Memory) -> None:
    memory.store("text", namespace="secret")
    memory.store("text", namespace="mine")
    guest = memory.restricted(Access(frozenset(Scope), frozenset({"mine"})))
    assert [one.name for one in guest.admin.namespaces().namespaces] == ["mine"]
    for name in ("secret", "nowhere"):
        with pytest.raises(Forbidden):
            guest.admin.namespace(name)
        with pytest.raises(Forbidden):
            guest.admin.set_namespace(name, language="german")


def test_one_who_may_only_read_sees_settings_and_changes_none(memory: Memory) -> None:
    reader = memory.restricted(Access(READER))
    assert reader.admin.namespace("default").embedder == "static"
    with pytest.raises(Forbidden):
        reader.admin.set_namespace("default", language="german")


# --- what is set -------------------------------------------------------------------------------


def test_what_is_not_named_stays(memory: Memory) -> None:
    memory.admin.set_namespace("work", language="german")
    memory.admin.set_namespace("work", auto_classify="regex_only")
    shown = memory.admin.set_namespace("work", embedder="none")
    assert (shown.embedder, shown.language) == ("none", "german")
    assert shown.governance == {"auto_classify_kind": "regex_only"}
    assert memory.admin.namespace("work") == shown


def test_setting_makes_a_namespace_and_leaves_others_and_unknown_settings_alone(
    memory: Memory,
) -> None:
    set_namespace(memory, "work", resp={"mode": "SEARCH"})
    memory.admin.set_namespace("work", language="french")
    memory.admin.set_namespace("new", embedder="external:3")
    assert memory.engine.store.records.namespace("work").settings["resp"] == {"mode": "SEARCH"}
    names = [one.name for one in memory.admin.namespaces().namespaces]
    assert names == ["default", "new", "work"]
    assert memory.admin.namespace("default").language == "english"


def test_settings_leave_the_counter_of_ids_alone(memory: Memory) -> None:
    memory.store("text")
    memory.admin.set_namespace("default", auto_classify="regex_only")
    assert memory.store("text").id == "m2"


def test_a_policy_is_at_work_at_once(memory: Memory) -> None:
    memory.admin.set_namespace("default", auto_classify="regex_only")
    assert memory.store("We decided to wait.").kind == "decision"
    memory.admin.set_namespace("default", auto_classify="off")
    assert memory.store("We decided to wait.").kind == "observation"
    assert memory.store("We decided to wait.", namespace="other").kind == "observation"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("key", ["auto_classify_kind", "autoClassifyKind"])
@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("wrapped", [False, True])
def test_governance_is_read_bare_and_wrapped(
    memory: Memory, mode: str, key: str, as_text: bool, wrapped: bool
) -> None:
    blob: dict[str, Any] = {key: mode}
    given: dict[str, Any] = {"governance": blob} if wrapped else blob
    shown = memory.admin.set_namespace(
        "default", governance=json.dumps(given) if as_text else given
    )
    assert shown.governance == {"auto_classify_kind": mode}


@given(st.sampled_from(MODES), st.sampled_from(MODES))
def test_two_spellings_have_to_agree(one: str, other: str) -> None:
    request: Any = SetNamespaceRequest(
        "x", auto_classify=Policy(one).value, governance={"auto_classify_kind": other}
    )
    faults: list[Any] = []
    assert _read_governance(request, faults) == Policy(one)
    assert bool(faults) == (one != other)


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("governance", "pointer"),
    [
        ("{", "/governance"),
        ("[]", "/governance"),
        ({"auto_classify_kind": "on"}, "/governance/auto_classify_kind"),
        ({"auto_classify_kind": 1}, "/governance/auto_classify_kind"),
        ({"auto_classify": "off"}, "/governance/auto_classify"),
        ({"governance": {"auto_classify": "off"}}, "/governance/governance/auto_classify"),
        ({"governance": {}, "more": 1}, "/governance/more"),
        ({}, ""),
    ],
)
def test_governance_that_is_wrong_is_told_with_its_place(
    memory: Memory, governance: Any, pointer: str
) -> None:
    assert list(faults_of(memory, governance=governance)) == [pointer]


def test_nothing_to_set_is_refused(memory: Memory) -> None:
    assert list(faults_of(memory)) == [""]


def test_all_faults_are_told_and_nothing_is_changed(memory: Memory) -> None:
    faults = faults_of(
        memory, embedder="statik", language="englisch", auto_classify="on", governance="x"
    )
    assert list(faults) == ["/autoClassify", "/language", "/governance", "/embedder"]
    assert "did you mean 'static'" in faults["/embedder"]
    assert "did you mean 'english'" in faults["/language"]
    assert "regex_then_llm" in faults["/autoClassify"]


@pytest.mark.parametrize("embedder", ["", "external", "external:0", "static:x", "openai:"])
def test_an_embedder_that_is_none_changes_nothing(memory: Memory, embedder: str) -> None:
    assert list(faults_of(memory, embedder=embedder)) == ["/embedder"]


def test_an_extra_that_is_missing_is_told_after_all_faults(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_nothing(name: str) -> None:
        """No package is installed."""

    monkeypatch.setattr("winnow.embed.base.find_spec", find_nothing)
    with pytest.raises(NotAvailable):
        memory.admin.set_namespace("default", embedder="onnx")
    with pytest.raises(InvalidRequest):
        memory.admin.set_namespace("default", embedder="onnx", language="x")
    assert memory.admin.namespace("default").embedder == "static"


# --- the embedder ------------------------------------------------------------------------------


def test_another_embedder_tells_how_many_vectors_are_stale(memory: Memory) -> None:
    store_all(memory, [{"id": f"r{n}", "text": "text"} for n in range(3)])
    put_toy(memory)
    shown = memory.admin.set_namespace("default", embedder=LOCAL)
    assert shown.stale_vectors == 3
    assert shown.warnings == [f"3 have no vector of {LOCAL}: run `winnow reembed`"]
    assert memory.admin.set_namespace("default", embedder="static").warnings is None


def test_vectors_that_the_caller_gives_are_asked_of_the_caller(memory: Memory) -> None:
    store_all(memory, [{"id": "a", "text": "text"}])
    shown = memory.admin.set_namespace("default", embedder="external:3")
    assert shown.stale_vectors == 1
    assert shown.warnings == ["1 have no vector of external:3: give them their vectors"]
    memory.update("a", vector=[1, 2, 3])
    memory.store("text", id="b")
    assert memory.admin.namespace("default").warnings is None
    assert memory.admin.set_namespace("default", embedder="none").stale_vectors == 0


def test_a_model_that_can_t_be_asked_is_set_all_the_same(memory: Memory) -> None:
    toy = put_toy(memory)
    toy.broken = True
    memory.store("text", namespace="other")
    shown = memory.admin.set_namespace("other", embedder=LOCAL)
    assert (shown.embedder, shown.stale_vectors) == (LOCAL, None)
    assert shown.warnings == [f"the embedder {LOCAL} gives no answer: its vectors were not counted"]
    assert [one.stale_vectors for one in memory.admin.namespaces().namespaces] == [0, None]


def test_a_model_is_asked_for_its_name_once_and_then_known(memory: Memory) -> None:
    memory.store("text", namespace="other")
    put_toy(memory)
    memory.admin.set_namespace("other", embedder=LOCAL)
    toy = put_toy(memory)
    toy.broken = True
    assert memory.admin.namespace("other").stale_vectors == 1
    assert memory.admin.set_namespace("other", language="german").stale_vectors == 1


# --- the language ------------------------------------------------------------------------------


def found(memory: Memory, query: str, **conditions: Any) -> list[str]:
    answer = memory.recall(query, limit=50, **conditions)
    scored = [hit for hit in answer.memories if hit.components and hit.components.keyword]
    return sorted(hit.id for hit in scored)


def test_another_language_has_its_stems_at_once(memory: Memory) -> None:
    memory.store("die Häuser der Stadt", id="a")
    memory.store("die Häuser der Stadt", id="a", namespace="other")
    assert found(memory, "Haus", namespace="default") == []
    memory.admin.set_namespace("default", language="german")
    assert found(memory, "Haus", namespace="default") == ["a"]
    assert found(memory, "Haus", namespace="other") == []
    memory.store("das Haus am See", id="b")
    assert found(memory, "Häuser", namespace="default") == ["a", "b"]
    memory.admin.set_namespace("default", language="none")
    assert found(memory, "Haus", namespace="default") == ["b"]


def test_a_language_is_read_in_any_case(memory: Memory) -> None:
    assert memory.admin.set_namespace("default", language=" German ").language == "german"


def test_new_terms_touch_neither_vector_nor_history(memory: Memory) -> None:
    memory.store("running", id="a", tags="x")
    before = memory.get("a")
    memory.admin.set_namespace("default", language="german")
    assert memory.get("a") == before
    key = memory.engine.store.records.find("default", "a")
    assert key is not None
    assert len(memory.engine.store.records.history(key)) == 0
    assert memory.admin.namespace("default").stale_vectors == 0


def test_the_same_language_makes_nothing_again(memory: Memory) -> None:
    memory.admin.set_namespace("default", language="english")
    memory.store("text")
    before = memory.engine.store.last_change()
    memory.admin.set_namespace("default", language="english")
    assert memory.engine.store.last_change() == before
