"""What many records need beside their text, made before the transaction that writes them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from winnow.columns.terms import encode_terms
from winnow.embed.base import Embedder
from winnow.errors import EmbedderError
from winnow.filter.raw import make_legible
from winnow.kinds import Assigned, Policy, Provenance
from winnow.memory.changes.classifying import Classifier, Report, Words
from winnow.memory.changes.finishing import join_words, pack
from winnow.memory.engine import Engine
from winnow.memory.state.namespaces import makes_vectors, may_wait
from winnow.memory.transfer.archive import Vectorized
from winnow.store.additions import Additions
from winnow.store.memories import Record, RecordWriter
from winnow.vault.filing import Finish


class Preparation:
    """Gives records of one run kinds, terms and vectors, some hundreds at a time.

    What a record has already stays: its kind, unless it is a piece of a note that declares none,
    and a vector.
    """

    def __init__(self, engine: Engine, report: Report | None = None) -> None:
        self._engine = engine
        self._classifier = Classifier(engine.model, report)
        self._failure: EmbedderError | None = None
        self._unembedded = 0

    def prepare(self, records: Sequence[Record]) -> Finish:
        """Prepare records of one namespace; may wait for a model, so never in a transaction."""
        return self._prepare(records, self._classifier, wait=True)

    def hasten(self, records: Sequence[Record]) -> Finish:
        """Do as `prepare` in a transaction: models that may take long are left out."""
        return self._prepare(records, Classifier(None), wait=False)

    def classify(self, namespace: str, words: Sequence[Words]) -> list[Assigned]:
        """Return the kinds of new memories that declare none; may wait for a model."""
        policy = self._engine.workshop.settings(namespace).policy
        return self._classifier.assign(policy, words)

    def vectorize(self, namespace: str, words: Sequence[Words]) -> list[Vectorized]:
        """Return the vectors of new memories' words; may wait for a model."""
        workshop = self._engine.workshop
        embedder = workshop.embedder(workshop.settings(namespace).embedder)
        texts = [make_legible(f"{title}\n{text}" if title else text) for title, text in words]
        return self._embed_texts(embedder, texts, wait=True)

    def number(
        self, namespace: str, texts: Sequence[Sequence[str]], additions: Additions
    ) -> list[bytes]:
        """Return the terms of new memories' texts."""
        workshop = self._engine.workshop
        analyser = workshop.analyser(workshop.settings(namespace).language)
        plain = [[*map(make_legible, some)] for some in texts]
        return additions.encode_terms(plain, analyser)

    def warn(self) -> list[str]:
        """Return what there is to say of this run."""
        told = self._classifier.warn()
        if self._unembedded:
            reason = f": {self._failure}" if self._failure is not None else ""
            told.append(
                f"{self._unembedded:,} have no vector until `winnow reembed` has run{reason}"
            )
        return told

    def _prepare(self, records: Sequence[Record], classifier: Classifier, *, wait: bool) -> Finish:
        workshop = self._engine.workshop
        settings = workshop.settings(records[0].namespace)
        typed = _give_kinds(self._engine, records, settings.policy, classifier)
        analyser = workshop.analyser(settings.language)
        words = [
            [*analyser.terms(make_legible(one.title)), *analyser.terms(make_legible(one.text))]
            for one in typed
        ]
        embedded = self._embed(workshop.embedder(settings.embedder), typed, wait=wait)

        def finish(writer: RecordWriter) -> Sequence[Record]:
            numbers = writer.term_ids(dict.fromkeys(chain.from_iterable(words)))
            return [
                replace(one, **vector, terms=encode_terms(numbers[word] for word in own))
                for one, vector, own in zip(typed, embedded, words, strict=True)
            ]

        return finish

    def _embed(
        self, embedder: Embedder | None, records: Sequence[Record], *, wait: bool
    ) -> Sequence[Mapping[str, Any]]:
        """Return what records lack of vectors; nothing if the model can't answer."""
        bare = [place for place, one in enumerate(records) if one.model is None]
        texts = [join_words(records[place]) for place in bare]
        embedded: list[Mapping[str, Any]] = [{}] * len(records)
        for place, one in zip(bare, self._embed_texts(embedder, texts, wait=wait), strict=True):
            if one.model is not None:
                embedded[place] = {"vector": one.vector, "model": one.model}
        return embedded

    def _embed_texts(
        self, embedder: Embedder | None, texts: Sequence[str], *, wait: bool
    ) -> list[Vectorized]:
        if embedder is None or not makes_vectors(embedder) or not texts:
            return [Vectorized(None, None)] * len(texts)
        try:
            if may_wait(embedder) and not wait:
                raise EmbedderError("they were changed while they were read")
            identity = embedder.identity
            made = embedder.embed(texts)
        except EmbedderError as error:
            self._failure = error
            self._unembedded += len(texts)
            return [Vectorized(None, None)] * len(texts)
        return [Vectorized(pack(row) if row.any() else None, identity) for row in made]


def _give_kinds(
    engine: Engine, records: Sequence[Record], policy: Policy, classifier: Classifier
) -> Sequence[Record]:
    """Give a kind to the records that declare none."""
    silent = [place for place, one in enumerate(records) if _is_silent(one, policy)]
    if not silent:
        return records
    typed = list(records)
    given = classifier.assign(
        policy,
        [(records[place].title, records[place].text) for place in silent],
        lambda number: _find_known(engine, records[silent[number]]),
    )
    for place, one in zip(silent, given, strict=True):
        typed[place] = replace(records[place], kind=one.kind, kind_provenance=one.provenance.value)
    return typed


def _is_silent(record: Record, policy: Policy) -> bool:
    """Tell whether a record's kind is still to be found."""
    if not record.kind or record.piece is None:
        return not record.kind
    return policy is not Policy.OFF and record.kind_provenance == Provenance.CHANNEL_DERIVED


def _find_known(engine: Engine, record: Record) -> str | None:
    """Return what the model said of these words when they were last stored.

    A note is read again when anything of it has changed: most of its pieces have not.
    """
    lookup = engine.store.records
    key = lookup.find(record.namespace, record.id) if record.id else None
    before = lookup.read([key])[0] if key is not None else None
    if before is None or (before.title, before.text) != (record.title, record.text):
        return None
    return before.kind if before.kind_provenance == Provenance.LLM else None
