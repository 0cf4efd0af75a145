"""Keys as servers look at them, and what wrong ones cost."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.memory.remembering import Clock, open_at

from winnow.access import Access, Scope
from winnow.memory import Memory
from winnow.surfaces.authenticate import (
    ADDRESSES,
    ATTEMPT_SECONDS,
    ATTEMPTS,
    Attempts,
    find_access,
    is_loopback,
    needs_key,
)


class Seconds:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_at(tmp_path / "winnow.db", Clock()) as opened:
        yield opened


def test_a_server_asks_for_keys_once_there_is_one_and_always_if_it_is_reached_from_elsewhere(
    memory: Memory,
) -> None:
    assert not needs_key(memory, local=True)
    assert needs_key(memory, local=False)
    secret = memory.admin.create_key("agent", namespaces="a").secret
    assert needs_key(memory, local=True)
    assert find_access(memory, secret) == Access(frozenset({Scope.READ}), frozenset({"a"}))
    assert find_access(memory, secret + "x") is None
    memory.admin.revoke_key("agent")
    assert find_access(memory, secret) is None
    assert not needs_key(memory, local=True)
    assert needs_key(memory, local=False)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "::1%lo"])
def test_addresses_of_this_machine_alone_are_loopback(address: str) -> None:
    assert is_loopback(address)


@pytest.mark.parametrize("address", ["0.0.0.0", "10.0.0.1", "::", "fe80::1%eth0", "", "localhost"])
def test_all_others_are_not(address: str) -> None:
    assert not is_loopback(address)


def test_a_few_wrong_keys_are_free_and_more_have_to_wait() -> None:
    clock = Seconds()
    attempts = Attempts(clock)
    assert [attempts.fail("1.2.3.4") for _ in range(ATTEMPTS)] == [0] * ATTEMPTS
    assert attempts.fail("1.2.3.4") == ATTEMPT_SECONDS
    clock.now += ATTEMPT_SECONDS / 2
    assert attempts.fail("1.2.3.4") == ATTEMPT_SECONDS / 2
    clock.now += ATTEMPT_SECONDS / 2
    assert attempts.fail("1.2.3.4") == 0
    assert attempts.fail("1.2.3.4") > 0


@given(st.lists(st.floats(0, 60), max_size=60))
def test_over_any_time_no_more_are_let_through_than_were_earned(waits: list[float]) -> None:
    clock = Seconds()
    attempts = Attempts(clock)
    passed = 0
    for wait in waits:
        clock.now += wait
        passed += attempts.fail("1.2.3.4") == 0
    assert passed <= ATTEMPTS + clock.now / ATTEMPT_SECONDS + 1e-6


def test_one_address_does_not_pay_for_another_and_a_network_of_ipv6_is_one() -> None:
    attempts = Attempts(Seconds())
    waits = [attempts.fail(f"2001:db8:0:1::{number}") for number in range(ATTEMPTS + 1)]
    assert waits[-1] > 0
    assert attempts.fail("2001:db8:0:2::1") == 0
    assert attempts.fail("1.2.3.4") == attempts.fail("") == attempts.fail("not an address") == 0


def test_addresses_without_end_take_no_memory_without_end() -> None:
    attempts = Attempts(Seconds())
    for _ in range(ATTEMPTS + 1):
        attempts.fail("first")
    for number in range(ADDRESSES + 5):
        attempts.fail(f"name{number}")
    assert attempts.fail("first") == 0  # it was forgotten
