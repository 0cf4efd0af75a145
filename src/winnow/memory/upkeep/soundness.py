"""Whether a store is sound, and mending what can be mended without losing anything."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from winnow.errors import EmbedderError, Fault, StoreError, settle
from winnow.memory.changes.finishing import join_words
from winnow.memory.engine import Engine
from winnow.memory.state.namespaces import NamespaceSettings, makes_vectors, may_wait
from winnow.memory.times import milliseconds
from winnow.memory.upkeep.reembedding import reembed, renew_terms
from winnow.operations.changes import ReembedRequest
from winnow.operations.requests import DoctorRequest
from winnow.operations.upkeep import DoctorAnswer
from winnow.store.check import UNUSED_TERMS, WRONG_TERMS
from winnow.store.connection import sqlite_version
from winnow.store.problems import DAMAGED, Problem
from winnow.store.rules import RULES
from winnow.store.surroundings import (
    LITTER,
    OPEN_FILES,
    close_files,
    find_left,
    find_open,
    find_surroundings,
    remove_files,
)

LIBRARIES = ("winnow-memory", "apsw", "numpy")
OTHER_LANGUAGE = "other_language"
STALE_VECTORS = "stale_vectors"
MISSING_VECTORS = "missing_vectors"
STALE_FILES = "stale_files"
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
    for code, mend in _MENDERS.items():
        # Who has lost a vector to a repair gets it back by a later one.
        if code in found or code == STALE_VECTORS:
            mend(engine, [one for one in problems if one.code == code])
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
    versions["sqlite"] = sqlite_version()
    if engine is not None:
        versions["store"] = str(engine.store.upkeep.version)
    return versions


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
        found += _find_stale_files(engine)
        for name in _names(engine):
            found += _find_stale(engine, name)
    except StoreError as error:
        found.append(Problem(DAMAGED, engine.label, 1, str(error)))
    return [*found, *find_surroundings(Path(engine.label), _named_files(engine))]


def _named_files(engine: Engine) -> set[str]:
    return {one.file for derived in engine.store.segments.list() for one in derived.segments}


def _find_stale_files(engine: Engine) -> Iterator[Problem]:
    """Yield the topics of files that are gone, or have another size than they should."""
    folder = engine.store.segments.folder
    for derived in engine.store.segments.list():
        wrong = {one.file for one in derived.segments if not _has_size(folder / one.file, one.size)}
        if wrong:
            detail = f"files of {derived.topic} are gone, or not whole"
            repair = "make them again, when they are used"
            where = ", ".join(sorted(wrong))
            yield Problem(STALE_FILES, where, len(wrong), detail, repair, serious=False)


def _has_size(file: Path, size: int) -> bool:
    try:
        return file.stat().st_size == size
    except OSError:
        return False


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


def _mend_rows(engine: Engine, problems: Sequence[Problem]) -> None:
    with engine.store.write() as writer:
        writer.mend([one.code for one in problems])


def _mend_terms(engine: Engine, problems: Sequence[Problem]) -> None:
    for one in problems:
        renew_terms(engine, one.where)


def _forget_files(engine: Engine, _: Sequence[Problem]) -> None:
    folder, wrong = engine.store.segments.folder, set[str]()
    for derived in engine.store.segments.list():
        if not all(_has_size(folder / one.file, one.size) for one in derived.segments):
            wrong.add(derived.topic)
    with engine.store.write() as writer:
        writer.segments.forget(sorted(wrong))


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


def _close_files(engine: Engine, _: Sequence[Problem]) -> None:
    close_files(find_open(Path(engine.label)))


def _remove_litter(engine: Engine, _: Sequence[Problem]) -> None:
    with engine.store.segments.claim() as alone:
        if alone:
            remove_files(find_left(Path(engine.label), _named_files(engine)))


_Mend = Callable[[Engine, Sequence[Problem]], None]
# In the order in which they are mended.
_MENDERS: Mapping[str, _Mend] = {
    **{rule.code: _mend_rows for rule in RULES if rule.mend},
    WRONG_TERMS: _mend_terms,
    OTHER_LANGUAGE: _mend_terms,
    UNUSED_TERMS: _mend_rows,
    STALE_FILES: _forget_files,
    MISSING_VECTORS: _drop_models,
    STALE_VECTORS: _make_vectors,
    OPEN_FILES: _close_files,
    LITTER: _remove_litter,
}
