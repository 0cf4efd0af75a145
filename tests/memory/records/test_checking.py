"""Checks: what is like a topic, what is said of it, and which filters hold."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory.remembering import (
    Clock,
    set_namespace,
    store_all,
    temporary_memory,
)
from tests.surfaces.running import run_winnow
from tests.vault.making import make_vault

from winnow.access import Access, Scope
from winnow.embed.base import Matrix, unit_rows
from winnow.embed.static import StaticEmbedder
from winnow.errors import EmbedderError, Forbidden, InvalidRequest, NoEmbedder
from winnow.memory import Memory
from winnow.memory.state.namespaces import Workshop
from winnow.operations.memories import CheckAnswer
from winnow.wire import encode, encode_text

WALK = "Chopper likes a long walk in the morning"
TOPIC = "a walk in the morning with Chopper"


def ids(answer: CheckAnswer) -> list[str]:
    return [hit.id for hit in answer.hits]


@dataclass
class Table:
    """A model that knows the vectors of some texts; all others have none."""

    vectors: Mapping[str, Sequence[float]]
    identity: str = "table; 2 dimensions; unit length"
    dimension: int = 2
    min_similarity: float = 0.5
    failing: bool = False

    def embed(self, texts: Sequence[str]) -> Matrix:
        if self.failing:
            raise EmbedderError("the model is away")
        nothing = [0.0] * self.dimension
        return unit_rows(np.array([self.vectors.get(text, nothing) for text in texts]))


@pytest.fixture
def table(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Table:
    """A model of two dimensions, which the namespace `mine` has."""
    made = Table({})
    look_up = Workshop.embedder

    def embedder(self: Workshop, spec: str) -> object:
        return made if spec == "table" else look_up(self, spec)

    monkeypatch.setattr(Workshop, "embedder", embedder)
    set_namespace(memory, "mine", embedder="table")
    return made


# --- filters, by the tests that the first of these systems had ---------------------------------

STORED: Sequence[Mapping[str, Any]] = (
    {"id": "a", "entity": "chopper", "memory_type": "semantic", "tags": ("walk", "morning")},
    {"id": "b", "entity": "Chopper", "memory_type": "episodic", "tags": ("Walk/long",)},
    {"id": "c", "entity": "chopper", "memory_type": "orientation", "tags": ("walking",)},
    {"id": "d", "tags": ("rover",)},
)


@pytest.fixture(scope="module")
def stored() -> Iterator[Memory]:
    with temporary_memory() as opened:
        store_all(opened, ({"text": WALK, **one} for one in STORED))
        yield opened


def passing(memory: Memory, **filters: Any) -> str:
    return "".join(sorted(ids(memory.check(TOPIC, **filters))))


def test_matches_filter_no_filter_passes_all(stored: Memory) -> None:
    assert passing(stored) == "abcd"
    assert stored.check(TOPIC).filters is None


def test_matches_filter_entity_exact(stored: Memory) -> None:
    assert passing(stored, entity="chopper") == "ac"
    assert passing(stored, entity="Chopper") == "b"
    assert passing(stored, entity="chop") == ""


def test_matches_filter_entity_absent_rejected(stored: Memory) -> None:
    assert "d" not in passing(stored, entity="chopper") + passing(stored, entity="")


def test_matches_filter_memory_type(stored: Memory) -> None:
    each = [passing(stored, memory_type=one) for one in ("episodic", "semantic", "orientation")]
    assert each == ["b", "a", "c"]


def test_matches_filter_tags_any_of(stored: Memory) -> None:
    assert passing(stored, tags=["rover", "walk"]) == "abd"
    assert passing(stored, tags="morning,rover") == "ad"


@pytest.mark.parametrize("tags", [[], ["", " "], "", " , "])
def test_matches_filter_empty_tags_skipped(stored: Memory, tags: Any) -> None:
    assert passing(stored, tags=tags) == "abcd"
    assert encode(stored.check(TOPIC, tags=tags)) == encode(stored.check(TOPIC))


def test_matches_filter_and_composition(stored: Memory) -> None:
    assert passing(stored, entity="chopper", memory_type="semantic", tags=["walk"]) == "a"
    assert passing(stored, entity="chopper", memory_type="episodic") == ""
    assert passing(stored, entity="chopper", tags=["rover"]) == ""


@pytest.mark.parametrize("name", ["Semantic", "semantics", "", "semantic "])
def test_a_type_that_is_none_is_an_error_in_its_own_words(stored: Memory, name: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        stored.check(TOPIC, memory_type=name)
    (fault,) = caught.value.faults
    assert (fault.pointer, fault.detail) == (
        "/memoryType",
        f"invalid memory_type: {name} (expected episodic, semantic, or orientation)",
    )


def test_all_faults_of_a_check_are_told_at_once(stored: Memory) -> None:
    with pytest.raises(InvalidRequest) as caught:
        stored.check("\ud800", memory_type="odd", namespace=" ", min_similarity=2, limit=0)
    assert {fault.pointer for fault in caught.value.faults} == {
        *("/topic", "/memoryType", "/namespace", "/minSimilarity", "/limit")
    }


def test_f22_the_nearest_of_others_never_take_the_places() -> None:
    with temporary_memory() as memory:
        store_all(memory, ({"id": f"h{n}", "text": WALK} for n in range(2_000)))
        store_all(memory, [{"id": "far", "text": "long walks are fun", "tags": ("rare",)}])
        answer = memory.check(TOPIC, tags="rare", limit=1, min_similarity=0.1)
        assert ids(answer) == ["far"]


# --- the answer as text ------------------------------------------------------------------------


@pytest.fixture
def few(memory: Memory) -> Memory:
    memory.store(
        WALK, entity="chopper", memory_type="semantic", tags=["walk", "morning"], title="Habits"
    )
    memory.store("The rover lost a wheel", entity="rover", memory_type="episodic")
    memory.store("Deploy on Fridays is forbidden")
    return memory


def test_the_header_tells_the_store_the_topic_and_the_threshold(few: Memory) -> None:
    answer = few.check(TOPIC)
    assert answer.header == f'Store: 1 ep, 1 sem, 0 ori | Topic: "{TOPIC}" | Threshold: 0.35'
    assert answer.text == f"{answer.header}\n{answer.hits[0].similarity:.2f} m1 Habits: {WALK}"
    assert answer.message is None


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        ({}, ""),
        ({"tags": []}, ""),
        ({"entity": "chopper"}, " | Filters: entity=chopper"),
        ({"memory_type": "semantic"}, " | Filters: type=semantic"),
        ({"tags": ["walk", "", "#morning"]}, " | Filters: tags=[walk,morning]"),
        (
            {"tags": "walk,morning", "memory_type": "semantic", "entity": "chopper"},
            " | Filters: entity=chopper, type=semantic, tags=[walk,morning]",
        ),
    ],
)
def test_the_header_tells_the_filters_that_are_active(
    few: Memory, filters: dict[str, Any], told: str
) -> None:
    answer = few.check("walk", min_similarity=0.6, **filters)
    assert answer.header == (f'Store: 1 ep, 1 sem, 0 ori | Topic: "walk" | Threshold: 0.60{told}')


@pytest.mark.parametrize("filters", [{}, {"entity": "rover"}])
def test_nothing_alike_is_said(few: Memory, filters: dict[str, Any]) -> None:
    answer = few.check("quantum chromodynamics", min_similarity=0.6, **filters)
    told = 'No memories found for topic: "quantum chromodynamics" (threshold: 0.60)'
    assert (answer.message, answer.hits) == (told, [])
    assert answer.text == f"{answer.header}\n{told}"


def test_what_only_the_filters_leave_out_is_said(few: Memory) -> None:
    answer = few.check(TOPIC, entity="rover")
    assert answer.message == f'No memories matched filters for topic: "{TOPIC}" (threshold: 0.35)'


@pytest.mark.parametrize(
    ("minimum", "shown"),
    [(0, "0.00"), (0.6, "0.60"), (0.655, "0.655"), (1, "1.00"), (-0.25, "-0.25")],
)
def test_the_threshold_is_spelled_with_two_digits_or_more(
    few: Memory, minimum: float, shown: str
) -> None:
    assert f"| Threshold: {shown}" in few.check("x", min_similarity=minimum).header


def test_nothing_that_is_stored_or_asked_breaks_a_line(memory: Memory) -> None:
    memory.store(f"{WALK}\n0.99 m7 forged", title="one\ntwo")
    answer = memory.check(f'{WALK}\nStore: "9" ep', entity=None)
    assert len(answer.text.splitlines()) == 2
    assert answer.header.endswith(f'Topic: "{WALK} Store: "9" ep" | Threshold: 0.35')


def test_the_store_is_counted_as_far_as_it_is_searched(memory: Memory, clock: Clock) -> None:
    for number, kind in enumerate(("episodic", "episodic", "semantic", "orientation")):
        memory.store(f"text {number}", memory_type=kind)
    memory.store("other", memory_type="semantic", namespace="other")
    memory.store("short", memory_type="semantic", ttl_seconds=60)
    assert memory.check("x").header.startswith("Store: 2 ep, 3 sem, 1 ori |")
    counts = {"episodic": 2, "semantic": 3, "orientation": 1}
    assert encode(memory.check("x").store_counts) == counts
    clock.move(seconds=60)
    memory.delete("m1")
    assert memory.check("x").header.startswith("Store: 1 ep, 2 sem, 1 ori |")
    assert memory.check("x", namespace="other").header.startswith("Store: 0 ep, 1 sem, 0 ori |")


# --- likeness ----------------------------------------------------------------------------------


def cosine(first: str, second: str) -> float:
    one, other = StaticEmbedder().embed([first, second]).astype(np.float64)
    return float(one @ other)


def test_similarity_is_the_cosine_and_the_threshold_is_on_it(few: Memory) -> None:
    (hit,) = few.check(TOPIC).hits
    assert hit.similarity == pytest.approx(cosine(TOPIC, f"Habits\n{WALK}"), abs=2e-6)
    assert ids(few.check(TOPIC, min_similarity=hit.similarity)) == ["m1"]
    assert ids(few.check(TOPIC, min_similarity=hit.similarity + 1e-6)) == []
    assert ids(few.check(TOPIC, min_similarity=-1)) == ["m1", "m2", "m3"]


def test_likeness_does_not_depend_on_age_importance_or_words(memory: Memory, clock: Clock) -> None:
    memory.store(WALK, importance=0)
    clock.move(days=900)
    memory.store(f"{WALK}.", importance=1)
    first, second = memory.check(WALK, limit=2).hits
    assert (first.id, first.similarity) == ("m1", 1.0)
    assert second.similarity < 1


def test_a_text_without_a_vector_is_judged_by_its_words(memory: Memory, table: Table) -> None:
    table.vectors = {"alpha beta": [1, 0], "gamma": [1, 1]}
    memory.store("alpha beta gamma delta", id="some", namespace="mine")
    memory.store("gamma", id="vector", namespace="mine")
    memory.store("alpha beta", id="same", namespace="mine")
    found = memory.check("alpha beta", namespace="mine", min_similarity=0).hits
    alike = {hit.id: hit.similarity for hit in found}
    assert (found[0].id, alike["same"], alike["vector"]) == ("same", 1.0, 0.707107)
    assert 0 < alike["some"] < 1


def test_a_topic_without_a_vector_is_judged_by_its_words(memory: Memory, table: Table) -> None:
    table.vectors = {"zeta": [1, 0]}
    for text in ("zeta", "omega psi", "psi chi phi upsilon tau sigma rho pi"):
        memory.store(text, namespace="mine")
    answer = memory.check("omega psi", namespace="mine")
    assert [(hit.id, hit.similarity) for hit in answer.hits] == [("m2", 1.0)]
    everything = memory.check("omega psi", namespace="mine", min_similarity=0).hits
    assert [hit.id for hit in everything] == ["m2", "m3", "m1"]
    assert everything[-1].similarity == 0


def test_words_said_more_often_than_in_the_topic_are_not_more_than_alike(
    memory: Memory, table: Table
) -> None:
    memory.store("omega omega omega omega", namespace="mine")
    memory.store("psi", namespace="mine")
    assert memory.check("omega psi chi", namespace="mine", min_similarity=0).hits[0].similarity < 1
    assert memory.check("omega", namespace="mine").hits[0].similarity == 1


@pytest.mark.parametrize("text", ["ಕನ್ನಡ ಪದ", "설비를 배치했다", "我们部署了设备在工厂", "𒀭𒂗"])
def test_texts_of_any_script_are_found_again(memory: Memory, text: str) -> None:
    memory.store("something else")
    memory.store(text)
    assert memory.check(text).hits[0].text == text


def test_where_vectors_are_external_the_topic_is_judged_by_its_words(memory: Memory) -> None:
    set_namespace(memory, "given", embedder="external:2")
    memory.store("alpha beta", namespace="given", vector=[1, 0])
    memory.store("gamma", namespace="given", vector=[0, 1])
    answer = memory.check("alpha beta", namespace="given")
    assert [(hit.id, hit.similarity) for hit in answer.hits] == [("m1", 1.0)]
    assert answer.min_similarity == 0.6
    assert answer.warnings == [
        "judged by keyword where vectors are external: the topic has none there"
    ]


def test_without_an_embedder_there_is_an_error_of_its_own(memory: Memory) -> None:
    set_namespace(memory, "plain", embedder="none")
    memory.store(WALK, namespace="plain")
    each: Sequence[dict[str, Any]] = ({}, {"namespace": "plain"})
    for asked in each:
        with pytest.raises(NoEmbedder) as caught:
            memory.check(WALK, **asked)
        assert caught.value.code == "no_embedder"
    memory.store(WALK)
    answer = memory.check(WALK)
    assert [(hit.namespace, hit.similarity) for hit in answer.hits] == [
        ("default", 1.0),
        ("plain", 1.0),
    ]
    assert answer.warnings == ["judged by keyword where the embedder is none"]


def test_each_model_judges_by_its_own_threshold(memory: Memory, table: Table) -> None:
    table.vectors = {"topic": [1, 0], "near": [1, 1], "far": [2, 3]}
    table.min_similarity = 0.6
    memory.store("near", id="near", namespace="mine")
    memory.store("far", id="far", namespace="mine")
    memory.store("topical topics of a topic", id="here")
    answer = memory.check("topic")
    assert sorted(ids(answer)) == ["here", "near"]
    assert answer.min_similarity == 0.35
    assert answer.warnings == [
        "the namespaces have several models, each with a threshold: 0.35 by static, 0.60 by table"
    ]
    given = memory.check("topic", min_similarity=0.5)
    assert (sorted(ids(given)), given.warnings) == (["far", "here", "near"], None)


def test_vectors_of_another_model_are_never_compared(memory: Memory, table: Table) -> None:
    table.vectors = {"alpha": [1, 0]}
    memory.store("alpha", namespace="mine")
    table.identity, table.vectors = "newer; 2 dimensions; unit length", {"beta": [1, 0]}
    answer = memory.check("beta", namespace="mine")
    assert (ids(answer), len(answer.warnings or ())) == ([], 1)
    assert "reembed" in (answer.warnings or [""])[0]
    assert memory.check("alpha", namespace="mine").hits[0].similarity == 1


def test_a_model_that_is_away_is_said(memory: Memory, table: Table) -> None:
    table.vectors = {WALK: [1, 0]}
    memory.store(WALK, namespace="mine")
    table.failing = True
    answer = memory.check(WALK, namespace="mine")
    assert answer.hits[0].similarity == 1
    assert answer.warnings == ["judged by keyword alone: the model is away"]


def test_a_topic_without_words_finds_nothing_and_is_told_so(memory: Memory) -> None:
    memory.store(WALK)
    answer = memory.check(" ")
    assert answer.hits == []
    assert answer.warnings == ["the topic has no words to look for"]


def test_hits_are_unlike_each_other(memory: Memory, table: Table) -> None:
    vectors = {"topic": (1, 0), "best": (1, 0.6), "echo": (1, 0.61), "other": (1, -0.65)}
    table.vectors = vectors
    for name in ("best", "echo", "other"):
        memory.store(name, id=name, namespace="mine")
    assert ids(memory.check("topic", namespace="mine", limit=2)) == ["best", "other"]
    assert ids(memory.check("topic", namespace="mine")) == ["best", "other", "echo"]


def test_hits_of_different_models_are_not_taken_for_alike(memory: Memory, table: Table) -> None:
    table.vectors = {"topic": (1, 0), "far": (1, 0.9)}
    memory.store("far", id="other", namespace="mine")
    for name in ("a", "b"):
        memory.store("topic", id=name)
    assert ids(memory.check("topic", limit=2)) == ["a", "other"]


# --- the set, and its order ---------------------------------------------------------------------

TEXTS = (WALK, "a morning walk", "long walks", "the rover lost a wheel", "equity of the firm", "")


@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {
                "text": st.sampled_from(TEXTS),
                "entity": st.sampled_from(["chopper", "rover", None]),
                "memory_type": st.sampled_from(["episodic", "semantic", None]),
                "tags": st.sampled_from([(), ("a",), ("a/b", "c")]),
            }
        ),
        max_size=12,
    ),
    topic=st.sampled_from([*TEXTS[:-1], "wheel", "chopper"]),
    filters=st.fixed_dictionaries(
        {},
        optional={
            "entity": st.sampled_from(["chopper", "rover"]),
            "memory_type": st.sampled_from(["episodic", "semantic"]),
            "tags": st.sampled_from([[], ["a"], ["c", "x"]]),
        },
    ),
    limit=st.integers(1, 13),
    minimum=st.sampled_from([None, 0.2, 0.7]),
)
@settings(max_examples=40)
def test_what_is_found_is_what_meets_the_filters_and_is_alike(
    rows: list[dict[str, Any]],
    topic: str,
    filters: dict[str, Any],
    limit: int,
    minimum: float | None,
) -> None:
    wanted: dict[str, float] = {}
    for number, row in enumerate(rows):
        alike = cosine(topic, row["text"])
        meets = all(
            row[name] == filters[name] for name in ("entity", "memory_type") if name in filters
        )
        chosen = filters.get("tags")
        tagged = not chosen or any(tag.split("/")[0] in chosen for tag in row["tags"])
        if row["text"] and meets and tagged and alike >= (0.35 if minimum is None else minimum):
            wanted[f"r{number}"] = alike
    with temporary_memory() as memory:
        store_all(memory, ({"id": f"r{number}", **row} for number, row in enumerate(rows)))
        answer = memory.check(topic, limit=limit, min_similarity=minimum, **filters)
    found = {hit.id: hit.similarity for hit in answer.hits}
    assert found.keys() <= wanted.keys()
    assert len(found) == min(limit, len(wanted))
    assert found == pytest.approx({name: wanted[name] for name in found}, abs=2e-6)
    if found:
        assert answer.hits[0].similarity == pytest.approx(max(wanted.values()), abs=2e-6)


def test_a_filter_that_matches_everything_changes_no_hit(memory: Memory) -> None:
    memory.admin.import_(objects=[{"text": text, "entity": "it"} for text in TEXTS])
    plain, filtered = memory.check(TOPIC), memory.check(TOPIC, entity="it")
    assert encode(plain.hits) == encode(filtered.hits)


def test_another_namespace_never_moves_a_similarity(memory: Memory, table: Table) -> None:
    table.vectors = {WALK: [1, 0]}
    for text in (WALK, "omega psi", "psi chi"):
        memory.store(text, namespace="mine")
    before = memory.check("omega psi", namespace="mine", min_similarity=0).hits
    for number in range(20):
        memory.store(f"omega omega {number}", namespace="theirs")
    assert memory.check("omega psi", namespace="mine", min_similarity=0).hits == before
    seen = memory.restricted(Access(frozenset({Scope.READ}), frozenset({"mine"})))
    assert seen.check("omega psi", min_similarity=0).hits == before
    assert seen.check("omega psi").header.startswith("Store: 0 ep, 0 sem, 0 ori |")
    with pytest.raises(Forbidden):
        seen.check("omega", namespace="theirs")


def test_the_same_check_gives_the_same_bytes_an_hour_later(memory: Memory, clock: Clock) -> None:
    for text in TEXTS:
        memory.admin.import_(objects=[{"text": text}])
        clock.move(days=1)
    first = encode_text(memory.check(TOPIC))
    clock.move(hours=1)
    assert encode_text(memory.check(TOPIC)) == first


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
@settings(max_examples=50)
def test_f82_no_topic_raises(stored: Memory, topic: str) -> None:
    answer = stored.check(topic, min_similarity=0)
    assert all(0 <= hit.similarity <= 1 for hit in answer.hits)
    assert answer.text.startswith("Store: 1 ep, 1 sem, 1 ori | Topic:")


def test_an_empty_store_remembers_nothing(memory: Memory) -> None:
    each: Sequence[dict[str, Any]] = ({}, {"namespace": "never"})
    for asked in each:
        answer = memory.check(WALK, **asked)
        assert answer.message == f'No memories found for topic: "{WALK}" (threshold: 0.35)'


def test_pieces_of_notes_are_remembered_too(memory: Memory, tmp_path: Path) -> None:
    folder = make_vault(tmp_path / "vault", {"Dogs/Walks.md": f"{WALK}.\n"})
    memory.admin.index(str(folder))
    (hit,) = memory.check(TOPIC).hits
    assert hit.path == "Dogs/Walks.md"
    assert f"{hit.id} (Dogs/Walks.md)" in memory.check(TOPIC).text


# --- on the command line ------------------------------------------------------------------------


def test_the_command_checks_with_the_same_answer(tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "winnow.db")]
    run_winnow("store", WALK, "--entity", "chopper", "--tag", "walk", *store)
    asked = ["check", TOPIC, "--entity", "chopper", "--tag", "walk", "--min-similarity", "0.2"]
    ran = run_winnow(*asked, *store)
    payload = run_winnow(*asked, *store, "--json").json
    assert ran.code == 0
    assert ran.out.split() == payload["text"].split()
    assert json.dumps(payload["filters"]) == '{"entity": "chopper", "tags": ["walk"]}'
    wrong = run_winnow("check", TOPIC, "--memory-type", "Semantic", *store)
    assert wrong.code == 2
    assert (
        "invalid memory_type: Semantic (expected episodic, semantic, or orientation)" in wrong.err
    )
