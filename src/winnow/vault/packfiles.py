"""The packs that a vault is read with: of the package, of its `.winnow` folder, and others."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from winnow.errors import PackError
from winnow.packs import builtin_packs, load_pack
from winnow.schema import Pack
from winnow.store.base import StoredPack
from winnow.vault.extract import EXTRACTOR_VERSION
from winnow.vault.folder import explain
from winnow.vault.paths import spell
from winnow.vault.reading import READER_VERSION

BUILTIN = "builtin"
"""The source of a pack that ships with Winnow."""
LARGEST_PACK = 4_000_000
"""Bytes; what is longer is no pack that anybody wrote."""


@dataclass(frozen=True, slots=True)
class PackFiles:
    """Where packs come from: files in the vault, files asked for now, and those of last time."""

    own: Sequence[str] = ()
    asked: Sequence[str] = ()
    remembered: Sequence[str] = ()

    def all(self) -> tuple[str, ...]:
        """Return each place once."""
        return tuple(dict.fromkeys((*self.own, *self.asked, *self.remembered)))

    def outside(self) -> tuple[str, ...]:
        """Return the sources of the packs that are to be remembered."""
        return tuple(spell(place) for place in self.all() if place not in self.own)


def gather_packs(
    files: PackFiles, stored: Sequence[StoredPack]
) -> tuple[tuple[Pack, ...], list[str]]:
    """Read all packs of a vault, with warnings; `stored` are those that its namespace knows.

    Of a remembered file that is gone the stored text is used. Raises PackError with every
    mistake of every file.
    """
    texts: dict[str, str] = {}
    faults: list[PackError] = []
    warnings: list[str] = []
    for place in files.all():
        source = spell(place)
        try:
            texts[source] = _read(place, source)
        except FileNotFoundError:
            if place in files.asked:
                faults.append(PackError(source, [(None, "there is no such file")]))
                continue
            kept = next((one for one in stored if one.source == source), None)
            if kept is None:
                warnings.append(f"{source} is gone; notes are read without it")
            else:
                warnings.append(f"{source} is gone; {kept.name!r} is used as it was last read")
                texts[source] = kept.text
        except PackError as error:
            faults.append(error)
    return _settled(texts, stored, faults), warnings


def missing_packs(
    packs: Iterable[Pack], namespace: str, stored: Sequence[StoredPack]
) -> list[StoredPack]:
    """List the packs that a namespace does not hold yet in this form."""
    known = {one.name: one for one in stored}
    wanted = [StoredPack(namespace, pack.name, pack.source, pack.text) for pack in packs]
    return [one for one in wanted if not _is_kept(known.get(one.name), one)]


def fingerprint(packs: Iterable[Pack], *more: str) -> str:
    """Return what changes whenever notes have to be read again: with packs, code, and `more`."""
    parts = sorted(f"{pack.name} {pack.fingerprint}" for pack in packs)
    versions = f"extractor {EXTRACTOR_VERSION}, reader {READER_VERSION}"
    return hashlib.sha256("\n".join([versions, *parts, *more]).encode()).hexdigest()


def _read(place: str, source: str) -> str:
    try:
        return _read_bytes(place, source).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise PackError(source, [(line, "a pack must be text in UTF-8")]) from None
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        reason = explain(error) if isinstance(error, OSError) else str(error)
        raise PackError(source, [(None, f"can't be read: {reason}")]) from error


def _read_bytes(place: str, source: str) -> bytes:
    """Read a pack's file; a device or a pipe, which may never end, is refused."""
    handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        data = file.read(LARGEST_PACK + 1)
    if len(data) > LARGEST_PACK:
        raise PackError(source, [(None, f"a pack has at most {LARGEST_PACK:,} bytes")])
    return data


def _settled(
    texts: Mapping[str, str], stored: Sequence[StoredPack], faults: list[PackError]
) -> tuple[Pack, ...]:
    """Load packs and refuse a second definition of any; the same one twice counts once."""
    packs = {pack.name: replace(pack, source=BUILTIN) for pack in builtin_packs()}
    for source, text in texts.items():
        try:
            pack = load_pack(text, source)
        except PackError as error:
            faults.append(error)
            continue
        first = packs.setdefault(pack.name, pack)
        if first.text != pack.text:
            faults.append(_second_definition(pack, first.source))
    known = {one.name: one for one in stored}
    for pack in packs.values():
        other = known.get(pack.name)
        if other is not None and _contradicts(other, pack):
            faults.append(_second_definition(pack, other.source))
    if faults:
        raise PackError(faults[0].source, faults[0].mistakes, faults[1:])
    return tuple(packs.values())


def _contradicts(stored: StoredPack, pack: Pack) -> bool:
    """Tell whether another source, which is still there, gives the pack another content."""
    if stored.text == pack.text or stored.source in (pack.source, BUILTIN):
        return False
    try:
        return _read(stored.source, stored.source) != pack.text
    except (PackError, OSError):
        return False


def _is_kept(stored: StoredPack | None, wanted: StoredPack) -> bool:
    """Tell whether a pack is stored already, be it from another file that is still there."""
    if stored is None or stored.text != wanted.text:
        return False
    return stored.source in (wanted.source, BUILTIN) or Path(stored.source).exists()


def _second_definition(pack: Pack, other: str) -> PackError:
    detail = f"the pack {pack.name!r} is already defined otherwise by {other}; rename one of them"
    return PackError(pack.source, [(None, detail)])
