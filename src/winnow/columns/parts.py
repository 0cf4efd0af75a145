"""Whole parts of tables as a file holds them."""

from dataclasses import replace
from datetime import tzinfo
from typing import cast

from winnow.columns.arrays import Column
from winnow.columns.encoding import Decoder, Encoder
from winnow.columns.lazy import Lazy
from winnow.columns.memories import arrange
from winnow.columns.metadata import Metadata
from winnow.columns.table import Orders, Part
from winnow.columns.words import CodedWords, RowWords
from winnow.memories import AT_FIELDS
from winnow.values import Json


def encode_part(encoder: Encoder, part: Part) -> Json:
    """Return a part of entities, or of memories, as JSON; all that is made late is made now."""
    orders = Orders(part.id_values, part.ascends, *part.key_order)
    own = {name: column for name, column in part.columns.items() if name not in AT_FIELDS}
    if "id" in own:  # of memories; it has the same texts
        own["id"] = replace(own["id"], values=orders.ids)
    return encoder.encode((part.keys, orders, Lazy(own, {}), part.metadata))


def decode_part(decoder: Decoder, value: Json) -> Part:
    """Return a part of entities."""
    keys, orders, columns, metadata = decoder.decode(value)
    return Part(keys, _ids(orders), columns, metadata, orders=orders)


def decode_memories(decoder: Decoder, value: Json, zone: tzinfo) -> Part:
    """Return a part of memories."""
    keys, orders, columns, metadata = decoder.decode(value)
    own = cast(Lazy[str, Column], columns)
    return arrange(keys, _ids(orders), own, cast(Metadata, metadata), zone, orders)


def _ids(orders: Orders) -> RowWords:
    words, codes = orders.ids.words, orders.ids.codes
    return words if orders.ascends else CodedWords(words, codes)
