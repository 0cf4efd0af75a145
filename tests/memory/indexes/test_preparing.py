"""What texts need beside themselves, made before a transaction."""

import pytest
from tests.memory.remembering import temporary_memory

from winnow.columns.terms import decode_terms
from winnow.errors import EmbedderError
from winnow.memory.indexes.changing import begin_changes
from winnow.memory.indexes.preparing import prepare


def test_texts_get_terms_a_kind_and_the_vector_of_their_namespace() -> None:
    with temporary_memory() as memory:
        memory.admin.set_namespace("none", embedder="none")
        memory.admin.set_namespace("ruled", auto_classify="regex_only")
        text = "We decided to ship"
        made = prepare(memory.engine, [(name, text) for name in ("k", "none", "ruled")])
        assert made["k", text].vector
        assert made["k", text].model
        assert (made["none", text].vector, made["none", text].model) == (None, None)
        assert made["k", text].given.kind == "observation"
        assert made["ruled", text].given.kind == "decision"
        with memory.engine.write() as writer:
            records = begin_changes(memory.engine, writer, 0).records
            terms = made["k", text].terms(records)
        assert len(decode_terms([terms]).terms) == len(set(made["k", text].words))


def test_a_text_that_is_not_utf8_is_prepared_by_what_is_legible_of_it() -> None:
    with temporary_memory() as memory:
        (made,) = prepare(memory.engine, [("k", "alpha \udcff beta")]).values()
        assert {"alpha", "beta"} <= set(made.words)
        assert made.vector


def test_where_a_model_does_not_answer_there_is_no_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    with temporary_memory() as memory:
        embedder = memory.engine.workshop.embedder("static")

        def fail(_self: object, _texts: object) -> object:
            raise EmbedderError("gone")

        monkeypatch.setattr(type(embedder), "embed", fail)
        (made,) = prepare(memory.engine, [("k", "alpha")]).values()
        assert (made.vector, made.model) == (None, None)
        assert made.words
