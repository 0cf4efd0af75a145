import subprocess
import sys
from pathlib import Path

import pytest
from tests.providers.offered import Codegraph

from winnow.errors import SourceError
from winnow.providers.onyx import Onyx
from winnow.providers.registry import BUILT_IN, find_provider, name_variable

OFFERED = "tests.providers.offered"
VARIABLE = "WINNOW_PROVIDER_CODEGRAPH"


def install(folder: Path, package: str, lines: str, patch: pytest.MonkeyPatch) -> None:
    """Make a package look installed that has these entry points."""
    info = folder / package / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[winnow.providers]\n{lines}\n")
    patch.setattr(sys, "path", [str(info.parent), *sys.path])


def refusal(name: str, settings: dict[str, str] | None = None) -> str:
    with pytest.raises(SourceError) as caught:
        find_provider(name, settings or {})
    return str(caught.value)


def test_a_source_that_nobody_offers_has_none() -> None:
    assert find_provider("codegraph", {}) is None
    assert find_provider("onyx", {}) is None


def test_onyx_is_built_in() -> None:
    provider = find_provider("onyx", {"WINNOW_ONYX_URL": "http://127.0.0.1:1/api"})
    assert isinstance(provider, Onyx)
    assert list(BUILT_IN) == ["onyx"]


def test_a_setting_names_a_provider() -> None:
    settings = {VARIABLE: f" {OFFERED}:Codegraph ", "CODEGRAPH_ROOT": "/srv"}
    provider = find_provider("codegraph", settings)
    assert isinstance(provider, Codegraph)
    assert provider.root == "/srv"


def test_an_installed_package_offers_a_provider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "graphs", f"codegraph = {OFFERED}:Codegraph", monkeypatch)
    assert isinstance(find_provider("codegraph", {}), Codegraph)
    assert find_provider("pageindex", {}) is None


def test_a_package_may_replace_what_is_built_in_and_a_setting_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "other", f"onyx = {OFFERED}:Codegraph", monkeypatch)
    settings = {"WINNOW_ONYX_URL": "http://127.0.0.1:1/api"}
    assert isinstance(find_provider("onyx", settings), Codegraph)
    settings["WINNOW_PROVIDER_ONYX"] = BUILT_IN["onyx"]
    assert isinstance(find_provider("onyx", settings), Onyx)


def test_of_two_packages_a_setting_must_choose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "one", f"codegraph = {OFFERED}:Codegraph", monkeypatch)
    install(tmp_path, "two", f"codegraph = {OFFERED}:open_nothing", monkeypatch)
    assert refusal("codegraph") == (
        f"several packages offer it ({OFFERED}:Codegraph, {OFFERED}:open_nothing); "
        f"name one of them in {VARIABLE}"
    )
    chosen = find_provider("codegraph", {VARIABLE: f"{OFFERED}:Codegraph"})
    assert isinstance(chosen, Codegraph)


def test_a_provider_without_its_settings_is_none() -> None:
    assert find_provider("codegraph", {VARIABLE: f"{OFFERED}:open_nothing"}) is None


@pytest.mark.parametrize(
    ("attribute", "told"),
    [
        ("open_wrongly", f"its provider {OFFERED}:open_wrongly has no method `search`"),
        ("open_noisily", "can't be opened: OSError: no such graph"),
        ("missing", "can't be opened: AttributeError: "),
        ("NOT_CALLABLE", "can't be opened: TypeError: "),
    ],
)
def test_a_provider_that_can_not_be_opened_is_an_error_that_names_it(
    attribute: str, told: str
) -> None:
    assert told in refusal("codegraph", {VARIABLE: f"{OFFERED}:{attribute}"})


def test_a_module_that_is_missing_is_an_error() -> None:
    told = refusal("codegraph", {VARIABLE: "no_such_module:open"})
    assert told.startswith("its provider no_such_module:open can't be opened: ModuleNotFoundError")


@pytest.mark.parametrize("value", ["module", "a:b:c", ":x", "a:", "a b:c", "1a:b", "a;b"])
def test_a_setting_in_another_form_is_an_error(value: str) -> None:
    assert refusal("codegraph", {VARIABLE: value}) == (
        f"{VARIABLE}: expected module:attribute, got {value!r}"
    )


def test_the_variable_of_a_source_has_its_name_in_capitals() -> None:
    assert name_variable("page-index") == "WINNOW_PROVIDER_PAGE_INDEX"


def test_settings_that_are_wrong_are_told_as_they_are() -> None:
    assert refusal("onyx", {"WINNOW_ONYX_URL": "onyx"}).startswith("WINNOW_ONYX_URL: expected an")


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    program = (
        "import sys, winnow.providers\n"
        "winnow.providers.Sources()\n"
        "print(*sorted({'httpx2', 'numpy', 'importlib.metadata', 'winnow.providers.onyx',"
        " 'winnow.providers.llm'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert ran.stdout.split() == []
