"""Texts to tokens of BERT's uncased vocabulary: lower case, no accents, CJK signs one by one."""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Final

from winnow.embed.base import LONGEST_TEXT

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VOCABULARY: Final[Traversable] = files("winnow.embed").joinpath("data", "vocab.txt")
VOCABULARY_SHA256: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

UNKNOWN: Final = 100
START: Final = 101  # [CLS]
END: Final = 102  # [SEP]


def split_tokens(text: str) -> list[int]:
    """Return the tokens of a text, each the number of its line in the vocabulary.

    UNKNOWN stands for what the vocabulary lacks. No text makes it raise.
    """
    memo = _MEMO
    return [token for chunk in text[:LONGEST_TEXT].split() for token in memo[chunk]]


class _Memo(dict[str, tuple[int, ...]]):
    """The tokens of chunks that were seen: most of a text's words have come before.

    One chunk at a time also keeps the library from starting threads, of which it would warn
    in a process that forks later.
    """

    def __missing__(self, chunk: str) -> tuple[int, ...]:
        whole = chunk.encode("utf-8", "ignore").decode()  # without lone surrogates
        tokens = tuple(_load_tokenizer().encode(whole, add_special_tokens=False).ids)
        if len(chunk) <= _LONGEST_KEPT:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[chunk] = tokens
        return tokens


_LONGEST_KEPT: Final = 32
_MOST_KEPT: Final = 100_000
_MEMO: Final = _Memo()


@cache
def _load_tokenizer() -> "Tokenizer":
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    words = VOCABULARY.read_text(encoding="utf-8").split("\n")
    numbers = {word: number for number, word in enumerate(words) if word}
    tokenizer = Tokenizer(WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer
