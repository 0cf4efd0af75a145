"""Parts of tables in files that all processes share: found, written and merged beside the work.

The rows of the store are the truth. Where a file is missing, damaged, or of another program, the
parts are made from the rows again.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import tzinfo
from hashlib import blake2b
from pathlib import Path
from threading import Lock, Thread
from typing import Final, Generic, Protocol, TypeVar

from winnow.columns.arrays import Mask
from winnow.columns.encoding import SHAPE, Decoder, Encoder
from winnow.columns.files import Mapped, map_arrays, write_arrays
from winnow.columns.masks import count_alive, pack_dead, unpack_dead
from winnow.columns.table import count_small
from winnow.errors import StoreError
from winnow.store.base import Store
from winnow.store.segments import Derived, Segment, SegmentReader, find_litter, new_name
from winnow.values import Json

T = TypeVar("T")
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Piece(Generic[T]):
    """A part of what `label` names, and which of its rows are alive."""

    label: str
    part: T
    alive: Mask


@dataclass(frozen=True, slots=True)
class State(Generic[T]):
    """All parts of a topic as they stood at a change, in their order."""

    change: int
    pieces: Sequence[Piece[T]]

    def by_label(self) -> dict[str, list[Piece[T]]]:
        """Return the pieces of each label, in their order."""
        found: dict[str, list[Piece[T]]] = {}
        for piece in self.pieces:
            found.setdefault(piece.label, []).append(piece)
        return found


def stamp(zone: tzinfo, *more: str) -> str:
    """Return what files have to bear to be of use: a digest of all that their making rests on."""
    texts = (str(_FORMAT), SHAPE, str(zone), *more)
    return blake2b("\0".join(texts).encode("utf-8", "replace"), digest_size=16).hexdigest()


class Codec(Protocol[T]):
    """Knows what parts are made of."""

    def encode(self, encoder: Encoder, part: T) -> Json:
        """Return a part as JSON."""
        ...

    def decode(self, decoder: Decoder, value: Json) -> T:
        """Return the part of some JSON."""
        ...

    def merge(self, pieces: Sequence[Piece[T]]) -> Piece[T] | None:
        """Make one part of the living rows of some, from the store as it is now."""
        ...


class Archive(Generic[T]):
    """The files of one topic. Safe to use from several threads."""

    def __init__(self, store: Store, topic: str, codec: Codec[T], zone: tzinfo, stamp: str) -> None:
        """Take what files there are with this stamp, and nobody else's."""
        self._store = store
        self._topic = topic
        self._codec = codec
        self._zone = zone
        self._stamp = stamp
        self._lock = Lock()
        self._files: dict[str, tuple[Mapped, dict[int, T]]] = {}
        self._segments: dict[int, tuple[T, Segment]] = {}
        self._base = -1
        self._doubted: Derived | None = None
        self._failed = 0
        self._ready = False
        self._thread: Thread | None = None

    def is_ready(self) -> bool:
        """Tell whether files were named that have more than what was loaded."""
        return self._ready

    def load(self) -> State[T] | None:
        """Return what the files have in the state that this thread sees; None if nothing is fit."""
        self._ready = False
        derived, tries = self._find(), 0
        while derived is not None:
            tries += 1
            try:
                return self._open(derived)
            except (StoreError, OSError, ValueError, LookupError, TypeError) as error:
                if not isinstance(error, FileNotFoundError) or tries == _TRIES:
                    _LOG.warning("files of %s are not used: %s", self._topic, error)
                    self._doubted = derived
                    return None
            self._store.states.advance()  # the files have been merged away since
            derived = self._find()
        return None

    def is_stored(self, part: T) -> bool:
        """Tell whether a part stands in a file."""
        return id(part) in self._segments

    def offer(self, state: State[T], fresh: int) -> None:
        """Begin to write the parts that are in no file, if they have so many rows that it pays.

        `fresh` is the number of those rows. Others may have been quicker: then theirs are ready.
        """
        total = sum(len(piece.alive) for piece in state.pieces)
        if fresh < max(_FEWEST, min(_MOST, total // 4), 2 * self._failed) or self._ready:
            return
        with self._lock:
            if not self.is_writing():
                self._thread = self._begin(state, fresh)

    def is_writing(self) -> bool:
        """Tell whether a file is being written."""
        return self._thread is not None and self._thread.is_alive()

    def finish(self) -> None:
        """Wait until nothing is being written."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _begin(self, state: State[T], fresh: int) -> Thread | None:
        thread = Thread(target=self._work, args=(state, fresh), name="segments")
        try:
            thread.start()
        except RuntimeError as error:  # there may be no more threads, or the program ends
            self._failed = fresh
            _warn(error)
            return None
        return thread

    def _work(self, state: State[T], fresh: int) -> None:
        try:
            with self._store.segments.claim() as claimed:
                if claimed and not self._is_behind():
                    _collect(self._store.segments)
                    self._write(state)
                    _collect(self._store.segments)
            self._failed = 0
            self._ready = self._is_behind()
        except Exception as error:  # noqa: BLE001 - whatever it is, all can be read from the rows
            self._failed = fresh  # it is tried again when there is twice as much to write
            _warn(error)

    def _is_behind(self) -> bool:
        derived = self._find()
        return derived is not None and derived.change > self._base and derived != self._doubted

    def _find(self) -> Derived | None:
        derived = self._store.segments.find(self._topic)
        return derived if derived is not None and derived.stamp == self._stamp else None

    def _write(self, state: State[T]) -> None:
        self._name(state)
        merged = self._merge(state)
        if merged is not None:
            self._name(State(state.change, merged))

    def _name(self, state: State[T]) -> None:
        """Write the parts that stand in no file, all to one, and name all of them."""
        known, folder = dict(self._segments), self._store.segments.folder
        new = [one for one in state.pieces if not _has_file(folder, known.get(id(one.part)))]
        if new:
            written = _write_file(self._codec, folder, new)
            made = zip(new, written, strict=True)
            known |= {id(piece.part): (piece.part, segment) for piece, segment in made}
        segments = [
            replace(known[id(piece.part)][1], dead=pack_dead(piece.alive)) for piece in state.pieces
        ]
        with self._store.write() as writer:
            writer.segments.put(Derived(self._topic, self._stamp, state.change, segments))
        self._segments = known  # not before: a file that is not named may be taken away

    def _merge(self, state: State[T]) -> list[Piece[T]] | None:
        """Put one part in place of the last ones of what has many; None if nothing has.

        Its rows may be newer than the change that it is named with: whoever loads it reads what
        has changed since, and puts that in their place.
        """
        by_label = state.by_label()
        crowded = {
            label: count_small([count_alive(piece.alive) for piece in own])
            for label, own in by_label.items()
            if len(own) >= _MANY
        }
        for label, count in crowded.items():
            if count:
                own = by_label[label]
                merged = self._codec.merge(own[len(own) - count :])
                by_label[label] = [*own[: len(own) - count], *([merged] if merged else ())]
        return [one for own in by_label.values() for one in own] if any(crowded.values()) else None

    def _open(self, derived: Derived) -> State[T]:
        files = {name: self._files.get(name) for name in {one.file for one in derived.segments}}
        sizes = {one.file: one.size for one in derived.segments}
        opened = {
            name: known or (map_arrays(self._store.segments.folder / name, sizes[name]), {})
            for name, known in files.items()
        }
        pieces = [_read(self._codec, self._zone, opened[one.file], one) for one in derived.segments]
        self._files = opened
        self._segments = {
            id(piece.part): (piece.part, one)
            for piece, one in zip(pieces, derived.segments, strict=True)
        }
        self._base = derived.change
        return State(derived.change, pieces)


def _has_file(folder: Path, known: tuple[object, Segment] | None) -> bool:
    """Tell whether a part stands in a file that is still there: others may have merged it."""
    return known is not None and (folder / known[1].file).exists()


def _write_file(codec: Codec[T], folder: Path, pieces: Sequence[Piece[T]]) -> list[Segment]:
    encoder = Encoder()
    title = [codec.encode(encoder, piece.part) for piece in pieces]
    name = new_name()
    seal = write_arrays(folder / name, title, encoder.arrays)
    return [
        Segment(piece.label, name, entry, len(piece.alive), seal.size, seal.checksum, None)
        for entry, piece in enumerate(pieces)
    ]


def _collect(segments: SegmentReader) -> None:
    """Take away the files that nothing names: what maps them keeps them until it is done."""
    named = {segment.file for derived in segments.list() for segment in derived.segments}
    for path in find_litter(segments.folder, named):
        with suppress(OSError):  # what can't be removed is no reason to write nothing
            path.unlink()


def _warn(error: Exception) -> None:
    told = error if isinstance(error, StoreError | OSError) else type(error).__name__
    _LOG.warning("columns are not written beside the store: %s", told)


def _read(
    codec: Codec[T], zone: tzinfo, file: tuple[Mapped, dict[int, T]], segment: Segment
) -> Piece[T]:
    mapped, parts = file
    if segment.entry not in parts:
        if not isinstance(mapped.title, list) or segment.entry >= len(mapped.title):
            raise StoreError(f"{segment.file}: no part {segment.entry}")
        decoder = Decoder(mapped.arrays, zone)
        parts[segment.entry] = codec.decode(decoder, mapped.title[segment.entry])
    return Piece(segment.label, parts[segment.entry], unpack_dead(segment.dead, segment.rows))


# So many rows that are in no file are worth one; a quarter of all rows is, too, if those are few.
_MOST: Final = 20_000
_FEWEST: Final = 2_000
_MANY: Final = 8  # parts
_TRIES: Final = 3
_FORMAT: Final = 1  # of what files hold; another one makes all of them anew
