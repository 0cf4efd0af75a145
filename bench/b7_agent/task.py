"""A task of the suite: what has to be found, by what calls, within what caps."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CHARACTERS_A_TOKEN = 4
KEYS = {"id", "suite", "description", "requireToolPattern", "grader", "caps"}
CAPS = {"turns", "seconds", "tokens"}


@dataclass(frozen=True)
class Turn:
    """One turn of an agent: a call of a tool, or the writing of its answer."""

    name: str
    arguments: Mapping[str, Any]
    characters: int

    def __str__(self) -> str:
        return f"{self.name} {json.dumps(self.arguments)}"


@dataclass
class ToolLog:
    """The turns that an agent took, and for how long."""

    turns: list[Turn] = field(default_factory=list[Turn])
    seconds: float = 0.0

    @property
    def calls(self) -> int:
        return sum(turn.name != "write" for turn in self.turns)

    @property
    def tokens(self) -> int:
        """What went over the wire for it, arguments and answers: four characters are a token."""
        return sum(turn.characters for turn in self.turns) // CHARACTERS_A_TOKEN


@dataclass(frozen=True)
class Grade:
    """What a run is worth: `score` is the part of the matters found, 0 with any false one."""

    score: float
    faults: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.score == 1.0 and not self.faults


@dataclass(frozen=True)
class Task:
    """A task as its file tells it."""

    id: str
    pattern: str
    caps: Mapping[str, float]

    def grade(
        self,
        log: ToolLog,
        found: Collection[str],
        expected: Collection[str],
        must_give: Collection[str] = (),
    ) -> Grade:
        """Grade a run; a call that matches the task's pattern must give some arguments, too."""
        score = find_exactly(found, expected)
        return Grade(score, tuple(self._faults(log, must_give)))

    def _faults(self, log: ToolLog, must_give: Collection[str]) -> Iterator[str]:
        matching = [turn for turn in log.turns if re.search(self.pattern, str(turn))]
        if not any(turn.arguments.keys() >= set(must_give) for turn in matching):
            yield f"no call matches {self.pattern} with {', '.join(must_give) or 'anything'}"
        used = {"turns": len(log.turns), "seconds": log.seconds, "tokens": log.tokens}
        for name, cap in self.caps.items():
            if used[name] > cap:
                yield f"{used[name]:,.0f} {name}, the cap is {cap:,.0f}"


def load_task(id_: str) -> Task:
    """Read the task of that id; its file has the keys of the suite, and no others."""
    told = json.loads((HERE / f"{id_}.json").read_text(encoding="utf-8"))
    if told.keys() != KEYS or told["caps"].keys() != CAPS or told["id"] != id_:
        raise ValueError(f"{id_}.json does not have the keys of a task")
    if told["grader"] != "matters-found-exact":
        raise ValueError(f"there is no grader {told['grader']!r}")
    return Task(told["id"], told["requireToolPattern"], told["caps"])


def find_exactly(found: Collection[str], expected: Collection[str]) -> float:
    """Grade by `matters-found-exact`: any matter that should not be there makes it 0."""
    if set(found) - set(expected):
        return 0.0
    return len(set(found)) / len(set(expected))
