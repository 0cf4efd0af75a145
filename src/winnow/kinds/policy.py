"""How a record gets its kind when it is written: the caller's word, a rule, or a model."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from winnow.errors import Fault, InvalidRequest, settle, unknown
from winnow.kinds.classifier import classify
from winnow.kinds.table import DEFAULT_KIND, MEANINGS, Provenance, check_kind
from winnow.values import Json, describe


class Policy(StrEnum):
    """What a namespace does about records whose kind nobody declared."""

    OFF = "off"
    REGEX_ONLY = "regex_only"
    REGEX_THEN_LLM = "regex_then_llm"


@dataclass(frozen=True, slots=True)
class Assigned:
    """A kind and how it was found; `ask_model` if a model may still find a better one."""

    kind: str
    provenance: Provenance
    ask_model: bool = False


_DEFAULT = Assigned(DEFAULT_KIND, Provenance.CHANNEL_DERIVED)
_TO_ASK = Assigned(DEFAULT_KIND, Provenance.CHANNEL_DERIVED, ask_model=True)


def assign(declared: str | None, title: str, text: str, policy: Policy) -> Assigned:
    """Choose the kind of a record that is being written.

    A declared kind is kept, `observation` too; raises InvalidRequest if it is none.
    """
    if declared is not None:
        return Assigned(check_kind(declared), Provenance.DECLARED)
    found = None if policy is Policy.OFF else classify(title, text)
    if found is not None:
        return Assigned(found, Provenance.REGEX)
    return _TO_ASK if policy is Policy.REGEX_THEN_LLM else _DEFAULT


def read_model_word(word: str | None) -> str | None:
    """Read a model's answer: one of the sixteen, or None, which leaves an observation."""
    kind = (word or "").strip()
    return kind if kind in MEANINGS else None


def read_policy(raw: Json, pointer: str = "") -> Policy | None:
    """Read `{"governance": {"auto_classify_kind": …}}`, None if no policy is named.

    Raises InvalidRequest.
    """
    governance = _member(_as_object(raw, pointer), _GOVERNANCE, pointer)
    inside = f"{pointer}/governance"
    mode = _member(_as_object(governance, inside), _AUTO_CLASSIFY, inside)
    return None if mode is None else read_mode(mode, f"{inside}/auto_classify_kind")


def read_mode(raw: Json, pointer: str) -> Policy:
    """Read the name of a policy alone; raises InvalidRequest."""
    names = [mode.value for mode in Policy]
    if isinstance(raw, str) and raw in names:
        return Policy(raw)
    if isinstance(raw, str):
        detail = unknown("policy", raw, names)
    else:
        detail = f"expected one of {', '.join(names)}, got {describe(raw)}"
    raise InvalidRequest([Fault(pointer, detail)])


_GOVERNANCE = ("governance",)
_AUTO_CLASSIFY = ("auto_classify_kind", "autoClassifyKind")


def _as_object(raw: Json, pointer: str) -> Mapping[str, Json]:
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        settle([Fault(pointer, f"expected an object, got {describe(raw)}")])
        return {}
    return raw


def _member(given: Mapping[str, Json], spellings: tuple[str, ...], pointer: str) -> Json:
    """Return the one member that an object may have, None if it is absent."""
    found = [name for name in spellings if name in given]
    strange = [name for name in given if name not in spellings]
    settle(
        [
            *(
                Fault(f"{pointer}/{_escape(name)}", _unknown_key(name, spellings))
                for name in strange
            ),
            *(Fault(f"{pointer}/{name}", f"given twice, also as {found[0]}") for name in found[1:]),
        ]
    )
    return given[found[0]] if found else None


def _unknown_key(name: str, spellings: tuple[str, ...]) -> str:
    return unknown("key", name, spellings[:1])


def _escape(name: str) -> str:
    """Write a name as a part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")
