"""The settings of namespaces, shown and changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from winnow.embed.registry import open_embedder
from winnow.errors import (
    EmbedderError,
    Fault,
    InvalidRequest,
    NotAvailable,
    NotFound,
    settle,
    unknown,
)
from winnow.filter.decode import load_json
from winnow.kinds import Policy, read_mode, read_policy
from winnow.memory.engine import Engine
from winnow.memory.state.namespaces import (
    ANALYSED,
    EMBEDDER,
    GOVERNANCE,
    KEEP,
    LANGUAGE,
    MODEL,
    REDACT,
    SECRETS,
    NamespaceSettings,
    makes_vectors,
    read_settings,
)
from winnow.memory.times import milliseconds
from winnow.memory.upkeep.reembedding import renew_terms
from winnow.operations.changes import SetNamespaceRequest
from winnow.operations.requests import NamespaceRequest, NamespacesRequest
from winnow.operations.settings import NamespaceAnswer, NamespacesAnswer
from winnow.rank.analyse import list_languages
from winnow.store.memories import NamespaceRow, RecordCount
from winnow.values import Json


def list_namespaces(
    engine: Engine, request: NamespacesRequest, faults: list[Fault]
) -> NamespacesAnswer:
    """List the namespaces that may be seen."""
    settle(faults)
    names = engine.namespaces(None, faults)
    return NamespacesAnswer(_show(engine, names), engine.as_of())


def show_namespace(
    engine: Engine, request: NamespaceRequest, faults: list[Fault]
) -> NamespaceAnswer:
    """Show how a namespace is set."""
    name = engine.home(request.name, faults, "/name")
    settle(faults)
    known = engine.namespaces(None, faults)
    if name not in known:
        raise NotFound(unknown("namespace", name, known))
    return _show_one(engine, name)


def set_namespace(
    engine: Engine, request: SetNamespaceRequest, faults: list[Fault]
) -> NamespaceAnswer:
    """Change the settings of a namespace, which is made if it is not there.

    With another language the terms of all that it holds are made again, at once.
    """
    name = engine.home(request.name, faults, "/name")
    said = _read_said(engine, request, faults)
    if not said and not faults:
        detail = "give what to change: embedder, language, autoClassify, governance or secrets"
        faults.append(Fault("", detail))
    settle(faults)
    with engine.write() as writer:
        before = engine.store.records.namespace(name)
        after = _change(before, said)
        writer.records.put_namespace(after)
    if not read_settings(after).analysed:
        renew_terms(engine, name)
    return _show_one(engine, name)


def _change(before: NamespaceRow, said: Mapping[str, Json]) -> NamespaceRow:
    """Return a namespace with what was said of it."""
    settings = {**before.settings, **said}
    if EMBEDDER in said and MODEL not in said:
        settings.pop(MODEL, None)  # it was that of another embedder
    after = NamespaceRow(before.name, settings, before.counter)
    if read_settings(after).language == read_settings(before).language:
        return after
    return replace(after, settings={**settings, ANALYSED: False})


# --- what is said ------------------------------------------------------------------------------


def _read_said(
    engine: Engine, request: SetNamespaceRequest, faults: list[Fault]
) -> Mapping[str, Json]:
    """Read the settings that a request gives."""
    said: dict[str, Json] = {}
    if request.language is not None:
        said[LANGUAGE] = _read_language(request.language, faults)
    if (policy := _read_governance(request, faults)) is not None:
        said[GOVERNANCE] = _show_policy(policy)
    if request.secrets is not None:
        said[SECRETS] = request.secrets
    if request.embedder is not None:
        said |= _read_embedder(engine, request.embedder.strip(), faults)
    return said


def _read_embedder(engine: Engine, spec: str, faults: list[Fault]) -> Mapping[str, Json]:
    """Check an embedder, and ask it for its identity; it need not be within reach for that."""
    try:
        if makes_vectors(open_embedder(spec)) and not faults:
            identity = engine.workshop.identity(NamespaceSettings(embedder=spec))
            return {EMBEDDER: spec, MODEL: identity}
    except EmbedderError:
        pass
    except InvalidRequest as error:
        faults.extend(error.faults)
    except NotAvailable:
        settle(faults)
        raise
    return {EMBEDDER: spec}


def _read_language(name: str, faults: list[Fault]) -> str:
    language, known = name.strip().casefold(), list_languages()
    if language not in known:
        faults.append(Fault("/language", unknown("language", name, known)))
    return language


def _read_governance(request: SetNamespaceRequest, faults: list[Fault]) -> Policy | None:
    """Read the policy in both spellings, of which one is enough."""
    given = request.auto_classify
    policy = None if given is None else read_mode(given, "/autoClassify")
    try:
        governed = None if request.governance is None else _read_blob(request.governance)
    except InvalidRequest as error:
        faults.extend(error.faults)
        return policy
    if policy is not None and governed not in (None, policy):
        detail = f"it says {governed}, and autoClassify says {policy}; leave one of them out"
        faults.append(Fault("/governance", detail))
    return policy or governed


def _read_blob(raw: Mapping[str, object] | str) -> Policy | None:
    """Read governance as JSON, alone or as the member of an object that has nothing else."""
    found = load_json(raw, "/governance") if isinstance(raw, str) else dict(raw)
    blob = cast(Json, found)
    if isinstance(blob, dict) and GOVERNANCE in blob:
        return read_policy(blob, "/governance")
    return read_policy({GOVERNANCE: blob})


def _show_policy(policy: Policy) -> dict[str, Json]:
    return {"auto_classify_kind": policy.value}


# --- what is shown -----------------------------------------------------------------------------


def _show_one(engine: Engine, name: str) -> NamespaceAnswer:
    (shown,) = _show(engine, [name])
    told = list(_warn(engine, shown))
    return replace(shown, as_of=engine.as_of(), warnings=told or None)


def _show(engine: Engine, names: Sequence[str]) -> list[NamespaceAnswer]:
    counted: dict[str, list[RecordCount]] = {name: [] for name in names}
    for one in engine.store.records.count(names, milliseconds(engine.clock())):
        counted[one.namespace].append(one)
    entities = dict.fromkeys(names, 0)
    for name, _, count in engine.store.schemas():
        if name in entities:
            entities[name] += count
    return [_show_namespace(engine, name, counted[name], entities[name]) for name in names]


def _show_namespace(
    engine: Engine, name: str, counts: Sequence[RecordCount], entities: int
) -> NamespaceAnswer:
    settings = engine.workshop.settings(name)
    return NamespaceAnswer(
        name=name,
        embedder=settings.embedder,
        language=settings.language,
        governance=_show_policy(settings.policy),
        secrets=REDACT if settings.redacts else KEEP,
        memories=sum(one.count for one in counts if not one.pieces),
        pieces=sum(one.count for one in counts if one.pieces),
        entities=entities,
        stale_vectors=_count_stale(engine, settings, counts),
    )


def _count_stale(
    engine: Engine, settings: NamespaceSettings, counts: Sequence[RecordCount]
) -> int | None:
    """Count the records whose vector the embedder of now has not made; None if it can't tell.

    Where the caller gives the vectors, those count that are of another embedder.
    """
    try:
        embedder = engine.workshop.embedder(settings.embedder)
        identity = engine.workshop.identity(settings)
    except EmbedderError:
        return None
    if embedder is None:
        return 0
    others = [one for one in counts if one.model != identity]
    made = makes_vectors(embedder)
    return sum(one.count for one in others if made or one.model is not None)


def _warn(engine: Engine, shown: NamespaceAnswer) -> Iterator[str]:
    """Say what is to be done for a namespace's vectors."""
    if shown.stale_vectors is None:
        yield f"the embedder {shown.embedder} gives no answer: its vectors were not counted"
    elif shown.stale_vectors:
        mended = "run `winnow reembed`"
        if not makes_vectors(engine.workshop.embedder(shown.embedder)):
            mended = "give them their vectors"
        yield f"{shown.stale_vectors:,} have no vector of {shown.embedder}: {mended}"
