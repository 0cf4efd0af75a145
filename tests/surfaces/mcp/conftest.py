"""A store with a few typed entities and memories, and the stores of firms of notes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.surfaces.running import IDS, MATTERS, matter

from winnow.app import open_memory
from winnow.demo.notes import write_firm
from winnow.memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A store of four matters and two memories."""
    with open_memory(tmp_path / "winnow.db") as opened:
        entities = [matter(entity_id, **one) for entity_id, one in zip(IDS, MATTERS, strict=True)]
        opened.admin.import_(entities=entities)
        opened.store("Token rotation was approved for every service", kind="decision", id="a")
        opened.store("Rotate the keys of the staging cluster by hand", id="b", tags=["ops"])
        yield opened


@pytest.fixture(scope="session")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], str]:
    """Returns the store of a firm's notes, written and indexed when first asked for."""
    made: dict[int, str] = {}

    def make(count: int) -> str:
        if count not in made:
            folder = tmp_path_factory.mktemp(f"firm-{count}")
            write_firm(folder / "vault", count)
            made[count] = str(folder / "firm.db")
            with open_memory(made[count]) as opened:
                opened.admin.index(str(folder / "vault"))
        return made[count]

    return make
