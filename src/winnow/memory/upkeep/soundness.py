"""Whether a store is sound, and mending what can be mended without losing anything."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version

from winnow.errors import EmbedderError, Fault, StoreError, settle
from winnow.memory.changes.finishing import join_words
from winnow.memory.engine import Engine
from winnow.memory.state.namespaces import NamespaceSettings, makes_vectors, may_wait
from winnow.memory.times import milliseconds
from winnow.memory.upkeep.reembedding import reembed, renew_terms
from winnow.operations.changes import ReembedRequest
from winnow.operations.requests import DoctorRequest
from winnow.operations.upkeep import DoctorAnswer
from winnow.store.problems import DAMAGED, WRONG_TERMS, Problem

LIBRARIES = ("winnow-memory", "apsw", "numpy")
OTHER_LANGUAGE = "other_language"
STALE_VECTORS = "stale_vectors"
MISSING_VECTORS = "missing_vectors"
_BATCH = 500  # records


def check_store(engine: Engine, request: DoctorRequest, faults: list[Fault]) -> DoctorAnswer:
    """Check that the store is sound."""
    settle(faults)
    engine.access.require_everything("to check the whole store")
    return _answer(engine, _find(engine))


def repair_store(engine: Engine) -> DoctorAnswer:
    """Check the store, mend what can be mended, and check it again.

    What is made from other things is made again, and what belongs to nothing is removed; a memory
    never is. A file that is damaged is left alone.
    """
    engine.access.require_everything("to repair the whole store")
    problems = _find(engine)
    if any(one.code == DAMAGED for one in problems):
        return _answer(engine, problems, [])
    found = {one.code for one in problems if one.repair is not None}
    if not found:
        return _answer(engine, problems, [])
    engine.store.upkeep.mend(found)
    for code, mend in _MENDERS.items():
        # Who has lost a vector to a repair gets it back by a later one.
        if code in found or code == STALE_VECTORS:
            mend(engine, [one for one in problems if one.code == code])
    engine.store.upkeep.mend(found)  # what was made anew may leave something behind
    left = _find(engine)
    still = {(one.code, one.where) for one in left}
    mended = [one for one in problems if (one.code, one.where) not in still and one.repair]
    return _answer(engine, left, mended)


def _answer(
    engine: Engine, problems: Sequence[Problem], repaired: Sequence[Problem] | None = None
) -> DoctorAnswer:
    damaged = any(one.code == DAMAGED for one in problems)
    return DoctorAnswer(
        sound=not any(one.serious for one in problems),
        problems=problems,
        store=engine.label,
        versions=name_versions(engine),
        namespaces=[] if damaged else engine.store.namespaces(),
        entities={} if damaged else _count_entities(engine),
        models={} if damaged else _count_models(engine),
        repaired=repaired,
        as_of=None if damaged else engine.as_of(),
    )


def name_versions(engine: Engine | None = None) -> Mapping[str, str]:
    """Return the versions of what a store is read with, and of its tables."""
    versions = {name: version(name) for name in LIBRARIES}
    return versions if engine is None else {**versions, **engine.store.upkeep.versions}


def _count_entities(engine: Engine) -> Mapping[str, int]:
    counted: Counter[str] = Counter()
    for _, schema, count in engine.store.schemas():
        counted[schema] += count
    return dict(sorted(counted.items()))


def _count_models(engine: Engine) -> Mapping[str, int]:
    counted: Counter[str] = Counter()
    for one in engine.store.records.count(_names(engine), _now(engine)):
        counted[one.model or "none"] += one.count
    return dict(sorted(counted.items()))


def _names(engine: Engine) -> list[str]:
    return [row.name for row in engine.store.records.namespaces()]


def _now(engine: Engine) -> int:
    return milliseconds(engine.clock())


# --- finding -------------------------------------------------------------------------------------


def _find(engine: Engine) -> list[Problem]:
    """Return all that is wrong; what a damaged file says beyond that is not listened to."""
    found = engine.store.upkeep.check(_now(engine))
    if any(one.code == DAMAGED for one in found):
        return found
    try:
        for name in _names(engine):
            found += _find_stale(engine, name)
        found += engine.store.upkeep.look_around()
    except StoreError as error:
        found.append(Problem(DAMAGED, engine.label, 1, str(error)))
    return found


def _find_stale(engine: Engine, name: str) -> Iterator[Problem]:
    """Yield what in a namespace is not made as its settings say."""
    settings = engine.workshop.settings(name)
    if not settings.analysed:
        count = len(engine.store.records.keys(name))
        detail = "records may still have the words of the language before"
        yield Problem(OTHER_LANGUAGE, name, count, detail, "find them again", serious=False)
    try:
        identity = engine.workshop.identity(settings)
    except EmbedderError:
        return  # nobody can say now what is stale; whoever asks in words is told
    if identity is None or not makes_vectors(engine.workshop.embedder(settings.embedder)):
        return
    if stale := engine.store.records.keys(name, unless=identity):
        detail, repair = "records have no vector of the embedder of now", "make them"
        if _is_elsewhere(engine, settings):
            detail, repair = f"{detail}; run `winnow reembed --namespace {name}`", None
        yield Problem(STALE_VECTORS, name, len(stale), detail, repair, serious=False)
    if count := len(_find_bare(engine, name, settings, identity)):
        detail = "records have lost the vector that their embedder made"
        yield Problem(MISSING_VECTORS, name, count, detail, "make it again")


def _is_elsewhere(engine: Engine, settings: NamespaceSettings) -> bool:
    """Tell whether an embedder may have to be fetched, or asked: that is nobody's repair."""
    return may_wait(engine.workshop.embedder(settings.embedder))


