"""Making vectors and terms again, of what is stored and stays as it is.

Short transactions let other writers go on. A run that is cut short goes on where it stopped: what
it has made is not due any more.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, TypeAlias

from winnow.columns.terms import encode_terms
from winnow.deadlines import check
from winnow.embed.base import Embedder
from winnow.errors import EmbedderError, Fault, settle
from winnow.filter.raw import make_legible
from winnow.memory.changes.finishing import join_words, pack
from winnow.memory.engine import Engine
from winnow.memory.state.namespaces import (
    ANALYSED,
    MODEL,
    NamespaceSettings,
    makes_vectors,
    may_wait,
    read_settings,
)
from winnow.memory.times import milliseconds
from winnow.operations.changes import ReembedRequest
from winnow.operations.settings import ReembedAnswer
from winnow.rank.analyse import Analyser
from winnow.stages import Progress
from winnow.store.memories import Record, RecordWriter

BATCH: Final = 200
"""Records a transaction: other writers wait for some 10 ms."""

_Derived: TypeAlias = tuple[bytes | None, str | None, bytes]
"""The vector of a record, what made it, and its terms."""
_Put: TypeAlias = Callable[[Record, int], _Derived]
"""Is given a record as it is now, and its place among those that something was made for."""
_Make: TypeAlias = Callable[[Sequence[Record]], Callable[[RecordWriter], _Put]]
"""Makes something for some records, before the transaction that it is put on them in."""


def reembed(
    engine: Engine,
    request: ReembedRequest,
    faults: list[Fault],
    progress: Progress | None = None,
) -> ReembedAnswer:
    """Make the vectors that the current embedders have not made, and terms of another language."""
    names = engine.namespaces(request.namespace, faults)
    settle(faults)
    run = _Run(engine, progress)
    for name in names:
        settings = engine.workshop.settings(name)
        if request.all or not settings.analysed:
            renew_terms(engine, name, progress)
        run.embed(name, settings, everything=request.all)
    counts = engine.store.records.count(names, milliseconds(engine.clock()))
    return ReembedAnswer(
        records=sum(one.count for one in counts),
        made=run.made,
        left=sum(
            one.count
            for one in counts
            if one.namespace in run.models and one.model != run.models[one.namespace]
        ),
        models=run.models,
        warnings=[*run.warnings, *engine.doubts(request.namespace)] or None,
        as_of=engine.as_of(),
    )


def renew_terms(engine: Engine, namespace: str, progress: Progress | None = None) -> None:
    """Make the terms of all records of a namespace again, in its language."""
    language = engine.workshop.settings(namespace).language
    keys = engine.store.records.keys(namespace)
    for done in _renew(engine, keys, _make_terms(engine.workshop.analyser(language))):
        if progress is not None:
            progress(done, len(keys), f"analyzing {namespace}")
    with engine.write() as writer:
        row = engine.store.records.namespace(namespace)
        if read_settings(row).language == language:  # or whoever changed it is at it
            settings = {name: one for name, one in row.settings.items() if name != ANALYSED}
            writer.records.put_namespace(replace(row, settings=settings))


@dataclass(slots=True)
class _Run:
    """What was made so far, and the models of the namespaces by name."""

    engine: Engine
    progress: Progress | None
    made: int = 0
    models: dict[str, str] = field(default_factory=dict[str, str])
    warnings: list[str] = field(default_factory=list[str])

    def embed(self, name: str, settings: NamespaceSettings, *, everything: bool) -> None:
        """Make the vectors of a namespace."""
        embedder = self.engine.workshop.embedder(settings.embedder)
        if embedder is None:
            self.warnings.append(f"{name!r} has no embedder: there is nothing to make")
            return
        if not makes_vectors(embedder):
            self.warnings.append(f"the vectors of {name!r} are given with each memory, not made")
            return
        identity = self.models[name] = embedder.identity
        keys = self.engine.store.records.keys(name, unless=None if everything else identity)
        done = 0
        try:
            for done in _renew(self.engine, keys, self._make_vectors(embedder)):
                if self.progress is not None:
                    self.progress(done, len(keys), f"embedding {name}")
        except EmbedderError as error:
            told = f"{done:,} of {len(keys):,} in {name!r} were done before"
            raise EmbedderError(f"{error}; {told}, and a further run goes on there") from error
        if may_wait(embedder) and settings.model != identity:
            self._remember(name, identity)

    def _remember(self, name: str, identity: str) -> None:
        with self.engine.write() as writer:
            row = self.engine.store.records.namespace(name)
            writer.records.put_namespace(replace(row, settings={**row.settings, MODEL: identity}))

    def _make_vectors(self, embedder: Embedder) -> _Make:
        def make(records: Sequence[Record]) -> Callable[[RecordWriter], _Put]:
            rows = embedder.embed([join_words(one) for one in records])
            vectors = [pack(row) if row.any() else None for row in rows]

            def put(now: Record, place: int) -> _Derived:
                self.made += vectors[place] is not None
                return vectors[place], embedder.identity, now.terms

            return lambda _: put

        return make


def _make_terms(analyser: Analyser) -> _Make:
    def make(records: Sequence[Record]) -> Callable[[RecordWriter], _Put]:
        words = [
            [*analyser.terms(make_legible(one.title)), *analyser.terms(make_legible(one.text))]
            for one in records
        ]

        def begin(writer: RecordWriter) -> _Put:
            numbers = writer.term_ids(dict.fromkeys(chain.from_iterable(words)))
            terms = [encode_terms(numbers[word] for word in own) for own in words]
            return lambda now, place: (now.vector, now.model, terms[place])

        return begin

    return make


def _renew(engine: Engine, keys: Sequence[int], make: _Make) -> Iterator[int]:
    """Make something of records again, and yield how many are done after each transaction.

    One that has other words by then is left as it is: whoever changed it has made its own.
    """
    for start in range(0, len(keys), BATCH):
        check("making vectors or terms again; those before are stored")
        some = keys[start : start + BATCH]
        found = zip(some, engine.store.records.read(some), strict=True)
        read = [(key, record) for key, record in found if record is not None]
        begin = make([record for _, record in read])
        with engine.write() as writer:
            put = begin(writer.records)
            now = writer.records.read([key for key, _ in read])
            for place, ((key, before), record) in enumerate(zip(read, now, strict=True)):
                if record is not None and _same_words(before, record):
                    vector, model, terms = put(record, place)
                    writer.records.put_derived(key, vector=vector, model=model, terms=terms)
        yield start + len(some)


def _same_words(before: Record, now: Record) -> bool:
    return (before.title, before.text) == (now.title, now.text)
