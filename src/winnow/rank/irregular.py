"""Forms of words that no rule leads back to the word: `went` is a form of `go`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# Left out are forms that are as often another word (`rose`, `ground`, `lives`, `led`), and those
# of words that a query is asked without (`been`, `did`).
_ENGLISH: Final = """
arise arose arisen, awake awoke awoken, beat beaten, become became, begin began begun, bend bent,
bite bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring brought,
build built, burn burnt, buy bought, catch caught, child children, choose chose chosen,
cling clung, come came, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt,
drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt,
fight fought, find found, flee fled, fly flew flown, foot feet, forbid forbade forbidden,
foresee foresaw foreseen, forget forgot forgotten, forgive forgave forgiven, freeze froze frozen,
get got gotten, give gave given, go went gone, goose geese, grow grew grown, half halves,
hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt, knife knives,
know knew known, lay laid, leap leapt, learn learnt, leave left, lend lent, lose lost, make made,
man men, mean meant, meet met, mistake mistook mistaken, misunderstand misunderstood, mouse mice,
overcome overcame, overtake overtook overtaken, pay paid, prove proven, rebuild rebuilt,
repay repaid, rewrite rewrote rewritten, ride rode ridden, ring rang, rise risen, run ran,
say said, see saw seen, seek sought, sell sold, send sent, sew sewn, shake shook shaken,
shelf shelves, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung,
sink sank sunk, sit sat, sleep slept, slide slid, speak spoke spoken, speed sped, spend spent,
spin spun, spring sprang sprung, stand stood, steal stole stolen, stick stuck, sting stung,
strike struck, strive strove striven, swear swore sworn, sweep swept, swell swollen,
swim swam swum, swing swung, take took taken, teach taught, tear tore torn, tell told,
thief thieves, think thought, throw threw thrown, tooth teeth, undergo underwent undergone,
understand understood, undertake undertook undertaken, uphold upheld, wake woke woken,
wear wore worn, weave wove woven, weep wept, wife wives, win won, withdraw withdrew withdrawn,
withhold withheld, wolf wolves, woman women, write wrote written
"""


def _read(text: str) -> Mapping[str, str]:
    """Read lines of a word and its forms, and return the word of each form."""
    entries = (entry.split() for entry in text.split(","))
    return MappingProxyType({form: word for word, *forms in entries for form in forms})


# By the names of a language, as the stemmer takes them.
IRREGULAR: Final[Mapping[str, Mapping[str, str]]] = dict.fromkeys(
    ("english", "en", "eng"), _read(_ENGLISH)
)
