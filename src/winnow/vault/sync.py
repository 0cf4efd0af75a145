"""Bringing the store up to a vault's folder: `plan` is pure, `apply` reads the files and writes."""

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo

from winnow.deadlines import check
from winnow.errors import InvalidRequest, NotFound
from winnow.schema import Pack
from winnow.stages import Progress
from winnow.store.base import Store, StoredNote, VaultRow, Writer
from winnow.vault.contents import UNSURE
from winnow.vault.filing import Prepare, file_pieces, finish_note, prepare_pieces
from winnow.vault.folder import Listing, Skip
from winnow.vault.loading import Loaded, Loader, Reading, ToRead
from winnow.vault.pieces import Home
from winnow.vault.reading import BuiltNote, strip_note
from winnow.vault.workers import load_batches

BATCH_NOTES = 200
"""Notes a transaction: other writers wait for some 30 ms at most."""
BATCH_BYTES = 8_000_000
MOST_GONE = 5
"""Notes that may be gone from any vault without more being asked."""


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What a look at the folder tells: files to read, and notes without a file.

    Of those that are `gone` some may turn out to be moved. Of the `unknown` nothing can be said.
    """

    reads: tuple[ToRead, ...]
    unchanged: int
    gone: tuple[StoredNote, ...]
    unknown: tuple[StoredNote, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Job:
    """A vault to bring up to date. With `reread` the packs or the reader are not what they were.

    `root` is its folder. `prune` lets most of its notes go. Dates without a zone are in `zone`.
    `prepare` makes what the pieces of notes have beside their text; without it they have none.
    `hasten` does so within a transaction, where others wait; it is the same if not given. With
    `redacts` secrets are not stored.
    """

    store: Store
    vault: VaultRow
    root: str
    packs: Sequence[Pack]
    reread: bool = False
    prune: bool = False
    progress: Progress | None = None
    zone: tzinfo = UTC
    prepare: Prepare | None = None
    hasten: Prepare | None = None
    redacts: bool = False

    @property
    def prepare_within(self) -> Prepare | None:
        """What prepares pieces within a transaction."""
        return self.hasten or self.prepare


@dataclass(slots=True)
class Outcome:
    """What became of the notes; `unchanged` counts those of which only the packs' view changed.

    `skips` are files that could not be read, `read` counts those that were. `kept` counts notes
    whose files are gone: so many that it may be a mistake. `redacted` counts secrets by kind.
    """

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    read: int = 0
    kept: int = 0
    skips: list[Skip] = field(default_factory=list[Skip])
    warnings: list[str] = field(default_factory=list[str])
    redacted: Counter[str] = field(default_factory=Counter[str])


def plan(known: Sequence[StoredNote], seen: Listing, *, reread: bool = False) -> SyncPlan:
    """Compare what is known of a vault's notes with its files; with `reread` all are to be read."""
    by_path = {note.path: note for note in known}
    reads: list[ToRead] = []
    for file in seen.notes:
        note = by_path.pop(file.path, None)
        if reread or note is None or (note.size, note.mtime_ns) != (file.size, file.mtime_ns):
            reads.append(ToRead(file, note))
    hidden = {skip.path for skip in seen.skips if skip.unknown}
    unknown = {path for path in by_path if not hidden.isdisjoint(_places(path))} if hidden else ()
    return SyncPlan(
        reads=tuple(reads),
        unchanged=len(seen.notes) - len(reads),
        gone=tuple(note for path, note in by_path.items() if path not in unknown),
        unknown=tuple(note for path, note in by_path.items() if path in unknown),
        total=len(known),
    )


def is_mass_loss(gone: int, known: int) -> bool:
    """Tell whether so many notes are gone that the folder may not be what it was."""
    return gone > MOST_GONE and gone * 2 > known