def _find_bare(engine: Engine, name: str, settings: NamespaceSettings, identity: str) -> list[int]:
    """Return the keys of the records that lack a vector although their text gives one."""
    embedder = engine.workshop.embedder(settings.embedder)
    if embedder is None or _is_elsewhere(engine, settings):
        return []
    found: list[int] = []
    keys = engine.store.upkeep.find_bare(name, identity)
    for start in range(0, len(keys), _BATCH):
        some = keys[start : start + _BATCH]
        read = zip(some, engine.store.records.read(some), strict=True)
        known = [(key, record) for key, record in read if record is not None]
        rows = embedder.embed([join_words(record) for _, record in known])
        found += [key for (key, _), row in zip(known, rows, strict=True) if row.any()]
    return found


# --- mending -------------------------------------------------------------------------------------


def _mend_terms(engine: Engine, problems: Sequence[Problem]) -> None:
    for one in problems:
        renew_terms(engine, one.where)


def _drop_models(engine: Engine, problems: Sequence[Problem]) -> None:
    """Let records that have lost their vector be as if none had been made yet."""
    for one in problems:
        settings = engine.workshop.settings(one.where)
        identity = engine.workshop.identity(settings) or ""
        keys = _find_bare(engine, one.where, settings, identity)
        with engine.store.write() as writer:
            read = zip(keys, writer.records.read(keys), strict=True)
            for key, record in read:
                if record is not None and record.vector is None:
                    writer.records.put_derived(key, vector=None, model=None, terms=record.terms)


def _make_vectors(engine: Engine, _: Sequence[Problem]) -> None:
    for name in _names(engine):
        if any(one.repair for one in _find_stale(engine, name) if one.code == STALE_VECTORS):
            reembed(engine, ReembedRequest(namespace=name), [])


_Mend = Callable[[Engine, Sequence[Problem]], None]
# What only those can mend who know how it is made, in the order in which that is done.
_MENDERS: Mapping[str, _Mend] = {
    WRONG_TERMS: _mend_terms,
    OTHER_LANGUAGE: _mend_terms,
    MISSING_VECTORS: _drop_models,
    STALE_VECTORS: _make_vectors,
}
