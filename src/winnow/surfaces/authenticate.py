"""Who sends a request, for all servers alike: the key that it needs, and what a wrong one costs."""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from winnow.access import Access
from winnow.memory import Memory
from winnow.memory.upkeep import keys

ATTEMPTS = 10
"""Wrong keys that an address may send at once."""
ATTEMPT_SECONDS = 6.0
"""Seconds until it may send one more."""
ADDRESSES = 10_000
"""Addresses that are remembered; the one that failed longest ago is forgotten first."""


def find_access(memory: Memory, secret: str) -> Access | None:
    """Return what the key with this secret allows now, None if there is none."""
    return keys.find_access(memory.engine, secret)


def needs_key(memory: Memory, *, local: bool) -> bool:
    """Tell whether a server asks for a key: if there is any, or if it is reached from elsewhere."""
    return not local or keys.has_keys(memory.engine)


def is_loopback(address: str) -> bool:
    """Tell whether an address can be reached from this machine alone."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class Attempts:
    """Counts the wrong keys of each address. Safe to use from several threads.

    A right key is always taken: a secret can't be guessed, so what is bounded is the noise, and
    nobody can lock others out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def fail(self, address: str) -> int:
        """Count a wrong key; return the seconds to wait, 0 as long as there were few."""
        name, now = _network(address), self._clock()
        with self._lock:
            bucket = self._buckets.pop(name, None) or _Bucket(float(ATTEMPTS), now)
            bucket.left = min(bucket.left + (now - bucket.at) / ATTEMPT_SECONDS, float(ATTEMPTS))
            bucket.at = now
            self._buckets[name] = bucket
            if len(self._buckets) > ADDRESSES:
                self._buckets.popitem(last=False)
            if bucket.left < 1:
                return math.ceil((1 - bucket.left) * ATTEMPT_SECONDS)
            bucket.left -= 1
            return 0


def _network(address: str) -> str:
    """Return what stands for an address: one customer has 2^64 of IPv6."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 4:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False))
