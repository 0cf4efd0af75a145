"""Whether a process grows while it works: its memory after so many requests of all kinds.

`python -m bench leak` asks 100,000 in this process and 100,000 over HTTP, and prints how much
memory there is at the start, at each quarter and at the end; it ends with 1 if it grew by more than
`ALLOWED_MEGABYTES` after the first quarter. `python -m bench.leak REQUESTS` asks fewer.
"""

import gc
import os
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx2

import winnow
from bench.measure import print_table
from bench.servers import resident_megabytes, serve_http
from winnow.errors import WinnowError
from winnow.memory import Memory

REQUESTS = 100_000
MEMORIES = 10_000
QUARTERS = 4
ALLOWED_MEGABYTES = 10.0
WORDS = [f"word{number}" for number in range(2_000)]

Ask = Callable[[int], None]


def main(requests: int = REQUESTS) -> int:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "w.db"
        with winnow.open(store) as memory:
            fill(memory)
        rows = [ask_in_process(store, requests)]
        print(*rows, flush=True)  # the rest takes minutes more
        rows.append(ask_over_http(store, requests))
    print_table(
        f"Resident memory over {requests:,} requests, {MEMORIES:,} memories",
        [
            {"where": where, **{name: f"{size:.1f} MB" for name, size in sizes.items()}}
            for where, sizes in rows
        ],
    )
    grown = [[*sizes.values()][-1] - [*sizes.values()][1] for _, sizes in rows]
    print(f"\ngrown after the first quarter: {', '.join(f'{one:+.1f} MB' for one in grown)}")
    return int(max(grown) > ALLOWED_MEGABYTES)


def fill(memory: Memory) -> None:
    draw = random.Random(1)
    memory.admin.import_(
        objects=(
            {
                "id": f"r{number}",
                "text": " ".join(draw.choices(WORDS, k=20)),
                "metadata": {"n": number, "s": f"s{number % 100}"},
                "tags": [f"t{number % 20}"],
            }
            for number in range(MEMORIES)
        )
    )


def ask_in_process(store: Path, requests: int) -> tuple[str, dict[str, float]]:
    with winnow.open(store) as memory:
        return "in process", measure(lambda number: ask(memory, number), os.getpid(), requests)


def ask(memory: Memory, number: int) -> None:
    """Ask one of the mix; what is refused is a request like any other."""
    draw = random.Random(number)
    record = f"r{draw.randrange(MEMORIES)}"
    try:
        match number % 10:
            case 0 | 1 | 2:
                memory.recall(" ".join(draw.sample(WORDS, 3)), limit=5)
            case 3 | 4:
                memory.recall(filters={"n": {"gte": draw.randrange(MEMORIES)}}, limit=5)
            case 5 | 6:
                memory.get(record)
            case 7:
                memory.store(" ".join(draw.choices(WORDS, k=20)), id=record)
            case 8:
                memory.count(where=f"n = {draw.randrange(10**9)} or nothing{number} = 1")
            case _:
                memory.count(filters={"importance": {"no": 1}})
    except WinnowError:
        pass


def ask_over_http(store: Path, requests: int) -> tuple[str, dict[str, float]]:
    with serve_http(store) as (process, port), httpx2.Client(timeout=60) as client:
        url = f"http://127.0.0.1:{port}/api/v1"

        def send(number: int) -> None:
            path, body = as_request(number)
            sent = client.post(f"{url}{path}", json=body) if body else client.get(f"{url}{path}")
            assert sent.status_code in (200, 201, 422), sent.text

        return "over HTTP", measure(send, process, requests)


def as_request(number: int) -> tuple[str, dict[str, Any] | None]:
    draw = random.Random(number)
    record = f"r{draw.randrange(MEMORIES)}"
    match number % 10:
        case 0 | 1 | 2:
            return "/recall", {"query": " ".join(draw.sample(WORDS, 3)), "limit": 5}
        case 3 | 4:
            return "/recall", {"filters": {"n": {"gte": draw.randrange(MEMORIES)}}, "limit": 5}
        case 5 | 6:
            return f"/memories/{record}", None
        case 7:
            return "/memories", {"text": " ".join(draw.choices(WORDS, k=20)), "id": record}
        case 8:
            return "/recall", {"where": f"nothing{number} = 1", "limit": 1}
        case _:
            return "/recall", {"filters": {"importance": {"no": 1}}}


def measure(send: Ask, process: int, requests: int) -> dict[str, float]:
    """Send requests, the first hundred to warm up, and return what memory there is when."""
    for number in range(100):
        send(number)
    sizes = {"start": _size(process)}
    for quarter in range(QUARTERS):
        for number in range(quarter * requests // QUARTERS, (quarter + 1) * requests // QUARTERS):
            send(number)
        sizes[f"{quarter + 1}/{QUARTERS}"] = _size(process)
    return sizes


def _size(process: int) -> float:
    if process == os.getpid():
        gc.collect()
    return resident_megabytes(process)


def run(arguments: Sequence[str]) -> int:
    return main(int(arguments[0])) if arguments else main()


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
