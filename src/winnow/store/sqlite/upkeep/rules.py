"""What holds in every whole store, as statements that count where it does not, and that mend it."""

from dataclasses import dataclass
from typing import LiteralString


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that holds: `count` counts where it does not, `detail` says so in words.

    `mend` are the statements that mend it, `repair` says what they do. `?1` in them is the number
    of the change; in `count` it is the time, in milliseconds.
    """

    code: str
    where: str
    count: LiteralString
    detail: str
    repair: str | None = None
    mend: tuple[LiteralString, ...] = ()
    serious: bool = True


_ABOVE: LiteralString = "change > (SELECT change FROM meta)"
_LOST_PIECE: LiteralString = "note IS NOT NULL AND note NOT IN (SELECT key FROM note)"
_LOST_MODEL: LiteralString = "model IS NOT NULL AND model NOT IN (SELECT key FROM model)"
_NO_RECORD: LiteralString = "record NOT IN (SELECT key FROM record)"
_NO_SOURCE: LiteralString = (
    "entity NOT IN (SELECT key FROM entity) OR note NOT IN (SELECT key FROM note)"
)
_NOTED: LiteralString = "EXISTS (SELECT 1 FROM contribution WHERE contribution.entity = entity.key)"
_ODD_VECTOR: LiteralString = "length(vector) = 0 OR length(vector) % 4 <> 0"
_MADE: LiteralString = "model IN (SELECT key FROM model WHERE name <> 'external')"
_A_DAY: LiteralString = "86400000"  # milliseconds by which two clocks may differ

OWNED = frozenset({"vector", "past", "contribution", "spent"})
"""Tables of what belongs to something else: rows whose owner is gone are counted by rules."""

# In the order in which they are mended: what a later one counts may follow from an earlier one.
RULES: tuple[Rule, ...] = (
    Rule(
        "no_change_number",
        "meta",
        "SELECT count(*) <> 1 FROM meta",
        "row with the store's change number is missing",
    ),
    Rule(
        "lost_vectors",
        "vector",
        "SELECT count(*) FROM vector WHERE " + _NO_RECORD,
        "vectors are of records that are gone",
        "remove them",
        ("DELETE FROM vector WHERE " + _NO_RECORD,),
    ),
    Rule(
        "lost_history",
        "past",
        "SELECT count(*) FROM past WHERE " + _NO_RECORD,
        "steps of a history are of records that are gone",
        "remove them",
        ("DELETE FROM past WHERE " + _NO_RECORD,),
    ),
    Rule(
        "lost_contributions",
        "contribution",
        "SELECT count(*) FROM contribution WHERE " + _NO_SOURCE,
        "statements are of a note or an entity that is gone",
        "remove them",
        ("DELETE FROM contribution WHERE " + _NO_SOURCE,),
    ),
    Rule(
        "lost_numbers",
        "spent",
        "SELECT count(*) FROM spent WHERE namespace NOT IN (SELECT key FROM namespace)",
        "spent numbers are of namespaces that are gone",
        "remove them",
        ("DELETE FROM spent WHERE namespace NOT IN (SELECT key FROM namespace)",),
    ),
    Rule(
        "lost_pieces",
        "record",
        "SELECT count(*) FROM record WHERE " + _LOST_PIECE,
        "pieces are of notes that are gone",
        "remove them: a note that is in its vault is read again",
        (
            "INSERT INTO purged (change, key) SELECT ?1, key FROM record WHERE " + _LOST_PIECE,
            "DELETE FROM record WHERE " + _LOST_PIECE,
        ),
    ),
    Rule(
        "unknown_models",
        "record",
        "SELECT count(*) FROM record WHERE " + _LOST_MODEL,
        "records don't know what made their vector",
        "forget who made it, and make it again",
        ("UPDATE record SET change = ?1, model = NULL WHERE " + _LOST_MODEL,),
    ),
    Rule(
        "unreadable_vectors",
        "vector",
        f"""SELECT count(*) FROM vector JOIN record ON record.key = vector.record
        WHERE ({_ODD_VECTOR}) AND {_MADE}""",
        "records have a vector that can't be read",
        "remove it, and make it again",
        (
            f"""UPDATE record SET change = ?1, model = NULL WHERE {_MADE}
            AND key IN (SELECT record FROM vector WHERE {_ODD_VECTOR})""",
            f"""DELETE FROM vector WHERE ({_ODD_VECTOR})
            AND record IN (SELECT key FROM record WHERE model IS NULL)""",
        ),
    ),
    Rule(
        "unreadable_given_vectors",
        "vector",
        f"""SELECT count(*) FROM vector JOIN record ON record.key = vector.record
        WHERE ({_ODD_VECTOR}) AND NOT coalesce({_MADE}, 0)""",
        "records have a vector that was given with them and can't be read",
    ),
    Rule(
        "wrong_noted",
        "entity",
        f"SELECT count(*) FROM entity WHERE noted <> {_NOTED}",
        "entities don't know whether a note declares them",
        "look, and note it",
        (f"UPDATE entity SET change = ?1, noted = {_NOTED} WHERE noted <> {_NOTED}",),
    ),
    Rule(
        "unreadable_imports",
        "entity",
        "SELECT count(*) FROM entity WHERE imported IS NOT NULL AND NOT json_valid(imported)",
        "entities have imported fields that can't be read",
    ),
    Rule(
        "unreadable_contributions",
        "contribution",
        "SELECT count(*) FROM contribution WHERE NOT json_valid(fields)",
        "notes say something of an entity that can't be read",
    ),
    Rule(
        "entities_ahead",
        "entity",
        "SELECT count(*) FROM entity WHERE " + _ABOVE,
        "entities have a change number that was never given",
        "give them the next one",
        ("UPDATE entity SET change = ?1 WHERE change > ?1",),
    ),
    Rule(
        "notes_ahead",
        "note",
        "SELECT count(*) FROM note WHERE " + _ABOVE,
        "notes have a change number that was never given",
        "give them the next one",
        ("UPDATE note SET change = ?1 WHERE change > ?1",),
    ),
    Rule(
        "records_ahead",
        "record",
        f"""SELECT count(*) FROM (
            SELECT change FROM record UNION ALL SELECT change FROM purged
        ) WHERE {_ABOVE}""",
        "records have a change number that was never given",
        "give them the next one",
        (
            "UPDATE record SET change = ?1 WHERE change > ?1",
            "UPDATE OR REPLACE purged SET change = ?1 WHERE change > ?1",
        ),
    ),
    Rule(
        "living_purged",
        "purged",
        "SELECT count(*) FROM purged WHERE key IN (SELECT key FROM record)",
        "records are there and purged at once",
        "keep the records",
        (
            "UPDATE record SET change = ?1 WHERE key IN (SELECT key FROM purged)",
            "DELETE FROM purged WHERE key IN (SELECT key FROM record)",
        ),
    ),
    Rule(
        "unreadable_notes",
        "note",
        """SELECT count(*) FROM note WHERE NOT (json_valid(tags) AND json_valid(findings)
        AND json_valid(links) AND json_valid(metadata))""",
        "notes have tags, findings, links or metadata that can't be read",
    ),
    Rule(
        "unreadable_records",
        "record",
        """SELECT count(*) FROM record WHERE NOT json_valid(tags)
        OR (typeof(metadata) = 'text' AND NOT json_valid(metadata))""",
        "records have tags or metadata that can't be read",
    ),
    Rule(
        "unreadable_keys",
        "access_key",
        """SELECT count(*) FROM access_key WHERE NOT json_valid(scopes)
        OR (namespaces IS NOT NULL AND NOT json_valid(namespaces))""",
        "keys have scopes or namespaces that can't be read",
    ),
    Rule(
        "unreadable_history",
        "past",
        "SELECT count(*) FROM past WHERE NOT json_valid(before)",
        "records have a history that can't be read",
    ),
    Rule(
        "late_change",
        "meta",
        """SELECT count(*) FROM meta
        WHERE julianday(changed_at) > julianday('now', '+5 minutes')""",
        "time of the last change has not come yet: a clock was wrong, or is",
        serious=False,
    ),
    Rule(
        "times_ahead",
        "record",
        f"""SELECT count(*) FROM record
        WHERE note IS NULL AND max(created_at, updated_at) > ?1 + {_A_DAY}""",
        "memories have times that have not come yet: a clock was wrong, or is",
        serious=False,
    ),
    Rule(
        "times_backward",
        "record",
        "SELECT count(*) FROM record WHERE note IS NULL AND updated_at < created_at",
        "memories were changed before they were stored: a clock was wrong",
        serious=False,
    ),
)
