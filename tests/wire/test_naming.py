"""Faults name arguments as Python spells them, and nothing else otherwise."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import winnow
from winnow.errors import Fault, InvalidRequest
from winnow.memory import Memory
from winnow.operations import OPERATIONS
from winnow.operations.changes import StoreRequest
from winnow.operations.requests import ListRequest, RecallRequest
from winnow.wire import arguments, decode
from winnow.wire.naming import name_in_python


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A store as a program opens it."""
    with winnow.open(tmp_path / "winnow.db") as opened:
        yield opened


def renamed(request: Callable[..., object], fault: Fault) -> Fault:
    (found,) = name_in_python(InvalidRequest([fault]), request).faults
    return found


def told(ask: Callable[..., object], *args: object, **named: object) -> list[str]:
    with pytest.raises(InvalidRequest) as caught:
        ask(*args, **named)
    return [str(fault) for fault in caught.value.faults]


def test_every_argument_is_named_as_it_is_in_python() -> None:
    for row in OPERATIONS.values():
        for one in arguments(row.request):
            wire = Fault(f"/{one.wire_name}/0", f"leave {one.wire_name} out", 3)
            python = Fault(f"/{one.name}/0", f"leave {one.name} out", 3)
            assert renamed(row.request, wire) == python


def test_what_a_caller_wrote_and_names_of_fields_stay_as_they_are() -> None:
    for request, fault in (
        (ListRequest, Fault("/filters/memoryType", "memoryType is no number")),
        (ListRequest, Fault("/where", "unknown field 'x' (allowed: createdAt, memoryType)", 0)),
        (StoreRequest, Fault("/metadata/ttlSeconds", "'ttlSeconds' and \"memoryType\"")),
        (StoreRequest, Fault("", "a.memoryType is something else")),
    ):
        assert renamed(request, fault) == fault
    fault = Fault("/orderBy/0", "unknown field 'typ' (allowed: memoryType)")
    assert renamed(RecallRequest, fault) == Fault("/order_by/0", fault.detail)


def test_an_unknown_argument_suggests_what_python_calls_it(memory: Memory) -> None:
    (one,) = told(memory.store, "text", ttl=3)
    assert one.startswith("/ttl: unknown argument 'ttl'; did you mean 'ttl_seconds'?")
    assert "memory_type" in one
    assert not {"ttlSeconds", "memoryType"} & set(one.replace(",", "").split())


def test_other_surfaces_are_told_the_names_of_the_wire() -> None:
    _, (fault,) = decode(StoreRequest, {"text": "x", "ttl": 3})
    assert "did you mean 'ttlSeconds'? (allowed: text, title" in fault.detail


def test_faults_of_arguments_and_of_what_is_asked_are_both_renamed(memory: Memory) -> None:
    assert told(memory.store, "text", ttl_seconds=5, expires_at="2030", importance=7) == [
        "/importance: expected less than or equal to 1, got number 7",
        "/expires_at: give ttl_seconds or expires_at, not both",
    ]
    assert told(memory.recall, "x", near_misses=3, order_by="id")[0].startswith("/near_misses: ")
    assert told(memory.delete, tags=["a"])[0].startswith("/all: say that so many are meant: give")
    assert "dry_run, expected_count and all" in told(memory.delete, tags=["a"])[0]
    narrowed = memory.within(5).restricted(memory.engine.access)
    assert told(narrowed.check, "x", min_similarity=7)[0].startswith("/min_similarity: ")
