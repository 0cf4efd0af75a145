"""Secrets of well-known shapes, found in texts and replaced by a mark that says what they were.

Every expression takes a time that grows with the text and no faster: repetitions stand side by
side only where they can't take each other's characters, and are bounded where many can begin.
Boundaries are those of ASCII letters, so that a key between Chinese characters is found too.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from winnow.values import Json


@dataclass(frozen=True, slots=True)
class Shape:
    """What secrets of a kind look like; a text without any of the `needles` in it has none.

    The group `secret` of the pattern is replaced, or all of it. Needles are in lower case.
    """

    kind: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    accept: Callable[[str], bool] = bool


def mark(kind: str) -> str:
    """Return what stands in the place of a secret; YAML, Markdown and links read it as a word."""
    return f"{_MARK}{kind})"


def redact(text: str, counts: Counter[str]) -> str:
    """Return a text without its secrets, with as many lines; each is counted under its kind."""
    lowered = text.lower()
    if _BEGIN in lowered:
        text = _redact_keys(text, counts)
    for shape in SHAPES:
        if any(needle in lowered for needle in shape.needles):
            text = _replace(shape, text, counts)
    return text


def redact_json(value: Json, counts: Counter[str]) -> Json:
    """Return JSON whose texts have no secrets; what stands under a key such as `password` is one.

    Keys stay as they are.
    """
    if isinstance(value, str):
        cleaned = redact(value, counts)
        return value if cleaned == value else type(value)(cleaned)
    if isinstance(value, list):
        return [redact_json(item, counts) for item in value]
    if isinstance(value, dict):
        return {key: _redact_member(key, item, counts) for key, item in value.items()}
    return value


def _redact_member(key: str, value: Json, counts: Counter[str]) -> Json:
    cleaned = redact_json(value, counts)
    if isinstance(cleaned, str) and cleaned == value and _NAMED.search(key) and _is_given(cleaned):
        counts["password"] += 1
        return type(cleaned)(mark("password"))
    return cleaned


def _replace(shape: Shape, text: str, counts: Counter[str]) -> str:
    return "".join(_pieces(shape, text, counts))


def _pieces(shape: Shape, text: str, counts: Counter[str]) -> Iterator[str]:
    """Yield a text in pieces, with marks in the place of what has the shape."""
    group = "secret" if "secret" in shape.pattern.groupindex else 0
    done = 0
    for found in shape.pattern.finditer(text):
        if shape.accept(found[0]) and _is_given(found[group]):
            counts[shape.kind] += 1
            yield text[done : found.start(group)]
            yield mark(shape.kind)
            done = found.end(group)
    yield text[done:]


def _redact_keys(text: str, counts: Counter[str]) -> str:
    """Replace blocks of private keys; one that is never closed ends where its letters do.

    Written out: an expression that looks for the end from each of many beginnings takes forever.
    """
    pieces: list[str] = []
    done, closed = 0, True
    while found := _KEY_BEGINS.search(text, done):
        ending = _KEY_ENDS.search(text, found.end()) if closed else None
        closed = ending is not None
        stop = ending.end() if ending else _KEY_BODY.match(text, found.end())
        end = stop if isinstance(stop, int) else stop.end() if stop else found.end()
        lines = text.count("\n", found.start(), end)
        pieces += [text[done : found.start()], mark("private_key"), "\n" * lines]
        counts["private_key"] += 1
        done = end
    return "".join((*pieces, text[done:]))


def _is_mixed(text: str) -> bool:
    """Tell whether a text has digits and capitals, as keys have and names of things have not."""
    return any(map(str.isdigit, text)) and any(map(str.isupper, text))


def _is_given(value: str) -> bool:
    """Tell whether a value is one, and no mark, variable, call or placeholder."""
    return bool(value) and not _STANDS_FOR.match(value)


def _is_assigned(text: str) -> bool:
    """Tell whether an assignment such as `password=…` gives a secret, and is not prose or code.

    Behind a colon or spaces a single word says nothing: `Password: required`.
    """
    found = _ASSIGNMENT.match(text)
    if found is None:
        return False
    value, sign = found["secret"], found["sign"]
    if value.isdigit():
        return not found["name"].lower().endswith("token")
    if _CODE.match(value) and not found["quote"]:
        return False
    return bool(found["quote"]) or sign in ("=", "\uff1d") or not value.rstrip(_CLOSING).isalpha()


_MARK: Final = "(redacted:"
_BEGIN: Final = "-----begin "
_KEY_BEGINS = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:\\n|[A-Za-z0-9+/=\s])*")
_STANDS_FOR = re.compile(
    r"\(redacted:|\$[A-Za-z_{(]|\{\{|%\(|<|[*•.x]+\Z|(?:none|null|true|false)\Z",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]+(?:\.[A-Za-z_]+)+\Z")
_CLOSING: Final = ").:!?]}\uff01\uff09\uff1a\uff1f"
_NAMES: Final = (
    r"(?:password|passwd|passphrase|pwd|secret(?:[_-]?access)?(?:[_-]?key)?|api[_-]?key"
    r"|(?:access|auth|bearer|refresh|session)[_-]?token|private[_-]?key|token)"
)
_NAMED = re.compile(rf"{_NAMES}\Z", re.IGNORECASE)
# Signs and quotes are those of Chinese and Japanese, too: the colon is another character there.
_OPENS: Final = "\"'`\u201c\u300c\u300e"
_CLOSES: Final = "\"'`\u201d\u300d\u300f"
_ENDS: Final = ",;\u3001\u3002\uff0c\uff1b"
_ASSIGNMENT = re.compile(
    rf"(?P<name>{_NAMES})(?P<close>[{_CLOSES}]?)(?P<sign> ?(?::=|=>|[=:\uff1a\uff1d]) ?)"
    rf"(?P<quote>[{_OPENS}]?)"
    rf"(?P<secret>(?<=[{_OPENS}])[^{_CLOSES}\n]{{4,200}}|[^\s{_OPENS}{_CLOSES}{_ENDS}]{{4,200}})",
    re.IGNORECASE,
)


def _token(kind: str, needle: str, body: str, accept: Callable[[str], bool] = bool) -> Shape:
    """Return the shape of a token that begins in its own way, and stands on its own."""
    pattern = re.compile(rf"(?<![A-Za-z0-9_-])(?:{body})(?![A-Za-z0-9])")
    return Shape(kind, tuple(needle.split()), pattern, accept)


_ANY = "[A-Za-z0-9_-]"
SHAPES: Final[tuple[Shape, ...]] = (
    _token("aws_key", "akia asia", "(?:AKIA|ASIA)[A-Z0-9]{16}"),
    _token(
        "google_key", "aiza ya29. gocspx-", rf"AIza{_ANY}{{35}}|(?:ya29\.|GOCSPX-){_ANY}{{20,}}"
    ),
    _token(
        "github_token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        "gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}",
    ),
    _token("gitlab_token", "glpat-", f"glpat-{_ANY}{{20,}}"),
    _token("slack_token", "xox xapp-", f"(?:xox[abeoprs]|xapp)-{_ANY}{{10,}}", _is_mixed),
    Shape(
        "slack_webhook",
        ("hooks.slack.com/",),
        re.compile(r"hooks\.slack\.com/services/(?P<secret>[A-Za-z0-9/]{20,})"),
    ),
    _token("anthropic_key", "sk-ant-", f"sk-ant-{_ANY}{{20,}}"),
    _token("openai_key", "sk-", f"sk-{_ANY}{{20,}}", _is_mixed),
    _token("stripe_key", "k_live_ k_test_", "[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _token("npm_token", "npm_", "npm_[A-Za-z0-9]{36}"),
    _token("pypi_token", "pypi-", f"pypi-AgE{_ANY}{{50,}}"),
    _token("huggingface_token", "hf_", "hf_[A-Za-z0-9]{30,}", _is_mixed),
    _token("sendgrid_key", "sg.", rf"SG\.{_ANY}{{16,64}}\.{_ANY}{{16,64}}"),
    _token("jwt", "eyj", rf"eyJ{_ANY}{{8,}}\.eyJ{_ANY}{{8,}}\.{_ANY}*"),
    Shape(
        "url_password",
        ("://",),
        re.compile(
            r"[A-Za-z0-9+.-]{2,30}://[^\s:/@?#\"'<>]{0,100}:(?P<secret>[^\s/@\"'<>]{1,200})@"
        ),
    ),
    Shape(
        "password",
        ("passw", "passphrase", "pwd", "secret", "key", "token"),
        _ASSIGNMENT,
        _is_assigned,
    ),
)
"""What is looked for, in this order: the more certain shapes first."""
