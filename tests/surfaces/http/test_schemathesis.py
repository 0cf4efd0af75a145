"""What schemathesis makes of the description: requests that fit it, and some that don't."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.generation.modes import GenerationMode
from schemathesis.specs.openapi import checks
from tests.memory.remembering import Clock, open_at

from winnow.surfaces.http.app import App
from winnow.surfaces.http.openapi import describe_api

OPERATIONS: dict[tuple[str, str], dict[str, Any]] = {
    (method.upper(), path): described
    for path, methods in cast(dict[str, Any], describe_api()["paths"]).items()
    for method, described in methods.items()
    if path != "/api/v1/index"  # which would read whatever folder is made up
}
BOUNDS = settings(
    max_examples=10,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, dict[str, str]]]:
    """The API as schemathesis reads it, and the headers with a key that may do everything."""
    with open_at(tmp_path_factory.mktemp("fuzzed") / "w.db", Clock()) as memory:
        memory.store("the river", id="m1", metadata={"n": 1})
        secret = memory.admin.create_key("root", scopes="read,write,admin").secret
        headers = {"authorization": f"Bearer {secret}"}
        app = App(memory, local=False)
        yield schemathesis.openapi.from_asgi("/openapi.json", app, headers=headers), headers


def can_be_wrong(described: dict[str, Any]) -> bool:
    """Any text can stand in a path, so that more has to be asked."""
    asked = [one for one in described.get("parameters", ()) if one["in"] != "path"]
    return bool(asked) or "requestBody" in described


ASKED = [
    (method, path, mode)
    for (method, path), described in OPERATIONS.items()
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or can_be_wrong(described)
]


@pytest.mark.parametrize(("method", "path", "mode"), ASKED, ids=str)
def test_every_answer_is_as_described_and_none_is_a_fault_of_the_server(
    served: tuple[Any, dict[str, str]], method: str, path: str, mode: GenerationMode
) -> None:
    """F14. A request that fits may still be refused: it can name what is not there."""
    api, headers = served
    strategy = api[path][method].as_strategy(generation_mode=mode)
    not_held = cast(Any, checks).positive_data_acceptance

    @BOUNDS
    @given(strategy)
    def send(case: Any) -> None:
        answer = case.call(headers=headers)
        case.validate_response(answer, excluded_checks=[not_held], headers=headers)

    cast(Any, send)()
