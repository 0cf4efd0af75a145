"""Giving memories another kind: one that is named, or what the rules and the model find now."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from winnow.deadlines import check
from winnow.errors import Fault, InvalidRequest, settle
from winnow.filter.ast import All, Match, Not
from winnow.filter.unparse import flatten, to_json, to_text
from winnow.kinds import Assigned, Policy, Provenance, check_kind, classify, read_kind
from winnow.memories import RECORDS
from winnow.memory.changes.classifying import Classifier, Words
from winnow.memory.changes.confirming import (
    check_count,
    check_meant,
    read_confirmation,
    warn_of_refusal,
)
from winnow.memory.changes.finding import locate
from winnow.memory.changes.keeping import require_own
from winnow.memory.engine import Engine
from winnow.memory.records.selecting import Wanted, select, split, want
from winnow.memory.times import milliseconds
from winnow.operations.changes import RetypeRequest
from winnow.operations.memories import RetypeAnswer, Retyped
from winnow.store.memories import Record, RecordLookup, RecordWriter

MOST_SHOWN: Final = 20
_BATCH: Final = 500  # records in memory at a time


def retype(engine: Engine, request: RetypeRequest, faults: list[Fault]) -> RetypeAnswer:
    """Give one memory another kind, or all that match; with `auto` none that was declared."""
    many = read_confirmation(request, faults)
    _check_kind(request, faults)
    if many:
        return _retype_matching(engine, request, faults)
    return _retype_one(engine, request, faults)


def _check_kind(request: RetypeRequest, faults: list[Fault]) -> None:
    if request.kind is not None and request.auto:
        faults.append(Fault("/auto", "give a kind, or auto, and not both"))
    elif request.kind is None and not request.auto:
        faults.append(Fault("/kind", "give a kind, or auto"))
    try:
        if request.kind is not None:
            check_kind(request.kind)
    except InvalidRequest as error:
        faults.extend(error.faults)


def _retype_one(engine: Engine, request: RetypeRequest, faults: list[Fault]) -> RetypeAnswer:
    namespace, name = locate(engine, request.namespace, request.id, faults)
    settle(faults)
    run = _Run(engine, request, engine.workshop.settings(namespace).policy)
    early = require_own(engine, engine.store.records, namespace, name)
    run.ask([early])
    if request.dry_run:
        list(run.changes([early]))
        return run.answer(1)
    with engine.write() as writer:
        run.apply(writer.records, [require_own(engine, writer.records, namespace, name)])
    if request.auto and not _is_undeclared(early):
        detail = f"the kind of {name!r} was declared, so that auto leaves it; give a kind instead"
        run.warnings.append(detail)
    return run.answer(1)


def _retype_matching(engine: Engine, request: RetypeRequest, faults: list[Fault]) -> RetypeAnswer:
    if request.schema is not None:
        detail = "memories have kinds; entities come from notes and imports, and have none"
        faults.append(Fault("/schema", detail))
    home = replace(request, namespace=engine.home(request.namespace, faults))
    wanted = want(engine, home, engine.shelf().keys, faults)
    check_meant(request, wanted.asked, faults)
    settle(faults)
    if request.auto:
        wanted = _leave_declared(wanted)
    run = _Run(engine, request, engine.workshop.settings(home.namespace or "").policy)
    run.warnings.extend([*wanted.warnings, *engine.doubts(request.namespace)])
    if run.asks:
        keys, _ = _find(engine, wanted)
        check_count(request, len(keys), wanted.unknown)  # rather than ask about so many in vain
        for some in _read(engine.store.records, keys):
            run.ask(some)
    if request.dry_run:
        keys, pieces = _find(engine, wanted)
        run.warnings.extend(warn_of_refusal(len(keys), wanted.unknown))
        for some in _read(engine.store.records, keys):
            list(run.changes(some))
        return run.answer(len(keys), pieces, wanted)
    with engine.write() as writer:
        # Nobody else writes now, so that what is read is what the transaction sees.
        keys, pieces = _find(engine, wanted)
        check_count(request, len(keys), wanted.unknown)
        for some in _read(writer.records, keys):
            run.apply(writer.records, some)
    return run.answer(len(keys), pieces, wanted)


def _leave_declared(wanted: Wanted) -> Wanted:
    """Return what is wanted without the memories whose kind somebody declared."""
    declared = Match((), RECORDS.fields["kindProvenance"], "eq", (Provenance.DECLARED.value,))
    asked = flatten(All((wanted.asked, Not(declared))))
    return replace(wanted, asked=asked, filters=to_json(asked), where=to_text(asked))


def _find(engine: Engine, wanted: Wanted) -> tuple[list[int], int]:
    """Return the keys of the memories that match, and how many pieces of notes do."""
    return split(select(wanted, engine.shelf()))


def _read(records: RecordLookup, keys: Sequence[int]) -> Iterator[list[Record]]:
    """Yield records, some at a time."""
    for start in range(0, len(keys), _BATCH):
        check("giving memories another kind")
        found = records.read(keys[start : start + _BATCH])
        yield [one for one in found if one is not None]


def _is_undeclared(record: Record) -> bool:
    return record.kind_provenance != Provenance.DECLARED


class _Run:
    """One retyping: what the model has said, and what has become of the memories so far."""

    def __init__(self, engine: Engine, request: RetypeRequest, policy: Policy) -> None:
        self._engine, self._request = engine, request
        self._classifier = Classifier(engine.model)
        self._heard: dict[Words, str] = {}  # what the model has named, by what it was asked about
        self._changed = 0
        self._sample: list[Retyped] = []
        self.asks = request.auto and policy is Policy.REGEX_THEN_LLM
        self.warnings: list[str] = []

    def ask(self, records: Iterable[Record]) -> None:
        """Ask the model about memories that no rule fits, before any transaction."""
        if not self.asks:
            return
        words = [(one.title, one.text) for one in records if _is_undeclared(one)]
        given = self._classifier.assign(Policy.REGEX_THEN_LLM, words)
        for one, found in zip(words, given, strict=True):
            if found.provenance is Provenance.LLM:
                self._heard[one] = found.kind

    def changes(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield those that change, as they will be."""
        now = milliseconds(self._engine.clock())
        for one in records:
            given = self._choose(one)
            if given is None or (given.kind, given.provenance) == (one.kind, one.kind_provenance):
                continue
            self._note(one, given)
            yield replace(
                one, kind=given.kind, kind_provenance=given.provenance.value, updated_at=now
            )

    def apply(self, writer: RecordWriter, records: Iterable[Record]) -> None:
        """Write those that change."""
        for changed in self.changes(records):
            writer.put(changed)

    def answer(
        self, matched: int, pieces: int | None = None, wanted: Wanted | None = None
    ) -> RetypeAnswer:
        """Return what has become of the memories."""
        return RetypeAnswer(
            matched=matched,
            changed=self._changed,
            read_only=pieces,
            dry_run=self._request.dry_run or None,
            sample=self._sample,
            filters=wanted.filters if wanted else None,
            where=wanted.where if wanted else None,
            warnings=[*self.warnings, *self._classifier.warn()] or None,
            as_of=self._engine.as_of(),
        )

    def _choose(self, record: Record) -> Assigned | None:
        """Return the kind that a memory gets, None if it keeps its own."""
        if self._request.kind is not None:
            return Assigned(self._request.kind, Provenance.DECLARED)
        if not _is_undeclared(record):
            return None
        if ruled := classify(record.title, record.text):
            return Assigned(ruled, Provenance.REGEX)
        heard = self._heard.get((record.title, record.text))
        return Assigned(heard, Provenance.LLM) if heard else None

    def _note(self, before: Record, given: Assigned) -> None:
        self._changed += 1
        if len(self._sample) < MOST_SHOWN:
            self._sample.append(
                Retyped(
                    id=before.id,
                    namespace=before.namespace,
                    before=read_kind(before.kind),
                    kind=given.kind,
                    kind_provenance=given.provenance.value,
                )
            )
