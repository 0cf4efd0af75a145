"""Providers as a package of somebody else would offer them."""

from collections.abc import Mapping, Sequence

from winnow.providers import Found


class Codegraph:
    def __init__(self, settings: Mapping[str, str]) -> None:
        self.root = settings.get("CODEGRAPH_ROOT", ".")

    def search(self, query: str, limit: int, timeout: float) -> Sequence[Found]:
        return [Found(query, f"in {self.root}", "src/a.py", 0.9)]


def open_nothing(settings: Mapping[str, str]) -> None:
    """A provider whose settings are missing."""


def open_wrongly(settings: Mapping[str, str]) -> object:
    return object()


def open_noisily(settings: Mapping[str, str]) -> object:
    raise OSError("no such graph")


NOT_CALLABLE = 7
