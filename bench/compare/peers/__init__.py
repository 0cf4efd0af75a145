"""The stores that Winnow is compared with: a row each, in the order of the tables."""

from collections.abc import Mapping
from typing import Final

from bench.compare.peers import (
    chroma,
    duck,
    faiss_index,
    klyro_server,
    lance,
    postgres,
    qdrant,
    sqlite_vec_table,
)
from bench.compare.peers.base import Peer

PEERS: Final[Mapping[str, Peer]] = {
    "sqlite-vec": sqlite_vec_table.PEER,
    "lancedb": lance.PEER,
    "duckdb": duck.PEER,
    "pgvector": postgres.PEER,
    "pgvector-hnsw": postgres.HNSW,
    "qdrant": qdrant.PEER,
    "chromadb": chroma.PEER,
    "faiss-flat": faiss_index.FLAT,
    "faiss-hnsw": faiss_index.HNSW,
    "klyro": klyro_server.PEER,
}
"""By the name that is given to `--peers`."""
