"""Random schemas with their entities, drawn from a seed: what filters are tried on.

Each of the three schemas has a field of every type and lists of several, refers to another one
(or itself) by one field and by a list, and is referred to by both.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, tzinfo
from functools import cached_property, lru_cache
from itertools import count
from random import Random
from zoneinfo import ZoneInfo

from winnow.columns.arrays import Entry
from winnow.columns.table import Changes, Table, parts_to_merge
from winnow.plan.reference import Candidates
from winnow.records import Candidate, Confidence
from winnow.schema import Field, IdRule, Reverse, Schema
from winnow.values import PACK_TYPES, Scalar, Type, Value

ROOT = "t.A"
NAMES = (ROOT, "t.B", "t.C")
SIZES = {ROOT: 30, "t.B": 9, "t.C": 6}
NUMBER_OF_WORLDS = 40

TEXTS = (
    *("a", "A", "ab", "b", "aB c", "a\0", "a\0b", "", " a", "a,b"),
    *("50%", "5", "a_b", "axb", "*", "[a]", "%"),
    *("straße", "STRASSE", "İstanbul", "istanbul", "ΣΊΣΥΦΟΣ", "Σίσυφος", "é", "e\u0301"),
    *("ﬁn", "\u212a", "\uffff", "\U0001f600", "ǆ" * 200),
)
INTEGERS = (-(2**63), -7, -1, 0, 1, 4, 5, 12, 2**53, 2**53 + 1, 2**63 - 1)
NUMBERS = (
    *(-7, 0, 1, 4, 5, 2**53, 2**53 + 1, 2**63 - 1, -(2**64) - 1, 10**308),
    *(0.1, 1.0, 4.999, 5.0, -7.0, 5e-324, 1.5e308, float(2**53), float(2**63)),
)
DATES = (
    *("2026", "2026-03", "2026-03-05", "2026-03-29", "2026-10-25", "2026-12-31", "2024-02-29"),
    *(
        "2024-02",
        "0001",
        "0001-01-01",
        "9999",
        "9999-12-31",
        "2026-03-05T00:00",
        "2026-03-06T00:00",
    ),
    *("2026-03-29T02:30", "2026-10-25T02:30", "2026-03-05T23:59:59.999999", "2026-03-05T12:00:00Z"),
    *("2015-07-23T22:44:08-07:00", "2015-07-24T05:44:08Z", "9999-12-31T23:59:59Z"),
)
CHOICES = ("Open", "open", "Closed", "On Hold", "İo")
ZONES: tuple[tzinfo, ...] = (
    *(UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Kathmandu")),
)
LISTED = (Type.STRING, Type.INTEGER, Type.NUMBER, Type.BOOLEAN, Type.DATE, Type.ENUM)


class Realm:
    """The schemas and entities of one seed; it is the world that the reference judge asks.

    It is no dataclass, for a short repr.
    """

    def __init__(
        self,
        schemas: Mapping[str, Schema],
        entities: Mapping[str, Mapping[str, Candidates]],
        zone: tzinfo,
        seed: int,
    ) -> None:
        self.schemas = schemas
        self.entities = entities
        self.zone = zone
        self.seed = seed

    def __repr__(self) -> str:
        return f"make_realm({self.seed})"

    def read(self, schema: str, entity: str) -> Candidates | None:
        return self.entities.get(schema, {}).get(entity)

    def referrers(self, reverse: Reverse, entity: str) -> Iterable[str]:
        return self._namers.get((reverse.source, reverse.via, entity), ())

    @cached_property
    def _namers(self) -> dict[tuple[str, str, str], set[str]]:
        namers: dict[tuple[str, str, str], set[str]] = {}
        for schema, entities in self.entities.items():
            for entity, fields in entities.items():
                for via, target in _named(self.schemas[schema], fields):
                    namers.setdefault((schema, via, target), set()).add(entity)
        return namers

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The tables, each in one part. A schema without entities has none."""
        return {
            name: Table(self.schemas[name], self.zone).changed(_all_live(entities))
            for name, entities in self.entities.items()
            if entities
        }

    @cached_property
    def tables_in_parts(self) -> dict[str, Table]:
        """The same tables after a history of changes, deletions and merges."""
        return {name: History(self, name).table for name in self.tables}


