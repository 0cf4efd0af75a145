"""A store that is served, and a client of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.memory.remembering import Clock, open_at
from tests.surfaces.http.serving import client_of

from winnow.memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty store under a clock that stands still."""
    with open_at(tmp_path / "winnow.db", Clock()) as opened:
        yield opened


@pytest.fixture
def client(memory: Memory) -> Iterator[TestClient]:
    """A client of a server that asks for no key."""
    with client_of(memory) as found:
        yield found
