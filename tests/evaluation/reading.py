"""Small data sets, for what reads them and what measures on them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

CONVERSATIONS = Path(__file__).parents[1] / "data" / "conversations.json"


def write_conversations(path: Path, *conversations: object) -> Path:
    path.write_text(json.dumps(list(conversations)), encoding="utf-8")
    return path


def conversation(**changes: object) -> dict[str, Any]:
    """One turn, and one question that it answers."""
    turn = {"speaker": "Ada", "dia_id": "D1:1", "text": "The train leaves at six."}
    asked = {"question": "When does it leave?", "evidence": ["D1:1"], "category": 2}
    return {"conversation": {"session_1": [turn | changes]}, "qa": [asked | changes]}


def write_beir(
    folder: Path,
    corpus: Sequence[Mapping[str, object]],
    queries: Sequence[Mapping[str, object]],
    judgments: str,
) -> Path:
    (folder / "qrels").mkdir()
    for name, rows in (("corpus", corpus), ("queries", queries)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(judgments, encoding="utf-8")
    return folder
