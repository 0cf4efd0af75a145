"""Chroma: a persistent collection with its own settings, the space set to cosine.

Its page on configuring collections (docs.trychroma.com/docs/collections/configure) says that the
defaults suit most uses and that the space is to be given at creation; that on adding data, to add
no more than the client's greatest batch at once.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.compare.conditions import Condition, rows_of
from bench.compare.data import Case, Matrix, blocks
from bench.compare.peers.base import Peer, Prepare, load
from bench.compare.truth import HITS

_SIGNS = {"=": "$eq", "<": "$lt", ">=": "$gte"}


def _build(case: Case, folder: Path) -> None:
    client = _connect(folder)
    collection = client.create_collection(
        "record", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
    )
    for start, stop in blocks(case.records, min(client.get_max_batch_size(), 5_000)):
        collection.add(
            ids=[str(row) for row in range(start, stop)],
            embeddings=case.vectors[start:stop],
            metadatas=rows_of(case.columns, start, stop),
        )


@contextmanager
def _open(_: Case, folder: Path) -> Generator[Prepare]:
    collection = _connect(folder).get_collection("record", embedding_function=None)

    def prepare(condition: Condition) -> Any:
        where = _spell(condition)

        def ask(query: Matrix) -> Sequence[int]:
            found = collection.query(
                query_embeddings=[query], n_results=HITS, where=where, include=["distances"]
            )
            return [int(name) for name in found["ids"][0]]

        return ask

    yield prepare


def _connect(folder: Path) -> Any:
    chromadb = load("chromadb")
    settings = chromadb.Settings(anonymized_telemetry=False)
    return chromadb.PersistentClient(path=str(folder / "chroma"), settings=settings)


def _spell(condition: Condition) -> dict[str, Any] | None:
    tests = [{test.field: {_SIGNS[test.sign]: test.value}} for test in condition]
    if len(tests) > 1:
        return {"$and": tests}
    return tests[0] if tests else None


PEER = Peer(("chromadb",), False, "its HNSW with its defaults, cosine", _build, _open)
