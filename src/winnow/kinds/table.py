"""The sixteen kinds: one table that every text and check is made from."""

from collections.abc import Mapping
from enum import StrEnum

from winnow.errors import Fault, InvalidRequest
from winnow.values import describe

MEANINGS: Mapping[str, str] = {
    "observation": "a direct note",
    "reflection": "a summary over other memories",
    "persona": "a profile of an entity",
    "concept": "a definition or term",
    "entity": "a named thing",
    "claim": "an assertion",
    "relation": "a typed pair",
    "event": "a happening in time",
    "conversation": "a dialogue turn",
    "decision": "a choice with its reason",
    "goal": "a wanted end state",
    "plan": "an ordered strategy",
    "step": "one unit of a plan",
    "told": "hearsay, below an observation",
    "instruction": "a directive received",
    "intervention": "an act of the agent itself",
}
"""What each kind is, in the order in which they are always shown."""
KINDS: tuple[str, ...] = tuple(MEANINGS)
DEFAULT_KIND = KINDS[0]
_SHOWN = 200


class Provenance(StrEnum):
    """How a kind was assigned, which says nothing of whether it is true."""

    DECLARED = "declared"
    CHANNEL_DERIVED = "channel_derived"
    REGEX = "regex"
    LLM = "llm"


def check_kind(value: object, pointer: str = "/kind") -> str:
    """Return a kind that a caller gave if it is exactly one of the sixteen.

    An absent one (null) is for the caller to leave out. Raises InvalidRequest.
    """
    if isinstance(value, str) and value in MEANINGS:
        return value
    detail = f"invalid kind '{_shown(value)}' (expected one of: {', '.join(KINDS)})"
    raise InvalidRequest([Fault(pointer, detail)])


def read_kind(stored: str) -> str:
    """Return what a stored kind is read as: one of a newer version is an observation."""
    return stored if stored in MEANINGS else DEFAULT_KIND


def _shown(value: object) -> str:
    """Write a value as it was given; only what could break the message is cut or escaped."""
    text = value if isinstance(value, str) else describe(value).partition(" ")[2] or "null"
    short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return short.encode("utf-8", "backslashreplace").decode()
