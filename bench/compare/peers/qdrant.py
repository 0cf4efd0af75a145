"""Qdrant, in the local mode of its Python client: exact, without a server, in Python.

The client's documentation (github.com/qdrant/qdrant-client, "Local mode") advises this mode for
development and small collections; from 20,000 records on it warns itself, so that above its
figure stands for those who stay with it all the same. It is held in memory, and filled for each
run: on disk it commits each point by itself, and waits for the disk as often.
"""

import warnings
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bench.compare.conditions import Condition, Test, rows_of
from bench.compare.data import Case, Matrix, blocks
from bench.compare.peers.base import Peer, Prepare, load
from bench.compare.truth import HITS


def _build(_: Case, folder: Path) -> None:
    (folder / "memory").touch()


@contextmanager
def _open(case: Case, _: Path) -> Generator[Prepare]:
    models = load("qdrant_client.models")
    with _connect() as client:
        config = models.VectorParams(size=case.dimensions, distance=models.Distance.COSINE)
        client.create_collection("record", vectors_config=config)
        for start, stop in blocks(case.records, 1_000):
            batch = models.Batch(
                ids=list(range(start, stop)),
                vectors=case.vectors[start:stop].tolist(),
                payloads=rows_of(case.columns, start, stop),
            )
            client.upsert("record", points=batch)

        def prepare(condition: Condition) -> Any:
            tests = [_spell(models, test) for test in condition]
            wanted = models.Filter(must=tests) if tests else None

            def ask(query: Matrix) -> Sequence[int]:
                found = client.query_points(
                    "record", query=query, query_filter=wanted, limit=HITS, with_payload=False
                )
                return [point.id for point in found.points]

            return ask

        yield prepare


@contextmanager
def _connect() -> Generator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a server is better for so many: see above
        with closing(load("qdrant_client").QdrantClient(":memory:")) as client:
            yield client


def _spell(models: Any, test: Test) -> Any:
    if test.sign == "=":
        return models.FieldCondition(key=test.field, match=models.MatchValue(value=test.value))
    bound = {"<": "lt", ">=": "gte"}[test.sign]
    return models.FieldCondition(key=test.field, range=models.Range(**{bound: test.value}))


PEER = Peer(("qdrant-client",), True, "local mode, in memory", _build, _open, version=2)
