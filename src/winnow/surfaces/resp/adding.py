"""Adding what commands that are alike say, all at once, if nothing is in the way."""

from collections.abc import Sequence

from winnow.access import Scope
from winnow.embed.floats import SIZE, is_zero
from winnow.errors import Forbidden
from winnow.memories import DEFAULT_IMPORTANCE
from winnow.memory.indexes.changing import begin_changes
from winnow.memory.indexes.preparing import PreparedTexts
from winnow.memory.indexes.settings import Index, Mode
from winnow.memory.times import LAST
from winnow.rank.klyro.scores import Metric
from winnow.store.additions import Sheet
from winnow.store.base import Writer
from winnow.surfaces.resp.alike import Alike
from winnow.surfaces.resp.replies import Refusal
from winnow.surfaces.resp.service import Client, Desk, Service


def add_alike(
    service: Service, client: Client, writer: Writer, alike: Alike, prepared: PreparedTexts
) -> Sequence[str] | None:
    """Add memories and return their ids; None, and nothing happens, if any has to be looked at.

    That is so if one is there already, or breaks a rule; then each command finds out by itself.
    """
    changes = begin_changes(service.engine, writer, service.directory.now(), service.directory)
    desk = Desk(service, client, changes)
    try:
        desk.access.require(Scope.WRITE)
        index = desk.require(alike.key)
    except (Refusal, Forbidden):
        return None
    settings = service.engine.workshop.settings(index.name, writer.spaces.settled())
    if prepared.settings != settings or settings.redacts or service.config["mem-max-records"]:
        return None
    if not _fit(index, alike.vectors):
        return None
    ends = _find_ends(alike, changes.now)
    if ends is not None and max(ends) > LAST:
        return None
    count = len(prepared.texts)
    vectors, model = prepared.vectors, prepared.model
    if index.settings.mode.has_vectors:
        vectors = alike.vectors or [None] * count
        model = None if alike.vectors is None else index.settings.model
    ids = alike.ids
    if ids is None:
        ids = [changes.records.new_id(index.name) for _ in range(count)]
    sheet = Sheet(
        namespace=index.name,
        ids=ids,
        texts=prepared.texts,
        kinds=[one.kind for one in prepared.given],
        kind_provenances=[one.provenance.value for one in prepared.given],
        importances=alike.importances or [DEFAULT_IMPORTANCE] * count,
        metadata=alike.metadata,
        now=changes.now,
        expires_at=ends or [None] * count,
        vectors=vectors,
        model=model,
        terms=prepared.terms(changes.records.additions),
    )
    return ids if changes.records.add_sheet(sheet) else None


def _fit(index: Index, vectors: Sequence[bytes] | None) -> bool:
    """Tell whether an index takes these vectors, or memories without any."""
    settings = index.settings
    if vectors is None:
        return settings.mode is not Mode.VECTOR
    if not settings.mode.has_vectors or len(vectors[0]) != settings.dimension * SIZE:
        return False
    return settings.metric is not Metric.COSINE or not any(map(is_zero, vectors))


def _find_ends(alike: Alike, now: int) -> list[int] | None:
    if alike.seconds is None:
        return None
    return [now + seconds * 1_000 for seconds in alike.seconds]
