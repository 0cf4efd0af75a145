"""Commands that ask a memory index."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final, cast

from winnow.filter.raw import from_bytes, to_bytes
from winnow.memory.changes.finding import is_expired
from winnow.memory.indexes.asking import Contents, Hit, Query, TooManyVectors
from winnow.memory.indexes.settings import Index
from winnow.plan.holdings import Fused
from winnow.rank.klyro.scores import Fusion, Weights
from winnow.store.memories import Record
from winnow.surfaces.resp.commands.changes import NO_VECTORS, check_dimension
from winnow.surfaces.resp.grammar import (
    FILTER_OPTION,
    SHOWN,
    SYNTAX,
    VECTORS,
    WEIGHTS,
    WEIGHTS_OPTION,
    Given,
    Option,
    Reader,
    read_count,
    word,
)
from winnow.surfaces.resp.records import LOOKED_INTO, show_number, show_record
from winnow.surfaces.resp.replies import Pairs, Refusal, Reply
from winnow.surfaces.resp.service import OWN_CURSORS, Desk
from winnow.surfaces.resp.signatures import KEY, ONE_KEY, Effect, Place, Signature

NO_WORDS: Final = (
    "ERR this memory index does not index text; create it with MODE SEARCH or MODE HYBRID"
)
DEFAULT_TOPK: Final = 10
DEFAULT_COUNT: Final = 10


def _key(given: Given) -> bytes:
    return cast(bytes, given["key"])


def _info(desk: Desk, given: Given) -> Reply:
    index = desk.require(_key(given))
    settings, held = index.settings, desk.service.asking.describe(index)
    weights = settings.weights
    parts = (weights.keyword, weights.vector, weights.recency, weights.importance)
    named = zip(WEIGHTS, parts, strict=True)
    return Pairs(
        [
            (b"mode", settings.mode.encode()),
            (b"dim", settings.dimension),
            (b"metric", settings.metric.encode()),
            (b"weights", Pairs([(name.encode(), show_number(value)) for name, value in named])),
            (b"halflife", settings.half_life),
            (b"records", held.records),
            (b"vectors", held.vectors),
            (b"terms", held.words),
            (b"avg_doc_len", show_number(held.length)),
            (b"bytes", _estimate(index, held)),
        ]
    )


def _estimate(index: Index, held: Contents) -> int:
    """Estimate the memory that an index takes in this process."""
    return round(
        held.records * (_RECORD_BYTES + 8 * held.length)
        + held.vectors * 4 * index.settings.dimension
        + held.words * _WORD_BYTES
    )


_RECORD_BYTES: Final = 200
_WORD_BYTES: Final = 100


def _count(desk: Desk, given: Given) -> Reply:
    return len(desk.service.asking.holdings(desk.require(_key(given))))


def _get(desk: Desk, given: Given) -> Reply:
    index = desk.require(_key(given))
    (record,) = _read(desk, index, [cast(bytes, given["id"])])
    return None if record is None else show_record(index, record, desk.now, given)


def _get_many(desk: Desk, given: Given) -> Reply:
    index = desk.require(_key(given))
    now = desk.now
    return [
        None if record is None else show_record(index, record, now, {})
        for record in _read(desk, index, cast("list[bytes]", given["ids"]))
    ]


def _read(desk: Desk, index: Index, ids: Sequence[bytes]) -> list[Record | None]:
    """Read memories; None for one that is not there, has expired, or is a piece of a note."""
    now = desk.now
    return [
        None if record is None or record.piece is not None or is_expired(record, now) else record
        for record in desk.engine.store.records.fetch(index.name, [from_bytes(one) for one in ids])
    ]


# --- walking ----------------------------------------------------------------------------------


def _check_cursor(desk: Desk, given: Given) -> None:
    if cast(int, given["cursor"]) < 0:
        raise Refusal("ERR invalid cursor")


def _scan(desk: Desk, given: Given) -> Reply:
    index = desk.require(_key(given))
    cursor, count = cast(int, given["cursor"]), cast(int, given.get("count", DEFAULT_COUNT))
    cursors = desk.service.cursors
    behind = cursors.find(index.name, cursor) if cursor else None
    if behind is None and cursor >= OWN_CURSORS:
        raise Refusal("ERR invalid cursor (the server has forgotten it: begin again at 0)")
    filters = cast("Sequence[tuple[str, str, str]]", given.get("filters", ()))
    walk = desk.service.asking.walk(index, filters, behind, cursor if behind is None else 0)
    page = list(islice(walk, count + 1))
    ids: list[Reply] = [to_bytes(name) for name, matches in page[:count] if matches]
    if len(page) <= count:
        return [b"0", ids]
    following = cursors.keep(index.name, cursor % OWN_CURSORS + count, page[count - 1][0])
    return [b"%d" % following, ids]


# --- searching --------------------------------------------------------------------------------


def _read_fusion(reader: Reader, before: object) -> Fusion:
    named = reader.take().decode("latin-1").upper()
    if named not in list(Fusion):
        raise Refusal(SYNTAX)
    return Fusion(named)


def _read_limit(reader: Reader, before: object) -> int:
    limit, most = reader.take_integer(), reader.config["mem-max-topk"]
    if not 1 <= limit <= most:
        raise Refusal(f"ERR TOPK must be between 1 and mem-max-topk ({most})")
    return limit


def _check_vector(desk: Desk, given: Given) -> None:
    if "vector" not in given:
        raise Refusal("ERR VEC or FVEC is required")


def _check_query(desk: Desk, given: Given) -> None:
    if "text" not in given and "vector" not in given:
        raise Refusal("ERR TEXT, VEC, or FVEC is required")


def _ask(given: Given, *, by_words: bool, by_vector: bool) -> Query:
    return Query(
        cast("bytes | None", given.get("text")) if by_words else None,
        cast("bytes | None", given.get("vector")) if by_vector else None,
        cast("Sequence[tuple[str, str, str]]", given.get("filters", ())),
        cast(int, given.get("topk", DEFAULT_TOPK)),
        brief=not any(name in given for name in LOOKED_INTO),
    )


def _show(desk: Desk, index: Index, hits: Sequence[Hit], given: Given) -> Reply:
    now = desk.now
    return [show_record(index, hit.record, now, given, hit.found) for hit in hits]


def _search(desk: Desk, given: Given) -> Reply:
    index = desk.require(_key(given))
    if not index.settings.mode.has_words:
        raise Refusal(NO_WORDS)
    query = _ask(given, by_words=True, by_vector=False)
    return _show(desk, index, desk.service.asking.search_words(index, query), given)


def _search_vectors(desk: Desk, given: Given) -> Reply:
    index = desk.require(_key(given))
    query = _ask(given, by_words=False, by_vector=True)
    check_dimension(index, cast(bytes, query.vector))
    most = desk.service.config["mem-max-scan"]
    try:
        hits = desk.service.asking.search_vectors(index, query, most)
    except TooManyVectors as error:
        raise _refuse_scan(error, most) from None
    return _show(desk, index, hits, given)


def _query(desk: Desk, given: Given) -> Reply:
    index = desk.require(_key(given))
    settings, query = index.settings, _ask(given, by_words=True, by_vector=True)
    if query.text is not None and not settings.mode.has_words:
        raise Refusal(NO_WORDS)
    if query.vector is not None:
        if not settings.mode.has_vectors:
            raise Refusal(NO_VECTORS)
        check_dimension(index, query.vector)
    weights = settings.weights
    if "weights" in given:
        weights = Weights(*cast("tuple[float, ...]", given["weights"]))
    config = desk.service.config
    fusion = cast(Fusion, given.get("fusion", Fusion.LINEAR))
    fused = Fused(weights, settings.half_life, fusion, config["mem-max-candidates"], desk.now)
    most = config["mem-max-scan"]
    try:
        hits = desk.service.asking.search_both(index, query, fused, most)
    except TooManyVectors as error:
        raise _refuse_scan(error, most) from None
    return _show(desk, index, hits, given)


def _refuse_scan(error: TooManyVectors, most: int) -> Refusal:
    return Refusal(
        f"ERR a scan of {error.count} vectors exceeds mem-max-scan ({most}); raise it or narrow"
        " the query with FILTER"
    )


_SEARCHED: Final[Mapping[str, Option]] = {
    "TOPK": Option((("count", "integer"),), _read_limit),
    "FILTER": FILTER_OPTION,
    **SHOWN,
}

COMMANDS: Final = (
    Signature(
        "mem.info",
        "Tell how a memory index is set, and what it holds.",
        _info,
        Effect.READ,
        places=(KEY,),
        least=2,
        most=2,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.card",
        "Count the memories of an index.",
        _count,
        Effect.READ,
        places=(KEY,),
        least=2,
        most=2,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.get",
        "Read a memory.",
        _get,
        Effect.READ,
        places=(KEY, Place("id")),
        options=SHOWN,
        least=3,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.mget",
        "Read several memories.",
        _get_many,
        Effect.READ,
        places=(KEY, Place("ids", rest=True)),
        least=3,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.scan",
        "List the ids of an index, some at a time; COUNT bounds how many are looked at.",
        _scan,
        Effect.READ,
        places=(KEY, Place("cursor", "integer")),
        options={
            "COUNT": Option((("count", "integer"),), read_count),
            "FILTER": FILTER_OPTION,
        },
        least=3,
        check=_check_cursor,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.search",
        "Find memories by their words.",
        _search,
        Effect.READ,
        places=(KEY, Place("text")),
        options=_SEARCHED,
        least=3,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.vsearch",
        "Find memories by their vectors.",
        _search_vectors,
        Effect.READ,
        places=(KEY,),
        options={**VECTORS, **_SEARCHED},
        least=3,
        check=_check_vector,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.query",
        "Find memories by words, vectors, recency and importance together.",
        _query,
        Effect.READ,
        places=(KEY,),
        options={
            "TEXT": Option((("text", "string"),), word),
            **VECTORS,
            "WEIGHTS": WEIGHTS_OPTION,
            "FUSION": Option((("LINEAR | RRF", "string"),), _read_fusion),
            **_SEARCHED,
        },
        least=2,
        check=_check_query,
        keys=ONE_KEY,
    ),
)
