"""A mapping whose values are made when they are first asked for."""

from collections.abc import Callable, Iterator, KeysView, Mapping
from typing import Generic, TypeAlias, TypeVar

K = TypeVar("K")
V = TypeVar("V")
Maker: TypeAlias = Callable[[], V | None]


class Lazy(Mapping[K, V], Generic[K, V]):
    """Values by key, some of them still to be made; one that comes out as None is not there.

    Several threads may read it: a value may be made twice, and each is as good.
    """

    def __init__(self, made: Mapping[K, V], makers: Mapping[K, Maker[V]]) -> None:
        self._made: dict[K, V | None] = {**made}
        self._makers = {**makers}

    def __getitem__(self, key: K) -> V:
        found = self._made.get(key)
        if found is None:
            found = self._make(key)
        return found

    def __iter__(self) -> Iterator[K]:
        return (key for key in self.named() if self.get(key) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def named(self) -> KeysView[K]:
        """Return all keys without making anything; the value of one may come out as None."""
        # In this order, since a key is put into the one before it leaves the other.
        return {**dict.fromkeys(self._makers), **self._made}.keys()

    def _make(self, key: K) -> V:
        maker = self._makers.get(key)
        if maker is not None and key not in self._made:
            self._made[key] = maker()
            self._makers.pop(key, None)
        found = self._made.get(key)
        if found is None:
            raise KeyError(key)
        return found
