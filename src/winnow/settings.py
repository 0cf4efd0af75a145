"""What the environment says; everything else is an argument."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from winnow.errors import Fault, InvalidRequest

_OFF = frozenset({"0", "false", "off", "no"})


@dataclass(frozen=True, slots=True)
class Settings:
    """The store, the zone of dates without an offset, and whether schemas are on."""

    store: str | None = None
    zone: tzinfo = UTC
    ontology: bool = True


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read `WINNOW_STORE`, `WINNOW_TIMEZONE` and `WINNOW_ONTOLOGY` (or `CLAWQL_ONTOLOGY_DB`)."""
    ontology = environment.get("WINNOW_ONTOLOGY") or environment.get("CLAWQL_ONTOLOGY_DB") or "1"
    return Settings(
        store=environment.get("WINNOW_STORE") or None,
        zone=read_zone(environment.get("WINNOW_TIMEZONE") or "UTC"),
        ontology=ontology.strip().lower() not in _OFF,
    )


def read_zone(name: str) -> tzinfo:
    """Return the time zone of an IANA name."""
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        detail = f"unknown time zone {name!r} (write an IANA name such as Europe/Berlin)"
        raise InvalidRequest([Fault("/timezone", detail)]) from None


def default_store() -> Path:
    """Return the path of the store that is used when none is named."""
    from platformdirs import user_data_path

    return user_data_path("winnow") / "winnow.db"
