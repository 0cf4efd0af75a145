"""What is made from a record's text: its terms for keyword search, and its vector."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import cast

from winnow.columns.terms import encode_terms
from winnow.embed.base import Embedder
from winnow.embed.external import ExternalEmbedder, Vector, read_vector
from winnow.errors import EmbedderError, Fault, InvalidRequest
from winnow.filter.decode import load_json
from winnow.memory.engine import Engine
from winnow.store.memories import Record, RecordWriter
from winnow.values import Json
from winnow.vault.filing import Finish, Prepare


def finish(
    engine: Engine,
    record: Record,
    writer: RecordWriter,
    vector: Sequence[float] | str | None,
    before: Record | None,
) -> Record:
    """Return a record with its terms and its vector; both stay where the text stays."""
    if before is not None and vector is None and _same_words(record, before):
        return record
    return with_vector(engine, with_terms(engine, record, writer), vector)


def prepare(engine: Engine) -> Prepare:
    """Return what gives the pieces of notes their terms and vectors, many at a time."""

    def begin(records: Sequence[Record]) -> Finish:
        settings = engine.workshop.settings(records[0].namespace)
        analyser = engine.workshop.analyser(settings.language)
        words = [[*analyser.terms(one.title), *analyser.terms(one.text)] for one in records]
        embedded = _embed_all(engine.workshop.embedder(settings.embedder), records)

        def end(writer: RecordWriter) -> Sequence[Record]:
            numbers = writer.term_ids(dict.fromkeys(chain.from_iterable(words)))
            return [
                replace(one, terms=encode_terms(numbers[word] for word in own))
                for one, own in zip(embedded, words, strict=True)
            ]

        return end

    return begin


def with_terms(engine: Engine, record: Record, writer: RecordWriter) -> Record:
    """Return a record with the terms of its title and text."""
    settings = engine.workshop.settings(record.namespace)
    analyser = engine.workshop.analyser(settings.language)
    terms = [*analyser.terms(record.title), *analyser.terms(record.text)]
    numbers = writer.term_ids(dict.fromkeys(terms))
    return replace(record, terms=encode_terms(numbers[term] for term in terms))


def with_vector(engine: Engine, record: Record, vector: Sequence[float] | str | None) -> Record:
    """Return a record with its vector: the caller's, or what its namespace's model makes."""
    if vector is not None:
        given, model = _read_own(engine, record.namespace, vector)
        return replace(record, vector=_pack(given), model=model)
    embedder = engine.workshop.embedder(engine.workshop.settings(record.namespace).embedder)
    if embedder is None or isinstance(embedder, ExternalEmbedder):
        return replace(record, vector=None, model=None)
    made = embedder.embed([join_words(record)])[0]
    packed = _pack(made) if made.any() else None
    return replace(record, vector=packed, model=embedder.identity)


def check_vector(
    engine: Engine, namespace: str, vector: Sequence[float] | str | None, faults: list[Fault]
) -> None:
    """Check a caller's vector, before anything is written; what is wrong is added to `faults`."""
    if vector is None or not namespace:
        return
    try:
        _read_own(engine, namespace, vector)
    except InvalidRequest as error:
        faults.extend(error.faults)


def as_numbers(vector: Sequence[float] | str) -> Json:
    """Return a vector as a caller gave it: numbers, or JSON text."""
    return cast(Json, load_json(vector, "/vector")) if isinstance(vector, str) else [*vector]


def join_words(record: Record) -> str:
    """Return the text that a record's vector is made from."""
    return f"{record.title}\n{record.text}" if record.title else record.text


def _read_own(engine: Engine, namespace: str, vector: Sequence[float] | str) -> tuple[Vector, str]:
    """Read a caller's vector as its namespace takes it, and what names such vectors."""
    embedder = engine.workshop.embedder(engine.workshop.settings(namespace).embedder)
    if not isinstance(embedder, ExternalEmbedder):
        detail = "this namespace makes its own vectors; set its embedder to external:DIMENSION"
        raise InvalidRequest([Fault("/vector", detail)])
    return read_vector(as_numbers(vector), embedder.dimension), embedder.identity


def _same_words(record: Record, before: Record) -> bool:
    return (record.title, record.text) == (before.title, before.text)


def _embed_all(embedder: Embedder | None, records: Sequence[Record]) -> Sequence[Record]:
    """Give records their vectors; none has one if the model can't answer, and reembed is due."""
    if embedder is None or isinstance(embedder, ExternalEmbedder):
        return records
    try:
        made = embedder.embed([join_words(one) for one in records])
    except EmbedderError:
        return records
    vectors = [_pack(row) if row.any() else None for row in made]
    pairs = zip(records, vectors, strict=True)
    return [replace(one, vector=vector, model=embedder.identity) for one, vector in pairs]


def _pack(vector: Vector) -> bytes:
    return vector.astype("<f4", copy=False).tobytes()
