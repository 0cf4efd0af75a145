"""Many texts in one, to look for a part in all of them at once."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

_MARK: Final = "\n"  # stands before and after each text; one may hold it, too
_MANY: Final = 8


class Haystack:
    """Searches texts, which are compared as they are."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._whole = _MARK + _MARK.join(texts) + _MARK
        ends = accumulate((len(text) + 1 for text in texts), initial=1)
        self._starts = np.fromiter(ends, np.int64, len(texts) + 1)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def search(self, operator: str, part: str) -> NDArray[np.bool_]:
        """Return which texts contain, start with or end with a part; `operator` says which."""
        before, after = _AFFIXES[operator]
        needle = before + part + after
        often = self._whole.count(needle) > len(self) // _MANY
        if often or not part or _MARK in part:
            test = _TESTS[operator]
            return np.fromiter((test(text, part) for text in self._texts), np.bool_, len(self))
        return self._mark_texts(needle, len(before), operator)

    def _mark_texts(self, needle: str, skipped: int, operator: str) -> NDArray[np.bool_]:
        found = (match.start() + skipped for match in re.finditer(re.escape(needle), self._whole))
        places = np.fromiter(found, np.int64)
        texts = np.searchsorted(self._starts, places, side="right") - 1
        if operator == "startsWith":
            texts = texts[self._starts[texts] == places]
        elif operator == "endsWith":
            texts = texts[self._starts[texts + 1] == places + len(needle)]
        marked = np.zeros(len(self), np.bool_)
        marked[texts] = True
        return marked

    @cached_property
    def _texts(self) -> list[str]:
        pairs = pairwise(self._starts.tolist())
        return [self._whole[start : end - 1] for start, end in pairs]


def _contains(text: str, part: str) -> bool:
    return part in text


_AFFIXES: Mapping[str, tuple[str, str]] = {
    "contains": ("", ""),
    "startsWith": (_MARK, ""),
    "endsWith": ("", _MARK),
}
_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "contains": _contains,
    "startsWith": str.startswith,
    "endsWith": str.endswith,
}
