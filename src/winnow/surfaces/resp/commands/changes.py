"""Commands that change the memories of an index."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, cast

from winnow.embed.floats import SIZE, is_zero
from winnow.filter.raw import Untyped, from_bytes, to_bytes
from winnow.memories import DEFAULT_IMPORTANCE
from winnow.memory.indexes.preparing import Preparation, Prepared
from winnow.memory.indexes.settings import Index, Mode
from winnow.memory.times import LAST
from winnow.rank.klyro.scores import Metric
from winnow.store.additions import Draft
from winnow.store.memories import Record
from winnow.surfaces.resp.grammar import (
    VECTORS,
    Given,
    Option,
    Reader,
    flag,
    word,
)
from winnow.surfaces.resp.replies import Refusal, Reply
from winnow.surfaces.resp.service import Desk
from winnow.surfaces.resp.signatures import KEY, ONE_KEY, Effect, Place, Signature
from winnow.values import Json

NO_VECTORS: Final = (
    "ERR this memory index stores no vectors; create it with MODE VECTOR or MODE HYBRID"
)
NO_RECORD: Final = "ERR no such record"


def _read_meta(reader: Reader, before: object) -> dict[str, Untyped]:
    found = {} if before is None else cast("dict[str, Untyped]", before)
    key = reader.take_text()
    found[key] = Untyped(reader.take_text())
    return found


def _read_importance(reader: Reader, before: object) -> float:
    importance = reader.take_float()
    if not 0 <= importance <= 1:
        raise Refusal("ERR IMPORTANCE must be between 0 and 1")
    return importance


def _read_ttl(reader: Reader, before: object) -> int:
    seconds = reader.take_integer()
    if seconds <= 0:
        raise Refusal("ERR TTL must be positive")
    return seconds


def _check_add(desk: Desk, given: Given) -> None:
    if "text" not in given:
        raise Refusal("ERR TEXT is required")
    if "nx" in given and "xx" in given:
        raise Refusal("ERR NX and XX are mutually exclusive")
    most = desk.service.config["mem-max-text-bytes"]
    if len(cast(bytes, given["text"])) > most:
        raise Refusal(f"ERR text exceeds mem-max-text-bytes ({most})")
    given["text"] = from_bytes(cast(bytes, given["text"]))


def _add(desk: Desk, given: Given) -> Reply:
    index = desk.require(cast(bytes, given["key"]))
    records = desk.changing().records
    named = None if "id" not in given else from_bytes(cast(bytes, given["id"]))
    before = None if named is None else records.find(index.name, named)
    if ("nx" in given and before is not None) or ("xx" in given and before is None):
        raise Refusal("ERR record existence condition not met")
    _check_vector(index, cast("bytes | None", given.get("vector")), before)
    if before is None:
        _check_room(desk, index)
    if before is None:
        made = records.new_id(index.name) if named is None else named
        records.add(_begin(desk, index, made, given))
        return to_bytes(made)
    records.put(_change(desk, index, before, given))
    return to_bytes(before.id)


def _check_vector(index: Index, vector: bytes | None, before: Record | None) -> None:
    settings = index.settings
    if vector is None:
        if settings.mode is Mode.VECTOR and (before is None or before.vector is None):
            raise Refusal("ERR a VECTOR-mode index needs a vector on every record")
        return
    check_dimension(index, vector)
    if settings.metric is Metric.COSINE and is_zero(vector):
        raise Refusal("ERR a zero vector has no direction to compare under COSINE")


def check_dimension(index: Index, vector: bytes) -> None:
    """Refuse a vector that an index can't have."""
    settings, count = index.settings, len(vector) // SIZE
    if not settings.mode.has_vectors:
        raise Refusal(NO_VECTORS)
    if count != settings.dimension:
        expected = settings.dimension
        raise Refusal(f"ERR wrong vector dimension, expected {expected} got {count}")


def _check_room(desk: Desk, index: Index) -> None:
    most = desk.service.config["mem-max-records"]
    if most and desk.changing().records.count(index.name) >= most:
        raise Refusal(f"ERR memory index is full at mem-max-records ({most})")


def _begin(desk: Desk, index: Index, name: str, given: Given) -> Draft:
    """Return a new memory."""
    text, now = cast(str, given["text"]), desk.changing().now
    ahead = _prepare(desk, (index.name, text))
    vector, model = ahead.vector, ahead.model
    if index.settings.mode.has_vectors:
        vector = cast("bytes | None", given.get("vector"))
        model = None if vector is None else index.settings.model
    return Draft(
        namespace=index.name,
        id=name,
        text=text,
        title="",
        kind=ahead.given.kind,
        kind_provenance=ahead.given.provenance.value,
        entity=None,
        memory_type=None,
        tags=(),
        importance=cast(float, given.get("importance", DEFAULT_IMPORTANCE)),
        source=None,
        metadata=cast("Mapping[str, Json]", given.get("meta", {})),
        created_at=now,
        updated_at=now,
        expires_at=_end(now, cast(int, given["ttl"])) if "ttl" in given else None,
        vector=vector,
        model=model,
        terms=ahead.terms,
    )


def _prepare(desk: Desk, place: tuple[str, str]) -> Prepared:
    """Return what was made of a text before the transaction, or what can be made of it now."""
    ahead = desk.prepared.get(place)
    if ahead is None:
        begun = Preparation(desk.engine, [place], wait=False)
        ahead = begun.finish(desk.changing().records.additions)[place]
    return ahead


