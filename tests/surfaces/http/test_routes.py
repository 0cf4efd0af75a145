"""Which operation a method and a path mean."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.operations import OPERATIONS
from winnow.surfaces.http.routes import (
    NOT_SERVED,
    PREFIX,
    ROUTES,
    Route,
    find_routes,
    split_path,
)
from winnow.wire import arguments


def steps(path: str) -> list[str]:
    found = split_path(path.encode())
    assert found is not None
    return found


def test_every_operation_has_a_route_or_a_reason_why_not() -> None:
    served = {route.name for route in ROUTES}
    assert served.isdisjoint(NOT_SERVED)
    assert served | NOT_SERVED.keys() == OPERATIONS.keys()
    assert all(NOT_SERVED.values())


@pytest.mark.parametrize("route", ROUTES, ids=lambda one: f"{one.method} {one.path}")
def test_what_a_route_names_is_an_argument_of_its_operation(route: Route) -> None:
    known = {one.name for one in arguments(route.operation.request)}
    assert {*route.placed, *route.beside} <= known
    assert route.body == (route.method in ("POST", "PATCH"))


@pytest.mark.parametrize("route", ROUTES, ids=lambda one: f"{one.method} {one.path}")
def test_a_route_is_found_by_its_own_path(route: Route) -> None:
    found = find_routes(steps(route.template))[route.method]
    assert found.route is route
    assert found.placed == {name: "{" + name + "}" for name in route.placed}


@given(st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_any_id_can_stand_in_a_path(name: str) -> None:
    found = find_routes(steps(f"{PREFIX}/memories/{quote(name, safe='')}"))
    assert found["GET"].placed == {"id": name}
    assert found["DELETE"].route.name == "delete"


def test_a_path_without_arguments_comes_before_one_with_them() -> None:
    found = find_routes(steps(f"{PREFIX}/memories/delete"))
    assert (found["POST"].route.name, found["POST"].placed) == ("delete", {})
    assert (found["GET"].route.name, found["GET"].placed) == ("get", {"id": "delete"})


@pytest.mark.parametrize(
    "path", ["/", "/api", "/api/v1", "/api/v1/", "/api/v1/recall/", "/recall", "/api/v2/recall"]
)
def test_other_paths_are_of_no_route(path: str) -> None:
    assert find_routes(steps(path)) == {}


def test_a_path_that_is_not_utf8_is_none() -> None:
    assert split_path(b"/api/v1/memories/%ff") is None
