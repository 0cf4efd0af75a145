"""What a filter may name of a stored memory or a piece of a note: its own fields and metadata.

A name that is no field's is a key of metadata, which is named exactly as it is written. Names
with `@` are those of the Redis protocol, where an instant is in milliseconds since 1970-01-01 UTC.
"""

from collections.abc import Iterable, Mapping

from winnow.kinds import KINDS, Provenance
from winnow.schema import Field, IdRule, Schema, spell
from winnow.values import Type, clean_tag, fold

MEMORY_TYPES = ("episodic", "semantic", "orientation")
DEFAULT_IMPORTANCE = 0.5
METADATA = Field("metadata", Type.OPEN, description="What else is known, under any keys.")

_FIELDS = (
    Field("id", Type.STRING, description="Unique in its namespace."),
    Field("namespace", Type.STRING, description="What it belongs to."),
    Field("text", Type.STRING, description="What is remembered."),
    Field("title", Type.STRING, description="What it is called."),
    Field("kind", Type.ENUM, choices=KINDS, description="What kind of memory it is."),
    Field(
        "kindProvenance",
        Type.ENUM,
        choices=tuple(Provenance),
        description="How the kind was assigned.",
    ),
    Field("entity", Type.STRING, description="Whom or what it is about."),
    Field("memoryType", Type.ENUM, choices=MEMORY_TYPES, description="Which memory it is in."),
    Field("tags", Type.TAG, is_list=True, description="Tags; law has law/ip."),
    Field("importance", Type.NUMBER, minimum=0, maximum=1, description="How much it matters."),
    Field("source", Type.STRING, description="Where it came from."),
    Field("createdAt", Type.DATETIME, description="When it was stored."),
    Field("updatedAt", Type.DATETIME, description="When it was last changed."),
    Field("expiresAt", Type.DATETIME, description="When it is forgotten."),
    Field("vault", Type.STRING, description="The vault of a note."),
    Field("path", Type.STRING, description="Where a note lies in its vault."),
    Field("heading", Type.STRING, description="What a piece of a note stands under."),
)

RECORDS = Schema(
    "memories",
    "memory",
    IdRule(""),
    {field.name: field for field in _FIELDS},
    spellings=spell({field.name: field.aliases for field in _FIELDS}),
    description="Stored memories and pieces of notes.",
    open=True,
)

FILLED = frozenset({"title", "kind", "entity", "memoryType", "tags", "importance", "source"})
"""Fields that a note's frontmatter says, which stands in the metadata of its pieces as well."""

# Each with the field that it reads; an instant's number is of milliseconds.
SOURCES: Mapping[str, str] = {
    "@id": "id",
    "@text": "text",
    "@importance": "importance",
    "@created_at": "createdAt",
    "@updated_at": "updatedAt",
}
AT_FIELDS: Mapping[str, Field] = {
    "@id": Field("@id", Type.STRING),
    "@text": Field("@text", Type.STRING),
    "@importance": Field("@importance", Type.NUMBER),
    "@created_at": Field("@created_at", Type.INTEGER),
    "@updated_at": Field("@updated_at", Type.INTEGER),
}


def distinct_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Read tags as a memory keeps them: clean, none blank, and of those that are alike the first.

    Order stays. Two that differ in case alone are alike.
    """
    kept: dict[str, str] = {}
    for tag in map(clean_tag, tags):
        if tag:
            kept.setdefault(fold(tag), tag)
    return tuple(kept.values())
