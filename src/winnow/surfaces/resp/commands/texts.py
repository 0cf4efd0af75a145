"""Plain texts under keys, in memory only; and commands of types that there are not."""

from typing import Final, cast

from winnow.surfaces.resp.commands.keyspace import drop
from winnow.surfaces.resp.grammar import SYNTAX, Given, Option, Reader, flag
from winnow.surfaces.resp.replies import OK, Refusal, Reply
from winnow.surfaces.resp.service import WRONG_TYPE, Desk
from winnow.surfaces.resp.signatures import KEY, ONE_KEY, Effect, Place, Signature


def _read_seconds(reader: Reader, before: object) -> float:
    return _check_end(reader.take_integer())


def _read_milliseconds(reader: Reader, before: object) -> float:
    return _check_end(reader.take_integer()) / 1_000


def _check_end(number: int) -> int:
    if not 0 < number <= _LONGEST:
        raise Refusal("ERR invalid expire time in 'set' command")
    return number


_LONGEST: Final = 10**13


def _check_set(desk: Desk, given: Given) -> None:
    if ("nx" in given and "xx" in given) or ("ex" in given and "px" in given):
        raise Refusal(SYNTAX)


def _set(desk: Desk, given: Given) -> Reply:
    key, strings = cast(bytes, given["key"]), desk.service.strings
    there = strings.get(key) is not None or desk.find(key) is not None
    if ("nx" in given and there) or ("xx" in given and not there):
        return None
    drop(desk, key)
    strings.set(key, cast(bytes, given["value"]))
    seconds = given.get("ex", given.get("px"))
    if seconds is not None:
        strings.expire(key, cast(float, seconds))
    return OK


def _get(desk: Desk, given: Given) -> Reply:
    key = cast(bytes, given["key"])
    text = desk.service.strings.get(key)
    if text is None and desk.find(key) is not None:
        raise Refusal(WRONG_TYPE)
    return text


COMMANDS: Final = (
    Signature(
        "set",
        "Keep a text under a key, in memory only: it is gone when the server stops.",
        _set,
        Effect.WRITE,
        places=(KEY, Place("value")),
        options={
            "EX": Option((("seconds", "integer"),), _read_seconds),
            "PX": Option((("milliseconds", "integer"),), _read_milliseconds),
            "NX": Option((), flag),
            "XX": Option((), flag),
        },
        least=3,
        check=_check_set,
        keys=ONE_KEY,
    ),
    Signature(
        "get",
        "Return the text of a key.",
        _get,
        Effect.READ,
        places=(KEY,),
        least=2,
        most=2,
        keys=ONE_KEY,
    ),
)

OTHER_TYPES: Final = frozenset(
    name
    for line in (
        "append bitcount decr decrby getdel getex getrange getset hdel hexists hget hgetall",
        "hincrby hkeys hlen hmget hmset hset hsetnx hvals incr incrby incrbyfloat lindex linsert",
        "llen lpop lpush lpushx lrange lrem lset ltrim rpop rpush rpushx sadd scard setrange",
        "sismember smembers spop srandmember srem strlen zadd zcard zcount zincrby zrange",
        "zrangebyscore zrank zrem zrevrange zrevrank zscore",
    )
    for name in line.split()
)
"""Commands that there are not here: a memory index, under their first word, has another type."""
