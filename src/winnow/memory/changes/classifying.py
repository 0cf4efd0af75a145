"""Giving kinds to memories whose kind nobody declared: by rule, and by asking a model.

A model is a server, which may be slow or gone: it is asked outside of every transaction, and a
run that has many memories gives it up when it no longer answers.
"""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeAlias

from winnow.kinds import Assigned, Policy, Provenance, assign
from winnow.providers.llm import CLASSIFY_KIND, ChatModel

Words: TypeAlias = tuple[str, str]
"""The title and the text of a memory."""
Report: TypeAlias = Callable[[int, int], None]
"""Is told how many questions of how many have been asked."""

MOST_AT_ONCE: Final = 4  # questions; a model on this machine serves few at a time
MOST_MISSES: Final = 8
"""Questions in a row without an answer after which a run asks no more."""

_log = logging.getLogger(__name__)


class Classifier:
    """Gives kinds in one run, such as an import. Used by one thread."""

    def __init__(self, model: ChatModel | None, report: Report | None = None) -> None:
        self._model, self._report = model, report
        self._misses = 0
        self.unasked = 0
        """How many memories the model was not asked about, since it did not answer others."""

    def assign(
        self,
        policy: Policy,
        memories: Sequence[Words],
        find_known: Callable[[int], str | None] = lambda _: None,
    ) -> list[Assigned]:
        """Choose the kinds of memories that say nothing of it; waits for the model.

        `find_known` may give what the model said earlier of the memory at a place.
        """
        given = [assign(None, title, text, policy) for title, text in memories]
        if policy is not Policy.REGEX_THEN_LLM:
            return given
        unruled = [place for place, one in enumerate(given) if one.ask_model]
        known = {place: kind for place in unruled if (kind := find_known(place)) is not None}
        to_ask = [place for place in unruled if place not in known]
        kinds = self._ask([memories[place] for place in to_ask])
        for place, kind in [*known.items(), *zip(to_ask, kinds, strict=False)]:
            if kind is not None:
                given[place] = Assigned(kind, Provenance.LLM)
        return given

    def warn(self) -> list[str]:
        """Return what there is to say of this run."""
        if not self.unasked:
            return []
        return [
            f"the model ({CLASSIFY_KIND}) left {MOST_MISSES} questions in a row without an answer:"
            f" it was not asked about {self.unasked:,} more"
        ]

    def _ask(self, memories: Sequence[Words]) -> list[str | None]:
        """Ask about memories, as long as there are answers; what is left has none."""
        if self._model is None and memories:
            _log.debug("%s: no model is set up: only the rules are used", CLASSIFY_KIND)
        if self._model is None or not memories:
            return []
        kinds: list[str | None] = []
        with ThreadPoolExecutor(min(MOST_AT_ONCE, len(memories))) as pool:
            while len(kinds) < len(memories) and self._misses < MOST_MISSES:
                some = memories[len(kinds) : len(kinds) + MOST_AT_ONCE]
                answers = list(pool.map(self._model.classify_kind, *zip(*some, strict=True)))
                self._count_misses(some, answers)
                kinds += answers
                if self._report is not None:
                    self._report(len(kinds), len(memories))
        self.unasked += len(memories) - len(kinds)
        return kinds

    def _count_misses(self, memories: Sequence[Words], answers: Sequence[str | None]) -> None:
        for words, answer in zip(memories, answers, strict=True):
            if answer is not None:
                self._misses = 0
            elif any(map(str.strip, words)):  # nothing is asked about a blank one
                self._misses += 1
