"""The names of files in a vault: which are notes, and how the store spells them."""

import os
import unicodedata

NOTE_ENDINGS = (".md", ".markdown")
PACK_ENDINGS = (".yaml", ".yml")
PACK_FOLDER = ".winnow"


def is_hidden(name: str) -> bool:
    """Tell whether a file or folder is left out, as those of Obsidian, git and macOS are."""
    return name.startswith(".")


def is_note(name: str) -> bool:
    """Tell whether a file's name is that of a note, whatever its case."""
    return name.lower().endswith(NOTE_ENDINGS)


def stem_of(path: str) -> str:
    """Return the name of a note's file without its ending, composed (NFC).

    A path stays as the disk has it, so that it opens the file; macOS writes `é` as two
    characters there. A name is compared with what people typed.
    """
    name = path.rpartition("/")[2]
    ending = next((one for one in NOTE_ENDINGS if name.lower().endswith(one)), "")
    return unicodedata.normalize("NFC", name[: len(name) - len(ending)])


def spell(name: str) -> str:
    r"""Return a name that the disk gave as text that can be stored; other bytes become `\xe9`."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def is_text(name: str) -> bool:
    """Tell whether a name that the disk gave is text in UTF-8."""
    try:
        return name.isascii() or bool(os.fsencode(name).decode("utf-8"))
    except UnicodeError:
        return False
