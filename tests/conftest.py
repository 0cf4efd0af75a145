"""What every test runs under: no time limits of Hypothesis, and nothing of the user's own."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine must not fail a test, so nothing here measures time. CI draws the same cases
# each time; at home every run draws new ones.
settings.register_profile(
    "winnow",
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("winnow")

# Workers that run tests side by side are given a screen of 80 columns, which nobody looks at.
os.environ.pop("COLUMNS", None)
os.environ.pop("LINES", None)


@pytest.fixture(scope="session", autouse=True)
def home_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder and an environment without the user's store and settings."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("WINNOW_", "CLAWQL_"))]:
            patch.delenv(name)
        for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(home))
        yield home
