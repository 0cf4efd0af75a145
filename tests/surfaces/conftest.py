"""A store that an import filled, and the command run on it."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.surfaces.running import (
    IDS,
    MATTERS,
    Ran,
    Winnow,
    lines_of,
    matter,
    run_winnow,
    write_note,
)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with four matters: two match BOTH, one misses by one value, one is undetermined."""
    folder = tmp_path_factory.mktemp("store")
    client = {"schema": "legal.Client", "id": "CLT-0001", "fields": {"name": "Acme"}}
    matters = [matter(entity_id, **one) for entity_id, one in zip(IDS, MATTERS, strict=True)]
    (folder / "firm.jsonl").write_text(lines_of(client, *matters), encoding="utf-8")
    ran = run_winnow("--store", str(folder / "firm.db"), "import", str(folder / "firm.jsonl"))
    assert (ran.code, ran.err) == (0, "")
    return str(folder / "firm.db")


@pytest.fixture
def ask(store: str) -> Winnow:
    """Runs the command on that store."""

    def run(*args: str, input: str | None = None, env: Mapping[str, str] | None = None) -> Ran:
        return run_winnow("--store", store, *args, input=input, env=env)

    return run


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A vault of one note."""
    vault = tmp_path / "notes"
    vault.mkdir()
    write_note(vault, "MAT-2388", escrow=12)
    return vault
