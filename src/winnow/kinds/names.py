"""Which words before a colon, or before "said", are a person's name, in any script.

A name is one to four capitalized words, or words of a script without capitals, none of which is
an ordinary word: those head notes ("Escrow: 12 %") far more often than people do.
"""

import re
import unicodedata
from functools import cache, lru_cache

from winnow.kinds.abroad import ABROAD
from winnow.kinds.english import ENDINGS, ORDINARY
from winnow.kinds.people import FAMILY_NAMES, NAMES, PARTICLES, SUFFIXES, TITLES


@lru_cache(maxsize=1024)
def is_name(text: str) -> bool:
    """Tell whether a text is a person-like name: "Mary Ann", "Dr. O'Neil", "李明", "राहुल"."""
    words = text.split()
    untitled = _drop_titles(words)
    core = [word for word in untitled if not _is_filler(word)]
    if not 0 < len(core) <= _MOST_WORDS or len(untitled) > _MOST_WORDS + 2:
        return False
    titled = len(untitled) < len(words)
    return all(_is_shaped(word, titled) for word in core) and not _is_ordinary(core, titled)


def is_label(word: str) -> bool:
    """Tell whether a single word is an ordinary one, which heads a line as a label."""
    folded = word.lower() if word.isascii() else _fold(word)
    if folded in NAMES:
        return False
    return _is_common(folded) or ("-" in folded and any(map(_is_common, folded.split("-"))))


# --- shape ---------------------------------------------------------------------------------------

_MOST_WORDS = 4
_MOST_LETTERS = 20
_MOST_HAN = 4
_ARTICLE = re.compile(r"\A[ae][ldrsnt]h?-(?=\w)")  # al-Rahman, ash-Shami
_CAMEL = ("Mc", "Mac", "De", "Di", "Du", "La", "Le", "Van", "Von", "Fitz", "Jo", "Al", "El", "St")
_JOINTS = "'’ʼ-‐‑·・་\u200c\u200d"
_HONORIFICS = "さん くん ちゃん 様 氏 君 先生 女士 小姐 老师 老師"
_HAN_HONORIFICS = tuple(_HONORIFICS.split())
# What a common noun of Chinese or Japanese ends in and a name of people hardly ever does.
_HAN_NOUN_ENDINGS = frozenset(
    "率额額费費址码碼题題型值量数數价價款項项類类別别圖图件式期间点點处處性度计計案论論务務据據器"
    "机機库庫表单單页頁版号號法議议者步例注问問答"
)


def _drop_titles(words: list[str]) -> list[str]:
    first = 0
    while first < len(words) and words[first].rstrip(".").casefold() in TITLES:
        first += 1
    return words[first:]


def _is_filler(word: str) -> bool:
    """Tell whether a word belongs to a name without being one: an initial, "van", "Jr."."""
    return word in PARTICLES or _is_initial(word) or word.strip(".,").casefold() in SUFFIXES


def _is_initial(word: str) -> bool:
    letters = word.replace(".", "")
    return word[0].isupper() and (len(word) == 1 or (len(letters) <= 3 and word[1] == "."))


def _is_shaped(word: str, titled: bool) -> bool:
    """Tell whether a word is written as a name is, "SMITH" only behind a title."""
    word = _ARTICLE.sub("", word)
    if not 2 <= len(word) <= _MOST_LETTERS or not _is_capital(word[0]):
        return False
    if not all(char in _JOINTS or unicodedata.category(char)[0] in "LM" for char in word):
        return False
    if not word.isascii() and _is_han(word[0]):
        return len(word) <= _MOST_HAN or word.endswith(_HAN_HONORIFICS)
    if _is_cherokee(word[0]):
        return True
    if word.isupper():
        return titled
    return all(_is_capitalized(part) for part in _split_joints(word))


def _is_capitalized(part: str) -> bool:
    """Accept "Mary", "mary" behind a joint, "McCoy", and any script without capitals."""
    inner = [place for place, char in enumerate(part) if place and char.isupper()]
    return not inner or (len(inner) == 1 and part[: inner[0]] in _CAMEL)


def _split_joints(word: str) -> list[str]:
    for joint in _JOINTS:
        word = word.replace(joint, " ")
    return word.split()


def _is_capital(char: str) -> bool:
    """Accept a capital, and any letter of a script that begins no name with one."""
    return char.isalpha() and char.title() == char


def _is_cherokee(char: str) -> bool:
    """Tell a letter of the one script that has lower case and is written without it."""
    return "\u13a0" <= char <= "\u13ff"


def _is_han(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff"


# --- ordinary words ------------------------------------------------------------------------------

# What an inflection ends in, and what may have stood there before.
_INFLECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ies", ("y",)),
    ("es", ("", "e")),
    ("s", ("",)),
    ("ing", ("", "e")),
    ("ed", ("", "e")),
    ("ly", ("",)),
    ("d", ("",)),
)
_ARABIC_ARTICLE = "ال"


@cache
def _common_words() -> frozenset[str]:
    return ORDINARY.union(_fold(word) for words in ABROAD.values() for word in words.split())


def _fold(word: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).casefold())


def _is_ordinary(core: list[str], titled: bool) -> bool:
    """Tell whether one of the words is a label; "Price" is a name only behind something."""
    first, *rest = core if not titled else ("", *core)
    return (bool(first) and is_label(first)) or any(
        is_label(word) and word.casefold() not in FAMILY_NAMES for word in rest
    )


def _is_common(folded: str) -> bool:
    words = _common_words()
    if folded in words or folded.endswith(ENDINGS):
        return True
    if not folded.isascii() and folded and _is_han(folded[0]):
        return folded[-1] in _HAN_NOUN_ENDINGS
    bases = [folded.removeprefix(_ARABIC_ARTICLE), *_bases(folded)]
    bases += _bases(folded.removesuffix("s"))
    return any(base in words or base.endswith(ENDINGS) for base in bases)


def _bases(word: str) -> list[str]:
    """Return what a word may be an inflection of; a base has three letters at least."""
    found: list[str] = []
    for ending, before in _INFLECTIONS:
        stem = word.removesuffix(ending)
        if len(stem) == len(word) or len(stem) < 3:
            continue
        found += [stem + letter for letter in before]
        if ending in ("ing", "ed") and stem[-1] == stem[-2]:
            found.append(stem[:-1])
    return found
