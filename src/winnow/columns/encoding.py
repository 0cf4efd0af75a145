"""Parts of tables as JSON and arrays, so that a file can hold them, and back.

Each class that may be in a part stands in one table; its fields are encoded by what they are. The
values of a `Lazy` are decoded when they are first asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import tzinfo
from functools import partial
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from winnow.columns.arrays import (
    Column,
    FlagValues,
    IntegerValues,
    ListValues,
    MomentValues,
    NumberValues,
    TagValues,
    TextValues,
)
from winnow.columns.expiry import ExpiryPart
from winnow.columns.inversion import PostingsPart
from winnow.columns.lazy import Lazy
from winnow.columns.mixed import MixedLists, MixedValues, OpenTexts, Some
from winnow.columns.pieces import PiecesPart
from winnow.columns.quantized import Codes
from winnow.columns.table import Orders
from winnow.columns.vectors import Space, VectorsPart
from winnow.columns.words import PackedWords, pack_words
from winnow.filter.raw import Raw
from winnow.values import Json

Arrays: TypeAlias = Sequence[NDArray[Any]]


class Encoder:
    """Encodes what parts are made of; `arrays` are those that the JSON speaks of by number."""

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []
        # By identity: one array may stand in several places. It is kept, so that no other takes it.
        self._numbers: dict[int, tuple[object, Json]] = {}

    def encode(self, value: object) -> Json:
        """Return a value as JSON; TypeError for one that no part may have."""
        if value is None or type(value) in _PLAIN:
            return cast(Json, value)
        if isinstance(value, np.ndarray | PackedWords):
            return self._encode_array(cast("NDArray[Any] | PackedWords", value))
        if type(value) in _NAMES:
            own = [getattr(value, name) for name in _FIELDS[type(value)]]
            return {_NAMES[type(value)]: [self.encode(one) for one in own]}
        encode = next((one for kind, one in _ENCODERS.items() if isinstance(value, kind)), None)
        if encode is None:
            raise TypeError(f"no part of a table: {type(value).__name__}")
        return encode(self, value)

    def _encode_array(self, value: "NDArray[Any] | PackedWords") -> Json:
        known = self._numbers.get(id(value))
        if known is None:
            packed: Json
            if isinstance(value, PackedWords) or isinstance(value.dtype, np.dtypes.StringDType):
                words = pack_words(cast(PackedWords, value))
                packed = {"words": [self._add(words.letters), self._add(words.ends)]}
            else:
                packed = {"array": self._add(value)}
            known = self._numbers[id(value)] = (value, packed)
        return known[1]

    def _add(self, array: NDArray[Any]) -> int:
        self.arrays.append(array)
        return len(self.arrays) - 1


class Decoder:
    """Decodes what an encoder has made; dates are read in a zone."""

    def __init__(self, arrays: Arrays, zone: tzinfo) -> None:
        self._arrays = arrays
        self._zone = zone

    def decode(self, value: Json) -> Any:
        """Return the value of some JSON."""
        if not isinstance(value, dict):
            return value
        ((tag, content),) = value.items()
        if tag in _CLASSES:
            kind = _CLASSES[tag]
            return kind(*map(self.decode, cast(Sequence[Json], content)))
        return _DECODERS[tag](self, content)

    def array(self, number: Json) -> NDArray[Any]:
        """Return an array by its number."""
        return self._arrays[cast(int, number)]

    def zone(self, _: Json) -> tzinfo:
        """Return the zone."""
        return self._zone

    def words(self, numbers: Json) -> PackedWords:
        """Return words."""
        letters, ends = cast(Sequence[Json], numbers)
        return PackedWords(self.array(letters), self.array(ends))

    def items(self, items: Json) -> tuple[Any, ...]:
        """Return a tuple."""
        return tuple(map(self.decode, cast(Sequence[Json], items)))

    def mapping(self, pairs: Json) -> dict[Any, Any]:
        """Return a mapping."""
        return {self.decode(key): self.decode(one) for key, one in cast(_Pairs, pairs)}

    def lazy(self, pairs: Json) -> Lazy[Any, Any]:
        """Return a mapping whose values are decoded when they are asked for."""
        makers = {self.decode(key): partial(self.decode, one) for key, one in cast(_Pairs, pairs)}
        return Lazy({}, makers)


def _encode_pairs(encoder: Encoder, value: Mapping[Any, Any]) -> list[Json]:
    return [[encoder.encode(key), encoder.encode(one)] for key, one in value.items()]


def _encode_items(encoder: Encoder, value: Sequence[Any]) -> Json:
    return [encoder.encode(one) for one in value]


_Pairs: TypeAlias = Sequence[tuple[Json, Json]]
_PLAIN: Final = frozenset({bool, int, float, str})
_ENCODERS: Final[Mapping[type, Callable[[Encoder, Any], Json]]] = {
    Raw: lambda _, value: {"raw": str(value)},
    Lazy: lambda encoder, value: {"lazy": _encode_pairs(encoder, value)},
    Mapping: lambda encoder, value: {"map": _encode_pairs(encoder, value)},
    frozenset: lambda encoder, value: {"set": _encode_items(encoder, sorted(value))},
    tuple: lambda encoder, value: {"items": _encode_items(encoder, value)},
    list: lambda encoder, value: {"items": _encode_items(encoder, value)},
    tzinfo: lambda _, __: {"zone": 0},
}
_DECODERS: Final[Mapping[str, Callable[[Decoder, Json], Any]]] = {
    "array": Decoder.array,
    "words": Decoder.words,
    "raw": lambda _, text: Raw(text),
    "lazy": Decoder.lazy,
    "map": Decoder.mapping,
    "set": lambda decoder, items: frozenset(decoder.items(items)),
    "items": Decoder.items,
    "zone": Decoder.zone,
}
_CLASSES: Final[Mapping[str, Callable[..., Any]]] = {
    one.__name__: one
    for one in (
        Codes,
        Column,
        ExpiryPart,
        FlagValues,
        IntegerValues,
        ListValues,
        MixedLists,
        MixedValues,
        MomentValues,
        NumberValues,
        OpenTexts,
        Orders,
        PiecesPart,
        PostingsPart,
        Some,
        Space,
        TagValues,
        TextValues,
        VectorsPart,
    )
}
_NAMES: Final[Mapping[object, str]] = {one: name for name, one in _CLASSES.items()}
_FIELDS: Final[Mapping[object, Sequence[str]]] = {
    one: [own.name for own in fields(cast(Any, one))] for one in _CLASSES.values()
}
SHAPE: Final = ";".join(f"{one}({','.join(_FIELDS[kind])})" for one, kind in _CLASSES.items())
"""What classes are made of; files of another shape can't be decoded."""
