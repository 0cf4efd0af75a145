"""Errors as problems: a status for each class, and what is told of it."""

from collections.abc import Callable, Mapping

import pytest

from winnow import errors
from winnow.errors import Fault, InvalidRequest, PackError, WinnowError
from winnow.surfaces.http.problems import STATUSES, Refusal, describe

CLASSES = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, WinnowError)
]

MADE: Mapping[type[WinnowError], Callable[[], WinnowError]] = {
    InvalidRequest: lambda: InvalidRequest([]),
    PackError: lambda: PackError("pack.yaml", []),
}


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_class_of_errors_has_a_status(kind: type[WinnowError]) -> None:
    assert kind in STATUSES
    found = describe(MADE[kind]() if kind in MADE else kind("words"))
    assert found.status == STATUSES[kind]
    assert found.body["code"] == kind.code


def test_what_a_caller_can_mend_is_no_fault_of_the_server() -> None:
    mendable = (errors.InvalidRequest, errors.NotFound, errors.Forbidden, errors.VaultError)
    assert all(400 <= STATUSES[kind] < 500 for kind in mendable)


def test_a_wrong_request_has_an_entry_for_each_fault() -> None:
    faults = [Fault("/limit", "too many"), Fault("/where", "what?", 3)]
    found = describe(InvalidRequest(faults))
    assert found.status == 422
    assert found.body["detail"] == "/limit: too many; /where:4: what?"
    assert found.body["errors"] == [
        {"pointer": "/limit", "detail": "too many"},
        {"pointer": "/where", "detail": "what?", "position": 3},
    ]


def test_a_broken_pack_has_an_entry_for_each_mistake() -> None:
    found = describe(PackError("pack.yaml", [(3, "no field")]))
    assert found.body["errors"] == [{"source": "pack.yaml", "line": 3, "detail": "no field"}]


def test_of_a_fault_of_our_own_nothing_is_told_but_that_it_was_one() -> None:
    found = describe(ZeroDivisionError("a memory's own words"))
    assert (found.status, found.body["code"]) == (500, "internal_error")
    assert "words" not in str(found.body)


def test_a_refusal_keeps_its_headers() -> None:
    found = describe(Refusal(429, "too_many_attempts", "wait", {"retry-after": "6"}))
    response = found.respond("an-id")
    assert response.status_code == 429
    assert response.headers["retry-after"] == "6"
    assert response.headers["content-type"] == "application/problem+json"


def test_half_a_surrogate_pair_in_an_error_is_written_as_an_escape() -> None:
    response = describe(errors.NotFound("no memory has the id '\ud800'")).respond("an-id")
    assert b"\\ud800" in bytes(response.body)