def apply(job: Job, todo: SyncPlan) -> Outcome:
    """Read the files and bring the store up to them, in short transactions.

    What is wrong with one note is among its findings or the skips, and never stops the run.
    """
    loader = Loader(job.packs, job.reread, Home(job.vault.namespace, job.zone, job.redacts))
    run = _Run(job, loader, Moves(todo.gone), Outcome(unchanged=todo.unchanged))
    done, total = 0, len(todo.reads)
    run.report(done, total, "reading")
    with closing(load_batches(loader, _batches(todo.reads), total)) as loaded:
        for batch, readings in loaded:
            check("reading notes; those before are stored")
            run.bring_in(zip(batch, readings, strict=True))
            done += len(batch)
            run.report(done, total, "reading")
    kept = run.forget(todo.total)
    if job.reread:
        run.distrust([*todo.unknown, *run.unread, *kept])
    return run.outcome


class Moves:
    """The notes that are gone, until files with their content are found elsewhere."""

    def __init__(self, gone: Iterable[StoredNote]) -> None:
        self._gone = {note.path: note for note in gone}
        self._by_digest: dict[str, list[StoredNote]] = {}
        for note in self._gone.values():
            self._by_digest.setdefault(note.digest, []).append(note)

    def find(self, digest: str, path: str) -> StoredNote | None:
        """Find a note of this content, one of the same file name if there is one."""
        found = self._by_digest.get(digest)
        if not found:
            return None
        name = path.rpartition("/")[2]
        return next((one for one in found if one.path.rpartition("/")[2] == name), found[0])

    def take(self, note: StoredNote) -> None:
        """Take a note out, since it is not gone but moved."""
        del self._gone[note.path]
        self._by_digest[note.digest].remove(note)

    def left(self) -> list[StoredNote]:
        """Return those that were not taken."""
        return list(self._gone.values())


def _places(path: str) -> Iterator[str]:
    """Yield a note's path and those of the folders around it, as skips name them."""
    yield path
    at = path.find("/")
    while at >= 0:
        yield path[: at + 1]
        at = path.find("/", at + 1)


