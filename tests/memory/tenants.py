"""One store with two tenants, and the same without the other one."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from tests.memory.remembering import Clock, open_at, set_namespace

from winnow.access import Access, Scope
from winnow.errors import WinnowError
from winnow.memory import Memory
from winnow.values import Json
from winnow.wire import encode, encode_error

OWN = Access(frozenset(Scope), frozenset({"mine", "empty"}))
Ask: TypeAlias = Callable[[Memory], object]

PACK = """\
pack: secretpack
description: What only one tenant has.
schemas:
  Secretthing:
    description: A thing.
    id: filename
    declare: {folder: things}
    fields:
      hiddenfield: string
"""


def fill_mine(memory: Memory, folder: Path) -> None:
    """Memories, entities and notes of the tenant who asks."""
    memory.store("the river rises", id="a", namespace="mine", metadata={"color": "red"})
    memory.store("the bank of the river", id="b", namespace="mine", tags=["water"])
    memory.store("a walk at noon", id="c", namespace="mine", kind="event", metadata={"n": 3})
    _import(memory, "mine", "MAT-2388", escrowPct=12, status="Active")
    _import(memory, "mine", "MAT-2390", escrowPct=9, status="Closed")
    _index(memory, "mine", folder / "mine", "# River\n\nMAT-2388 is about [[Nowhere]].\n")


def fill_theirs(memory: Memory, folder: Path) -> None:
    """The same of another, with words that nobody else may ever see."""
    set_namespace(memory, "theirs", language="german", embedder="none")
    for number in range(5):
        memory.store(
            f"the river hides secret{number}",
            id=f"x{number}",
            namespace="theirs",
            metadata={"secretkey": number, "colour": "red"},
            entity="secretperson",
            tags=["secrettag"],
        )
    memory.store("a twin of the river rises", id="a", namespace="theirs")
    memory.store("the river rises", id="twin", namespace="theirs")
    memory.delete("x4", namespace="theirs")
    _import(memory, "theirs", "MAT-2388", escrowPct=99, title="secret deal")
    _import(memory, "theirs", "MAT-2389", escrowPct=1, dealValueUSD=77_000_777)
    _import(memory, "theirs", "MAT-2390", escrowPct=55)
    note = "---\nsecretnotekey: 1\nescrowPct: x\n---\n# Secret note\n\nCLAWQL_MATTER_ID=MAT-2391\n"
    (folder / "secretvault" / ".winnow").mkdir(parents=True)
    (folder / "secretvault" / ".winnow" / "pack.yaml").write_text(PACK, encoding="utf-8")
    _index(memory, "theirs", folder / "secretvault", note)


def open_both(folder: Path) -> tuple[Memory, Memory]:
    """Return what a tenant sees of a store that others use too, and of one without others."""
    alone = open_at(folder / "alone.db", Clock())
    shared = open_at(folder / "shared.db", Clock())
    fill_mine(alone, folder)
    fill_theirs(shared, folder)
    fill_mine(shared, folder)
    shared.admin.create_key("secretkeyname")
    return alone.restricted(OWN), shared.restricted(OWN)


def told(ask: Ask, memory: Memory) -> Json:
    """Return an answer or an error as any surface tells it, without the times of the clock."""
    try:
        return _without_times(encode(ask(memory)))
    except WinnowError as error:
        return dict(encode_error(error))


def _without_times(part: Json) -> Json:
    if isinstance(part, list):
        return [_without_times(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {name: _without_times(one) for name, one in part.items() if name != "time"}


def _import(memory: Memory, namespace: str, name: str, **fields: Any) -> None:
    entity: Mapping[str, Any] = {"schema": "legal.Matter", "id": name, "fields": fields}
    memory.admin.import_(entities=[entity], namespace=namespace)


def _index(memory: Memory, namespace: str, vault: Path, text: str) -> None:
    vault.mkdir(exist_ok=True)
    if not (vault / "Note.md").exists():  # a note has the time of its file
        (vault / "Note.md").write_text(text, encoding="utf-8")
    memory.admin.index(str(vault), namespace=namespace)
