"""How good an order of documents is, given which of them are relevant: each from 0 to 1."""

import math
from collections.abc import Mapping, Sequence


def recall_at(count: int, found: Sequence[str], relevant: Mapping[str, int]) -> float:
    """Return the share of the relevant documents that are among the first `count`."""
    return len({*found[:count]} & relevant.keys()) / len(relevant)


def reciprocal_rank(count: int, found: Sequence[str], relevant: Mapping[str, int]) -> float:
    """Return 1 / the place of the first relevant document; 0 if the first `count` have none."""
    places = (place for place, name in enumerate(found[:count], 1) if name in relevant)
    return 1 / next(places, math.inf)


def ndcg_at(count: int, found: Sequence[str], relevant: Mapping[str, int]) -> float:
    """Return the discounted gain of the first `count`, as a share of that of the best order.

    A document's gain is its grade, over the binary logarithm of its place plus 1.
    """
    best = sorted(relevant.values(), reverse=True)
    gains = [relevant.get(name, 0) for name in found]
    return _discount(gains[:count]) / _discount(best[:count])


def _discount(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))
