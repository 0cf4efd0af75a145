"""A question on a schema: its filter, the conditions of notes beside it, and the notes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from winnow.errors import Fault
from winnow.filter.ast import All, Pred
from winnow.filter.plain import copy_plain
from winnow.filter.rewrite import rewrite
from winnow.filter.unparse import flatten, to_json, to_text
from winnow.memory.engine import Engine
from winnow.memory.entities.questions import Question, ask, find_domains
from winnow.memory.records.selecting import read_conditions
from winnow.memory.state.ontology import Domain
from winnow.memory.state.shelf import Shelf
from winnow.operations.answers import OfNotes
from winnow.operations.requests import Conditions
from winnow.plan.columnar import MEMORIES
from winnow.plan.noted import Noted
from winnow.wire import camel_case

OF_NOTES = ("kinds", "tags", "entity", "memory_type", "since", "until")


@dataclass(frozen=True, slots=True)
class Backing:
    """The notes behind the entities of each domain that meet the conditions of notes."""

    shelf: Shelf
    noted: Sequence[Noted]


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question in the domains that it speaks of; `backing` is None if notes don't matter."""

    domains: Sequence[Domain]
    question: Question
    backing: Backing | None

    @property
    def namespaces(self) -> list[str]:
        """The namespaces that the question speaks of."""
        return [domain.namespace for domain in self.domains]


def inquire(
    engine: Engine, request: Conditions, faults: list[Fault], *, in_words: bool = False
) -> Inquiry:
    """Resolve a request on a schema, and keep out the entities without a note that is wanted.

    What is wrong with the request is added to `faults`. `in_words` tells that the notes are
    needed, whatever the conditions are.
    """
    warnings: list[str] = []
    wanted = _read_wanted(engine, request, warnings, faults)
    if wanted is None and not in_words:
        domains = find_domains(engine, request, faults)
        question = ask(engine, request, domains, faults)
        return Inquiry(domains, _warned(question, warnings), None)
    with engine.together():
        domains = find_domains(engine, request, faults)
        shelf = engine.shelf()
        noted = [engine.contents.behind(one.namespace, one.table) for one in domains]
    question = ask(engine, request, domains, faults)
    if wanted is not None and not faults:
        warnings.extend(_warn_of_none(request, domains, noted))
        noted = _meet(wanted, shelf, noted)
        question = _restrict(question, wanted, noted)
    return Inquiry(domains, _warned(question, warnings), Backing(shelf, noted))


def _read_wanted(
    engine: Engine, request: Conditions, warnings: list[str], faults: list[Fault]
) -> Pred | None:
    """Read what a note has to meet, None if that is nothing."""
    faults.extend(copy_plain(request.entity, "/entity")[1])
    parts = tuple(read_conditions(engine, request, warnings, faults))
    return flatten(All(parts)) if parts else None


def _meet(wanted: Pred, shelf: Shelf, noted: Sequence[Noted]) -> list[Noted]:
    """Leave out the notes that don't meet a condition; one meets it if one of its pieces does."""
    met = MEMORIES.find(rewrite(wanted), shelf.table)
    notes = shelf.pieces.notes_of(met)
    return [one.among(notes) for one in noted]


def _restrict(question: Question, wanted: Pred, noted: Sequence[Noted]) -> Question:
    asked = [
        replace(one, within=behind.mask(len(one.domain.table)))
        for one, behind in zip(question.asked, noted, strict=True)
    ]
    return replace(question, asked=asked, of_notes=OfNotes(to_json(wanted), to_text(wanted)))


def _warn_of_none(
    request: Conditions, domains: Sequence[Domain], noted: Sequence[Noted]
) -> list[str]:
    """Warn of entities that no note speaks of, and that so meet no condition of notes."""
    every = sum(domain.table.count for domain in domains)
    lack = every - sum(one.count() for one in noted)
    if not lack:
        return []
    given = [camel_case(name) for name in OF_NOTES if getattr(request, name) is not None]
    return [
        f"{lack} of {every} {request.schema} have no note, so they don't meet {', '.join(given)}"
    ]


def _warned(question: Question, warnings: Sequence[str]) -> Question:
    return replace(question, warnings=tuple(dict.fromkeys([*question.warnings, *warnings])))
