"""What may take long of a write, done before its transaction: others would have to wait for it.

A model is asked for the kind, and the embedder for the vector.
"""

from dataclasses import dataclass

from winnow.kinds import Assigned, Policy, Provenance
from winnow.memory.changes.classifying import Classifier
from winnow.memory.changes.finishing import Embedded, with_vector
from winnow.memory.changes.saying import Said, change
from winnow.memory.engine import Engine
from winnow.store.memories import Record


@dataclass(frozen=True, slots=True)
class Anticipated:
    """The kind of a memory that has none and is given none, and what its words were embedded as."""

    given: Assigned | None
    embedded: Embedded


def anticipate(engine: Engine, record: Record, said: Said, before: Record | None) -> Anticipated:
    """Make what a memory will need when this is said of it; raises EmbedderError.

    `before` is what is stored of it, None for a new one.
    """
    changed = change(engine, record, said)
    given = None if record.kind or said.kind is not None else _find_kind(engine, changed)
    same = before is not None and (before.title, before.text) == (changed.title, changed.text)
    if said.vector is not None or same:
        return Anticipated(given, Embedded())
    made = with_vector(engine, changed, None)
    return Anticipated(given, Embedded((made.title, made.text), made.vector, made.model))


def _find_kind(engine: Engine, record: Record) -> Assigned:
    """Return the kind that the rules gave a memory, or else that of the model."""
    ruled = Assigned(record.kind, Provenance(record.kind_provenance or ""))
    policy = engine.workshop.settings(record.namespace).policy
    if ruled.provenance is Provenance.REGEX or policy is not Policy.REGEX_THEN_LLM:
        return ruled
    return Classifier(engine.model).assign(policy, [(record.title, record.text)])[0]
