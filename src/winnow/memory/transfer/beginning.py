"""New memories of which a line says the most usual: made whole in few steps, many at a time."""

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any, TypeAlias, cast

from winnow.kinds import Provenance
from winnow.memory.transfer.archive import Told, Vectorized
from winnow.memory.transfer.preparing import Preparation
from winnow.memory.transfer.slots import EMPTY
from winnow.store.additions import Additions, Draft

Finish: TypeAlias = Callable[[Additions], list[Draft]]
"""Makes the drafts of memories, in a transaction: their terms get numbers there."""
Typed: TypeAlias = tuple[str, str | None]
"""A kind, and who gave it."""


def begin_all(preparation: Preparation, namespace: str, told: Sequence[Told], now: int) -> Finish:
    """Begin memories of one namespace that nothing is stored of; may wait for a model.

    None of them has a history. `now` is in milliseconds.
    """
    words = [(str(one.values.get("title") or ""), str(one.values["text"])) for one in told]
    kinds = _find_kinds(preparation, namespace, told, words)
    bare = [place for place, one in enumerate(told) if one.vector is None]
    made = preparation.vectorize(namespace, [words[place] for place in bare])
    vectors = [one.vector or _NOTHING for one in told]
    for place, one in zip(bare, made, strict=True):
        vectors[place] = one
    texts = [(text,) if not title else (title, text) for title, text in words]

    def finish(additions: Additions) -> list[Draft]:
        terms = preparation.number(namespace, texts, additions)
        blank = {**EMPTY, "namespace": namespace, "created_at": now, "updated_at": now}
        rows = zip(told, kinds, vectors, terms, repeat(blank), strict=False)
        return [_draft(*row) for row in rows]

    return finish


_NOTHING = Vectorized(None, None)


def _find_kinds(
    preparation: Preparation,
    namespace: str,
    told: Sequence[Told],
    words: Sequence[tuple[str, str]],
) -> list[Typed]:
    """Return the kinds that lines give, and those that rules or the model give the others."""
    silent = [place for place, one in enumerate(told) if not one.values.get("kind")]
    found = preparation.classify(namespace, [words[place] for place in silent])
    if len(found) == len(told):
        return [(one.kind, one.provenance.value) for one in found]
    kinds = [_declared(one) for one in told]
    for place, one in zip(silent, found, strict=True):
        kinds[place] = one.kind, one.provenance.value
    return kinds


def _declared(told: Told) -> Typed:
    """Return the kind that a line gives; one that says everything tells who gave it, too."""
    declared = Provenance.DECLARED.value
    said = told.values.get("kind_provenance") if told.history is not None else declared
    return told.values.get("kind") or "", said


def _draft(
    told: Told, kind: Typed, vector: Vectorized, terms: bytes, blank: Mapping[str, Any]
) -> Draft:
    named = {**blank, **told.values}
    named["id"], (named["kind"], named["kind_provenance"]) = told.id, kind
    named["vector"], named["model"] = vector
    named["terms"] = terms
    return Draft._make(_in_order(named))


_in_order = cast("Callable[[Mapping[str, Any]], tuple[Any, ...]]", itemgetter(*Draft._fields))
