"""How safe writes are is said before or after the name of a command, or in the environment."""

from pathlib import Path

import pytest
from tests.surfaces.running import run_winnow

from winnow import app
from winnow.errors import StoreError

COMMANDS = (
    ("store", "text"),
    ("count",),
    ("import", "lines.jsonl"),
    ("mcp",),
    ("serve", "--port", "0"),
    ("resp", "--port", "0"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_opens_the_store_with_the_durability_that_is_given(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    def refuse(*_: object, durability: object = "not given", **__: object) -> None:
        seen.append(durability)
        raise StoreError("not today")

    monkeypatch.setattr(app, "open_memory", refuse)
    for typed in (("--durability", "full", *command), (*command, "--durability", "full"), command):
        assert "not today" in run_winnow(*typed).err
    assert seen == ["full", "full", None]


def test_a_durability_that_is_none_is_bad_input(tmp_path: Path) -> None:
    store = str(tmp_path / "w.db")
    ran = run_winnow("--store", store, "store", "text", "--durability", "ful")
    assert ran.code == 2
    assert "/durability: unknown durability 'ful'; did you mean 'full'?" in ran.err
    ran = run_winnow("--store", store, "store", "text", env={"WINNOW_DURABILITY": "always"})
    assert ran.code == 2
    assert "allowed: normal, full" in ran.err
    assert list(tmp_path.iterdir()) == []
