"""What the environment says; everything else is an argument."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from winnow.deadlines import DEFAULT_SECONDS, read_seconds
from winnow.errors import Fault, InvalidRequest, unknown

_OFF = frozenset({"0", "false", "off", "no"})
_ON = frozenset({"1", "true", "on", "yes"})


@dataclass(frozen=True, slots=True)
class Settings:
    """The store, the zone of dates without an offset, whether schemas are on, and a time limit.

    That is the seconds that a request may take, None for no limit. `durability` says which writes
    wait for the disk.
    """

    store: str | None = None
    zone: tzinfo = UTC
    ontology: bool = True
    time_limit: float | None = DEFAULT_SECONDS
    durability: str = "normal"


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read `WINNOW_STORE`, `_TIMEZONE`, `_TIME_LIMIT`, `_DURABILITY` and `WINNOW_ONTOLOGY`.

    `CLAWQL_ONTOLOGY_DB` is read like the last; what it means else is not ours to judge.
    """
    own = environment.get("WINNOW_ONTOLOGY", "").strip().lower()
    if own and own not in _OFF | _ON:
        raise InvalidRequest([Fault("/WINNOW_ONTOLOGY", unknown("value", own, ("0", "1")))])
    ontology = own or environment.get("CLAWQL_ONTOLOGY_DB", "")
    seconds = environment.get("WINNOW_TIME_LIMIT", "").strip() or f"{DEFAULT_SECONDS}"
    return Settings(
        store=environment.get("WINNOW_STORE") or None,
        zone=read_zone(environment.get("WINNOW_TIMEZONE") or "UTC"),
        ontology=ontology.strip().lower() not in _OFF,
        time_limit=read_seconds(seconds, "/WINNOW_TIME_LIMIT"),
        durability=environment.get("WINNOW_DURABILITY", "").strip().lower() or "normal",
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
