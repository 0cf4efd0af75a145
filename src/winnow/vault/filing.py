"""Filing the pieces of notes: with their terms and vectors, under ids that are free."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count, islice
from typing import TypeAlias

from winnow.errors import StoreError
from winnow.store.memories import Record, RecordLookup, RecordWriter
from winnow.vault.loading import Loaded, ToRead
from winnow.vault.reading import BuiltNote

Finish: TypeAlias = Callable[[RecordWriter], Sequence[Record]]
"""Returns the pieces that were prepared, in their order, with all that is made from them."""
Prepare: TypeAlias = Callable[[Sequence[Record]], Finish]
"""Is given the pieces of a batch, as a rule before its transaction, and does what takes long.

What it returns is called once, in the transaction. The ids of the pieces may change after that.
"""

Batch: TypeAlias = list[tuple[ToRead, Loaded]]


def prepare_pieces(prepare: Prepare | None, batch: Batch) -> Callable[[RecordWriter], Batch]:
    """Prepare the pieces of a batch; without `prepare` they stay as they are."""
    pieces = [piece for _, one in batch if one.note for piece in one.note.pieces]
    if prepare is None or not pieces:
        return lambda _: batch
    finish = prepare(pieces)
    return lambda records: list(_with_pieces(batch, finish(records)))


def finish_note(prepare: Prepare | None, records: RecordWriter, note: BuiltNote) -> BuiltNote:
    """Prepare and finish the pieces of one note, which was made in the transaction."""
    if prepare is None:
        return note
    return replace(note, pieces=tuple(prepare(note.pieces)(records)))


def file_pieces(records: RecordWriter, note: int, pieces: Sequence[Record], *, known: bool) -> None:
    """Make these the pieces of a note; a `known` one may have pieces already.

    If something else of the namespace has a piece's id, the note's key is put behind it; such
    an id stays when the other is gone.
    """
    kept = [_keep(records, note, piece) for piece in pieces] if known else pieces
    try:
        records.put_pieces(note, kept)
    except StoreError:
        records.put_pieces(note, [_move(records, note, piece) for piece in kept])


def _with_pieces(batch: Batch, pieces: Sequence[Record]) -> Iterator[tuple[ToRead, Loaded]]:
    left = iter(pieces)
    for item, one in batch:
        if one.note is not None:
            own = tuple(islice(left, len(one.note.pieces)))
            one = replace(one, note=replace(one.note, pieces=own))
        yield item, one


def _keep(records: RecordLookup, note: int, piece: Record) -> Record:
    """Return a piece with the id that it has in its note."""
    own = _own_id(piece.id, note)
    return piece if records.find(piece.namespace, own) is None else replace(piece, id=own)


def _move(records: RecordLookup, note: int, piece: Record) -> Record:
    """Return a piece with an id that nothing but its note has."""
    others = (replace(piece, id=_own_id(piece.id, note, turn)) for turn in count(1))
    return next(one for one in chain([piece], others) if _is_free(records, note, one))


def _own_id(record: str, note: int, turn: int = 1) -> str:
    return f"{record}-{note}" if turn == 1 else f"{record}-{note}-{turn}"


def _is_free(records: RecordLookup, note: int, piece: Record) -> bool:
    key = records.find(piece.namespace, piece.id)
    if key is None:
        return records.find(piece.namespace, piece.id, deleted=True) is None
    (holder,) = records.read([key])
    return holder is not None and holder.piece is not None and holder.piece.note == note
