"""Reading a vault: with which packs, and what the reading came to."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from winnow.errors import Fault, settle
from winnow.memory.engine import Engine
from winnow.memory.finishing import prepare
from winnow.operations.answers import IndexAnswer
from winnow.operations.changes import IndexRequest
from winnow.records import Finding
from winnow.schema import Pack
from winnow.store.base import Store, StoredPack, VaultRow
from winnow.vault.folder import Skip
from winnow.vault.packfiles import PackFiles, fingerprint, gather_packs, missing_packs
from winnow.vault.roots import describe_neighbors, find_root, look_at
from winnow.vault.sync import Job, Outcome, Progress, apply, plan

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
    if progress is not None:
        progress(0, 0, "looking")
    look = look_at(store, root, namespace, prune=request.prune)
    stored = [one for one in store.packs() if one.namespace == namespace]
    files = PackFiles(look.listing.packs, _asked(request.pack), look.vault.packs)
    packs, warnings = gather_packs(files, stored)
    vault = _open_vault(store, look.vault, packs, files.outside(), stored)
    stale = vault.fingerprint != fingerprint(packs)
    todo = plan(store.notes(vault), look.listing, reread=stale)
    job = Job(
        store, vault, root, packs, stale, request.prune, progress, engine.zone, prepare(engine)
    )
    outcome = apply(job, todo)
    if stale:
        with store.write() as writer:
            writer.put_vault(replace(vault, fingerprint=fingerprint(packs)))
    outcome.skips += look.listing.skips
    outcome.warnings += [*warnings, *describe_neighbors(store, vault)]
    return _answer(engine, vault, outcome)


def _asked(pack: str | Sequence[str] | None) -> tuple[str, ...]:
    given = [pack] if isinstance(pack, str) else pack or ()
    return tuple(os.path.abspath(os.path.expanduser(one)) for one in given)


def _open_vault(
    store: Store,
    known: VaultRow,
    packs: Iterable[Pack],
    outside: tuple[str, ...],
    stored: Sequence[StoredPack],
) -> VaultRow:
    """Have the vault and its packs in the store before its notes.

    Until all notes are read by new packs it has no fingerprint, so that a run which is cut short
    begins anew.
    """
    stale = known.fingerprint != fingerprint(packs)
    vault = replace(known, packs=outside, fingerprint="" if stale else known.fingerprint)
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
            f"{len(problems):,} problems, of which the first {MOST_PROBLEMS} are listed"
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
    )


def _as_finding(skip: Skip) -> Finding:
    return Finding("unreadable" if skip.unknown else "skipped", skip.path, None, skip.reason)


def _entities(store: Store, namespace: str) -> Iterator[tuple[str, int]]:
    for place, schema, count in store.schemas():
        if place == namespace:
            yield schema, count
