"""Which provider a source has: by settings, by an installed package, or built in."""

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from winnow.errors import SourceError
from winnow.providers.base import Opener, Provider

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "winnow.providers"

BUILT_IN: Final[Mapping[str, str]] = {"onyx": "winnow.providers.onyx:open_onyx"}


def find_provider(name: str, settings: Mapping[str, str] = os.environ) -> Provider | None:
    """Return the provider of a source, None if there is none or its settings are missing.

    Its module is imported now and not before. Raises SourceError.
    """
    point = _find_point(name, settings)
    if point is None:
        return None
    provider = _open(point, settings)
    if provider is not None and not callable(getattr(provider, "search", None)):
        raise SourceError(f"its provider {point.value} has no method `search`")
    return provider


def name_variable(name: str) -> str:
    """Return the variable that names a source's provider, as `module:attribute`."""
    return "WINNOW_PROVIDER_" + re.sub(r"[^A-Z0-9]", "_", name.upper())


def _find_point(name: str, settings: Mapping[str, str]) -> "EntryPoint | None":
    from importlib.metadata import EntryPoint

    value = _named(name, settings) or _installed(name) or BUILT_IN.get(name)
    return EntryPoint(name, value, GROUP) if value else None


def _named(name: str, settings: Mapping[str, str]) -> str | None:
    variable = name_variable(name)
    value = settings.get(variable, "").strip()
    if value and not re.fullmatch(r"[^\W\d][\w.]*:[^\W\d][\w.]*", value):
        raise SourceError(f"{variable}: expected module:attribute, got {value[:100]!r}")
    return value or None


def _installed(name: str) -> str | None:
    from importlib.metadata import entry_points

    values = sorted({point.value for point in entry_points(group=GROUP, name=name)})
    if len(values) > 1:
        raise SourceError(
            f"several packages offer it ({', '.join(values)}); "
            f"name one of them in {name_variable(name)}"
        )
    return values[0] if values else None


def _open(point: "EntryPoint", settings: Mapping[str, str]) -> Provider | None:
    try:
        return cast(Opener, point.load())(settings)
    except SourceError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise SourceError(f"its provider {point.value} can't be opened: {reason}") from error
