"""Reading the links of all notes: which pieces of notes are near to which."""

from typing import cast

from winnow.store.memories import LinkRow, NoteLinks
from winnow.store.sqlite.connection import Connection
from winnow.store.sqlite.rows import decode_json


def read_links(connection: Connection, stamp: tuple[int, int] | None) -> NoteLinks | None:
    """Read the links of all notes; None if they are those of a stamp."""
    # A note that is gone makes the count less, any other change makes a higher number.
    now = connection.one(tuple[int, int], "SELECT count(*), coalesce(max(change), 0) FROM note")
    if now == stamp:
        return None
    rows = connection.all(
        tuple[int, int, str, str | None, str],
        """SELECT vault, key, path, metadata -> '$.aliases', links FROM note
        ORDER BY vault, path""",
    )
    return NoteLinks(
        now,
        [
            LinkRow(vault, key, path, _texts(aliases), decode_json(links))
            for vault, key, path, aliases, links in rows
        ],
    )


def _texts(aliases: str | None) -> tuple[str, ...]:
    found: object = None if aliases is None else decode_json(aliases)
    return tuple(map(str, cast(list[object], found))) if isinstance(found, list) else ()
