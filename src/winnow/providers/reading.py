"""What a provider answered, brought to what recall may rely on.

Providers are other people's code, and hand on other people's data: nothing of it is believed.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from numbers import Real
from typing import Final, cast

from winnow.errors import SourceError
from winnow.providers.base import Found
from winnow.values import INT64_MAX, INT64_MIN, Json

LONGEST_TITLE: Final = 500  # characters
LONGEST_TEXT: Final = 32_768  # characters
LONGEST_PATH: Final = 4_096  # characters
DEEPEST_METADATA: Final = 32
MOST_READ: Final = 2_000  # results that are looked at, good or not


@dataclass(frozen=True, slots=True)
class Reading:
    """What of an answer is used, in the provider's order, and what had to be left out."""

    found: tuple[Found, ...]
    complaint: str | None = None


def read_answer(answer: object, limit: int) -> Reading:
    """Take at most `limit` results from what a provider returned; raises SourceError."""
    if not isinstance(answer, Sequence) or isinstance(answer, str | bytes):
        raise SourceError(f"its answer is no list of results, but of type {_type(answer)}")
    good: list[Found] = []
    faults: list[str] = []
    for place, item in enumerate(islice(cast("Sequence[object]", answer), MOST_READ), 1):
        if len(good) == limit:
            break
        try:
            good.append(_read_result(item))
        except ValueError as error:
            faults.append(f"result {place} {error}")
    return Reading(level_scores(good), _complain(faults))


def level_scores(found: Sequence[Found]) -> tuple[Found, ...]:
    """Return results with scores from 0 to 1 that compare with each other, or with none at all.

    One score that is missing or out of range says that the others mean something else too.
    """
    scores = [_read_score(one.score) for one in found]
    usable = None not in scores
    return tuple(
        replace(one, score=score if usable else None)
        for one, score in zip(found, scores, strict=True)
    )


def clean_text(text: str, longest: int) -> str:
    """Return the beginning of a text, without lone surrogates, which nothing can encode."""
    return text[:longest].encode("utf-8", "replace").decode()


def _read_result(item: object) -> Found:
    if not isinstance(item, Found):
        raise ValueError(f"is of type {_type(item)}, not Found")
    metadata = _read_json(item.metadata)
    if not isinstance(metadata, dict):
        raise ValueError(f"has metadata of type {_type(item.metadata)}")
    return Found(
        title=clean_text(_require_text("title", item.title), LONGEST_TITLE),
        text=clean_text(_require_text("text", item.text), LONGEST_TEXT),
        path=_read_path(item.path),
        score=item.score,
        metadata=metadata,
    )


def _require_text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"has a {name} of type {_type(value)}")
    return value


def _read_path(path: object) -> str | None:
    """Return where a result is; never a script that a browser would run."""
    if path is None:
        return None
    # A browser leaves out controls and blanks in front of a scheme, so the check must too.
    shown = re.sub(r"[\x00-\x1f\x7f]", "", _require_text("path", path)).strip()
    if not shown or len(shown) > LONGEST_PATH or _SCRIPT.match(shown):
        return None
    return clean_text(shown, LONGEST_PATH)


_SCRIPT: Final = re.compile(r"(javascript|data|vbscript)\s*:", re.IGNORECASE)


def _read_score(score: object) -> float | None:
    # A number of numpy is a Real, and often no float.
    if isinstance(score, bool) or not isinstance(score, Real) or not score <= 1 or score < 0:
        return None
    return abs(round(float(score), 6))


def _read_json(value: object, depth: int = 0) -> Json:
    """Copy a value that is JSON; raises ValueError."""
    if depth > DEEPEST_METADATA:
        raise ValueError(f"has metadata more than {DEEPEST_METADATA} levels deep")
    if isinstance(value, str):
        return clean_text(value, LONGEST_TEXT)
    if isinstance(value, Mapping):
        return _read_members(cast("Mapping[object, object]", value), depth)
    if isinstance(value, list | tuple):
        return [_read_json(item, depth + 1) for item in cast("Sequence[object]", value)]
    if value is None or isinstance(value, bool) or _is_number(value):
        return cast(Json, value)
    raise ValueError(f"has metadata that JSON has no form for, of type {_type(value)}")


def _read_members(value: Mapping[object, object], depth: int) -> dict[str, Json]:
    return {
        clean_text(_require_text("metadata key", name), LONGEST_TEXT): _read_json(item, depth + 1)
        for name, item in value.items()
    }


def _is_number(value: object) -> bool:
    if type(value) is int:
        return INT64_MIN <= value <= INT64_MAX
    return type(value) is float and math.isfinite(value)


def _complain(faults: Sequence[str]) -> str | None:
    if not faults:
        return None
    more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
    return f"left out: {faults[0]}{more}"


def _type(value: object) -> str:
    return "null" if value is None else type(value).__name__
