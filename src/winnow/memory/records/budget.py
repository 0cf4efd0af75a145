"""The budget of tokens of an answer."""

import math
from dataclasses import dataclass, field

from winnow.operations.memories import Dropped

CHARACTERS_A_TOKEN = 4


@dataclass(slots=True)
class Budget:
    """How many tokens are left for texts, None for no bound; and what found no place."""

    left: int | None
    dropped: list[Dropped] = field(default_factory=list[Dropped])

    def take(self, name: str, text: str) -> bool:
        """Tell whether a text still has a place, which it then takes; a whole one or none."""
        tokens = count_tokens(text)
        if self.left is None:
            return True
        if tokens > self.left:
            self.dropped.append(Dropped(name, f"about {tokens} tokens, and {self.left} are left"))
            return False
        self.left -= tokens
        return True


def count_tokens(text: str) -> int:
    """Estimate how many tokens a text has."""
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)
