"""Random writes, against plain dictionaries, seen by a reader that only asks what is new."""

from contextlib import closing
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.making import add_notes, add_vault, note
from tests.store.remembering import memory, piece, read_batches, temporary_store

from winnow.store.base import VaultRow, Writer
from winnow.store.memories import Piece, Record
from winnow.store.sqlite.store import SqliteStore, open_store

RETENTION = 3


class GivenUp(Exception):
    """Raised to undo a transaction."""


@dataclass(frozen=True)
class Put:
    record: Record


@dataclass(frozen=True)
class Delete:
    record: str


@dataclass(frozen=True)
class Undelete:
    record: str


@dataclass(frozen=True)
class Purge:
    record: str


@dataclass(frozen=True)
class Sweep:
    pass


@dataclass(frozen=True)
class PutPieces:
    path: str
    pieces: dict[str, Record]


@dataclass(frozen=True)
class DeleteNote:
    path: str


@dataclass(frozen=True)
class MoveNote:
    path: str
    target: str


NoteStep = PutPieces | DeleteNote | MoveNote
Step = Put | Delete | Undelete | Purge | Sweep | NoteStep

names = st.sampled_from(["r1", "r2", "r3"])
paths = st.sampled_from(["a.md", "b.md", "c/d.md"])
short = st.sampled_from(["one", "two"])
expiries = st.none() | st.integers(0, 12)
vectors = st.sampled_from([None, b"abcd"])
memories = st.builds(
    replace, st.builds(memory, names), text=short, expires_at=expiries, vector=vectors
)
pieces = st.dictionaries(
    st.sampled_from(["p1", "p2"]),
    st.builds(
        replace,
        st.just(piece("")),
        text=short,
        expires_at=expiries,
        vector=vectors,
    ),
)
steps = (
    st.builds(Put, memories)
    | st.builds(Delete, names)
    | st.builds(Undelete, names)
    | st.builds(Purge, names)
    | st.builds(Sweep)
    | st.builds(PutPieces, paths, pieces)
    | st.builds(DeleteNote, paths)
    | st.builds(MoveNote, paths, paths)
)
histories = st.lists(st.tuples(steps, st.booleans()), max_size=12)


@dataclass
class Model:
    """What a store holds, in the plainest way: memories, when they were deleted, notes."""

    memories: dict[str, Record] = field(default_factory=dict[str, Record])
    deleted: dict[str, int] = field(default_factory=dict[str, int])
    notes: dict[str, dict[str, Record]] = field(default_factory=dict[str, dict[str, Record]])

    def apply(self, step: Step, now: int) -> None:
        match step:
            case Put(record):
                self.memories[record.id] = record
                self.deleted.pop(record.id, None)
            case Delete(name):
                if name in self.memories:
                    self.deleted.setdefault(name, now)
            case Undelete(name):
                self.deleted.pop(name, None)
            case Purge(name):
                self.purge(name)
            case Sweep():
                self.sweep(now)
            case PutPieces() | DeleteNote() | MoveNote():
                self.apply_to_note(step)

    def apply_to_note(self, step: NoteStep) -> None:
        match step:
            case PutPieces(path, pieces):
                self.notes[path] = pieces
            case DeleteNote(path):
                self.notes.pop(path, None)
            case MoveNote(path, target):
                if path in self.notes and target not in self.notes:
                    self.notes[target] = self.notes.pop(path)

    def purge(self, name: str) -> None:
        self.memories.pop(name, None)
        self.deleted.pop(name, None)

    def sweep(self, now: int) -> None:
        for name, record in list(self.memories.items()):
            if is_over(record, now) or self.deleted.get(name, now) <= now - RETENTION:
                self.purge(name)
        for path, some in self.notes.items():
            self.notes[path] = {n: one for n, one in some.items() if not is_over(one, now)}

    def records(self) -> dict[str, Record]:
        living = {n: one for n, one in self.memories.items() if n not in self.deleted}
        for path, some in self.notes.items():
            for name, one in some.items():
                place = Piece("vault", path, "Heading", 0)
                living[f"{path} {name}"] = replace(one, id=name, piece=place)
        return living


def is_over(record: Record, now: int) -> bool:
    return record.expires_at is not None and record.expires_at <= now


def write(store: SqliteStore, vault: VaultRow, step: Step, now: int, *, give_up: bool) -> None:
    keys = {one.path: one.key for one in store.notes(vault)}
    with store.write() as writer:
        apply(writer, vault, step, now, keys)
        if give_up:
            raise GivenUp


def apply(writer: Writer, vault: VaultRow, step: Step, now: int, keys: dict[str, int]) -> None:
    def key_of(name: str, *, deleted: bool) -> int:
        return writer.records.find("default", name, deleted=deleted) or 0

    match step:
        case Put(record):
            writer.records.put(record)
        case Delete(name):
            writer.records.delete([key_of(name, deleted=False)], now)
        case Undelete(name):
            writer.records.undelete([key_of(name, deleted=True)], now)
        case Purge(name):
            writer.records.purge([key_of(name, deleted=gone) for gone in (False, True)])
        case Sweep():
            writer.records.sweep(now, RETENTION)
        case PutPieces() | DeleteNote() | MoveNote():
            apply_to_note(writer, vault, step, keys)


def apply_to_note(writer: Writer, vault: VaultRow, step: NoteStep, keys: dict[str, int]) -> None:
    match step:
        case PutPieces(path, pieces):
            key = keys[path] if path in keys else writer.put_note(vault, note(path))
            own = [replace(one, id=f"{key} {name}") for name, one in pieces.items()]
            writer.records.put_pieces(key, own)
        case DeleteNote(path):
            writer.delete_notes([keys[path]] if path in keys else [])
        case MoveNote(path, target):
            if path in keys and target not in keys:
                writer.move_note(keys[path], target)


@dataclass
class Replica:
    """A reader that takes over what changed since it last looked."""

    store: SqliteStore
    seen: int = 0
    rows: dict[int, Record] = field(default_factory=dict[int, Record])

    def catch_up(self) -> dict[str, Record]:
        last = self.store.last_change().number
        batches = list(self.store.records.scan(self.seen, vectors=True))
        for batch in batches:
            assert self.seen or not batch.dead
            for key in batch.dead:
                self.rows.pop(key, None)
        self.rows |= read_batches(batches)
        self.seen = last
        return dict(map(as_in_model, self.rows.values()))


def as_in_model(record: Record) -> tuple[str, Record]:
    """The number of a note is in the ids of its pieces here, so that they are its own."""
    if record.piece is None:
        return record.id, record
    name = record.id.split()[1]
    place = replace(record.piece, note=0)
    return f"{place.path} {name}", replace(record, id=name, piece=place)


@settings(max_examples=60)
@given(histories)
def test_what_was_written_is_what_a_reader_of_changes_comes_to(
    history: list[tuple[Step, bool]],
) -> None:
    model = Model()
    with temporary_store() as store, closing(open_store(store.path)) as other:
        vault = add_vault(store)
        add_notes(store, vault)
        replica = Replica(other, seen=store.last_change().number)
        for now, (step, give_up) in enumerate(history):
            try:
                write(store, vault, step, now, give_up=give_up)
            except GivenUp:
                pass
            else:
                model.apply(step, now)
            assert replica.catch_up() == model.records()
        assert Replica(store).catch_up() == model.records()
        vectors = {
            key: vector
            for batch in store.records.scan_vectors(0)
            for key, vector in zip(batch.keys, batch.vectors, strict=True)
        }
        assert vectors == {key: one.vector for key, one in replica.rows.items() if one.vector}
        assert store.upkeep.check() == []