def _change(desk: Desk, index: Index, made: Record, given: Given) -> Record:
    """Return a memory with what is said of it; what is not named stays as it is."""
    text = cast(str, given["text"])
    vector, model, terms = made.vector, made.model, made.terms
    kind, provenance = made.kind, made.kind_provenance
    if text != made.text:
        # One of another surface may have a title, whose words count, too.
        ahead = _prepare(desk, (index.name, f"{made.title}\n{text}" if made.title else text))
        terms = ahead.terms
        if not index.settings.mode.has_vectors:
            vector, model = ahead.vector, ahead.model
        kind = kind or ahead.given.kind
        provenance = provenance or ahead.given.provenance.value
    if "vector" in given:
        vector, model = cast(bytes, given["vector"]), index.settings.model
    now = desk.changing().now
    metadata: dict[str, Json] = {**made.metadata, **cast("dict[str, Json]", given.get("meta", {}))}
    return Record(
        namespace=made.namespace,
        id=made.id,
        text=text,
        title=made.title,
        kind=kind,
        kind_provenance=provenance,
        entity=made.entity,
        memory_type=made.memory_type,
        tags=made.tags,
        importance=cast(float, given.get("importance", made.importance)),
        source=made.source,
        metadata=metadata,
        created_at=made.created_at,
        updated_at=now,
        expires_at=_end(now, cast(int, given["ttl"])) if "ttl" in given else made.expires_at,
        vector=vector,
        model=model,
        terms=terms,
    )


def _end(now: int, seconds: int) -> int:
    ends = now + seconds * 1_000
    if ends > LAST:
        raise Refusal("ERR TTL reaches beyond the year 9999")
    return ends


def _delete(desk: Desk, given: Given) -> Reply:
    index = desk.require(cast(bytes, given["key"]))
    records = desk.changing().records
    names = [from_bytes(one) for one in cast("list[bytes]", given["ids"])]
    records.look_ahead(index.name, names)
    return sum(records.delete(index.name, name) for name in names)


def _check_pairs(desk: Desk, given: Given) -> None:
    if len(cast("list[bytes]", given["pairs"])) % 2:
        raise Refusal("ERR wrong number of arguments for 'mem.setmeta' command")


def _set_metadata(desk: Desk, given: Given) -> Reply:
    record = _require_record(desk, given)
    words = [from_bytes(one) for one in cast("list[bytes]", given["pairs"])]
    said = dict(zip(words[::2], map(Untyped, words[1::2]), strict=True))
    added = sum(key not in record.metadata for key in said)
    _put_metadata(desk, record, {**record.metadata, **said})
    return added


def _delete_metadata(desk: Desk, given: Given) -> Reply:
    record = _require_record(desk, given)
    keys = {from_bytes(one) for one in cast("list[bytes]", given["fields"])}
    removed = len(keys & record.metadata.keys())
    left = {key: value for key, value in record.metadata.items() if key not in keys}
    _put_metadata(desk, record, left)
    return removed


def _put_metadata(desk: Desk, record: Record, metadata: Mapping[str, Json]) -> None:
    changes = desk.changing()
    changes.records.put(replace(record, metadata=metadata, updated_at=changes.now))


def _require_record(desk: Desk, given: Given) -> Record:
    index = desk.require(cast(bytes, given["key"]))
    record = desk.changing().records.find(index.name, from_bytes(cast(bytes, given["id"])))
    if record is None:
        raise Refusal(NO_RECORD)
    return record


def _check_seconds(desk: Desk, given: Given) -> None:
    if cast(int, given["seconds"]) < 0:
        raise Refusal("ERR TTL must not be negative")


def _expire(desk: Desk, given: Given) -> Reply:
    index = desk.require(cast(bytes, given["key"]))
    changes, seconds = desk.changing(), cast(int, given["seconds"])
    record = changes.records.find(index.name, from_bytes(cast(bytes, given["id"])))
    if record is None:
        return 0
    ends = _end(changes.now, seconds) if seconds else None
    changes.records.put(replace(record, expires_at=ends))
    return 1


_ID: Final = Place("id")

COMMANDS: Final = (
    Signature(
        "mem.add",
        "Store a memory, or change the one of that id; what is not named stays as it is.",
        _add,
        Effect.WRITE,
        places=(KEY,),
        options={
            "ID": Option((("id", "string"),), word),
            "TEXT": Option((("text", "string"),), word),
            **VECTORS,
            "META": Option((("field", "string"), ("value", "string")), _read_meta, multiple=True),
            "IMPORTANCE": Option((("importance", "double"),), _read_importance),
            "TTL": Option((("seconds", "integer"),), _read_ttl),
            "NX": Option((), flag),
            "XX": Option((), flag),
        },
        least=2,
        check=_check_add,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.del",
        "Delete memories; `winnow undelete` brings one back for 30 days.",
        _delete,
        Effect.WRITE,
        places=(KEY, Place("ids", rest=True)),
        least=3,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.setmeta",
        "Set fields of a memory's metadata; returns how many are new.",
        _set_metadata,
        Effect.WRITE,
        places=(KEY, _ID, Place("pairs", rest=True)),
        least=5,
        check=_check_pairs,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.delmeta",
        "Remove fields of a memory's metadata; returns how many there were.",
        _delete_metadata,
        Effect.WRITE,
        places=(KEY, _ID, Place("fields", rest=True)),
        least=4,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.expire",
        "Let a memory be forgotten in so many seconds; 0 keeps it for good.",
        _expire,
        Effect.WRITE,
        places=(KEY, _ID, Place("seconds", "integer")),
        least=4,
        most=4,
        check=_check_seconds,
        keys=ONE_KEY,
    ),
)
