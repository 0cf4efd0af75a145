"""Other stores of vectors, each used as its documentation advises; both search exactly."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import apsw

from winnow.embed.base import Matrix
from winnow.embed.static import StaticEmbedder

HITS = 10
ALL = 1_000


@dataclass(frozen=True)
class Data:
    """What is stored: texts, a number below 1,000 for each to filter on, and vectors."""

    texts: list[str]
    buckets: list[int]
    vectors: Matrix


Ask = Callable[[str, int], list[str]]


class NotInstalled(Exception):
    """A package that is not there."""


def _load(package: str) -> Any:
    try:
        return import_module(package.replace("-", "_"))
    except ImportError:
        raise NotInstalled(package) from None


def open_sqlite_vec(data: Data, folder: Path) -> Ask:
    """A table of `vec0`, with the number as a metadata column and the text beside it."""
    extension = _load("sqlite-vec")
    connection: Any = apsw.Connection(str(folder / "vec.db"))
    connection.enable_load_extension(True)
    connection.load_extension(extension.loadable_path())
    size = data.vectors.shape[1]
    connection.execute(
        f"""CREATE VIRTUAL TABLE memory USING vec0(
            id INTEGER PRIMARY KEY, bucket INTEGER,
            vector FLOAT[{size}] distance_metric=cosine, +text TEXT
        )"""
    )
    rows = zip(data.buckets, (row.tobytes() for row in data.vectors), data.texts, strict=True)
    with connection:
        connection.executemany("INSERT INTO memory (bucket, vector, text) VALUES (?, ?, ?)", rows)
    embedder = StaticEmbedder()

    def ask(query: str, share: int) -> list[str]:
        vector = embedder.embed([query])[0].tobytes()
        sql = "SELECT text FROM memory WHERE vector MATCH ? AND k = ?"
        values: tuple[Any, ...] = (vector, HITS)
        if share < ALL:
            sql, values = f"{sql} AND bucket < ?", (*values, share)
        return [text for (text,) in connection.execute(sql, values)]

    return ask


def open_lancedb(data: Data, folder: Path) -> Ask:
    """A table without an index on the vectors, which is exact, and one on the number."""
    lancedb, arrow = _load("lancedb"), _load("pyarrow")
    size = data.vectors.shape[1]
    vectors = arrow.FixedSizeListArray.from_arrays(arrow.array(data.vectors.ravel()), size)
    columns = {"vector": vectors, "bucket": data.buckets, "text": data.texts}
    table = lancedb.connect(str(folder / "lance")).create_table("memory", arrow.table(columns))
    table.create_scalar_index("bucket")
    embedder = StaticEmbedder()

    def ask(query: str, share: int) -> list[str]:
        search = table.search(embedder.embed([query])[0]).distance_type("cosine").limit(HITS)
        if share < ALL:
            search = search.where(f"bucket < {share}", prefilter=True)
        return [row["text"] for row in search.select(["text", "_distance"]).to_list()]

    return ask


PEERS: Mapping[str, Callable[[Data, Path], Ask]] = {
    "sqlite-vec": open_sqlite_vec,
    "lancedb": open_lancedb,
}
