"""What the firm's notes say in words: each value in one of several phrasings."""

from collections.abc import Iterator, Sequence
from datetime import date

from winnow.demo.firm import Client, Contested, Matter, Option


def say_matter(matter: Matter, turn: int) -> str:
    """Say all that is known of a matter; `turn` chooses the words."""
    sentences = [_pick(_OPENINGS, turn).format(title=matter.title, client=matter.client.name)]
    points = [f"- Matter name: {matter.title}", f"- Client: {matter.client.name}"]
    for said in _say_terms(matter, turn):
        (points if said.startswith("- ") else sentences).append(said)
    sentences.append(_pick(_ASIDES, turn))
    points.append(f"- Status: {matter.status}")
    return " ".join(sentences) + "\n\n" + "\n".join(points) + "\n"


def say_client(client: Client, turn: int) -> str:
    """Say all that is known of a client."""
    return _pick(_CLIENTS, turn).format(name=client.name, industry=client.industry) + (
        f"\n\n- Client name: {client.name}\n- Tier: {client.tier}\n- Industry: {client.industry}\n"
    )


def say_option(option: Option, deal: Contested) -> str:
    """Say what an option of a contested matter is."""
    price = f"Option {option.letter} is a sale at a purchase price of {_money(option.price_usd)}."
    return f"One of {len(deal.options)} ways to do the deal. {price} {option.terms}\n"


def spell(number: int) -> str:
    """Spell a number from 0 to 99 in words."""
    if not 0 <= number <= 99:
        raise ValueError(f"{number} is not between 0 and 99")
    tens, ones = divmod(number, 10)
    if number < 20:
        return _ONES[number]
    return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")


# --- sentences -----------------------------------------------------------------------------------

_ONES_IN_ORDER = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS_IN_ORDER = "twenty thirty forty fifty sixty seventy eighty ninety"
_MONTHS_IN_ORDER = (
    "January February March April May June July August September October November December"
)
_ONES = tuple(_ONES_IN_ORDER.split())
_TENS = tuple(_TENS_IN_ORDER.split())
_MONTHS = tuple(_MONTHS_IN_ORDER.split())

_OPENINGS = (
    "{client} retained the firm for **{title}**.",
    "The firm acts for {client} on **{title}**.",
    "**{title}** came to the firm through {client}, a client of some years.",
    "We look after **{title}** for {client}.",
    "This is the file on **{title}**, which the deal team handles for {client}.",
)
_ESCROWS = (
    "The buyer keeps an escrow holdback of {words} percent of the purchase price.",
    "{Words} percent of the purchase price is held in escrow against claims.",
    "- Escrow: {digits}% of the purchase price",
    "The buyer holds back {digits}% of the purchase price to secure the warranties.",
    "The parties settled on {article} {digits} percent indemnity escrow.",
    "An escrow of {words} percent ({digits}%) is held with the bank.",
    "- Escrow holdback: {digits} percent",
)
_NON_COMPETES = (
    "The founders signed a non-compete of {words} months.",
    "{Article} {digits}-month non-compete binds the sellers.",
    "- Non-compete: {digits} months",
    "The sellers agreed not to compete for {words} months after closing.",
    "The covenant not to compete runs for {digits} months from closing.",
)
_NON_COMPETES_IN_YEARS = (
    "The founders are bound by a non-compete of {words} years.",
    "The sellers agreed not to compete with the buyer for {words} years after closing.",
)
_DEAL_VALUES = (
    "- Deal value: {short}",
    "The purchase price is {money} in cash.",
    "The deal is valued at {money}.",
)
_OPENED = (
    "The matter was opened on {day} {month} {year}.",
    "The matter was opened on {month} {day}, {year}.",
    "- Opened on: {iso}",
)
# Numbers that belong to no field.
_ASIDES = (
    "The disclosure schedules run to forty pages.",
    "Exclusivity lasted forty-five days.",
    "The indemnity basket is one percent of revenue.",
    "Three partners read the draft, the last of them twice.",
    "The seller keeps the brand in use for nine months.",
    "Working capital was settled at 14% of sales.",
)
_CLIENTS = (
    "{name} works in {industry} and sends us a deal or two in a good year.",
    "{name} is a name in {industry}; the general counsel calls before the papers come.",
    "We have acted for {name} ({industry}) since the first fund.",
)


def _say_terms(matter: Matter, turn: int) -> Iterator[str]:
    yield _say_opened(matter.opened, turn)
    if matter.deal_type is not None:
        yield f"- Deal type: {matter.deal_type}"
    if matter.deal_value_usd is not None:
        yield _say_deal_value(matter.deal_value_usd, turn)
    if matter.escrow_pct is not None:
        yield _say_number(_pick(_ESCROWS, turn), matter.escrow_pct)
    if matter.non_compete_months is not None:
        yield _say_non_compete(matter.non_compete_months, turn)


def _say_opened(opened: str, turn: int) -> str:
    if len(opened) == 4:
        return f"- Opened on: {opened}"
    day = date.fromisoformat(opened)
    parts = {"day": day.day, "month": _MONTHS[day.month - 1], "year": day.year}
    return _pick(_OPENED, turn).format(iso=opened, **parts)


def _say_deal_value(value: int, turn: int) -> str:
    return _pick(_DEAL_VALUES, turn).format(short=f"${value // 10**6}M", money=_money(value))


def _say_non_compete(months: int, turn: int) -> str:
    years, rest = divmod(months, 12)
    if years > 1 and not rest and turn % 2:
        return _say_number(_pick(_NON_COMPETES_IN_YEARS, turn // 2), years)
    return _say_number(_pick(_NON_COMPETES, turn), months)


def _say_number(sentence: str, number: int) -> str:
    words, article = spell(number), _article(number)
    forms = {"words": words, "Words": words.capitalize(), "digits": number}
    return sentence.format(article=article, Article=article.capitalize(), **forms)


def _article(number: int) -> str:
    return "an" if number in (8, 11, 18) or 80 <= number <= 89 else "a"


def _money(value: int) -> str:
    return f"${value / 10**6:g} million"


def _pick(phrasings: Sequence[str], turn: int) -> str:
    return phrasings[turn % len(phrasings)]
