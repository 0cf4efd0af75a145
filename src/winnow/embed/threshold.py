"""How similar a model finds texts that have nothing to do with each other."""

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from winnow.embed.base import Matrix


def measure_threshold(embed: Callable[[Sequence[str]], Matrix]) -> float:
    """Return a cosine that a topic and a text of different subjects stay below.

    It is the highest of all such pairs in SUBJECTS, rounded up to a twentieth.
    """
    vectors = embed([text for pair in SUBJECTS for text in pair])
    cosines = vectors[::2].astype(np.float64) @ vectors[1::2].astype(np.float64).T
    np.fill_diagonal(cosines, 0)
    return min(math.ceil(float(cosines.max()) * _STEPS), _STEPS - 1) / _STEPS


_STEPS: Final = 20

# A topic as one would ask for it, and a text about it; no two lines share a subject.
SUBJECTS: Final = (
    ("database for the orders", "We decided to keep all purchases in PostgreSQL."),
    ("morning walk", "The dog was taken along the river before breakfast."),
    ("favorite food", "Maria likes sushi more than anything else."),
    ("escrow terms", "Twelve percent of the price is held back for two years."),
    ("volcanic rocks", "Basalt forms when lava cools quickly."),
    ("piano lessons", "Scales and etudes are practiced for half an hour."),
    ("flight to Lisbon", "The plane leaves at seven from the second terminal."),
    ("back pain", "The doctor advised stretching and a firmer mattress."),
    ("tax return", "Receipts must reach the accountant by the end of May."),
    ("tomatoes in the garden", "Seedlings need full sun and regular watering."),
    ("world cup final", "The striker scored twice in extra time."),
    ("password policy", "Accounts are locked after five failed sign-ins."),
    ("black holes", "Nothing that crosses the horizon can return, not even light."),
    ("medieval castles", "Thick walls and a moat kept attackers out."),
    ("bicycle repair", "The chain slipped until the worn sprocket was replaced."),
    ("bread baking", "Let the dough rise overnight before it goes into the oven."),
    ("marketing budget", "The campaign may cost forty thousand euros this quarter."),
    ("fear of heights", "She felt dizzy on the glass balcony."),
    ("whale migration", "Humpbacks swim thousands of miles to warmer seas."),
    ("chess openings", "He answers the king's pawn with the Sicilian."),
    ("divorce proceedings", "The court granted joint custody of both children."),
    ("oil painting", "A thin glaze gives the portrait its glow."),
    ("rental apartment", "The landlord raised the monthly payment again."),
    ("unit tests", "The suite fails when two cases share a fixture."),
)
