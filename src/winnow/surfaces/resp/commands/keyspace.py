"""Commands on keys, whatever they hold: memory indexes, and texts in memory."""

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import translate
from re import compile as compile_pattern
from typing import Final, cast

from winnow.access import Scope
from winnow.memory.indexes.settings import Index
from winnow.memory.times import LAST
from winnow.surfaces.resp.commands.indexes import read_name
from winnow.surfaces.resp.grammar import (
    Given,
    Option,
    flag,
    read_count,
    read_integer,
    word,
)
from winnow.surfaces.resp.replies import OK, Refusal, Reply, Status
from winnow.surfaces.resp.service import Desk
from winnow.surfaces.resp.signatures import (
    ALL_KEYS,
    KEY,
    KEYS,
    NEW_KEY,
    ONE_KEY,
    TWO_KEYS,
    Effect,
    Place,
    Signature,
)

NO_KEY: Final = "ERR no such key"


def _word(given: Given, name: str = "key") -> bytes:
    return cast(bytes, given[name])


def _holds(desk: Desk, key: bytes) -> bool:
    return desk.service.strings.get(key) is not None or desk.find(key) is not None


def _names(desk: Desk) -> list[bytes]:
    indexes = desk.service.directory.list(desk.access)
    return sorted([*(index.name.encode() for index in indexes), *desk.service.strings.keys()])


def _exists(desk: Desk, given: Given) -> Reply:
    return sum(_holds(desk, key) for key in cast("list[bytes]", given["keys"]))


def _type(desk: Desk, given: Given) -> Reply:
    if desk.service.strings.get(_word(given)) is not None:
        return Status("string")
    return Status("none" if desk.find(_word(given)) is None else "memory")


def _keys(desk: Desk, given: Given) -> Reply:
    return [*_matching(_names(desk), _word(given, "pattern"))]


def _matching(names: Iterable[bytes], pattern: bytes) -> list[bytes]:
    test = compile_pattern(translate(pattern.decode("latin-1")))
    return [name for name in names if test.match(name.decode("latin-1"))]


def _count(desk: Desk, given: Given) -> Reply:
    return len(_names(desk))


def _check_cursor(desk: Desk, given: Given) -> None:
    try:
        cursor = read_integer(_word(given, "cursor"))
    except Refusal:
        cursor = -1
    if cursor < 0:
        raise Refusal("ERR invalid cursor")
    given["cursor"] = cursor


def _scan(desk: Desk, given: Given) -> Reply:
    names, cursor = _names(desk), cast(int, given["cursor"])
    end = cursor + cast(int, given.get("count", 10))
    page = _matching(names[cursor:end], cast(bytes, given.get("match", b"*")))
    kind = cast(bytes, given.get("type", b"")).lower()
    texts = set(desk.service.strings.keys())
    if kind:
        page = [name for name in page if (name in texts) == (kind == b"string")]
        page = page if kind in (b"string", b"memory") else []
    return [b"%d" % (end if end < len(names) else 0), [*page]]


# --- changing keys ----------------------------------------------------------------------------


def _delete(desk: Desk, given: Given) -> Reply:
    return sum(drop(desk, key) for key in cast("list[bytes]", given["keys"]))


def drop(desk: Desk, key: bytes) -> bool:
    """Remove what a key holds, for good; tell whether it held anything."""
    if desk.service.strings.delete(key):
        return True
    index = desk.find(key)
    if index is not None:
        desk.changing().indexes.drop(index)
        desk.service.cursors.forget(index.name)
    return index is not None


def _flush(desk: Desk, given: Given) -> Reply:
    for index in desk.service.directory.list(desk.access):
        if index.own:
            drop(desk, index.name.encode())
    for index in desk.changing().indexes.made():
        drop(desk, index.name.encode())
    desk.service.strings.clear()
    return OK


def _seconds_left(desk: Desk, given: Given) -> float | None:
    """Return for how long a key is kept, None for ever, less than 0 if it is not there."""
    key = _word(given)
    if desk.service.strings.get(key) is not None:
        return desk.service.strings.seconds_left(key)
    index = desk.find(key)
    if index is None:
        return -1.0
    ends = index.settings.expires_at
    return None if ends is None else (ends - desk.now) / 1_000


def _ttl(desk: Desk, given: Given) -> Reply:
    return _show_left(_seconds_left(desk, given), 1)


def _pttl(desk: Desk, given: Given) -> Reply:
    return _show_left(_seconds_left(desk, given), 1_000)


def _show_left(seconds: float | None, units: int) -> int:
    if seconds is None:
        return -1
    return int(seconds * units) if seconds >= 0 else -2


def _expire(desk: Desk, given: Given) -> Reply:
    key, seconds = _word(given), cast(int, given["seconds"])
    ends = desk.now + seconds * 1_000
    if not _holds(desk, key):
        return 0
    if ends > LAST:
        raise Refusal("ERR invalid expire time in 'expire' command")
    if seconds <= 0:
        drop(desk, key)
        return 1
    return int(_set_end(desk, key, seconds, ends))


def _persist(desk: Desk, given: Given) -> Reply:
    left = _seconds_left(desk, given)
    if left is None or left < 0:
        return 0
    return int(_set_end(desk, _word(given), None, None))


