"""New memories of which a line says the most usual: made whole in few steps, many at a time."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from winnow.kinds import Assigned, Provenance
from winnow.memory.transfer.archive import Told
from winnow.memory.transfer.preparing import Preparation, Vectorized
from winnow.memory.transfer.slots import EMPTY
from winnow.store.additions import Additions, Draft

Finish: TypeAlias = Callable[[Additions], list[Draft]]
"""Makes the drafts of memories, in a transaction: their terms get numbers there."""


def begin_all(preparation: Preparation, namespace: str, told: Sequence[Told], now: int) -> Finish:
    """Begin memories of one namespace that nothing is stored of; may wait for a model.

    No line gives a history. `now` is in milliseconds.
    """
    words = [(str(one.values.get("title") or ""), str(one.values["text"])) for one in told]
    kinds = _find_kinds(preparation, namespace, told, words)
    bare = [place for place, one in enumerate(told) if one.vector is None]
    made = preparation.vectorize(namespace, [words[place] for place in bare])
    vectors = [_NOTHING if one.vector is None else _given(one) for one in told]
    for place, one in zip(bare, made, strict=True):
        vectors[place] = one
    texts = [(text,) if not title else (title, text) for title, text in words]

    def finish(additions: Additions) -> list[Draft]:
        terms = preparation.number(namespace, texts, additions)
        rows = zip(told, kinds, vectors, terms, strict=True)
        return [_draft(namespace, now, *row) for row in rows]

    return finish


_NOTHING = Vectorized(None, None)


def _given(told: Told) -> Vectorized:
    given = told.vector
    return _NOTHING if given is None else Vectorized(given.vector, given.model)


def _find_kinds(
    preparation: Preparation,
    namespace: str,
    told: Sequence[Told],
    words: Sequence[tuple[str, str]],
) -> list[Assigned]:
    """Return the kinds that lines give, and those that rules or the model give the others."""
    silent = [place for place, one in enumerate(told) if not one.values.get("kind")]
    found = preparation.classify(namespace, [words[place] for place in silent])
    if len(found) == len(told):
        return found
    kinds = [Assigned(one.values.get("kind") or "", Provenance.DECLARED) for one in told]
    for place, one in zip(silent, found, strict=True):
        kinds[place] = one
    return kinds


def _draft(
    namespace: str, now: int, told: Told, kind: Assigned, vector: Vectorized, terms: bytes
) -> Draft:
    say = {**_BLANK, **told.values}.__getitem__
    return Draft(
        namespace,
        told.id,
        say("text"),
        say("title"),
        kind.kind,
        kind.provenance.value,
        say("entity"),
        say("memory_type"),
        say("tags"),
        say("importance"),
        say("source"),
        say("metadata"),
        told.values.get("created_at", now),
        told.values.get("updated_at", now),
        say("expires_at"),
        vector.vector,
        vector.model,
        terms,
    )


_BLANK: dict[str, Any] = dict(EMPTY)
