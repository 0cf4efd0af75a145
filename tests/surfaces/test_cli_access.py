"""Keys at a terminal."""

from pathlib import Path

import pytest
from tests.surfaces.running import Ran, run_winnow

from winnow.access import SECRET_MARK
from winnow.app import open_memory
from winnow.memory.upkeep.keys import LAST_KEY, find_access


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "w.db")


def keys(store: str, *words: str) -> Ran:
    return run_winnow("--store", store, "keys", *words)


def test_a_new_key_is_shown_with_its_secret_on_a_line_of_its_own(store: str) -> None:
    ran = keys(store, "create", "agent", "--scopes", "read,write", "--namespaces", "b,a")
    what, secret, advice = ran.out.splitlines()
    assert (ran.code, what) == (0, "agent  read, write  in a, b")
    assert secret.startswith(SECRET_MARK)
    assert "not shown again" in advice
    with open_memory(store) as memory:
        assert find_access(memory.engine, secret) is not None


def test_keys_are_listed_and_revoked_by_name(store: str) -> None:
    keys(store, "create", "agent")
    keys(store, "create", "other", "--scopes", "admin", "--namespaces", "x")
    _, first, second = keys(store, "list").out.splitlines()
    assert first.split()[:3] == ["agent", "read", "all"]
    assert second.split()[:3] == ["other", "admin", "x"]
    plain = [line.split("\t") for line in keys(store, "list", "--plain").out.splitlines()]
    listed = keys(store, "list", "--json").json["keys"]
    assert [one[1] for one in plain] == [",".join(one["scopes"]) for one in listed]
    assert keys(store, "revoke", "agent").out == "agent is revoked\n"
    ran = keys(store, "revoke", "other")
    assert LAST_KEY in ran.out
    assert keys(store, "revoke", "other").code == 1


def test_what_is_wrong_with_a_key_is_told_in_one_line(store: str) -> None:
    ran = keys(store, "create", "a b", "--scopes", "raed")
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1
    assert "/name: " in ran.err
    assert "did you mean 'read'?" in ran.err
    assert not Path(store).exists() or keys(store, "list", "--json").json["keys"] == []
