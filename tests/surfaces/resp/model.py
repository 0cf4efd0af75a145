"""What the memory commands mean, in the most obvious Python: dictionaries, and loops over them."""

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NUMBER = re.compile(r"[+-]?(inf|infinity|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)", re.IGNORECASE | re.ASCII)
STOP_WORDS = {"the", "a", "is", "of"}

Filter = tuple[str, str, str]


@dataclass
class Entry:
    """A memory."""

    text: str
    created: int
    updated: int
    meta: dict[str, str] = field(default_factory=dict[str, str])
    importance: float = 0.5
    ends: int | None = None
    vector: tuple[float, ...] | None = None


@dataclass
class Index:
    """A memory index."""

    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])
    counter: int = 0
    ends: int | None = None


class Model:
    """All indexes, at a time that the test moves."""

    def __init__(self) -> None:
        self.now = 0
        self.indexes: dict[str, Index] = {}

    def index(self, key: str) -> Index | None:
        found = self.indexes.get(key)
        if found is not None and found.ends is not None and found.ends <= self.now:
            del self.indexes[key]
            return None
        return found

    def live(self, key: str) -> dict[str, Entry]:
        index = self.indexes[key]
        over = [
            name
            for name, one in index.entries.items()
            if one.ends is not None and one.ends <= self.now
        ]
        for name in over:
            del index.entries[name]
        return index.entries

    def new_id(self, key: str, used: set[str]) -> str:
        index = self.indexes[key]
        while True:
            index.counter += 1
            if f"m{index.counter}" not in used:
                return f"m{index.counter}"

    def scan(self, key: str, filters: Sequence[Filter]) -> list[str]:
        entries = self.live(key)
        chosen = (
            name
            for name, entry in entries.items()
            if all(holds(name, entry, one) for one in filters)
        )
        return sorted(chosen, key=str.encode)

    def search(self, key: str, query: str, filters: Sequence[Filter]) -> list[tuple[str, float]]:
        entries = self.live(key)
        texts = {name: words_of(entry.text) for name, entry in entries.items()}
        average = sum(map(len, texts.values())) / max(len(texts), 1) or 1.0
        found: dict[str, float] = {}
        for name in self.scan(key, filters):
            score = sum(
                bm25(word, texts[name], [*texts.values()], average) for word in words_of(query)
            )
            if score:
                found[name] = score
        return rank(found)

    def nearest(
        self, key: str, query: Sequence[float], filters: Sequence[Filter]
    ) -> list[tuple[str, float]]:
        entries = self.live(key)
        return rank(
            {
                name: cosine(query, vector)
                for name in self.scan(key, filters)
                if (vector := entries[name].vector) is not None
            }
        )


def rank(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda one: (-round(one[1], 5), one[0].encode()))


def cosine(one: Sequence[float], two: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*two)
    return sum(a * b for a, b in zip(one, two, strict=True)) / lengths if lengths else 0.0


def words_of(text: str) -> list[str]:
    raw = re.findall(rb"[0-9a-z_\x80-\xff]{2,}", text.encode().lower())
    return [
        word.decode("utf-8", "surrogateescape")
        for word in raw
        if word.decode("latin-1") not in STOP_WORDS
    ]


def bm25(word: str, text: list[str], texts: list[list[str]], average: float) -> float:
    count, having = text.count(word), sum(word in one for one in texts)
    if not count:
        return 0.0
    rarity = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
    return rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(text) / average))


def holds(name: str, entry: Entry, test: Filter) -> bool:
    field_, op, operand = test
    value = {"@id": name, "@text": entry.text}.get(field_, entry.meta.get(field_))
    if field_ == "@importance":
        value = f"{entry.importance:g}"
    if op == "NE":
        return value is None or not compare(value, operand, operator.eq)
    if value is None:
        return False
    if op == "CONTAINS":
        return operand in value
    if op == "IN":
        return any(compare(value, one, operator.eq) for one in operand.split(","))
    return compare(value, operand, COMPARISONS[op])


COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "EQ": operator.eq,
    "GT": operator.gt,
    "GTE": operator.ge,
    "LT": operator.lt,
    "LTE": operator.le,
}


def compare(value: str, operand: str, test: Callable[[Any, Any], bool]) -> bool:
    if NUMBER.fullmatch(value) and NUMBER.fullmatch(operand):
        return test(float(value), float(operand))
    return test(value.encode(), operand.encode())
