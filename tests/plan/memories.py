"""Random memories, drawn from a seed, whose metadata has values of all types under the same keys.

Like `worlds`: each seed's memories make a table at once, and one after a history of changes.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from functools import cached_property, lru_cache
from random import Random

from tests.plan.worlds import DATES, INTEGERS, NUMBERS, TEXTS, ZONES

from winnow.columns.memories import MemoryChanges
from winnow.columns.table import Table, parts_to_merge
from winnow.filter.raw import Untyped
from winnow.kinds import KINDS
from winnow.memories import MEMORY_TYPES, RECORDS
from winnow.values import Json, Scalar, read_moment

NUMBER_OF_WORLDS = 40
SIZE = 30
KEYS = ("a", "b", "a.b", "or", "@id", "kind", "", "rare")
WORDS = (
    *("10", "9", "9.0", "1e1", "010", "+10", " 10", "10 ", "inf", "-inf", "Infinity", "nan"),
    *("0x10", "1_0", "-0", "0", ".5", "5.", "1e400", "9007199254740993", "true", "false", "1"),
)
UNTYPED = tuple(map(Untyped, WORDS))  # texts that are numbers to those who ask for one
SCALARS: tuple[Scalar, ...] = (
    *(*TEXTS, *WORDS, *UNTYPED, *DATES, *INTEGERS, *NUMBERS),
    *(10**400, True, False),
)
TAGS = (
    "law",
    "LAW",
    "law/ip",
    "Law/IP/us",
    "lawyer",
    "law0",
    "a,b",
    "straße",
    "STRASSE",
    "c_sharp",
)
TIMES = ("2026-03-05T12:00:00.123Z", "2026-03-05T00:00:00Z", "2026-03-31T23:59:59.999Z")
Memory = Mapping[str, Json]


class Past:
    """The memories of one seed; no dataclass, for a short repr."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.zone: tzinfo = self.random.choice(ZONES)
        self.memories = [make_memory(self.random, f"m{n}") for n in range(SIZE)]

    def __repr__(self) -> str:
        return f"remember({self.seed})"

    @cached_property
    def table(self) -> Table:
        """All memories in one part."""
        return Table(RECORDS, self.zone).changed(changes(enumerate(self.memories)))

    @cached_property
    def table_in_parts(self) -> Table:
        """The same memories after older versions of them, deletions and merges."""
        table = Table(RECORDS, self.zone)
        stored: dict[int, Memory] = {}
        for start in range(0, SIZE, 4):
            old = self.random.sample(range(SIZE), 4)
            table = self.change(table, stored, {key: make_memory(self.random, "x") for key in old})
            now = range(start, min(start + 4, SIZE))
            table = self.change(table, stored, {key: self.memories[key] for key in now})
        final = {key: one for key, one in enumerate(self.memories) if stored[key] is not one}
        table = self.change(table, stored, final)
        gone = {SIZE + 1: make_memory(self.random, "gone")}
        table = self.change(table, stored, gone)
        return table.changed(changes((), gone=list(gone)))

    def change(self, table: Table, stored: dict[int, Memory], new: Mapping[int, Memory]) -> Table:
        stored |= new
        table = table.changed(changes(sorted(new.items(), key=lambda pair: pair[0])))
        if self.random.random() < 0.25 and (last := parts_to_merge(table)):
            keys = sorted(table.keys_of_last(last))
            table = table.merged(last, changes((key, stored[key]) for key in keys))
        return table


@lru_cache(NUMBER_OF_WORLDS)
def remember(seed: int) -> Past:
    return Past(seed)


def make_memory(random: Random, name: str) -> Memory:
    """A memory in which anything but the text may be missing."""
    return {
        "id": name,
        "namespace": random.choice(["default", "other"]),
        "text": random.choice(TEXTS),
        "title": random.choice([None, *TEXTS]),
        "kind": random.choice([*KINDS[:4], "hunch"]),
        "kindProvenance": random.choice([None, "declared", "regex"]),
        "entity": random.choice([None, "chopper", "Chopper"]),
        "memoryType": random.choice([None, *MEMORY_TYPES]),
        "tags": [*dict.fromkeys(random.choices(TAGS, k=random.choice([0, 0, 1, 2, 3])))],
        "importance": random.choice([0, 0.1, 0.5, 0.85, 1, 1.0]),
        "source": random.choice([None, "mail"]),
        "createdAt": random.choice(TIMES),
        "updatedAt": random.choice(TIMES),
        "expiresAt": random.choice([None, *TIMES]),
        "metadata": make_object(random, 0),
    }


def make_object(random: Random, depth: int) -> dict[str, Json]:
    keys = [key for key in KEYS if random.random() < (0.05 if key == "rare" else 0.6)]
    return {key: make_value(random, depth) for key in keys}


def make_value(random: Random, depth: int = 0) -> Json:
    kind = random.random()
    if kind < 0.1 and depth < 3:
        return make_object(random, depth + 1)
    if kind < 0.3 and depth < 3:
        count = random.choice([0, 1, 1, 2, 3])
        return [make_value(random, depth + 2) for _ in range(count)]
    return None if kind < 0.4 else random.choice(SCALARS)


def changes(rows: Iterable[tuple[int, Memory]], gone: Sequence[int] = ()) -> MemoryChanges:
    """What a store gives of some memories and their keys."""
    pairs = list(rows)
    memories = [memory for _, memory in pairs]
    own = [name for name in RECORDS.fields if name != "id"]
    return MemoryChanges(
        gone,
        [key for key, _ in pairs],
        [str(memory["id"]) for memory in memories],
        {name: [entry(memory, name) for memory in memories] for name in own},
        [metadata(memory) for memory in memories],
    )


def entry(memory: Memory, name: str) -> str | float | list[str] | None:
    value = memory.get(name)
    if name.endswith("At") and isinstance(value, str):
        return read_moment(value, UTC).start // 1000
    if isinstance(value, list):
        return [str(item) for item in value]
    assert not isinstance(value, dict)
    return value


def metadata(memory: Memory) -> dict[str, Json]:
    value = memory["metadata"]
    assert isinstance(value, dict)
    return value
