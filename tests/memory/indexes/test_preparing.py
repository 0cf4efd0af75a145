"""What texts need beside themselves, made before a transaction."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.memory.remembering import Clock, open_at, temporary_memory

from winnow.columns.terms import decode_terms
from winnow.errors import EmbedderError
from winnow.memory import Memory
from winnow.memory.indexes.preparing import Place, Preparation, Prepared, prepare_texts


def prepare(memory: Memory, places: Sequence[Place]) -> dict[Place, Prepared]:
    """Prepare texts, and finish them in a transaction."""
    preparation = Preparation(memory.engine, places)
    with memory.engine.write() as writer:
        return preparation.finish(writer.additions)


def words_of(memory: Memory, prepared: Prepared) -> set[str]:
    """The terms of a text."""
    wanted = ["alpha", "beta", "decid", "ship", "�"]
    with memory.engine.write() as writer:
        numbers = writer.records.term_ids(wanted)
    found = set(decode_terms([prepared.terms]).terms.tolist())
    return {word for word in wanted if numbers[word] in found}


def test_texts_get_terms_a_kind_and_the_vector_of_their_namespace() -> None:
    with temporary_memory() as memory:
        memory.admin.set_namespace("none", embedder="none")
        memory.admin.set_namespace("ruled", auto_classify="regex_only")
        text = "We decided to ship"
        made = prepare(memory, [(name, text) for name in ("k", "none", "ruled")])
        assert made["k", text].vector
        assert made["k", text].model
        assert (made["none", text].vector, made["none", text].model) == (None, None)
        assert made["k", text].given.kind == "observation"
        assert made["ruled", text].given.kind == "decision"
        assert words_of(memory, made["k", text]) == {"decid", "ship"}


def test_a_text_that_is_not_utf8_is_prepared_by_what_is_legible_of_it() -> None:
    with temporary_memory() as memory:
        (made,) = prepare(memory, [("k", "alpha \udcff beta")]).values()
        assert words_of(memory, made) >= {"alpha", "beta"}
        assert made.vector


@given(st.lists(st.text(max_size=20) | st.sampled_from(["a b", "b A", "설비 备 x"]), max_size=20))
def test_texts_are_prepared_as_one_by_one(texts: list[str]) -> None:
    plain = [text.encode("utf-8", "replace").decode() for text in texts]
    with temporary_memory() as memory:
        together = prepare_texts(memory.engine, "k", plain)
        alone = prepare(memory, [("k", text) for text in plain])
        with memory.engine.write() as writer:
            terms = together.terms(writer.additions)
        made = zip(terms, together.given, together.vectors, strict=True)
        assert [Prepared(*one, together.model) for one in made] == [
            alone["k", text] for text in plain
        ]


def test_where_a_model_does_not_answer_there_is_no_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    with temporary_memory() as memory:
        embedder = memory.engine.workshop.embedder("static")

        def fail(_self: object, _texts: object) -> object:
            raise EmbedderError("gone")

        monkeypatch.setattr(type(embedder), "embed", fail)
        (made,) = prepare(memory, [("k", "alpha")]).values()
        assert (made.vector, made.model) == (None, None)
        assert words_of(memory, made) == {"alpha"}


def test_what_was_prepared_holds_until_the_settings_of_its_namespace_change(
    tmp_path: Path,
) -> None:
    with open_at(tmp_path / "w.db", Clock()) as memory:
        engine = memory.engine
        first = Preparation(engine, [("k", "alpha")])
        memory.store("beta", namespace="k")
        memory.admin.set_namespace("other", language="german")
        with engine.write() as writer:
            assert first.holds(writer.spaces.settled())
        with open_at(tmp_path / "w.db", Clock()) as other:
            other.admin.set_namespace("k", language="german")
        second = Preparation(engine, [("k", "alpha")], settled=engine.workshop.settled)
        with engine.write() as writer:
            assert not first.holds(writer.spaces.settled())
            assert not second.holds(writer.spaces.settled())
        with engine.write() as writer:
            assert Preparation(engine, [("k", "alpha")]).holds(writer.spaces.settled())
