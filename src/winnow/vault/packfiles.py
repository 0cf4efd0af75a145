"""The packs that a vault is read with: of the package, of its `.winnow` folder, and others."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from winnow.errors import Fault, InvalidRequest, PackError, unknown
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

    Of a remembered file that is gone the stored text is used, if it is kept. Raises PackError with
    every mistake of every file.
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
            if kept is not None:
                ending = f"--forget-pack {kept.name} ends that"
                told = f"{kept.name!r} is used as it was last read ({ending})"
                warnings.append(f"{source} is gone; {told}")
                texts[source] = kept.text
        except PackError as error:
            faults.append(error)
    return _settled(texts, stored, faults), warnings


def keep_files(
    files: PackFiles, stored: Sequence[StoredPack], forget: Sequence[str] = ()
) -> tuple[PackFiles, list[str]]:
    """Leave out remembered files that are to be forgotten, or that nothing needs any more.

    `forget` has names of packs, and files. A file that is gone is not needed where another one
    defines its pack, or where its text is not kept; that is told once, in the warnings. Raises
    InvalidRequest for a name that can't be forgotten.
    """
    gone = set(filter(_is_gone, files.remembered))
    if not gone and not forget:
        return files, []
    names = {place: _name_of(place, stored) for place in files.all()}
    _check_forgotten(files, names, stored, forget)
    there = {names[place]: place for place in files.all() if place not in gone}
    kept: list[str] = []
    warnings: list[str] = []
    for place in dict.fromkeys(files.remembered):
        name, source = names[place], spell(place)
        if name in forget or source in forget:
            continue
        if place not in gone or (name is not None and name not in there):
            kept.append(place)
        elif name is None:
            warnings.append(f"{source} is gone; notes are read without it from now on")
        else:
            warnings.append(f"{source} is gone; {name!r} is read from {spell(there[name])} now")
    return replace(files, remembered=kept), warnings


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


def _is_gone(place: str) -> bool:
    try:
        os.stat(place)
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
    return False


def _name_of(place: str, stored: Sequence[StoredPack]) -> str | None:
    """Return the name of the pack in a file, of one that can't be read as it was stored."""
    source = spell(place)
    try:
        return load_pack(_read(place, source), source).name
    except (PackError, OSError):
        return next((one.name for one in stored if one.source == source), None)


def _check_forgotten(
    files: PackFiles,
    names: Mapping[str, str | None],
    stored: Sequence[StoredPack],
    forget: Iterable[str],
) -> None:
    """Refuse to forget what is not known, and what would be back with the next run."""
    own = {names[place]: spell(place) for place in files.own}
    known = {one.name for one in stored if one.source != BUILTIN}
    known |= {name for place in files.remembered for name in (names[place], spell(place)) if name}
    for name in forget:
        if name in own or name in own.values():
            detail = f"{own.get(name, name)} is in the vault's own folder: remove the file"
        elif any(name == pack.name for pack in builtin_packs()):
            detail = f"the pack {name!r} ships with Winnow"
        elif name in known:
            continue
        else:
            detail = unknown("pack", name, sorted(known))
        raise InvalidRequest([Fault("/forgetPack", detail)])


def _second_definition(pack: Pack, other: str) -> PackError:
    detail = (
        f"the pack {pack.name!r} is already defined otherwise by {other}; rename one of them, or"
        f" forget one of before with forgetPack (--forget-pack {pack.name})"
    )
    return PackError(pack.source, [(None, detail)])