def _set_end(desk: Desk, key: bytes, seconds: int | None, ends: int | None) -> bool:
    if desk.service.strings.get(key) is not None:
        desk.service.strings.expire(key, seconds)
        return True
    index = desk.require(key)
    _require_own(index)
    desk.changing().indexes.put(index.name, replace(index.settings, expires_at=ends))
    return True


def _require_own(index: Index) -> None:
    if not index.own:
        raise Refusal(
            "ERR this key holds memories that were not stored over this protocol; it stays"
        )


def _rename(desk: Desk, given: Given) -> Reply:
    _move(desk, _word(given), _word(given, "newkey"))
    return OK


def _rename_new(desk: Desk, given: Given) -> Reply:
    if not _holds(desk, _word(given)):
        raise Refusal(NO_KEY)
    if _word(given) != _word(given, "newkey") and _holds(desk, _word(given, "newkey")):
        return 0
    _move(desk, _word(given), _word(given, "newkey"))
    return 1


def _move(desk: Desk, key: bytes, target: bytes) -> None:
    if not _holds(desk, key):
        raise Refusal(NO_KEY)
    if key == target:
        return
    index = None if desk.service.strings.get(key) is not None else desk.find(key)
    if index is None:
        drop(desk, target)
        desk.service.strings.move(key, target)
        return
    name = read_name(target)
    desk.access.require_namespace(name)
    _require_own(index)
    drop(desk, target)
    desk.changing().indexes.rename(index, name)
    desk.service.cursors.forget(index.name)


def _copy(desk: Desk, given: Given) -> Reply:
    key, target = _word(given), _word(given, "newkey")
    if key == target or not _holds(desk, key):
        return 0
    if _holds(desk, target) and "replace" not in given:
        return 0
    if desk.service.strings.get(key) is not None:
        drop(desk, target)
        desk.service.strings.copy(key, target)
        return 1
    index, name = desk.require(key), read_name(target)
    desk.access.require_namespace(name)
    drop(desk, target)
    desk.changing().indexes.copy(index, name)
    return 1


COMMANDS: Final = (
    Signature(
        "exists",
        "Count how many of some keys there are.",
        _exists,
        Effect.READ,
        places=(KEYS,),
        least=2,
        keys=ALL_KEYS,
    ),
    Signature(
        "type",
        "Tell what a key holds: memory, string or none.",
        _type,
        Effect.READ,
        places=(KEY,),
        least=2,
        most=2,
        keys=ONE_KEY,
    ),
    Signature(
        "keys",
        "List the keys whose names match a pattern.",
        _keys,
        Effect.READ,
        places=(Place("pattern"),),
        least=2,
        most=2,
    ),
    Signature("dbsize", "Count the keys.", _count, Effect.READ, most=1),
    Signature(
        "scan",
        "List the keys, some at a time.",
        _scan,
        Effect.READ,
        places=(Place("cursor"),),
        options={
            "MATCH": Option((("pattern", "string"),), word),
            "COUNT": Option((("count", "integer"),), read_count),
            "TYPE": Option((("type", "string"),), word),
        },
        least=2,
        check=_check_cursor,
    ),
    *(
        Signature(
            name,
            "Remove keys and all that they hold, for good.",
            _delete,
            Effect.WRITE,
            places=(KEYS,),
            least=2,
            keys=ALL_KEYS,
        )
        for name in ("del", "unlink")
    ),
    *(
        Signature(
            name,
            "Remove all indexes that were made over this protocol, and all texts, for good.",
            _flush,
            Effect.WRITE,
            options={"ASYNC": Option((), flag), "SYNC": Option((), flag)},
            most=2,
            scope=Scope.ADMIN,
        )
        for name in ("flushdb", "flushall")
    ),
    Signature(
        "ttl",
        "Tell for how many seconds a key is kept.",
        _ttl,
        Effect.READ,
        places=(KEY,),
        least=2,
        most=2,
        keys=ONE_KEY,
    ),
    Signature(
        "pttl",
        "Tell for how many milliseconds a key is kept.",
        _pttl,
        Effect.READ,
        places=(KEY,),
        least=2,
        most=2,
        keys=ONE_KEY,
    ),
    Signature(
        "expire",
        "Let a key be forgotten in so many seconds.",
        _expire,
        Effect.WRITE,
        places=(KEY, Place("seconds", "integer")),
        least=3,
        most=3,
        keys=ONE_KEY,
    ),
    Signature(
        "persist",
        "Keep a key for good.",
        _persist,
        Effect.WRITE,
        places=(KEY,),
        least=2,
        most=2,
        keys=ONE_KEY,
    ),
    Signature(
        "rename",
        "Give a key another name, in place of what has it.",
        _rename,
        Effect.WRITE,
        places=(KEY, NEW_KEY),
        least=3,
        most=3,
        keys=TWO_KEYS,
    ),
    Signature(
        "renamenx",
        "Give a key another name, unless something has it.",
        _rename_new,
        Effect.WRITE,
        places=(KEY, NEW_KEY),
        least=3,
        most=3,
        keys=TWO_KEYS,
    ),
    Signature(
        "copy",
        "Copy what a key holds.",
        _copy,
        Effect.WRITE,
        places=(KEY, NEW_KEY),
        options={"REPLACE": Option((), flag)},
        least=3,
        keys=TWO_KEYS,
    ),
)
