"""A store under a clock that stands still, and a client of it."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.memory.remembering import Clock, open_at
from tests.surfaces.resp.speaking import Line, serve_in_process

from winnow.memory import Memory
from winnow.surfaces.resp.service import Service


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Generator[Memory]:
    with open_at(tmp_path / "w.db", clock) as opened:
        yield opened


@pytest.fixture
def service(memory: Memory) -> Service:
    return serve_in_process(memory)


@pytest.fixture
def line(service: Service) -> Line:
    return Line(service)
