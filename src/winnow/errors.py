"""Everything that Winnow refuses, one class for each thing that a caller can do about it."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a request.

    `pointer` is a JSON pointer into the request (`/filters/escrowPct/gte`); `position` counts
    characters from 0 inside a text such as `where`.
    """

    pointer: str
    detail: str
    position: int | None = None

    def __str__(self) -> str:
        place = self.pointer if self.position is None else f"{self.pointer}:{self.position + 1}"
        return f"{place}: {self.detail}" if place else self.detail


class WinnowError(Exception):
    """The root of all errors that Winnow raises on purpose."""

    code = "error"


class InvalidRequest(WinnowError):
    """The request itself is wrong; every fault of it is listed."""

    code = "invalid_request"

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(str(fault) for fault in self.faults))


class PackError(WinnowError):
    """A schema pack has mistakes; `mistakes` are (line, detail) in the order of the file.

    `others` are the errors of other packs that were read with it.
    """

    code = "invalid_pack"

    def __init__(
        self,
        source: str,
        mistakes: Iterable[tuple[int | None, str]],
        others: "Iterable[PackError]" = (),
    ) -> None:
        self.source = source
        self.mistakes = tuple(mistakes)
        self.others = tuple(others)
        places = [
            f"{source}:{line}: {detail}" if line is not None else f"{source}: {detail}"
            for line, detail in self.mistakes
        ]
        super().__init__("; ".join([*places, *map(str, self.others)]))


class NotFound(WinnowError):
    """Nothing of that name or id is stored."""

    code = "not_found"


class Conflict(WinnowError):
    """There is something of that id already, which was not to be changed."""

    code = "conflict"


class ReadOnly(WinnowError):
    """What was to be changed belongs to a note, and is changed there."""

    code = "read_only"


class Forbidden(WinnowError):
    """The key that was given may not do this, or not there."""

    code = "forbidden"


class OntologyDisabled(WinnowError):
    """Typed recall is switched off by `WINNOW_ONTOLOGY=0`."""

    code = "ontology_disabled"


class NotAvailable(WinnowError):
    """A legal request that this version does not serve."""

    code = "not_available"


class StoreError(WinnowError):
    """The store can't be used as it is; nothing was changed."""

    code = "store_error"


class DamagedStore(StoreError):
    """The store's file is not what was written, or no file of a store at all; it was left alone."""


class VaultError(WinnowError):
    """The vault can't be read as it is; nothing was changed."""

    code = "vault_error"


class NoEmbedder(WinnowError):
    """This needs vectors, and none of the namespaces that are searched makes any."""

    code = "no_embedder"


class EmbedderError(WinnowError):
    """The embedder can't make vectors as it is; nothing was changed."""

    code = "embedder_error"


class TooSlow(WinnowError):
    """The request took more time than it may; a change that was under way was not made."""

    code = "too_slow"


class Cancelled(WinnowError):
    """Nobody waits for the request any more; a change that was under way was not made."""

    code = "cancelled"


class SourceError(WinnowError):
    """Another source of recall can't answer; a recall goes on without it, and says so."""

    code = "source_error"


def settle(faults: Iterable[Fault]) -> None:
    """Raise InvalidRequest if there is any fault; the same one is told once."""
    found = tuple(dict.fromkeys(faults))
    if found:
        raise InvalidRequest(found)


_LONGEST_NAME = 100  # characters; nothing longer was meant to be a name


def nearest(name: str, allowed: Iterable[str]) -> str | None:
    """Return the allowed name that `name` was most likely meant to be, if any is close."""
    if len(name) > _LONGEST_NAME:
        return None
    by_fold = {candidate.casefold(): candidate for candidate in allowed}
    close = difflib.get_close_matches(name.casefold(), by_fold, n=1, cutoff=0.6)
    return by_fold[close[0]] if close else None


def unknown(what: str, name: str, allowed: Iterable[str], meant: str | None = None) -> str:
    """Say that `name` is not a known `what`, with the nearest name and what is allowed.

    `meant` is what the name certainly stands for, if that is known.
    """
    names = list(allowed)
    guess = meant or nearest(name, names)
    hint = f"; did you mean {guess!r}?" if guess else ""
    shown = repr(name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "...")
    return f"unknown {what} {shown}{hint} (allowed: {', '.join(names) or 'none'})"


def counted(count: int, what: str) -> str:
    """Return `1,200 memories`, or `1 memory`; `what` is a plural."""
    if count == 1:
        what = f"{what[:-3]}y" if what.endswith("ies") else what.removesuffix("s")
    return f"{count:,} {what}"
