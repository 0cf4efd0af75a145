"""Secrets are not stored where a namespace asks for it, whichever way they come in."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.memory.remembering import Clock, everything, open_at
from tests.surfaces.resp.speaking import Error, Line, serve_in_process
from tests.vault.making import make_vault

from winnow.errors import InvalidRequest
from winnow.memory import Memory
from winnow.redaction import mark

TOKEN = "".join(("gh", "p_", "a1B2" * 9))
TEXT = f"Deploy with {TOKEN}; password=hunter2"
CLEAN = f"Deploy with {mark('github_token')}; password={mark('password')}"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_at(tmp_path / "w.db", Clock()) as opened:
        opened.admin.set_namespace("default", secrets="redact")
        yield opened


def assert_gone(memory: Memory) -> None:
    """Neither answers nor the file of the store, its log included, have a secret."""
    assert TOKEN not in everything(memory)
    for file in Path(memory.engine.label).parent.glob("w.db*"):
        data = file.read_bytes() if file.is_file() else b""
        assert TOKEN.encode() not in data
        assert TOKEN.lower().encode() not in data
        assert b"hunter2" not in data


def test_by_default_texts_stay_as_they_are(tmp_path: Path) -> None:
    with open_at(tmp_path / "other.db", Clock()) as memory:
        stored = memory.store(TEXT)
        assert (stored.text, stored.redacted) == (TEXT, None)
        memory.admin.set_namespace("default", secrets="redact")
        assert memory.admin.namespace("default").secrets == "redact"
        memory.admin.set_namespace("default", secrets="keep")
        assert memory.store(TEXT).text == TEXT


def test_a_memory_that_is_stored_or_changed_has_none(memory: Memory) -> None:
    stored = memory.store(
        TEXT, title=f"token {TOKEN}", source=TOKEN, metadata={"password": "abc", "a": [TOKEN]}
    )
    assert (stored.text, stored.title) == (CLEAN, f"token {mark('github_token')}")
    assert stored.redacted == {"github_token": 4, "password": 2}
    assert stored.metadata == {"password": mark("password"), "a": [mark("github_token")]}
    changed = memory.update(stored.id, text=f"again {TOKEN}")
    assert (changed.text, changed.redacted) == (
        f"again {mark('github_token')}",
        {"github_token": 1},
    )
    assert memory.update(stored.id, text="nothing").redacted is None
    assert_gone(memory)


def test_tags_and_what_a_memory_is_about_have_none(memory: Memory) -> None:
    stored = memory.store("a", tags=["b", TOKEN], entity=TOKEN)
    assert (stored.tags, stored.entity) == (("b", mark("github_token")), mark("github_token"))
    memory.admin.import_(objects=[{"id": "x", "text": "c", "tags": [TOKEN], "entity": TOKEN}])
    assert memory.get("x").tags == (mark("github_token"),)
    assert_gone(memory)


def test_the_terms_of_a_memory_are_those_of_what_is_stored(memory: Memory) -> None:
    memory.store("The passphrase=xylophone opens it")
    for word, score in (("xylophone", 0), ("opens", 1)):
        (hit,) = memory.recall(word, sources=["memory"]).memories
        assert hit.components
        assert hit.components.keyword == score


def test_what_is_imported_has_none_and_a_second_import_adds_nothing(memory: Memory) -> None:
    objects = [{"id": "a", "text": TEXT}, {"text": f"no id, {TOKEN}", "metadata": {"k": TOKEN}}]
    first, second = (memory.admin.import_(objects=objects) for _ in range(2))
    assert (first.added, first.redacted) == (2, {"github_token": 3, "password": 1})
    assert (second.added, second.changed, second.unchanged) == (0, 0, 2)
    assert memory.get("a").text == CLEAN
    assert_gone(memory)


def test_an_entity_that_is_imported_has_none(memory: Memory) -> None:
    fields = {"title": {"value": f"Deal {TOKEN}", "evidence": {"path": "x", "quote": TOKEN}}}
    entity = {"schema": "legal.Matter", "id": "MAT-1000", "fields": fields}
    assert memory.admin.import_(objects=[entity]).redacted == {"github_token": 2}
    (hit,) = memory.recall(schema="legal.Matter", filters={"title": {"contains": "deal"}}).entities
    assert hit.fields["title"] == f"Deal {mark('github_token')}"
    assert_gone(memory)


def test_an_export_with_its_history_comes_in_without_any(tmp_path: Path, memory: Memory) -> None:
    with open_at(tmp_path / "elsewhere" / "w.db", Clock()) as other:
        other.store(TEXT, id="a")
        other.update("a", text="mended")
        other.admin.export(str(tmp_path / "x.jsonl"), namespace="default")
    lines = (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()
    memories = [one for one in map(json.loads, lines) if "text" in one]
    assert memory.admin.import_(objects=memories).redacted == {"github_token": 1, "password": 1}
    assert_gone(memory)


def test_notes_are_read_without_them_and_lines_stay_where_they_are(
    tmp_path: Path, memory: Memory
) -> None:
    key = "".join(("-----BEGIN ", "PRIVATE KEY-----\nMIIE\n-----END ", "PRIVATE KEY-----"))
    note = f"---\npassword: Hunter2hunter2\n---\n{key}\n\nCLAWQL_MATTER_ID=MAT-1000\n{TEXT}\n"
    vault = make_vault(tmp_path / "vault", {"a.md": note, "b.md": "plain"})
    answer = memory.admin.index(str(vault))
    assert answer.redacted == {"private_key": 1, "github_token": 1, "password": 2}
    assert not answer.problems
    explained = memory.explain("MAT-1000", schema="legal.Matter", where='id = "MAT-1000"')
    assert explained.matched
    assert_gone(memory)
    assert (vault / "a.md").read_text(encoding="utf-8") == note
    assert memory.admin.index(str(vault)).redacted is None


def test_notes_are_read_again_when_the_namespace_is_set_otherwise(
    tmp_path: Path, memory: Memory
) -> None:
    vault = make_vault(tmp_path / "vault", {"a.md": TEXT})
    memory.admin.set_namespace("default", secrets="keep")
    memory.admin.index(str(vault))
    memory.admin.set_namespace("default", secrets="redact")
    assert memory.admin.index(str(vault)).redacted == {"github_token": 1, "password": 1}
    assert TOKEN not in everything(memory)


def test_what_comes_by_resp_has_none(memory: Memory) -> None:
    memory.admin.set_namespace("k", secrets="redact")
    line = Line(serve_in_process(memory))
    replies = line.all(
        ("MEM.CREATE", "k", "MODE", "SEARCH"),
        ("MEM.ADD", "k", "ID", "a", "TEXT", TEXT, "META", "key", TOKEN),
        ("MEM.SETMETA", "k", "a", "other", TOKEN),
    )
    assert not [one for one in replies if isinstance(one, Error)]
    stored = memory.get("a", namespace="k")
    assert stored.text == CLEAN
    assert stored.metadata == {"key": mark("github_token"), "other": mark("github_token")}
    assert_gone(memory)


def test_another_word_for_it_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidRequest, match="secrets"):
        memory.admin.set_namespace("default", secrets="hide")  # pyright: ignore[reportArgumentType]
