"""Reading the variables that say where a server is."""

import math
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from winnow.errors import SourceError

LONGEST_TIMEOUT: Final = 600.0  # seconds


def read_address(settings: Mapping[str, str], name: str) -> str | None:
    """Return the address of a server without a slash at its end, None if it is not set."""
    url = settings.get(name, "").strip()
    if url and (fault := _check_address(url)):
        raise SourceError(f"{name}: {fault}")
    return url.rstrip("/") or None


def read_key(settings: Mapping[str, str], name: str) -> str | None:
    """Return the key that a server gets, None if it is not set."""
    key = settings.get(name, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise SourceError(f"{name}: the key has a sign that no header may have")
    return key or None


def read_seconds(settings: Mapping[str, str], name: str, default: float) -> float:
    """Return a time in seconds."""
    text = settings.get(name, "").strip()
    if not text:
        return default
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= LONGEST_TIMEOUT:
        raise SourceError(
            f"{name}: expected seconds, more than 0 and at most {LONGEST_TIMEOUT:g}, "
            f"got {text[:100]!r}"
        )
    return seconds


def read_names(settings: Mapping[str, str], name: str) -> list[str]:
    """Return the names in a comma list."""
    return [part.strip() for part in settings.get(name, "").split(",") if part.strip()]


def _check_address(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        legal = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError as error:
        return str(error)
    if not legal or not url.isprintable() or " " in url:
        return "expected an address that begins with http:// or https://"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "an address must not hold a key, nor anything after ? or #"
    return None
