"""Where a memory comes from: the id and the fields that say so."""

import json
from collections.abc import Mapping
from hashlib import blake2b

from winnow.values import UnreadableValue, describe


def name_origin(system: str, name: str) -> str:
    """Return the id of what another system calls by a name, the same in every import."""
    return f"{system}:{name}"


def name_parts(system: str, *parts: object) -> str:
    """Return the id of what has no name but is known by its parts."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return f"{system}:{blake2b(text.encode(), digest_size=10).hexdigest()}"


def read_name(line: Mapping[str, object], key: str) -> str:
    """Return the text of a key that must have one; raises UnreadableValue."""
    value = line.get(key)
    if not isinstance(value, str):
        wrong = "is missing" if key not in line else f"must be text, not {describe(value)}"
        raise UnreadableValue(f"{key} {wrong}")
    if not value.strip():
        raise UnreadableValue(f"{key} is blank")
    return value


def speak(name: str) -> str:
    """Return the words of a name such as `works_at`, so that they can be found."""
    return name.replace("_", " ")


def show_json(value: object) -> str:
    """Return a value as a text of one line, a text as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def join(
    system: str, metadata: Mapping[str, object], more: Mapping[str, object]
) -> dict[str, object]:
    """Return metadata with what stands beside them; where both have a key, both stay."""
    joined = dict(metadata)
    for key, value in more.items():
        name = key
        while name in joined and joined[name] != value:
            name = f"{system}_{name}"
        joined[name] = value
    return joined