def _batches(reads: Sequence[ToRead]) -> Iterator[list[ToRead]]:
    batch, size = list[ToRead](), 0
    for item in reads:
        if batch and (len(batch) == BATCH_NOTES or size + item.seen.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item.seen.size
    if batch:
        yield batch


# --- the run -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Run:
    """A run under way; `paths` are the store's notes of the vault, once a transaction asks."""

    job: Job
    loader: Loader
    moves: Moves
    outcome: Outcome
    unread: list[StoredNote] = field(default_factory=list[StoredNote])
    paths: dict[str, int] | None = None

    def report(self, done: int, total: int, stage: str) -> None:
        if self.job.progress is not None:
            self.job.progress(done, total, stage)

    def bring_in(self, readings: Iterable[tuple[ToRead, Reading]]) -> None:
        """Write some files that were read, in one transaction."""
        loaded = list(self.sort_out(readings))
        if not loaded:
            return
        finish = prepare_pieces(self.job.prepare, loaded)
        with self.job.store.write() as writer:
            self.paths = None
            for item, reading in finish(writer.records):
                if _is_as_read(item, reading):
                    self.write(writer, item, reading)
                    continue
                # No other process writes now, so that this is the newest reading to be stored.
                for again in self.sort_out([(item, self.loader.load(item))]):
                    self.write(writer, item, self.finish(writer, again[1]))

    def finish(self, writer: Writer, loaded: Loaded) -> Loaded:
        """Finish the pieces of a file that was read in the transaction."""
        if loaded.note is None:
            return loaded
        note = finish_note(self.job.prepare_within, writer.records, loaded.note)
        return replace(loaded, note=note)

    def sort_out(
        self, readings: Iterable[tuple[ToRead, Reading]]
    ) -> Iterator[tuple[ToRead, Loaded]]:
        """Take note of files that could not be read; those just gone are left to the next run."""
        for item, reading in readings:
            if isinstance(reading, Loaded):
                yield item, reading
            elif reading is not None:
                self.outcome.skips.append(reading)
                self.unread += [item.known] if item.known is not None else []

    def write(self, writer: Writer, item: ToRead, loaded: Loaded) -> None:
        self.outcome.read += 1
        note, known = loaded.note, item.known
        if note is None and known is not None:
            try:
                writer.touch_note(known.key, loaded.size, loaded.known_mtime)
                self.outcome.unchanged += 1
                return
            except NotFound:  # another process has taken it out meanwhile
                again = self.loader.load(replace(item, known=None))
                note = self.finish(writer, again).note if isinstance(again, Loaded) else None
        if note is None:
            return
        moved = known is None and self.move(writer, note)
        if known is not None:
            same = known.digest == note.row.digest
            self.outcome.unchanged += same
            self.outcome.changed += not same
        elif moved:
            self.outcome.moved += 1
        else:
            self.outcome.added += 1
        self.put(writer, note, has_pieces=known is not None or moved)

    def put(self, writer: Writer, note: BuiltNote, *, has_pieces: bool) -> None:
        try:
            key = writer.put_note(self.job.vault, note.row)
        except InvalidRequest as error:
            plain = strip_note(note, str(error))
            note = finish_note(self.job.prepare_within, writer.records, plain)
            key = writer.put_note(self.job.vault, note.row)
        file_pieces(writer.records, key, note.pieces, known=has_pieces)
        self.outcome.redacted.update(dict(note.redacted))

    def move(self, writer: Writer, note: BuiltNote) -> bool:
        """Give a note that is gone a new path, so that it stays the one it was."""
        row = note.row
        gone = self.moves.find(row.digest, row.path)
        if gone is None:
            return False
        if self.paths is None:
            self.paths = self.paths_now()
        if self.paths.get(gone.path) != gone.key or row.path in self.paths:
            return False  # another process has been at it
        writer.move_note(gone.key, row.path)
        self.moves.take(gone)
        return True

    def forget(self, known: int) -> list[StoredNote]:
        """Delete the notes that are gone for good; return those that are kept all the same."""
        gone = self.moves.left()
        if not self.job.prune and is_mass_loss(len(gone), known):
            self.outcome.kept = len(gone)
            self.outcome.warnings.append(
                f"{len(gone):,} of the {known:,} known notes are not in {self.job.vault.root} any"
                " more; none was forgotten, since so many may be gone by mistake (--prune forgets"
                " them)"
            )
            return gone
        kept: list[StoredNote] = []
        for start in range(0, len(gone), BATCH_NOTES):
            self.report(start, len(gone), "forgetting")
            kept += self.delete(gone[start : start + BATCH_NOTES])
        return kept

    def delete(self, gone: Sequence[StoredNote]) -> list[StoredNote]:
        """Delete notes, less those whose files are back and those that are not what they were."""
        with self.job.store.write() as writer:
            names: dict[str, set[str]] = {}
            back = [note for note in gone if _is_file(self.job.root, note.path, names)]
            gone = [note for note in gone if note not in back] if back else gone
            paths = self.paths_now()
            keys = [note.key for note in gone if paths.get(note.path) == note.key]
            writer.delete_notes(keys)
        self.outcome.removed += len(keys)
        return back

    def distrust(self, notes: Iterable[StoredNote]) -> None:
        """Have notes that could not be read again be so when their files are next seen."""
        doubtful = [note for note in notes if note.mtime_ns != UNSURE]
        if doubtful:
            with self.job.store.write() as writer:
                paths = self.paths_now()
                for note in doubtful:
                    if paths.get(note.path) == note.key:
                        writer.touch_note(note.key, note.size, UNSURE)

    def paths_now(self) -> dict[str, int]:
        """Return the keys of all notes by path, which no one else changes while we write."""
        return {note.path: note.key for note in self.job.store.notes(self.job.vault)}


def _is_as_read(item: ToRead, loaded: Loaded) -> bool:
    """Tell whether a file still looks as it did when it was read."""
    try:
        now = os.lstat(item.seen.place)
    except OSError:
        return False
    return (now.st_size, now.st_mtime_ns) == (loaded.size, loaded.mtime_ns)


def _is_file(root: str, path: str, names: dict[str, set[str]]) -> bool:
    """Tell whether a note's file is there, by this very name, or can't be looked for.

    Some systems find a file by its name in another case, so the folder's own list decides.
    """
    folder, _, name = path.rpartition("/")
    place = os.path.join(root, folder)
    try:
        if folder not in names:
            names[folder] = set(os.listdir(place))
        return name in names[folder] and stat.S_ISREG(os.lstat(os.path.join(place, name)).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
