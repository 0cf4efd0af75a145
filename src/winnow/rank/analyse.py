"""Text to terms, in the same way for what is stored and for what is asked.

The terms of a word are its stem (that of `go` for `went`), and the stems of what a `camelCase`
word is made of; those of a compound are itself and its parts; those of a script without spaces
its characters, single and in pairs.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from threading import Lock
from typing import Final, Protocol

from winnow.rank.irregular import IRREGULAR
from winnow.rank.scripts import is_symbol, is_unspaced, split_characters, split_chunks
from winnow.rank.stopwords import STOP_WORDS
from winnow.values import fold

LONGEST_TERM: Final = 64  # characters; the rest of a longer one is cut off
DEFAULT_LANGUAGE: Final = "english"
NO_LANGUAGE: Final = "none"
"""Names no language: words stay as they are."""


def list_languages() -> list[str]:
    """List the languages whose stems are known, and the name for none."""
    algorithms: Callable[[], Sequence[str]] = import_module("Stemmer").algorithms
    return [*algorithms(), NO_LANGUAGE]


def split_text(text: str) -> list[str]:
    """Return parts of a text whose terms, one part after the other, are the terms of the text."""
    return text.split() if text.isascii() else [text]  # no chunk of ASCII has a space in it


class Analyser:
    """Terms for texts of every script, with the stems of one language.

    `language` is a name or code of Snowball's; with any other, words stay as they are.
    """

    def __init__(self, language: str = DEFAULT_LANGUAGE) -> None:
        stem, self._identity = _find_stemmer(language)
        self._stored = _Memo(lambda chunk: tuple(_make_terms(chunk, stem, _singles_and_pairs)))
        self._words = _Memo(self._stored.join)
        self._asked = _Memo(lambda chunk: tuple(_make_terms(chunk, stem, _pairs_or_single)))

    @property
    def identity(self) -> str:
        """The version of these rules, and of the stemmer."""
        return self._identity

    def terms(self, text: str) -> list[str]:
        """Return the terms of a stored text, each as often as it comes."""
        if text.isascii():
            memo = self._words
            return [term for word in split_text(text) for term in memo[word]]
        return [*self._stored.join(text)]

    def query_terms(self, text: str) -> list[str]:
        """Return the distinct terms that a query looks for, in the order of its words.

        Stop words are left out unless there is nothing else.
        """
        chunks = split_chunks(text)
        telling = [chunk for chunk in chunks if _plain(chunk) not in STOP_WORDS]
        memo = self._asked
        return list(dict.fromkeys(term for chunk in telling or chunks for term in memo[chunk]))


_Stem = Callable[[str], str]
_Grams = Callable[[Sequence[str]], Iterable[str]]


class _Memo(dict[str, tuple[str, ...]]):
    """The terms of chunks, or words, that were seen: most of a text's have come before."""

    def __init__(self, make: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._make = make

    def join(self, text: str) -> tuple[str, ...]:
        """Return the terms of all chunks of a text."""
        return tuple([term for chunk in split_chunks(text) for term in self[chunk]])

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        terms = self._make(chunk)
        if len(chunk) <= _LONGEST_KEPT:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[chunk] = terms
        return terms


def _make_terms(chunk: str, stem: _Stem, grams: _Grams) -> Iterator[str]:
    if chunk.isascii() and chunk.isalnum() and chunk.islower():  # a plain word has no parts
        yield from map(stem, _with_number(chunk[:LONGEST_TERM]))
    elif is_unspaced(chunk):
        yield from grams(split_characters(chunk))
    elif is_symbol(chunk):
        yield chunk
    else:
        yield from _split_chunk(chunk.translate(_PLAIN), stem)


def _split_chunk(chunk: str, stem: _Stem) -> Iterator[str]:
    if instant := _INSTANT.fullmatch(chunk):
        yield from _split(instant["date"], stem)
        yield from _split(instant["time"], stem)
        return
    bare = chunk.strip(".+#")
    if bare != chunk:  # `C++`, `.NET`
        yield fold(chunk)[:LONGEST_TERM]
    yield from _split(_POSSESSIVE.sub("", bare), stem)


def _split(text: str, stem: _Stem, level: int = 0) -> Iterator[str]:
    """Yield the terms of a compound: itself, then those of its parts, the loosest joint first."""
    while level < len(_JOINTS) and _JOINTS[level].search(text) is None:
        level += 1
    if level == len(_JOINTS) or _CONTRACTION.fullmatch(text):
        yield from _split_word(text, stem)
        return
    yield from _with_number(fold(text)[:LONGEST_TERM])
    for part in _JOINTS[level].split(text):
        if part:
            yield from _split(part, stem, level + 1)


def _split_word(word: str, stem: _Stem) -> Iterator[str]:
    yield from map(stem, _with_number(fold(word)[:LONGEST_TERM]))
    if not word.islower():
        yield from (stem(fold(part)[:LONGEST_TERM]) for part in _split_camel(word))


def _with_number(term: str) -> tuple[str, ...]:
    """Return a term; a version (`v1.2`) also as the bare number."""
    return (term, term[1:]) if _VERSION.match(term) else (term,)


def _split_camel(word: str) -> Iterable[str]:
    """Return the parts of `getHTTPStatus`, or `PDF` of `PDFs`; nothing of a plain word."""
    if word[-1] == "s" and word[:-1].isupper():
        return (word[:-1],)
    cuts = [place for place in range(1, len(word)) if _is_hump(word, place)]
    return (word[start:end] for start, end in pairwise([0, *cuts, len(word)])) if cuts else ()


def _is_hump(word: str, place: int) -> bool:
    if not word[place].isupper():
        return False
    following = word[place + 1 : place + 3]
    return word[place - 1].islower() or (len(following) == 2 and following.islower())


def _singles_and_pairs(characters: Sequence[str]) -> Iterator[str]:
    same: dict[str, str] = {}  # a long run repeats few pairs: keep one text of each
    yield characters[0]
    for first, second in pairwise(characters):
        pair = first + second
        yield same.setdefault(pair, pair)
        yield second


def _pairs_or_single(characters: Sequence[str]) -> Iterable[str]:
    return map("".join, pairwise(characters)) if len(characters) > 1 else characters


def _plain(chunk: str) -> str:
    return fold(chunk.translate(_PLAIN))


def _find_stemmer(language: str) -> tuple[_Stem, str]:
    """Return what makes stems and the name of the rules; words stay whole without a stemmer."""
    # The module comes without types; this is all that is used of it.
    snowball = import_module("Stemmer")
    make: Callable[[str, int], _Stemmer] = snowball.Stemmer
    try:
        stemmer = make(language.casefold(), 0)
    except (KeyError, ValueError):
        return str, f"{_RULES} without stems"
    release: Callable[[], str] = snowball.version
    words = IRREGULAR.get(language.casefold(), {})
    lock = Lock()

    def stem(word: str) -> str:
        with lock:
            return stemmer.stemWord(words.get(word, word))

    return stem, f"{_RULES} {language.casefold()} {release()}"


class _Stemmer(Protocol):
    def stemWord(self, word: str, /) -> str: ...  # noqa: N802 - its name


_RULES: Final = "winnow 2"  # raise the number when any text gets other terms
_LONGEST_KEPT: Final = 32
_MOST_KEPT: Final = 50_000  # about 15 MB

_PLAIN: Final[Mapping[int, str]] = {
    **dict.fromkeys(map(ord, "‐‑־"), "-"),
    **dict.fromkeys(map(ord, "’ʼ＇׳"), "'"),
}
_INSTANT: Final = re.compile(r"(?P<date>\d{4}-\d\d-\d\d)[Tt](?P<time>\d\d:\d.*)", re.ASCII)
_VERSION: Final = re.compile(r"v[0-9]")
_POSSESSIVE: Final = re.compile(r"(?<=.)'[sS]$")
_CONTRACTION: Final = re.compile(r"[a-z]+'(?:d|ll|m|re|t|ve)", re.IGNORECASE)
_JOINTS: Final = tuple(map(re.compile, ("@", "[:/&+#]", "[.·]", "-", "'", "_+")))