class History:
    """Makes a table by random changes, which come to the realm's entities in the end."""

    def __init__(self, realm: Realm, name: str) -> None:
        self.random = Random(realm.seed)
        self.realm, self.name = realm, name
        self.table = Table(realm.schemas[name], realm.zone)
        self.keys: dict[str, int] = {}
        self.stored: dict[int, tuple[str, Candidates]] = {}
        self.new_key = count(1)
        wanted = realm.entities[name]
        strangers = [f"{entity}x" for entity in self.random.sample(sorted(wanted), 5)]
        for _ in range(self.random.randint(3, 9)):
            self.change(self.random.sample([*wanted, *strangers], len(wanted) // 3), finally_=False)
        stale = [entity for entity in [*wanted, *strangers] if not self.is_final(entity)]
        self.random.shuffle(stale)
        for start in range(0, len(stale), 7):
            self.change(stale[start : start + 7], finally_=True)

    def is_final(self, entity: str) -> bool:
        wanted = self.realm.entities[self.name].get(entity)
        key = self.keys.get(entity)
        return (None if key is None else self.stored[key][1]) == wanted

    def change(self, entities: list[str], *, finally_: bool) -> None:
        rows: list[tuple[str, int, Candidates | None]] = []
        for entity in entities:
            rows.extend(self.versions_of(entity, finally_=finally_))
        if not rows:
            return
        rows.sort(key=lambda row: row[0])
        self.table = self.table.changed(_changes(rows))
        if self.random.random() < 0.7 and (last := parts_to_merge(self.table)):
            keys = self.table.keys_of_last(last)
            kept = sorted((self.stored[key][0], key, self.stored[key][1]) for key in keys)
            self.table = self.table.merged(last, _changes(kept))

    def versions_of(
        self, entity: str, *, finally_: bool
    ) -> Iterator[tuple[str, int, Candidates | None]]:
        """Yield what a store says of an entity: perhaps an old row gone, perhaps a new one."""
        wanted = self.realm.entities[self.name].get(entity)
        if not finally_ and self.random.random() < 0.6:
            others = self.realm.entities[self.name]
            wanted = self.random.choice([None, *others.values()])
        key = self.keys.get(entity)
        if key is not None and (wanted is None or self.random.random() < 0.3):
            del self.keys[entity], self.stored[key]
            yield entity, key, None
            key = None
        if wanted is not None:
            key = next(self.new_key) if key is None else key
            self.keys[entity], self.stored[key] = key, (entity, wanted)
            yield entity, key, wanted


@lru_cache(NUMBER_OF_WORLDS)
def make_realm(seed: int) -> Realm:
    random = Random(seed)
    zone = random.choice(ZONES)
    schemas = _make_schemas(random)
    ids = {name: [f"{name[-1]}-{n}" for n in range(SIZES[name])] for name in NAMES}
    if random.random() < 0.1:
        ids["t.C"] = []
    entities = {
        name: {one: _make_entity(random, schemas[name], ids) for one in ids[name]} for name in NAMES
    }
    return Realm(schemas, entities, zone, seed)


def _make_schemas(random: Random) -> dict[str, Schema]:
    """Make the schemas; each is the target of one reference field and of one list of them."""
    targets = dict(zip(NAMES, random.sample(NAMES, len(NAMES)), strict=True))
    many = dict(zip(NAMES, random.sample(NAMES, len(NAMES)), strict=True))
    schemas: dict[str, Schema] = {}
    for name in NAMES:
        fields = [*_scalars(), *_lists(random)]
        fields.append(Field("one", Type.REF, target=targets[name]))
        fields.append(Field("many", Type.REF, is_list=True, target=many[name]))
        random.shuffle(fields)
        reverses = [
            Reverse(f"{via}Of{source[-1]}", source, via)
            for via, leads in (("one", targets), ("many", many))
            for source in NAMES
            if leads[source] == name
        ]
        by_name = {field.name: field for field in fields}
        back = {reverse.name: reverse for reverse in reverses}
        schemas[name] = Schema(name, name[-1], IdRule(rf"{name[-1]}-\d+"), by_name, back)
    return schemas


def _scalars() -> Iterator[Field]:
    for kind in PACK_TYPES:
        if kind is not Type.REF:
            yield Field(kind.value, kind, choices=CHOICES if kind is Type.ENUM else ())


def _lists(random: Random) -> Iterator[Field]:
    for kind in random.sample(LISTED, 4):
        choices = CHOICES if kind is Type.ENUM else ()
        yield Field(f"{kind.value}s", kind, is_list=True, choices=choices)


def _make_entity(random: Random, schema: Schema, ids: Mapping[str, list[str]]) -> Candidates:
    entity: dict[str, tuple[Candidate, ...]] = {}
    for field in schema.fields.values():
        levels = _levels(random)
        if levels:
            entity[field.name] = tuple(
                Candidate(_make_value(random, field, ids), level) for level in levels
            )
    return entity


def _levels(random: Random) -> list[Confidence]:
    draw = random.random()
    if draw < 0.2:
        return []
    if draw < 0.6:
        return [Confidence.EXTRACTED]
    if draw < 0.8:
        return [random.choice([Confidence.INFERRED, Confidence.AMBIGUOUS])]
    return [random.choice(list(Confidence)) for _ in range(random.randint(2, 4))]


def _make_value(random: Random, field: Field, ids: Mapping[str, list[str]]) -> Value:
    pool = values_of(field, ids)
    if field.is_list:
        return tuple(random.choice(pool) for _ in range(random.choice([0, 1, 1, 2, 3])))
    return random.choice(pool)


def values_of(field: Field, ids: Mapping[str, Iterable[str]]) -> tuple[Scalar, ...]:
    """The values that a field may have, a broken reference among them."""
    if field.target is not None:
        return (*ids[field.target], "X-404")
    return _POOLS[field.type]


_POOLS: Mapping[Type, tuple[Scalar, ...]] = {
    Type.STRING: TEXTS,
    Type.INTEGER: INTEGERS,
    Type.NUMBER: NUMBERS,
    Type.BOOLEAN: (True, False),
    Type.DATE: DATES,
    Type.DATETIME: DATES,
    Type.ENUM: CHOICES,
}


def _named(schema: Schema, fields: Candidates) -> Iterator[tuple[str, str]]:
    for via, candidates in fields.items():
        if schema.fields[via].target is not None:
            for candidate in candidates:
                value = candidate.value
                for one in value if isinstance(value, tuple) else (value,):
                    yield via, str(one)


def _all_live(entities: Mapping[str, Candidates]) -> Changes:
    return _changes((one, key, entities[one]) for key, one in enumerate(sorted(entities)))


def _changes(rows: Iterable[tuple[str, int, Candidates | None]]) -> Changes:
    ids, keys, fields = zip(*rows, strict=True)
    return Changes(
        keys, ids, [one is not None for one in fields], [_entries(one) for one in fields]
    )


def _entries(fields: Candidates | None) -> dict[str, Entry]:
    return {name: _entry(candidates) for name, candidates in (fields or {}).items()}


def _entry(candidates: tuple[Candidate, ...]) -> Entry:
    """Give one trusted value as stores give most: bare."""
    plain = len(candidates) == 1 and candidates[0].confidence is Confidence.EXTRACTED
    return candidates[0].value if plain else candidates
