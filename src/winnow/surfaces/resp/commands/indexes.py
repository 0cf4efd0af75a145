"""Commands that make a memory index, and set it."""

from dataclasses import replace
from typing import Final, cast

from winnow.memory.indexes.settings import IndexSettings, Mode
from winnow.rank.klyro.scores import Metric, Weights
from winnow.surfaces.resp.grammar import (
    HALF_LIFE_OPTION,
    SYNTAX,
    WEIGHTS_OPTION,
    Given,
    Option,
    Reader,
)
from winnow.surfaces.resp.replies import OK, Refusal, Reply
from winnow.surfaces.resp.service import WRONG_TYPE, Desk, find_name
from winnow.surfaces.resp.signatures import KEY, ONE_KEY, Effect, Signature


def _read_mode(reader: Reader, before: object) -> Mode:
    named = reader.take().decode("latin-1").upper()
    if named not in list(Mode):
        raise Refusal(SYNTAX)
    return Mode(named)


def _read_metric(reader: Reader, before: object) -> Metric:
    named = reader.take().decode("latin-1").upper()
    named = "IP" if named == "INNERPRODUCT" else named
    if named not in list(Metric):
        raise Refusal(SYNTAX)
    return Metric(named)


def _read_dimension(reader: Reader, before: object) -> int:
    dimension, most = reader.take_integer(), reader.config["mem-max-dim"]
    if not 1 <= dimension <= most:
        raise Refusal(f"ERR DIM must be between 1 and mem-max-dim ({most})")
    return dimension


def _check_create(desk: Desk, given: Given) -> None:
    searches = given.get("mode") is Mode.SEARCH
    if searches and "dim" in given:
        raise Refusal(
            "ERR a SEARCH index stores no vectors, so DIM does not apply; did you mean MODE HYBRID?"
        )
    if not searches and "dim" not in given:
        raise Refusal("ERR DIM is required for a VECTOR or HYBRID index")


def _create(desk: Desk, given: Given) -> Reply:
    key = cast(bytes, given["key"])
    if desk.service.strings.get(key) is not None:
        raise Refusal(WRONG_TYPE)
    name = read_name(key)
    desk.access.require_namespace(name)
    indexes = desk.changing().indexes
    if indexes.find(name) is not None:
        raise Refusal("ERR memory index already exists")
    settings = IndexSettings(
        mode=cast(Mode, given.get("mode", Mode.HYBRID)),
        dimension=cast(int, given.get("dim", 0)),
        metric=cast(Metric, given.get("metric", Metric.COSINE)),
        half_life=desk.service.config["mem-recency-halflife"],
    )
    indexes.put(name, _change_settings(settings, given))
    return OK


def read_name(key: bytes) -> str:
    """Return the namespace that a key names, which has to be a text."""
    name = find_name(key)
    if name is None:
        raise Refusal("ERR the key of a memory index is UTF-8 text, and not blank")
    return name


def _change_settings(settings: IndexSettings, given: Given) -> IndexSettings:
    if "weights" in given:
        settings = replace(settings, weights=Weights(*cast("tuple[float, ...]", given["weights"])))
    if "halflife" in given:
        settings = replace(settings, half_life=cast(int, given["halflife"]))
    return settings


def _configure(desk: Desk, given: Given) -> Reply:
    index = desk.require(cast(bytes, given["key"]))
    desk.changing().indexes.put(index.name, _change_settings(index.settings, given))
    return OK


COMMANDS: Final = (
    Signature(
        "mem.create",
        "Make a memory index.",
        _create,
        Effect.WRITE,
        places=(KEY,),
        options={
            "MODE": Option((("SEARCH | VECTOR | HYBRID", "string"),), _read_mode),
            "DIM": Option((("dimension", "integer"),), _read_dimension),
            "METRIC": Option((("COSINE | L2 | IP", "string"),), _read_metric),
            "WEIGHTS": WEIGHTS_OPTION,
            "HALFLIFE": HALF_LIFE_OPTION,
        },
        least=2,
        check=_check_create,
        keys=ONE_KEY,
    ),
    Signature(
        "mem.config",
        "Change the weights or the half-life of a memory index.",
        _configure,
        Effect.WRITE,
        places=(KEY,),
        options={"WEIGHTS": WEIGHTS_OPTION, "HALFLIFE": HALF_LIFE_OPTION},
        least=3,
        keys=ONE_KEY,
    ),
)
