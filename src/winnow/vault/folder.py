"""What lies in a vault's folder: its notes, its packs, and what of it can't or must not be read.

No link is followed: what one inside the vault leads to is read where it is, and what lies
outside is not the vault's.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from winnow.errors import VaultError
from winnow.vault.paths import PACK_ENDINGS, PACK_FOLDER, is_hidden, is_note, spell

LARGEST_NOTE = 256 * 1024 * 1024
"""Bytes; what is longer is hardly a note, and would not fit the store with all that it says."""


@dataclass(frozen=True, slots=True)
class SeenNote:
    """A note's file. `path` is relative to the vault, with `/`; `place` is what opens it."""

    path: str
    place: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Skip:
    """What was left out, and why; the path of a folder ends in `/`.

    What is `unknown` could not be looked at, so that nothing there counts as gone.
    """

    path: str
    reason: str
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """What was seen of a vault: notes and skips by path, and the places of its packs."""

    notes: tuple[SeenNote, ...] = ()
    skips: tuple[Skip, ...] = ()
    packs: tuple[str, ...] = ()


def list_folder(root: str) -> Listing:
    """List a vault; raises VaultError if its folder itself can't be read.

    `root` is an absolute path without links.
    """
    found = _Found(root)
    pending = [("", root)]
    while pending:
        prefix, place = pending.pop()
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    if not is_hidden(entry.name):
                        pending += found.look(prefix, entry)
        except OSError as error:
            if not prefix:
                raise VaultError(f"{spell(root)}: {explain(error)}") from error
            found.skips.append(Skip(prefix, f"a folder that can't be read: {explain(error)}", True))
    packs = tuple(found.packs())
    notes = sorted(found.notes.values(), key=lambda note: note.path)
    return Listing(tuple(notes), tuple(sorted(found.skips, key=lambda one: one.path)), packs)


def explain(error: OSError) -> str:
    """Say in a few words why a file can't be used."""
    return error.strerror or str(error)


@dataclass(slots=True)
class _Found:
    root: str
    notes: dict[str, SeenNote] = field(default_factory=dict[str, SeenNote])
    skips: list[Skip] = field(default_factory=list[Skip])

    def look(self, prefix: str, entry: "os.DirEntry[str]") -> Iterator[tuple[str, str]]:
        """Take one entry of a folder; yield it if it is a folder to look into."""
        path = prefix + spell(entry.name)
        try:
            if entry.is_symlink():
                self._leave_link(path, entry)
            elif entry.is_dir(follow_symlinks=False):
                yield f"{path}/", entry.path
            elif is_note(entry.name):
                self._take(path, entry.path, entry.stat(follow_symlinks=False))
        except OSError as error:
            self._leave(path, f"can't be looked at: {explain(error)}", unknown=True)

    def packs(self) -> Iterator[str]:
        """Yield the places of the vault's packs, by name."""
        folder = os.path.join(self.root, PACK_FOLDER)
        try:
            with os.scandir(folder) as entries:
                files = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            return
        except OSError as error:
            raise VaultError(f"{spell(folder)}: {explain(error)}") from error
        for entry in files:
            if not is_hidden(entry.name) and entry.name.lower().endswith(PACK_ENDINGS):
                if entry.is_file(follow_symlinks=False):
                    yield entry.path
                else:
                    self._leave(f"{PACK_FOLDER}/{spell(entry.name)}", "not a regular file")

    def _take(self, path: str, place: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            self._leave(path, "not a regular file")
        elif status.st_size > LARGEST_NOTE:
            limit = LARGEST_NOTE // 1024 // 1024
            self._leave(path, f"longer than {limit} MiB", unknown=True)
        elif path in self.notes:
            self._leave(path, "the name of another file looks the same in UTF-8")
        else:
            self.notes[path] = SeenNote(path, place, status.st_size, status.st_mtime_ns)

    def _leave_link(self, path: str, entry: "os.DirEntry[str]") -> None:
        """Report a link, if a note or a folder could be behind it."""
        try:
            is_folder = stat.S_ISDIR(os.stat(entry.path).st_mode)
        except OSError as error:
            if is_note(entry.name):
                self._leave(path, f"a link that leads nowhere: {explain(error)}")
            return
        if is_folder or is_note(entry.name):
            target = os.path.realpath(entry.path)
            self._leave(path + "/" * is_folder, _describe_target(self.root, target))

    def _leave(self, path: str, reason: str, *, unknown: bool = False) -> None:
        self.skips.append(Skip(path, reason, unknown))


def _describe_target(root: str, target: str) -> str:
    inside = os.path.relpath(target, root)
    if inside == os.curdir:
        return "a link to the vault itself, which is not followed"
    if inside.split(os.sep, 1)[0] == os.pardir:
        return f"a link that leaves the vault (to {spell(target)}), which is not followed"
    return f"a link to {spell(inside)} in this vault, which is read only there"
