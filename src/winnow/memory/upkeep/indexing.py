"""Reading a vault: with which packs, and what the reading came to."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from winnow.errors import Fault, counted, settle
from winnow.kinds import Policy
from winnow.memory.engine import Engine
from winnow.memory.transfer.preparing import Preparation
from winnow.operations.changes import IndexRequest
from winnow.operations.reports import IndexAnswer
from winnow.records import Finding
from winnow.schema import Pack
from winnow.stages import Progress
from winnow.store.base import Store, StoredPack, VaultRow
from winnow.vault.folder import Skip
from winnow.vault.packfiles import (
    PackFiles,
    fingerprint,
    gather_packs,
    keep_files,
    missing_packs,
)
from winnow.vault.paths import spell
from winnow.vault.roots import describe_neighbors, find_root, look_at
from winnow.vault.sync import Job, Outcome, apply, plan

PROBLEM_CODES = frozenset({"not_utf8", "bad_name", "not_understood", "note_problem"})
"""Findings of notes that could not be read as meant; the others are about what they say."""
MOST_PROBLEMS = 100
"""Problems that an answer lists."""


def index_vault(
    engine: Engine,
    request: IndexRequest,
    faults: list[Fault],
    progress: Progress | None = None,
) -> IndexAnswer:
    """Read what is new in a folder of notes, and forget what is gone from it.

    A folder that can't be read, and mistakes in packs, are told before anything is written.
    """
    namespace = engine.home(request.namespace, faults)
    settle(faults)
    store, root = engine.store, find_root(request.path)
    _check_reach(engine, request, namespace, root)
    if progress is not None:
        progress(0, 0, "looking")
    look = look_at(store, root, namespace, prune=request.prune)
    files = PackFiles(look.listing.packs, list_files(request.pack), look.vault.packs)
    forget = _list_forgotten(request.forget_pack)
    known = [one for one in store.packs() if one.namespace == namespace]
    files, warnings = keep_files(files, known, forget)
    stored = [one for one in known if one.name not in forget and one.source not in forget]
    packs, more = gather_packs(files, stored)
    mark = fingerprint(packs, *_governed(engine, namespace))
    vault = _open_vault(store, replace(look.vault, packs=files.outside()), mark, packs, stored)
    stale = vault.fingerprint != mark
    todo = plan(store.notes(vault), look.listing, reread=stale)
    preparation = _prepare(engine, progress)
    job = Job(store, vault, root, packs, stale, request.prune, progress, engine.zone)
    job = replace(job, prepare=preparation.prepare, hasten=preparation.hasten)
    job = replace(job, redacts=engine.workshop.settings(namespace).redacts)
    outcome = apply(job, todo)
    if stale:
        with store.write() as writer:
            writer.put_vault(replace(vault, fingerprint=mark))
    _drop_packs(store, {one for one in known if one not in stored}, packs)
    outcome.skips += look.listing.skips
    outcome.warnings += [*warnings, *more, *preparation.warn(), *describe_neighbors(store, vault)]
    return _answer(engine, vault, outcome)


def _check_reach(engine: Engine, request: IndexRequest, namespace: str, root: str) -> None:
    """Refuse to read files that are not yet the namespace's, for who is bound to namespaces."""
    known = {one.root for one in engine.store.vaults() if one.namespace == namespace}
    if spell(root) not in known or request.pack is not None:
        engine.access.require_everything("to read a new folder, or a pack that is outside it,")


def _governed(engine: Engine, namespace: str) -> list[str]:
    """Return what beside packs and code decides what the notes of a namespace become."""
    settings = engine.workshop.settings(namespace)
    kinds = [] if settings.policy is Policy.OFF else [f"kinds {settings.policy.value}"]
    return [*kinds, *(["without secrets"] if settings.redacts else [])]


def _prepare(engine: Engine, progress: Progress | None) -> Preparation:
    """Return what prepares the pieces of notes, and tells when it asks a model about them."""
    if progress is None:
        return Preparation(engine)
    return Preparation(engine, lambda done, total: progress(done, total, "asking for kinds"))


def list_files(pack: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the files of schemas that a request names, whatever folder is the current one."""
    given = [pack] if isinstance(pack, str) else pack or ()
    return tuple(os.path.abspath(os.path.expanduser(one)) for one in given)


def _list_forgotten(named: str | Sequence[str] | None) -> list[str]:
    """Return the packs that are to be forgotten: names, and files as they are remembered."""
    given = [named] if isinstance(named, str) else named or ()
    return [spell(*list_files(one)) if "/" in one or "." in one else one for one in given]


def _drop_packs(store: Store, forgotten: Iterable[StoredPack], packs: Iterable[Pack]) -> None:
    """Forget what packs define, unless entities are left: of another vault, or imported."""
    read = {pack.name for pack in packs}
    used = {(place, schema.partition(".")[0]) for place, schema, _ in store.schemas()}
    for one in forgotten:
        if one.name not in read and (one.namespace, one.name) not in used:
            with store.write() as writer:
                writer.drop_pack(one.namespace, one.name)


def _open_vault(
    store: Store,
    known: VaultRow,
    mark: str,
    packs: Iterable[Pack],
    stored: Sequence[StoredPack],
) -> VaultRow:
    """Have the vault and its packs in the store before its notes.

    Until all notes are read anew it does not have the fingerprint `mark`, so that a run which is
    cut short begins again.
    """
    vault = known if known.fingerprint == mark else replace(known, fingerprint="")
    missing = missing_packs(packs, known.namespace, stored)
    if not missing and vault in store.vaults():
        return vault
    with store.write() as writer:
        for pack in missing:
            writer.put_pack(pack)
        return writer.put_vault(vault)


def _answer(engine: Engine, vault: VaultRow, outcome: Outcome) -> IndexAnswer:
    skips = sorted(outcome.skips, key=lambda skip: skip.path)
    found = list(engine.store.findings(None, vault))
    problems = [*map(_as_finding, skips), *(one for one in found if one.code in PROBLEM_CODES)]
    if len(problems) > MOST_PROBLEMS:
        outcome.warnings.append(
            f"{counted(len(problems), 'problems')}, of which the first {MOST_PROBLEMS} are listed"
        )
    return IndexAnswer(
        vault=vault.name,
        namespace=vault.namespace,
        notes=len(engine.store.notes(vault)),
        added=outcome.added,
        changed=outcome.changed,
        moved=outcome.moved,
        removed=outcome.removed,
        unchanged=outcome.unchanged,
        read=outcome.read,
        skipped=len(skips),
        kept=outcome.kept,
        entities=dict(_entities(engine.store, vault.namespace)),
        findings=len(found),
        problems=problems[:MOST_PROBLEMS],
        warnings=outcome.warnings or None,
        as_of=engine.as_of(),
        redacted=dict(outcome.redacted) or None,
    )


def _as_finding(skip: Skip) -> Finding:
    return Finding("unreadable" if skip.unknown else "skipped", skip.path, None, skip.reason)


def _entities(store: Store, namespace: str) -> Iterator[tuple[str, int]]:
    for place, schema, count in store.schemas():
        if place == namespace:
            yield schema, count
