"""What stands in an export before memories and entities: namespaces, and the packs of schemas."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from winnow.errors import InvalidRequest, PackError
from winnow.filter.plain import copy_plain, pointer_to
from winnow.memory.engine import Engine
from winnow.memory.state.namespaces import ANALYSED, EMBEDDER, LANGUAGE, read_settings
from winnow.memory.transfer.lines import Sorted
from winnow.memory.transfer.slots import Spot, as_line, read_legible
from winnow.memory.upkeep.reembedding import renew_terms
from winnow.packs import builtin_packs, load_pack
from winnow.store.base import StoredPack
from winnow.store.memories import NamespaceRow
from winnow.values import INT64_MAX, Json, describe
from winnow.vault.packfiles import BUILTIN


@dataclass(frozen=True, slots=True)
class Home:
    """A namespace as a line has it; `spent` are numbers that its counter must pass over."""

    row: NamespaceRow
    spent: Sequence[int] = ()


def show_home(home: Home) -> dict[str, Json]:
    """Return a namespace as a line has it."""
    row = home.row
    shown: dict[str, Json] = {
        "namespace": row.name,
        "settings": {key: value for key, value in row.settings.items() if key != ANALYSED},
        "counter": row.counter,
    }
    return {**shown, "spent": [*home.spent]} if home.spent else shown


def show_pack(pack: StoredPack) -> dict[str, Json]:
    """Return a pack as a line has it."""
    return {
        "namespace": pack.namespace,
        "pack": pack.name,
        "source": pack.source,
        "content": pack.text,
    }


def read_home(engine: Engine, namespace: str, one: Sorted) -> Home:
    """Read a line about a namespace; what is wrong is added to the faults of its spot."""
    settings = _read_settings(one.line["settings"], one.spot)
    row = NamespaceRow(namespace, settings, _read_number(one.line.get("counter", 0), one.spot))
    _check_settings(engine, row, one.spot)
    spent = one.line.get("spent", [])
    if not isinstance(spent, list | tuple):
        one.spot.refuse("spent", f"expected a list of numbers, got {describe(spent)}")
        return Home(row)
    numbers = [_read_number(item, one.spot) for item in cast(Sequence[object], spent)]
    return Home(row, numbers)


def put_home(engine: Engine, home: Home) -> bool:
    """Set a namespace as it was elsewhere; tell whether it was set otherwise before."""
    name = home.row.name
    with engine.write() as writer:
        before = engine.store.records.namespace(name)
        same = read_settings(before).language == read_settings(home.row).language
        row = home.row
        if not same and engine.store.records.keys(name):
            row = replace(row, settings={**row.settings, ANALYSED: False})
        writer.records.put_namespace(row)
        writer.records.spend(name, home.spent)
    if not read_settings(row).analysed:
        renew_terms(engine, name)
    return dict(before.settings) != dict(home.row.settings)


def read_pack(namespace: str, one: Sorted, known: Mapping[str, StoredPack]) -> StoredPack | None:
    """Read a line about a pack; None, with faults at its spot, if it can't be used.

    `known` are the packs of the namespace: another one of that name is none that may come in.
    Of a pack that ships with Winnow, it is this version's that counts.
    """
    for key in (key for key in ("source", "content") if key not in one.line):
        one.spot.refuse(key, "this key is required")
    given = {key: read_legible(raw, key, one.spot) for key, raw in one.line.items()}
    if one.spot.faults:
        return None
    name, source, content = given["pack"], given["source"], given["content"]
    if source == BUILTIN:
        shipped = (pack.text for pack in builtin_packs() if pack.name == name)
        content = next(shipped, content)
    try:
        pack = load_pack(content, source)
    except PackError as error:
        one.spot.refuse("content", str(error))
        return None
    if pack.name != name:
        one.spot.refuse("pack", f"{name!r} is called {pack.name!r} in its content")
    other = known.get(pack.name)
    if other is not None and other.text != content and other.source != BUILTIN:
        one.spot.refuse("pack", f"{name!r} is defined otherwise by {other.source}")
    return StoredPack(namespace, pack.name, source, content)


def _read_settings(raw: object, spot: Spot) -> Mapping[str, Json]:
    line = as_line(raw)
    if line is None:
        spot.refuse("settings", f"expected an object of settings, got {describe(raw)}")
        return {}
    plain, wrong = copy_plain(dict(line), pointer_to(spot.place, "settings"))
    spot.faults.extend(wrong)
    return cast(Mapping[str, Json], plain)


def _check_settings(engine: Engine, row: NamespaceRow, spot: Spot) -> None:
    """Refuse what this version knows to be wrong; what only a newer one knows is kept."""
    here = spot.under("settings")
    for key in (EMBEDDER, LANGUAGE):
        if not isinstance(row.settings.get(key, ""), str):
            here.refuse(key, f"expected text, got {describe(row.settings[key])}")
    try:
        engine.workshop.embedder(read_settings(row).embedder)
    except InvalidRequest as error:
        here.refuse(EMBEDDER, "; ".join(fault.detail for fault in error.faults))


def _read_number(raw: object, spot: Spot) -> int:
    if type(raw) is int and 0 <= raw <= INT64_MAX:
        return raw
    spot.refuse("counter", f"expected a whole number, got {describe(raw)}")
    return 0
