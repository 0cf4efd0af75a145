"""The law firm of the demo: five matters that a question means, and any number of near misses.

However large the firm is, the answer to the question stays the same five matters.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import TypeAlias, TypedDict, cast

from winnow.values import Json

SMALL = 12
"""Matters of the small firm, which is told in full; a larger one is made from rules."""
SCHEMA = "legal.Matter"

Known: TypeAlias = dict[str, str | int]
"""What is known of an entity, by the names of its fields."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client of the firm."""

    id: str
    name: str
    tier: str
    industry: str

    def fields(self) -> Known:
        """Return the fields of `legal.Client`."""
        return {"name": self.name, "tier": self.tier, "industry": self.industry}


@dataclass(frozen=True, slots=True)
class Matter:
    """A matter of the firm; what is None is not known, and said nowhere.

    `opened` is a day, or only a year.
    """

    id: str
    title: str
    client: Client
    status: str
    opened: str
    deal_type: str | None = None
    deal_value_usd: int | None = None
    escrow_pct: int | None = None
    non_compete_months: int | None = None

    def fields(self) -> Known:
        """Return the fields of `legal.Matter`, less those that are not known."""
        known: dict[str, str | int | None] = {
            "title": self.title,
            "clientName": self.client.name,
            "client": self.client.id,
            "status": self.status,
            "openedDate": self.opened,
            "dealType": self.deal_type,
            "dealValueUSD": self.deal_value_usd,
            "escrowPct": self.escrow_pct,
            "nonCompeteMonths": self.non_compete_months,
        }
        return {name: value for name, value in known.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Question:
    """A question that one call answers: an operation with its arguments besides the schema.

    `answer` is a list of ids or names, a count, or an id with a value.
    """

    ask: str
    operation: str
    arguments: Mapping[str, Json]
    answer: Json

    @property
    def where(self) -> str:
        """Return the filter."""
        return str(self.arguments["where"])


@dataclass(frozen=True, slots=True)
class Option:
    """A way to do a deal."""

    letter: str
    price_usd: int
    terms: str


@dataclass(frozen=True, slots=True)
class Contested:
    """A matter with notes that contradict each other, and earlier matters of its client."""

    matter: Matter
    options: Sequence[Option]
    prior: Sequence[Matter]


def firm_name() -> str:
    """Return what the firm is called."""
    return _data()["firm"]


def clients() -> Sequence[Client]:
    """Return the clients, who are as many in a firm of any size."""
    return _clients()


def matters(count: int = SMALL) -> Iterator[Matter]:
    """Yield the matters of a firm of so many, at least twelve.

    The small firm has five that match, six that do not and one that is not certain; a larger
    one has the same five and near misses made from a cycle of values.
    """
    if count < SMALL:
        raise ValueError(f"the smallest firm has {SMALL} matters, not {count}")
    told = [(row, _told_matter(row)) for row in _data()["matters"]]
    if count == SMALL:
        yield from (matter for _, matter in told)
        return
    matching = [matter for row, matter in told if row["match"]]
    yield from matching
    yield from (_near_miss(index) for index in range(count - len(matching)))


def questions() -> Sequence[Question]:
    """Return the first question, then four about its answer; the same at any size."""
    return [
        Question(row["ask"], row["operation"], row["arguments"], row["answer"])
        for row in _data()["questions"]
    ]


def contested() -> Contested:
    """Return the matter whose notes contradict each other.

    A large firm has a near miss of the same id, so their notes belong in different vaults.
    """
    row = _data()["contested"]
    client = Client(**row["client"])
    matter = Matter(row["id"], row["title"], client, "Active", "2024-09-02")
    options = [Option(one["letter"], one["priceUSD"], one["terms"]) for one in row["options"]]
    prior = [
        Matter(one["id"], f"Meridian deal of {one['year']}", client, "Closed", str(one["year"]))
        for one in row["priorMatters"]
    ]
    return Contested(matter, options, prior)


# --- the data ------------------------------------------------------------------------------------


class _ClientRow(TypedDict):
    id: str
    name: str
    tier: str
    industry: str


class _MatterRow(TypedDict):
    id: str
    title: str
    client: str
    escrowPct: int | None
    nonCompeteMonths: int | None
    dealType: str
    status: str
    dealValueUSD: int | None
    openedDate: str
    match: bool


class _NearMisses(TypedDict):
    firstNumber: int
    escrowPctAndNonCompeteMonths: list[tuple[int | None, int | None]]


class _QuestionRow(TypedDict):
    ask: str
    operation: str
    arguments: dict[str, Json]
    answer: Json


class _OptionRow(TypedDict):
    letter: str
    priceUSD: int
    terms: str


class _PriorRow(TypedDict):
    id: str
    year: int


class _ContestedRow(TypedDict):
    id: str
    title: str
    client: _ClientRow
    priorMatters: list[_PriorRow]
    options: list[_OptionRow]


class _Data(TypedDict):
    firm: str
    clients: list[_ClientRow]
    matters: list[_MatterRow]
    nearMisses: _NearMisses
    questions: list[_QuestionRow]
    contested: _ContestedRow


@cache
def _data() -> _Data:
    text = Path(__file__).with_name("firm.json").read_text(encoding="utf-8")
    return cast(_Data, json.loads(text))


@cache
def _clients() -> tuple[Client, ...]:
    return tuple(Client(**row) for row in _data()["clients"])


def _told_matter(row: _MatterRow) -> Matter:
    client = next(one for one in _clients() if one.name == row["client"])
    return Matter(
        id=row["id"],
        title=row["title"],
        client=client,
        status=row["status"],
        opened=row["openedDate"],
        deal_type=row["dealType"],
        deal_value_usd=row["dealValueUSD"],
        escrow_pct=row["escrowPct"],
        non_compete_months=row["nonCompeteMonths"],
    )


_DEAL_TYPES = ("pe-software", "strategic", "growth-equity", "venture")
_FIRST_DAY = date(2009, 1, 5)
_WEEKS = 780


def _near_miss(index: int) -> Matter:
    """Make a matter that fails by one value; what is of no account varies at other rates."""
    rules = _data()["nearMisses"]
    cycle = rules["escrowPctAndNonCompeteMonths"]
    escrow, months = cycle[index % len(cycle)]
    number = rules["firstNumber"] + index
    everyone = _clients()
    return Matter(
        id=f"MAT-{number}",
        title=f"Archive matter {number}",
        client=everyone[index * 5 % len(everyone)],
        status="Closed",
        opened=(_FIRST_DAY + timedelta(weeks=index * 7 % _WEEKS)).isoformat(),
        deal_type=_DEAL_TYPES[index * 3 % len(_DEAL_TYPES)],
        deal_value_usd=(2 + index * 13 % 97) * 1_000_000,
        escrow_pct=escrow,
        non_compete_months=months,
    )
