"""Loading notes from the files that a plan names, here or in another process."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from winnow.errors import PackError
from winnow.schema import Pack
from winnow.store.base import StoredNote
from winnow.vault.contents import Content, read_file
from winnow.vault.folder import SeenNote, Skip, explain
from winnow.vault.pieces import Home
from winnow.vault.reading import BuiltNote, build_note, build_plain_note


@dataclass(frozen=True, slots=True)
class ToRead:
    """A file to be read, and what was known of its note."""

    seen: SeenNote
    known: StoredNote | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file that was read, with its size and times; without a note its content is as known."""

    size: int
    mtime_ns: int
    known_mtime: int
    note: BuiltNote | None = None


Reading: TypeAlias = Loaded | Skip | None
"""What came of reading a file; one that has just gone is None."""


@dataclass(frozen=True, slots=True)
class Loader:
    """Loads files by some packs; with `reread` also those whose content is known."""

    packs: Sequence[Pack]
    reread: bool = False
    home: Home = field(default_factory=Home)

    def load(self, item: ToRead) -> Reading:
        """Read a file; whatever is wrong with it is in the answer.

        Raises PackError if an expression of a pack takes too long on it.
        """
        try:
            content = read_file(item.seen.place)
        except FileNotFoundError:
            return None
        except OSError as error:
            return Skip(item.seen.path, f"can't be read: {explain(error)}", unknown=True)
        is_known = item.known is not None and content.digest == item.known.digest
        note = None if is_known and not self.reread else self._build(item.seen, content)
        return Loaded(content.size, content.mtime_ns, content.known_mtime, note)

    def _build(self, seen: SeenNote, content: Content) -> BuiltNote:
        try:
            return build_note(seen, content, self.packs, self.home)
        except PackError:  # as wrong for the next note, and slow
            raise
        except Exception as error:  # noqa: BLE001 - one note must not stop the others
            reason = f"{type(error).__name__}: {error}"
            return build_plain_note(seen.path, content, reason, self.home)
