"""What is made from a record's text: its terms for keyword search, and its vector."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from winnow.columns.terms import encode_terms
from winnow.embed.external import ExternalEmbedder, read_vector
from winnow.embed.floats import Vector
from winnow.errors import Fault, InvalidRequest
from winnow.filter.decode import load_json
from winnow.filter.raw import make_legible
from winnow.memory.changes.classifying import Words
from winnow.memory.engine import Engine
from winnow.memory.state.namespaces import may_wait
from winnow.operations.arguments import Numbers
from winnow.store.memories import Record, RecordWriter


@dataclass(frozen=True, slots=True)
class Embedded:
    """What a title and a text were embedded as, before a transaction; without words, nothing was.

    `vector` and `model` are as a record has them.
    """

    words: Words | None = None
    vector: bytes | None = None
    model: str | None = None


def finish(
    engine: Engine,
    record: Record,
    writer: RecordWriter,
    vector: Numbers | str | None,
    before: Record | None,
    embedded: Embedded | None = None,
) -> Record:
    """Return a record with its terms and its vector; both stay where the text stays.

    With what was `embedded` earlier nobody is waited for: if the words are others by now, and the
    embedder may take long, there is no vector until `reembed`.
    """
    if before is not None and vector is None and _words(record) == _words(before):
        return record
    termed = with_terms(engine, record, writer)
    if embedded is None or vector is not None:
        return with_vector(engine, termed, vector)
    if embedded.words == _words(record):
        return replace(termed, vector=embedded.vector, model=embedded.model)
    if may_wait(engine.workshop.embedder(engine.workshop.settings(record.namespace).embedder)):
        return replace(termed, vector=None, model=None)
    return with_vector(engine, termed, None)


def with_terms(engine: Engine, record: Record, writer: RecordWriter) -> Record:
    """Return a record with the terms of its title and text."""
    settings = engine.workshop.settings(record.namespace)
    analyser = engine.workshop.analyser(settings.language)
    terms = [
        *analyser.terms(make_legible(record.title)),
        *analyser.terms(make_legible(record.text)),
    ]
    numbers = writer.term_ids(dict.fromkeys(terms))
    return replace(record, terms=encode_terms(numbers[term] for term in terms))


def with_vector(engine: Engine, record: Record, vector: Numbers | str | None) -> Record:
    """Return a record with its vector: the caller's, or what its namespace's model makes."""
    if vector is not None:
        given, model = _read_own(engine, record.namespace, vector)
        return replace(record, vector=pack(given), model=model)
    embedder = engine.workshop.embedder(engine.workshop.settings(record.namespace).embedder)
    if embedder is None or isinstance(embedder, ExternalEmbedder):
        return replace(record, vector=None, model=None)
    made = embedder.embed([join_words(record)])[0]
    packed = pack(made) if made.any() else None
    return replace(record, vector=packed, model=embedder.identity)


def check_vector(
    engine: Engine, namespace: str, vector: Numbers | str | None, faults: list[Fault]
) -> None:
    """Check a caller's vector, before anything is written; what is wrong is added to `faults`."""
    if vector is None or not namespace:
        return
    try:
        _read_own(engine, namespace, vector)
    except InvalidRequest as error:
        faults.extend(error.faults)


def as_numbers(vector: Numbers | str) -> object:
    """Return a vector as a caller gave it: numbers, or JSON text."""
    if isinstance(vector, str):
        return load_json(vector, "/vector")
    return [*vector] if isinstance(vector, Sequence) else vector


def join_words(record: Record) -> str:
    """Return the text that a record's vector is made from."""
    return make_legible(f"{record.title}\n{record.text}" if record.title else record.text)


def pack(vector: Vector) -> bytes:
    """Return a vector as the store keeps it."""
    return vector.astype("<f4", copy=False).tobytes()


def _read_own(engine: Engine, namespace: str, vector: Numbers | str) -> tuple[Vector, str]:
    """Read a caller's vector as its namespace takes it, and what names such vectors."""
    embedder = engine.workshop.embedder(engine.workshop.settings(namespace).embedder)
    if not isinstance(embedder, ExternalEmbedder):
        detail = "this namespace makes its own vectors; set its embedder to external:DIMENSION"
        raise InvalidRequest([Fault("/vector", detail)])
    return read_vector(as_numbers(vector), embedder.dimension), embedder.identity


def _words(record: Record) -> Words:
    return record.title, record.text
