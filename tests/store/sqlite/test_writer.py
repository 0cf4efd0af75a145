"""Random writes, against plain dictionaries, seen by a reader that only asks what is new."""

import tempfile
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.making import MATTER, add_vault, note, said

from winnow.records import Candidate
from winnow.store.base import Contribution, PlainOrCandidates, VaultRow
from winnow.store.sqlite.store import SqliteStore, open_store


class GivenUp(Exception):
    """Raised to undo a transaction."""


@dataclass(frozen=True)
class Import:
    entity: str
    values: dict[str, int | None]


@dataclass(frozen=True)
class Put:
    path: str
    says: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Delete:
    path: str


@dataclass(frozen=True)
class Move:
    path: str
    target: str


Step = Import | Put | Delete | Move

names = st.sampled_from(["M-1", "M-2", "M-3"])
paths = st.sampled_from(["a.md", "b.md", "c/d.md"])
fields = st.sampled_from(["f", "g"])
steps = (
    st.builds(Import, names, st.dictionaries(fields, st.none() | st.integers(0, 2)))
    | st.builds(Put, paths, st.dictionaries(names, st.dictionaries(fields, st.integers(0, 2))))
    | st.builds(Delete, paths)
    | st.builds(Move, paths, paths)
)
histories = st.lists(st.tuples(steps, st.booleans()), max_size=10)


@dataclass
class Model:
    """What a store holds, in the plainest way."""

    imports: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    notes: dict[str, dict[str, dict[str, int]]] = field(
        default_factory=dict[str, dict[str, dict[str, int]]]
    )

    def apply(self, step: Step) -> None:
        match step:
            case Import(entity, values):
                own = self.imports.setdefault(entity, {})
                for name, value in values.items():
                    own.pop(name, None)
                    if value is not None:
                        own[name] = value
            case Put(path, says):
                self.notes[path] = says
            case Delete(path):
                self.notes.pop(path, None)
            case Move(path, target):
                if path in self.notes and target not in self.notes:
                    self.notes[target] = self.notes.pop(path)

    def entities(self) -> dict[str, dict[str, PlainOrCandidates]]:
        found: dict[str, dict[str, list[int]]] = {}
        for says in [self.imports, *(self.notes[path] for path in sorted(self.notes))]:
            for entity, values in says.items():
                known = found.setdefault(entity, {})
                for name, value in values.items():
                    if value not in known.setdefault(name, []):
                        known[name].append(value)
        return {
            entity: {name: as_stored(some) for name, some in known.items()}
            for entity, known in found.items()
        }


def as_stored(distinct: list[int]) -> PlainOrCandidates:
    return distinct[0] if len(distinct) == 1 else tuple(Candidate(value) for value in distinct)


def write(store: SqliteStore, vault: VaultRow, step: Step, *, give_up: bool) -> None:
    keys = {one.path: one.key for one in store.notes(vault)}
    with store.write() as writer:
        match step:
            case Import(entity, values):
                writer.put_entities("default", [as_import(entity, values)])
            case Put(path, says):
                contributions = (said(path, entity, **values) for entity, values in says.items())
                writer.put_note(vault, note(path, *contributions))
            case Delete(path):
                writer.delete_notes([keys[path]] if path in keys else [])
            case Move(path, target):
                if path in keys and target not in keys:
                    writer.move_note(keys[path], target)
        if give_up:
            raise GivenUp


def as_import(entity: str, values: dict[str, int | None]) -> Contribution:
    return Contribution(
        MATTER,
        entity,
        {name: () if value is None else (Candidate(value),) for name, value in values.items()},
    )


@dataclass
class Replica:
    """A reader that takes over what changed since it last looked."""

    store: SqliteStore
    seen: int = 0
    rows: dict[int, tuple[str, object]] = field(default_factory=dict[int, tuple[str, object]])

    def catch_up(self) -> dict[str, object]:
        last = self.store.last_change().number
        for batch in self.store.scan_entities(MATTER, self.seen):
            rows = zip(batch.keys, batch.ids, batch.live, batch.fields, strict=True)
            for key, name, live, values in rows:
                if live:
                    self.rows[key] = (name, values)
                else:
                    del self.rows[key]
        self.seen = last
        return dict(self.rows.values())


@settings(max_examples=60)
@given(histories)
def test_what_was_written_is_what_a_reader_of_changes_comes_to(
    history: list[tuple[Step, bool]],
) -> None:
    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "winnow.db"
        with closing(open_store(path)) as store, closing(open_store(path)) as other:
            vault = add_vault(store)
            replica = Replica(other, seen=store.last_change().number)
            for step, give_up in history:
                try:
                    write(store, vault, step, give_up=give_up)
                except GivenUp:
                    pass
                else:
                    model.apply(step)
                assert replica.catch_up() == model.entities()
            assert dict(Replica(store).catch_up()) == model.entities()
            assert {one.path for one in store.notes(vault)} == model.notes.keys()
            assert store.upkeep.check() == []
