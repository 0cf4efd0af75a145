"""What has to say that a change of many memories is meant."""

from itertools import product
from typing import Any

import pytest

from winnow.errors import Conflict, Fault, InvalidRequest
from winnow.memory.changes.confirming import check_count, read_confirmation
from winnow.operations.changes import DeleteRequest, RetypeRequest

BOTH = pytest.mark.parametrize("request_type", [DeleteRequest, RetypeRequest])
CONFIRMATIONS = [{"dry_run": True}, {"expected_count": 0}, {"all": True}]


def faults_of(request: DeleteRequest | RetypeRequest) -> list[str]:
    faults: list[Fault] = []
    read_confirmation(request, faults)
    return [fault.pointer for fault in faults]


@BOTH
@pytest.mark.parametrize("said", CONFIRMATIONS)
@pytest.mark.parametrize("condition", [{}, {"tags": "a"}, {"where": "x = 1"}, {"namespace": "n"}])
def test_conditions_need_one_of_three_arguments(
    request_type: Any, said: dict[str, Any], condition: dict[str, Any]
) -> None:
    faults: list[Fault] = []
    assert read_confirmation(request_type(**said, **condition), faults)
    assert faults == []


@BOTH
def test_conditions_alone_are_not_enough(request_type: Any) -> None:
    assert faults_of(request_type(where="x = 1")) == ["/all"]


@BOTH
def test_nothing_at_all_asks_for_an_id_or_conditions(request_type: Any) -> None:
    assert faults_of(request_type()) == ["/id"]
    assert faults_of(request_type(namespace="n")) == ["/id"]


@BOTH
def test_two_of_the_three_are_refused(request_type: Any) -> None:
    for first, second in product(CONFIRMATIONS, repeat=2):
        if first != second:
            assert len(faults_of(request_type(tags="a", **first, **second))) == 1


@BOTH
def test_an_id_goes_alone_or_with_a_dry_run_and_its_namespace(request_type: Any) -> None:
    faults: list[Fault] = []
    assert not read_confirmation(request_type("m1", namespace="n", dry_run=True), faults)
    assert faults == []


@BOTH
def test_an_id_beside_conditions_is_refused_each_by_name(request_type: Any) -> None:
    request = request_type("m1", tags="a", memory_type="semantic", all=True, expected_count=1)
    assert set(faults_of(request)) == {"/tags", "/memoryType", "/all", "/expectedCount"}


def test_another_number_than_expected_is_a_conflict_that_names_both() -> None:
    check_count(DeleteRequest(expected_count=3), 3)
    check_count(DeleteRequest(all=True), 3)
    with pytest.raises(Conflict, match="4 match, and 3 were expected; nothing was changed"):
        check_count(DeleteRequest(expected_count=3), 4)


def test_what_matches_although_nothing_has_a_key_is_not_what_was_meant() -> None:
    wrong = Fault("/where", "no memory has the key projct in its metadata", 4)
    check_count(DeleteRequest(all=True), 0, [wrong])
    for request in (DeleteRequest(all=True), DeleteRequest(expected_count=3)):
        with pytest.raises(InvalidRequest) as caught:
            check_count(request, 3, [wrong])
        (fault,) = caught.value.faults
        assert (fault.pointer, fault.position) == ("/where", 4)
        assert fault.detail.startswith(f"{wrong.detail}; 3 match all the same, and nothing was")
